"""d_min of random projections for many matrices: what figure3.py and figure4.py share.

Each measurement is a line of a csv file, written as soon as it is there; what the file has already
is not measured again.
"""

from __future__ import annotations

import csv
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.approximation import Request, approximate, sample
from samapprox.attention.approximation.methods.lazy_frames import LazyDraws, LazyFrame
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
    """The outcome of a search; seconds are CPU time on a shared machine.

    The draws of a d that fails are Qn, so those of all d and of the last one tell where it began.
    """

    d_min: int
    draws: int
    last_draws: int
    seconds: float


def request(job: Job, step: int) -> Request:
    return Request(
        target=sample(job.n, job.k, job.gamma, job.seed),
        eps1=job.eps1,
        eps2=job.eps2,
        redraws=job.Q,
        least=True,
        step=step,
        seed=job.seed,
    )


def measure(job: Job, step: int = STEP) -> Measured:
    """Draw for every d of the grid, from its first one on."""
    start = time.process_time()
    found = approximate(request(job, step), "projection")
    assert found.report.is_proven
    draws = list(found.facts["draws"].values())
    return Measured(found.layer.d, sum(draws), draws[-1], round(time.process_time() - start, 2))


def measure_from(job: Job, first: int, step: int = STEP) -> Measured:
    """Draw for every d of the grid that is at least `first`."""
    start, draws = time.process_time(), 0
    asked = request(job, step)
    for d in range(first, 2 * job.n + 1, step):
        found = approximate(replace(asked, d=d), "projection")
        last = found.facts["draws"][str(d)]
        draws += last
        if found.report.is_proven:
            break
    assert found.report.is_proven
    return Measured(d, draws, last, round(time.process_time() - start, 2))


def first_d(job: Job, known: Mapping[Job, Measured], share: float, step: int = STEP) -> int:
    """Return where to begin: at a share of the least d_min known for this setting and size."""
    least = min(
        (m.d_min for other, m in known.items() if replace(other, seed=job.seed) == job), default=0
    )
    return max(step, int(share * least) // step * step)


def failing_rows(job: Job, d: int, draws: int) -> NDArray[np.int64]:
    """Return how many rows of A surely break a condition, in each of some whole draws."""
    target = sample(job.n, job.k, job.gamma, job.seed)
    lazy = LazyDraws(target, job.eps1, job.eps2, causal=False)
    rng = np.random.Generator(np.random.SFC64([job.seed, d]))
    every = np.arange(job.n)
    counts = []
    for _ in range(draws):
        frame = LazyFrame(job.n, d // 2, rng)
        frame.reveal(job.n)
        logits = frame.products(frame.combine(lazy.support, lazy.weight * (job.n / frame.r)))
        own = logits[every[:, None], lazy.support]
        logits[every[:, None], lazy.support] = -np.inf
        slack = lazy.slack(every, own, lazy.limit - logits.max(axis=1))
        counts.append(np.count_nonzero(slack < -lazy.surely))
    return np.array(counts)


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


def run(jobs: Iterable[Job], path: Path, step: int = STEP, share: float = 0.0) -> None:
    """Measure what the file lacks; with a share, not below that of the least d_min known."""
    known = read(path)

    def measured(job: Job) -> Measured:
        first = first_d(job, known, share, step)
        return measure(job, step) if first <= step else measure_from(job, first, step)

    run_missing(jobs, known, path, measured)


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
