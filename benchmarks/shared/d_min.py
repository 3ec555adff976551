"""d_min of random projections for many matrices: what figure3.py and figure4.py share.

Each measurement is a line of a csv file, written as soon as it is there; what the file has already
is not measured again.
"""

from __future__ import annotations

import csv
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from samapprox.attention.approximation import Request, approximate, sample
from samapprox.attention.approximation.methods.projection import theorem_d
from shared.measured import from_line

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Asked = TypeVar("Asked", bound="DataclassInstance")
Found = TypeVar("Found", bound="DataclassInstance")

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
class SettingJob:
    """A measurement in one setting, whose parameters are the first columns of its file."""

    k: int
    gamma: float
    eps1: float
    eps2: float

    @property
    def setting(self) -> Setting:
        """The plot that it belongs to."""
        return Setting(self.k, self.gamma, self.eps1, self.eps2)


@dataclass(frozen=True)
class Job(SettingJob):
    """One matrix, its size and its seed, which is that of the draws too."""

    Q: float
    n: int
    seed: int


@dataclass(frozen=True)
class Measured:
    """The outcome of a search; seconds are CPU time on a shared machine."""

    d_min: int
    draws: int
    last_draws: int
    seconds: float


def measure(job: Job, step: int = STEP) -> Measured:
    start = time.process_time()
    found = approximate(
        Request(
            target=sample(job.n, job.k, job.gamma, job.seed),
            eps1=job.eps1,
            eps2=job.eps2,
            redraws=job.Q,
            least=True,
            step=step,
            seed=job.seed,
        ),
        "projection",
    )
    assert found.report.is_proven
    draws = list(found.facts["draws"].values())
    return Measured(found.layer.d, sum(draws), draws[-1], round(time.process_time() - start, 2))


def read(path: Path) -> dict[Job, Measured]:
    """Return the results in the file."""
    return read_results(path, Job, Measured)


def read_results(path: Path, job: type[Asked], measured: type[Found]) -> dict[Asked, Found]:
    """Return the results in a file whose lines are a job and what it measured."""
    if not path.exists():
        return {}
    with path.open(newline="") as stream:
        lines = list(csv.DictReader(stream))
    return {from_line(job, line): from_line(measured, line) for line in lines}


def run(jobs: Iterable[Job], path: Path, step: int = STEP) -> None:
    """Measure what the file lacks."""
    run_missing(jobs, read(path), path, lambda job: measure(job, step))


def run_missing(
    jobs: Iterable[Asked],
    known: Mapping[Asked, Found],
    path: Path,
    measure: Callable[[Asked], Found],
) -> None:
    """Measure the jobs without a result, and append each to the file at once."""
    from rich.console import Console
    from rich.progress import track

    todo = [job for job in jobs if job not in known]
    new = not path.exists()
    with path.open("a", newline="") as stream:
        writer: csv.DictWriter[str] = csv.DictWriter(stream, [], lineterminator="\n")
        for job in track(todo, console=Console(stderr=True)):
            line = asdict(job) | asdict(measure(job))
            writer.fieldnames = list(line)
            if new:
                writer.writeheader()
                new = False
            writer.writerow(line)
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
