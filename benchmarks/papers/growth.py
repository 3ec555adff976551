"""The growth of d_min with n: a logarithm against a power.

    python benchmarks papers.growth [--settings 0,1] [--sizes 32,64] [--matrices 10] [--fit]

Figure 3 has n = 512..3,072, where both laws fit. This measures d_min from n = 32 on and in steps of
4 (benchmarks/measured/growth.csv, resumable; an hour of one core for all of it), then compares the
fits; --fit measures nothing.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from shared.d_min import Job, Setting, read, run
from shared.paths import MEASURED

from papers.figure3 import SETTINGS, points, whole_numbers

TABLE = MEASURED / "growth.csv"

STEP = 4
SIZES = [32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072]
MATRICES = 10
FIGURE_3 = 512
"""The least size of Figure 3."""
SAMPLES = 400
"""Bootstrap samples: matrices of each size, drawn with replacement."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Law:
    """A family of curves with two parameters."""

    name: str
    curve: Callable[[Floats, float, float], Floats]
    start: tuple[float, float]


def inside(d: Floats, n: Floats) -> Floats:
    """Correct a law of large n for small n: the variance of Y Y^T has the factor 1 - r / n.

    An entry of (n / r) Y Y^T varies by about 1/r - 1/n, and r = d / 2.
    """
    return 1 / (1 / d + 1 / (2 * n))


CORRECTED_LOGARITHM = "a + b log n, corrected"
LAWS = [
    Law("a + b log n", lambda n, a, b: a + b * np.log(n), (0.0, 20.0)),
    Law("a n^b", lambda n, a, b: a * n**b, (20.0, 0.3)),
    Law(CORRECTED_LOGARITHM, lambda n, a, b: inside(a + b * np.log(n), n), (0.0, 20.0)),
    Law("a n^b, corrected", lambda n, a, b: inside(a * n**b, n), (20.0, 0.3)),
]


@dataclass(frozen=True)
class Fit:
    """A least squares fit.

    `excess` compares the means of each size with the curve: about 1 if the law holds exactly, more
    if its curve has another form (the F statistic of lack of fit).
    """

    a: float
    b: float
    rms: float
    aic: float
    excess: float


def jobs(settings: list[Setting], sizes: list[int], matrices: int) -> list[Job]:
    """One matrix of every size before the second of any."""
    return [
        Job(**vars(setting), Q=1.0, n=n, seed=seed)
        for seed in range(matrices)
        for setting in settings
        for n in sizes
    ]


def fit(law: Law, sizes: Floats, values: Floats) -> Fit:
    from scipy.optimize import curve_fit

    (a, b), _ = curve_fit(law.curve, sizes, values, p0=law.start, maxfev=10_000)
    residuals = values - law.curve(sizes, a, b)
    total = float(residuals @ residuals)
    count, groups = len(sizes), np.unique(sizes)
    pure = sum(float(np.var(values[sizes == n]) * np.sum(sizes == n)) for n in groups)
    freedom = count - len(groups)
    excess = (total - pure) / (len(groups) - 2) / (pure / freedom) if freedom and pure else np.nan
    return Fit(a, b, (total / count) ** 0.5, count * np.log(total / count) + 6, excess)


def compare(sizes: Floats, values: Floats) -> tuple[list[Fit], list[float]]:
    """Return the fits of all laws, and the share of bootstrap samples in which each is best."""
    fits = [fit(law, sizes, values) for law in LAWS]
    wins = np.zeros(len(LAWS))
    for rows in resample(sizes):
        wins[np.argmin([fit(law, sizes[rows], values[rows]).aic for law in LAWS])] += 1
    return fits, list(wins / SAMPLES)


def bend(sizes: Floats, values: Floats) -> tuple[float, float, float]:
    """Fit a + b (n^c - 1) / c with the correction; return c and its bootstrap interval of 95 %.

    The limit c = 0 is the logarithm; a power law with an offset has c > 0.
    """
    from scipy.optimize import curve_fit

    def curve(n: Floats, a: float, b: float, c: float) -> Floats:
        return inside(a + b * (np.log(n) if abs(c) < 1e-9 else np.expm1(c * np.log(n)) / c), n)

    start = (0.0, 20.0, 0.01)
    whole = curve_fit(curve, sizes, values, p0=start, maxfev=10_000)[0][2]
    found = [
        curve_fit(curve, sizes[rows], values[rows], p0=start, maxfev=10_000)[0][2]
        for rows in resample(sizes)
    ]
    low, high = np.percentile(found, [2.5, 97.5])
    return float(whole), float(low), float(high)


def resample(sizes: Floats) -> Iterator[NDArray[np.int64]]:
    """Yield bootstrap samples: as many matrices of each size, with replacement."""
    rng = np.random.default_rng(0)
    groups = [np.flatnonzero(sizes == n) for n in np.unique(sizes)]
    for _ in range(SAMPLES):
        yield np.concatenate([rng.choice(own, len(own)) for own in groups])


def ranges(settings: list[Setting]) -> Iterator[tuple[Setting, Floats, Floats]]:
    """Yield what is measured of each setting, on three ranges.

    All sizes; those where d_min is at most n / 2, so the correction is at most a third; and those
    of Figure 3.
    """
    found = read(TABLE)
    for setting in settings:
        sizes, values = (np.array(axis, dtype=float) for axis in points(found, setting))
        far = [n for n in np.unique(sizes) if values[sizes == n].mean() <= n / 2]
        for least in sorted({SIZES[0], int(min(far, default=0)), FIGURE_3}):
            chosen = sizes >= least
            if len(set(sizes[chosen])) >= 4:
                yield setting, sizes[chosen], values[chosen]


def table(settings: list[Setting]) -> None:
    """Print a line for each setting and range.

    For each law: the AIC above the best one, the lack of fit, and the share of bootstrap samples in
    which it is best. Then the corrected logarithm, and the exponent of the family of both.
    """
    laws = " | ".join(law.name for law in LAWS)
    print(f"| setting | n | matrices | {laws} | corrected logarithm | c |")
    print(f"|---|---|---|{'---|' * len(LAWS)}---|---|")
    for setting, sizes, values in ranges(settings):
        fits, wins = compare(sizes, values)
        best = min(one.aic for one in fits)
        cells = [
            f"+{one.aic - best:.1f}, {one.excess:.1f}, {100 * share:.0f} %"
            for one, share in zip(fits, wins, strict=True)
        ]
        line = next(
            one for one, law in zip(fits, LAWS, strict=True) if law.name == CORRECTED_LOGARITHM
        )
        c, low, high = bend(sizes, values)
        print(
            f"| {setting.title} | {min(sizes):.0f}..{max(sizes):.0f} | {len(sizes)} | "
            f"{' | '.join(cells)} | {line.a:.0f} + {line.b:.1f} log n | "
            f"{c:.2f} ({low:.2f} .. {high:.2f}) |"
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--settings", type=whole_numbers, default=[0, 1])
    parser.add_argument("--sizes", type=whole_numbers, default=SIZES)
    parser.add_argument("--matrices", type=int, default=MATRICES)
    parser.add_argument("--fit", action="store_true", help="measure nothing")
    chosen = parser.parse_args()
    settings = [SETTINGS[i] for i in chosen.settings]
    if not chosen.fit:
        run(jobs(settings, chosen.sizes, chosen.matrices), TABLE, STEP)
    table(settings)
