"""d = 1: time and memory of single decisions, sparse ones, batches and the cold command.

    python benchmarks dimensions.line

Every ratio is of medians within this run. Needs 2 GB of memory and about two minutes, most of
them for Algorithm 1.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import scipy.sparse
from shared.parts import parse_parts
from shared.paths import ROOT, command_of

import samapprox
from samapprox.solvers.line.algorithm1 import algorithm1


def median_seconds(action: Callable[[], object], runs: int = 5) -> float:
    action()
    seconds = []
    for _ in range(runs):
        start = time.perf_counter()
        action()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def interleaved_medians(
    actions: dict[str, Callable[[], object]], runs: int = 11
) -> dict[str, float]:
    """Medians of actions that take turns, so that a noisy neighbour troubles all of them alike."""
    seconds: dict[str, list[float]] = {name: [] for name in actions}
    for run in range(runs + 1):
        for name, action in actions.items():
            start = time.perf_counter()
            action()
            if run:  # the first one warms up
                seconds[name].append(time.perf_counter() - start)
    return {name: statistics.median(values) for name, values in seconds.items()}


def half_lines(rng: np.random.RandomState, rows: int, columns: int) -> np.ndarray:
    position = rng.permutation(columns).astype(np.int32)
    lengths = rng.randint(1, columns, size=rows)
    entries = np.empty((rows, columns), dtype=np.uint8)
    for row, length in enumerate(lengths):
        entries[row] = position < length if row % 2 else position >= length
    return entries


def report(what: str, figure: str, goal: str) -> None:
    print(f"| {what} | {figure} | {goal} |", flush=True)


def dense(n: int) -> None:
    rng = np.random.RandomState(0)
    yes = half_lines(rng, n, n)
    no = yes.copy()
    no[n - 1] = rng.randint(0, 2, size=n)
    assert samapprox.decide(yes).status.value == "YES"
    assert samapprox.decide(no).status.value == "NO"
    seconds = interleaved_medians(
        {
            "rows": lambda: np.packbits(yes, axis=1),
            "flat": lambda: np.packbits(yes),
            "YES": lambda: samapprox.decide(yes),
            "NO": lambda: samapprox.decide(no),
        }
    )
    for name in ("YES", "NO"):
        report(
            f"dense {n} x {n} uint8, {name}",
            f"{seconds[name]:.3f} s, {seconds[name] / seconds['rows']:.2f} x packbits(axis=1), "
            f"{seconds[name] / seconds['flat']:.2f} x packbits",
            "at most 3 x",
        )
    tracemalloc.start()
    samapprox.decide(yes)
    extra = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    report("extra memory of it", f"{extra / yes.nbytes:.3f} of the input", "at most 0.25")


def published(n: int) -> None:
    entries = half_lines(np.random.RandomState(1), n, n)
    fast = median_seconds(lambda: samapprox.decide(entries))
    sets = [frozenset(np.flatnonzero(row).tolist()) for row in entries]
    start = time.perf_counter()
    assert algorithm1(sets, 2)
    slow = time.perf_counter() - start
    report(
        f"n = {n}, YES, against Algorithm 1 on networkx",
        f"{slow:.1f} s / {1000 * fast:.2f} ms = {slow / fast:,.0f} x",
        "at least 5,000 x",
    )


def sparse(n: int) -> None:
    rng = np.random.RandomState(2)
    order = rng.permutation(n)
    lengths = rng.randint(1, 20, size=n)
    indptr = np.concatenate(([0], np.cumsum(lengths)))
    within = np.arange(indptr[-1]) - np.repeat(indptr[:-1], lengths)
    at_the_end = np.repeat(rng.randint(0, 2, size=n), lengths) > 0
    indices = order[np.where(at_the_end, n - 1 - within, within)].astype(np.int32)
    matrix = scipy.sparse.csr_array(
        (np.ones(len(indices), dtype=np.int8), indices, indptr), shape=(n, n)
    )
    assert samapprox.decide(matrix).status.value == "YES"
    seconds = median_seconds(lambda: samapprox.decide(matrix), runs=3)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    report(
        f"CSR, n = {n:,}, {len(indices):,} ones, YES",
        f"{seconds:.2f} s, {peak:.2f} GB peak of the whole process",
        "under 3 s, under 1 GB",
    )


def batch(count: int) -> None:
    rng = np.random.RandomState(3)
    position = np.argsort(rng.random_sample((count, 1, 8)), axis=2)
    lines = position < rng.randint(1, 9, size=(count, 8, 1))
    lines ^= rng.randint(0, 2, size=(count, 8, 1)) > 0
    lines[~lines.any(axis=2)] = True
    random = rng.randint(0, 2, size=(count, 8, 8)) > 0
    random[~random.any(axis=2)] = True
    half = np.where(np.arange(count)[:, None, None] % 2, lines, random)
    start = time.perf_counter()
    samapprox.decide_many(half[:20000])
    report(
        "decide_many, first call, 20,000 8 x 8",
        f"{time.perf_counter() - start:.2f} s",
        "-",
    )
    for name, stack in (("half-lines", lines), ("random", random), ("half of each", half)):
        as_bytes = stack.astype(np.uint8)
        seconds = median_seconds(partial(samapprox.decide_many, as_bytes))
        report(f"decide_many, {count:,} 8 x 8, {name}", f"{seconds:.2f} s", "under 1 s")


def cold() -> None:
    pattern = next(iter(sorted((ROOT / "data" / "minilm").glob("*n120*.npz"))))
    command = [str(Path(sys.executable).with_name("samapprox")), "decide", str(pattern)]
    numpy = [sys.executable, "-c", "import numpy"]

    def run(arguments: list[str]) -> None:
        subprocess.run(arguments, check=True, stdout=subprocess.DEVNULL, cwd=tempfile.gettempdir())

    seconds = interleaved_medians(
        {"numpy": lambda: run(numpy), "samapprox": lambda: run(command)}, runs=21
    )
    base, ours = seconds["numpy"], seconds["samapprox"]
    report(
        f"cold `samapprox decide {pattern.name}`",
        f"{1000 * ours:.0f} ms, {ours / base:.2f} x `python -c 'import numpy'`",
        "at most 2.5 x",
    )


def in_own_process(part: str) -> None:
    """Peak memory is per process, so parts that report it run in one of their own."""
    subprocess.run(command_of("dimensions.line", part), check=True)


PARTS: dict[str, Callable[[], None]] = {
    "dense": lambda: dense(20_000),
    "published": lambda: published(2_000),
    "sparse": lambda: sparse(1_000_000),
    "batch": lambda: batch(1_000_000),
    "cold": cold,
}


if __name__ == "__main__":
    parts = parse_parts(__doc__, PARTS)
    for part in parts:
        PARTS[part]()
    if not parts:
        print(f"{os.cpu_count()} cores, Python {sys.version.split()[0]}, numpy {np.__version__}\n")
        print("| what | figure | goal |\n|---|---|---|", flush=True)
        for part in PARTS:
            in_own_process(part)
