"""Reasoning tasks: lengths, speed and replays of their chains."""

from __future__ import annotations

import time
from collections.abc import Iterator

from shared.rows import Row

from samapprox.attention.reasoning import parse_task
from samapprox.attention.reasoning.replay import first_mistake

INSTANCES = 10_000
SECONDS = 20
REPLAYED = 200

LARGEST = {
    "lis": 250,
    "edit-distance": 20,
    "banded-edit-distance": 20,
    "arithmetic": 16,
    "turing-machine": 24,
}
"""Task -> the largest size; for Turing machines, one with runs of a few hundred steps."""

LENGTHS = {
    "lis": (83, 223, 353, 503),
    "edit-distance": (72, 210, 342, 506),
    "arithmetic": (85, 221, 365, 545),
}
"""Task -> the lengths of the longest chains of the sizes of Yang et al. (2024)."""


def lengths() -> Iterator[Row]:
    """Yield the lengths of chains of the paper's sizes."""
    for name in ("lis", "edit-distance"):
        task = parse_task(name)
        counts = [len(next(task.generate(size))) for size in task.sizes]
        yield f"{name}, tokens for size {_list(task.sizes)}", _list(counts), _list(LENGTHS[name])
    task = parse_task("arithmetic")
    reached = []
    for m in task.sizes:
        nested = "(" * (m - 1) + "1" + "+1)" * (m - 1) + "+1"
        reached.append(len(task.chain(task.parse(nested))))
    yield "arithmetic, (((1+1)+1) ..)+1", _list(reached), _list(LENGTHS["arithmetic"])


def speed() -> Iterator[Row]:
    """Yield the seconds that instances of the largest sizes take: drawn, solved, with tokens."""
    for name, size in LARGEST.items():
        task = parse_task(name)
        next(task.generate(size))
        tokens = 0
        start = time.perf_counter()
        for chain in task.generate(size, seed=1, count=INSTANCES):
            tokens += len(chain)
        seconds = time.perf_counter() - start
        what = f"{name}, {INSTANCES:,} instances of size {size}, {tokens // INSTANCES} tokens each"
        yield what, f"{seconds:.1f} s", f"< {SECONDS} s"


def replays() -> Iterator[Row]:
    """Yield the number of chains of the largest sizes that the replay finds right."""
    for name, size in LARGEST.items():
        task = parse_task(name)
        right = sum(
            first_mistake(task, chain.tokens, chain.needs, chain.answer) is None
            for chain in task.generate(size, seed=2, count=REPLAYED)
        )
        yield f"{name}, chains of size {size} replayed right", str(right), str(REPLAYED)


def _list(numbers: object) -> str:
    assert isinstance(numbers, list | tuple)
    return ", ".join(map(str, numbers))
