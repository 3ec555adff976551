"""Lemma 0.6: how often a random projection satisfies (18), and (7) and (8), against d.

    python benchmarks papers.lemma06 [--sizes 512,1024] [--draws 200]

The lemma states more than 1/(n + 2) for the d of Equation (6). Measures what
benchmarks/measured/lemma06.csv lacks (resumable; an hour of one core for all of it), then prints a
table.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import astuple, dataclass

import numpy as np
from numpy.typing import NDArray
from shared.d_min import Setting, SettingJob, read_results, run_missing
from shared.paths import MEASURED

from papers.figure3 import whole_numbers
from samapprox.attention.approximation import Target, sample
from samapprox.attention.approximation.checker import check
from samapprox.attention.approximation.methods.lazy_frames import bias, haar
from samapprox.attention.approximation.methods.projection import layer_of, theorem_d

TABLE = MEASURED / "lemma06.csv"

SETTINGS = [Setting(1, 1.0, 0.5, 3.0), Setting(1, 1.0, 0.5, 1.0), Setting(2, 2.0, 0.5, 3.0)]
SIZES = [64, 128, 256, 512, 1024, 2048]
DRAWS = 200
STEPS = range(18)
"""The d to try: that of Equation (6), divided by 2^(step / 3)."""


@dataclass(frozen=True)
class Job(SettingJob):
    """Draws for one d. The matrix has seed 0, the draws are seeded by n and d."""

    n: int
    d: int
    draws: int


@dataclass(frozen=True)
class Shares:
    """The number of draws that satisfy (18), and that satisfy (7) and (8)."""

    differences: int
    conditions: int
    seconds: float


def jobs(sizes: list[int], draws: int) -> list[Job]:
    """Every d that a projection can have: at most 2n (where every draw is exact)."""
    return [
        Job(**vars(setting), n=n, d=d, draws=draws)
        for n in sizes
        for setting in SETTINGS
        for d in dimensions(setting, n)
        if 32 <= d < 2 * n
    ]


def dimensions(setting: Setting, n: int) -> list[int]:
    """Equation (6) first, then smaller."""
    most = theorem_d(n, *astuple(setting))
    return [2 * round(most / 2 / 2 ** (step / 3)) for step in STEPS]


def measure(job: Job) -> Shares:
    start = time.process_time()
    target = sample(job.n, job.k, job.gamma, seed=0)
    rng = np.random.Generator(np.random.SFC64([job.n, job.d]))
    differences = conditions = 0
    for _ in range(job.draws):
        Y = haar(job.n, job.d // 2, rng)
        layer = layer_of(target, job.eps1, job.eps2, Y)
        differences += bool(largest_difference(target, job, Y) < job.eps2)
        conditions += check(layer, target, job.eps1, job.eps2).holds
    return Shares(differences, conditions, round(time.process_time() - start, 2))


def largest_difference(target: Target, job: Job, Y: NDArray[np.float64]) -> float:
    """Return the largest left side of (18)."""
    weights = bias(target, job.eps1, job.eps2)
    scaled = np.sqrt(job.n / Y.shape[1]) * Y
    queries = np.add.reduceat(weights[:, None] * scaled[target.columns], target.indptr[:-1], axis=0)
    errors = queries @ scaled.T
    errors[np.repeat(np.arange(job.n), np.diff(target.indptr)), target.columns] -= weights
    return float(np.ptp(errors, axis=1).max())


def table(found: dict[Job, Shares]) -> None:
    """Print where draws satisfy the conditions.

    "first" is the least d on the grid from which on a larger share than 1/(n + 2) succeeds; "half"
    interpolates between neighbours.
    """
    print(
        "| setting | n | draws | d of (6) | (18) there | "
        "(18): first, half | (7), (8): first, half |"
    )
    print("|---|---|---|---|---|---|---|")
    for setting, n in sorted({(job.setting, job.n) for job in found}):
        own = sorted(
            (
                (job, shares)
                for job, shares in found.items()
                if (job.setting, job.n) == (setting, n)
            ),
            key=lambda item: item[0].d,
        )
        d = [job.d for job, _ in own]
        parts = [
            [getattr(shares, name) / job.draws for job, shares in own]
            for name in ("differences", "conditions")
        ]
        enough = theorem_d(n, *astuple(setting))
        there = f"{100 * parts[0][-1]:.0f} %" if d[-1] == enough else "d > 2n"
        cells = [f"{first(d, shares, 1 / (n + 2))}, {half(d, shares)}" for shares in parts]
        draws = min(job.draws for job, _ in own)
        print(f"| {setting.title} | {n} | {draws} | {enough} | {there} | {' | '.join(cells)} |")


def first(d: list[int], shares: list[float], least: float) -> str:
    """Return the least d from which on all shares are above a bound."""
    below = [place for place, share in enumerate(shares) if share <= least]
    return str(d[below[-1] + 1]) if below else f"at most {d[0]}"


def half(d: list[int], shares: list[float]) -> str:
    """Return the d of a share of one half, interpolated."""
    place = max((place for place, share in enumerate(shares) if share < 0.5), default=None)
    if place is None:
        return "-"
    return f"{np.interp(0.5, shares[place : place + 2], d[place : place + 2]):.0f}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=whole_numbers, default=SIZES)
    parser.add_argument("--draws", type=int, default=DRAWS)
    chosen = parser.parse_args()
    run_missing(jobs(chosen.sizes, chosen.draws), read_results(TABLE, Job, Shares), TABLE, measure)
    table(read_results(TABLE, Job, Shares))
