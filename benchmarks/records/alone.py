"""Whether `dim` finds what one strategy finds alone, and how much longer it takes.

    python benchmarks records.results alone [PART ..] [--strategy topological] [--seconds 60]
                                            [--only S]
    python benchmarks records.results alone --files core17.qrels.gz ..

Each line is a pattern and the largest d that the strategy refutes alone within the limit: below the
known lower bound of a pattern of the tables, any d of a file. `dim` may take --times as long. Times
are processor seconds, which a busy machine changes little. `dim` has two threads, so where both of
them work it takes half as many seconds on a machine with two cores. Nothing is stored.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from time import process_time

from records.lines import read_lines
from records.questions import PARTS, SEED, questions
from samapprox import Pattern, Status, decide, load, weak_dimension
from samapprox.reductions.families import generate
from samapprox.support.progress import Progress

__all__ = ["main", "read_patterns"]

_LEAST = 1.0  # seconds that count at least: quick bounds come first in `dim`


class _EnoughError(Exception):
    """The bound is found, or too much time is spent."""


def read_patterns(parts: list[str], only: str) -> Iterator[tuple[str, Pattern, int]]:
    """Yield patterns of the tables with the dimension below their lower bound, where it is >= 2."""
    table = read_lines()
    for question in questions():
        known = table.get(question.name)
        chosen = question.part in parts and only in question.name and not question.ranked
        if chosen and known is not None and known.lower > 2:
            yield question.name, question.pattern, known.lower - 1


def refute_alone(pattern: Pattern, d: int, strategy: str, seconds: float) -> float | None:
    """Return the processor seconds of a strategy that refutes d, or None if it does not."""
    started = process_time()
    found = decide(pattern, d, only=[strategy], time_limit=seconds, seed=SEED)
    return process_time() - started if found.status is Status.NO else None


def refute_beside_others(pattern: Pattern, d: int, seconds: float) -> float | None:
    """Return the processor seconds after which `dim` has refuted d, or None if it took more."""
    started = process_time()
    lower = 1

    def watch(progress: Progress) -> None:
        nonlocal lower
        lower = max(lower, progress.so_far.lower if progress.so_far is not None else 1)
        if lower > d or process_time() - started > seconds:
            raise _EnoughError

    with suppress(_EnoughError):  # on a busy machine the clock runs faster than the processor
        lower = weak_dimension(pattern, time_limit=20 * seconds, seed=SEED, progress=watch).lower
    return process_time() - started if lower > d else None


def compare(name: str, pattern: Pattern, d: int, alone: float, times: float) -> bool:
    """Print a line; return whether `dim` was quick enough."""
    beside = refute_beside_others(pattern, d, times * max(_LEAST, alone))
    took = "more" if beside is None else f"{beside:.2f}"
    shape = " x ".join(map(str, pattern.shape))
    print(f"| {name} | {shape} | {d} | {alone:.2f} | {took} |", flush=True)
    return beside is not None


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(
        prog="records.results alone",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--files", type=Path, nargs="+", default=[], help="these patterns instead")
    parser.add_argument("--strategy", default="topological")
    parser.add_argument("--seconds", type=float, default=60.0, help="time limit of the strategy")
    parser.add_argument("--times", type=float, default=4.0, help="how much longer dim may take")
    parser.add_argument("--only", default="", help="lines whose name contains this")
    options = parser.parse_args(arguments)
    star = generate("mask", graph="star", n=16).pattern  # loads compiled code
    refute_alone(star, 2, options.strategy, 60)
    print("| pattern | shape | d | alone, s | dim, s |\n|---|---|---|---|---|")
    met = []
    for name, pattern, d in read_patterns(options.parts or list(PARTS), options.only):
        if not options.files:
            alone = refute_alone(pattern, d, options.strategy, options.seconds)
            if alone is not None:
                met.append(compare(name, pattern, d, alone, options.times))
    for path in options.files:
        pattern, d, last = load(path), 2, None
        while alone := refute_alone(pattern, d, options.strategy, options.seconds):
            last, d = alone, d + 1
        if last is not None:
            met.append(compare(path.name, pattern, d - 1, last, options.times))
    print(f"{sum(met)} of {len(met)} within {options.times:g} times as many processor seconds")
