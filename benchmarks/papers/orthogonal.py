"""Orthogonal vectors: pairs a second, the transform over subsets, and the choice between them.

    python benchmarks papers.orthogonal [PART]

`costs` prints what the constants in attention/vectors/orthogonal_vectors.py should be on this
machine. Times on one thread are CPU seconds, which neighbours disturb less, on two wall seconds;
ratios are of medians of runs that take turns.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.vectors import orthogonal_kernel as kernel
from samapprox.attention.vectors.orthogonal_vectors import (
    choose_method,
    count_orthogonal,
    least_inner_product,
    orthogonal_pair,
)
from samapprox.reductions.vectors import generate

Bits = NDArray[np.uint8]

TASKS: dict[str, Callable[..., object]] = {
    "find": orthogonal_pair,
    "count": count_orthogonal,
    "least": least_inner_product,
}


def interleaved(
    actions: dict[str, Callable[[], object]], runs: int, clock: Callable[[], float]
) -> dict[str, float]:
    """Medians of actions that take turns; the first turn warms up."""
    seconds: dict[str, list[float]] = {name: [] for name in actions}
    for run in range(runs + 1):
        for name, action in actions.items():
            start = clock()
            action()
            if run:
                seconds[name].append(clock() - start)
    return {name: statistics.median(values) for name, values in seconds.items()}


def report(what: str, figure: str, goal: str) -> None:
    print(f"| {what} | {figure} | {goal} |", flush=True)


def without_pair(n: int, d: int) -> Bits:
    """Nothing to find, so that everything is looked at."""
    return generate("orthogonal-none", n=n, d=d, density=0.5).first


def by_numpy(bits: Bits) -> int:
    """Count pairs by float32 products in blocks, the usual way."""
    vectors = bits.astype(np.float32)
    parts = range(0, len(bits), 1024)
    return sum(int((vectors[i : i + 1024] @ vectors.T == 0).sum()) for i in parts) // 2


def rates() -> None:
    n = 40_000
    for d in (32, 64, 128, 256):
        bits = without_pair(n, d)
        pairs = n * (n - 1) / 2
        for task in ("find", "count", "least"):
            action = partial(TASKS[task], bits, method="pairs", threads=1)
            one = interleaved({"one": action}, 5, time.thread_time)["one"]
            report(
                f"{task}, n = {n:,}, d = {d}, all pairs, 1 thread",
                f"{1e-9 * pairs / one:.2f} x 10^9 pairs a second",
                "at least 6.5 for d <= 64" if d <= 64 else "-",
            )
    bits = without_pair(100_000, 64)
    walls = interleaved(
        {
            str(threads): partial(count_orthogonal, bits, method="pairs", threads=threads)
            for threads in (1, 2)
        },
        9,
        time.perf_counter,
    )
    ratio = f"{walls['1'] / walls['2']:.2f} x one"
    report("count, n = 100,000, d = 64, 2 threads", ratio, "at least 1.8")
    bits = without_pair(10_000, 64)
    seconds = interleaved(
        {
            "numpy": partial(by_numpy, bits),
            "samapprox": partial(count_orthogonal, bits, method="pairs"),
        },
        3,
        time.perf_counter,
    )
    report(
        "count, n = 10,000, d = 64, against numpy's products, all threads",
        f"{seconds['numpy'] / seconds['samapprox']:.1f} x "
        f"(numpy {1e-9 * 5e7 / seconds['numpy']:.2f} x 10^9 pairs a second)",
        "-",
    )


def subsets() -> None:
    n, d = 200_000, 20
    bits = without_pair(n, d)
    codes = np.ascontiguousarray((bits @ (1 << np.arange(d))).astype(np.uint64))
    table = np.zeros(1 << d, dtype=np.int32)

    def transform() -> None:
        table[:] = 0
        kernel.tally(codes, table)
        kernel.count_subsets(table)
        kernel.sum_at_complements(codes, table)

    actions: dict[str, Callable[[], object]] = {"the transform alone": transform}
    for task, action in TASKS.items():
        actions[task] = partial(action, bits, method="subsets")
    for name, seconds in interleaved(actions, 15, time.thread_time).items():
        goal = "under 15 ms" if name == "the transform alone" else "-"
        report(f"subsets, n = {n:,}, d = {d}: {name}", f"{1000 * seconds:.1f} ms", goal)


def choice() -> None:
    worst = 0.0
    for task, action in TASKS.items():
        for d in (8, 10, 12, 14, 16, 18, 20, 22, 24):
            figures = []
            for n in (500, 1000, 2000, 4000, 8000, 16_000, 32_000, 100_000):
                bits = without_pair(n, d)
                actions: dict[str, Callable[[], object]] = {
                    "subsets": partial(action, bits, method="subsets", threads=1)
                }
                if n <= 32_000 or d >= 22:
                    actions["pairs"] = partial(action, bits, method="pairs", threads=1)
                seconds = interleaved(actions, 5 if n > 4000 else 15, time.thread_time)
                ratio = seconds.get(choose_method(n, None, d, task), np.inf) / min(seconds.values())
                worst = max(worst, ratio)
                figures.append(f"{n:,}: {ratio:.2f}")
            report(
                f"{task}, d = {d}: time of the choice / of the better", ", ".join(figures), "1.2"
            )
    report("the worst of them", f"{worst:.2f}", "at most 1.2")


def million() -> None:
    bits = generate("orthogonal-planted", n=10**6, d=24, seed=1)
    i, j = bits.known["pair"]
    assert orthogonal_pair(bits.first) == (i, j)
    seconds = interleaved({"find": partial(orthogonal_pair, bits.first)}, 5, time.perf_counter)
    report("the planted pair, n = 10^6, d = 24", f"{seconds['find']:.2f} s", "under 1 s")


def costs() -> None:
    """Nanoseconds by differences, so that what all runs share cancels out."""
    for task, action in TASKS.items():

        def seconds(n: int, d: int, method: str, action: Callable[..., object] = action) -> float:
            run = partial(action, without_pair(n, d), method=method, threads=1)
            return interleaved({"run": run}, 5, time.thread_time)["run"]

        word = (seconds(40_000, 60, "pairs") - seconds(10_000, 60, "pairs")) / 7.5e8
        wide = (seconds(20_000, 256, "pairs") - seconds(5_000, 256, "pairs")) / 1.875e8 / 4
        large, small = seconds(100, 24, "subsets"), seconds(100, 20, "subsets")
        dimension = (large - small) / (24 * 2**24 - 20 * 2**20)
        vector = (seconds(400_000, 16, "subsets") - seconds(100_000, 16, "subsets")) / 3e5
        print(
            f"{task}: word {1e9 * word:.3f}, wide {1e9 * wide:.3f}, dimension "
            f"{1e9 * dimension:.4f}, vector {1e9 * vector:.1f}; 2^20 alone {1e3 * small:.2f} ms",
            flush=True,
        )


PARTS = {"rates": rates, "subsets": subsets, "choice": choice, "million": million}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", nargs="?", choices=[*PARTS, "costs"])
    chosen = parser.parse_args().part
    if chosen == "costs":
        costs()
    else:
        print(f"{os.cpu_count()} cores, Python {sys.version.split()[0]}, numpy {np.__version__}\n")
        print("| what | figure | goal |\n|---|---|---|", flush=True)
        for name in [chosen] if chosen else PARTS:
            PARTS[name]()
