"""d_min of random projections for many matrices: what figure3.py and figure4.py share.

Each measurement is a line of a csv file, written as soon as it is there; what the file has already
is not measured again.
"""

from __future__ import annotations

import csv
import time
from collections.abc import Iterable
from dataclasses import asdict, astuple, dataclass, fields
from pathlib import Path

import numpy as np
from measured import from_line

from samapprox.attention.approximation import Request, approximate, sample
from samapprox.attention.approximation.methods.projection import theorem_d

SIZES = range(512, 3073, 256)
MATRICES = 5
STEP = 16


@dataclass(frozen=True, order=True)
class Setting:
    """One plot of the figure."""

    k: int
    gamma: float
    eps1: float
    eps2: float

    @property
    def title(self) -> str:
        """For people."""
        return f"k = {self.k}, gamma = {self.gamma:g}, eps1 = {self.eps1:g}, eps2 = {self.eps2:g}"


@dataclass(frozen=True)
class Job:
    """One matrix, its size and its seed, which is that of the draws too."""

    k: int
    gamma: float
    eps1: float
    eps2: float
    Q: float
    n: int
    seed: int

    @property
    def setting(self) -> Setting:
        """The plot that it belongs to."""
        return Setting(self.k, self.gamma, self.eps1, self.eps2)


@dataclass(frozen=True)
class Measured:
    """The outcome of a search; seconds are CPU time on a shared machine."""

    d_min: int
    draws: int
    last_draws: int
    seconds: float


def measure(job: Job) -> Measured:
    start = time.process_time()
    found = approximate(
        Request(
            target=sample(job.n, job.k, job.gamma, job.seed),
            eps1=job.eps1,
            eps2=job.eps2,
            redraws=job.Q,
            least=True,
            step=STEP,
            seed=job.seed,
        ),
        "projection",
    )
    assert found.report.is_proven
    draws = list(found.facts["draws"].values())
    return Measured(found.layer.d, sum(draws), draws[-1], round(time.process_time() - start, 2))


def read(path: Path) -> dict[Job, Measured]:
    """Return the results in the file."""
    if not path.exists():
        return {}
    found = {}
    with path.open(newline="") as stream:
        for line in csv.DictReader(stream):
            found[from_line(Job, line)] = from_line(Measured, line)
    return found


def run(jobs: Iterable[Job], path: Path) -> None:
    """Measure what the file lacks."""
    from tqdm import tqdm

    todo = [job for job in jobs if job not in read(path)]
    new = not path.exists()
    with path.open("a", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        if new:
            writer.writerow([f.name for kind in (Job, Measured) for f in fields(kind)])
        for job in tqdm(todo, disable=None):
            writer.writerow([*astuple(job), *astuple(measure(job))])
            stream.flush()


def fit(sizes: list[int], values: list[int]) -> tuple[float, float]:
    """Coefficients a and b of the least squares fit a + b log n."""
    design = np.stack([np.ones(len(sizes)), np.log(sizes)], axis=1)
    a, b = np.linalg.lstsq(design, np.array(values, dtype=float), rcond=None)[0]
    return float(a), float(b)


def theorem_slope(setting: Setting) -> float:
    """Return the slope of Equation (6) over log n, from the least size to the greatest."""
    ends = [theorem_d(n, **asdict(setting)) for n in (SIZES[0], SIZES[-1])]
    return (ends[1] - ends[0]) / float(np.log(SIZES[-1] / SIZES[0]))
