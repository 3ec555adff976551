"""Which head size does gradient descent need, where the least one is proven?

For every pattern and d, free queries and keys, or one attention layer, are trained from three
seeds. A row is right if all its ones score above all its zeros.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from shared.paths import MEASURED

from samapprox import Pattern, data, load
from samapprox.reductions.families import generate
from trained.csv_table import Table

if TYPE_CHECKING:
    from torch import Tensor

__all__ = [
    "ENOUGH",
    "MOST_D",
    "SEEDS",
    "TABLE",
    "Cell",
    "Subject",
    "margins",
    "measure",
    "subjects",
]

DIMENSIONS = MEASURED / "dimensions.csv"
SEEDS = 3
MOST_D = 16
ENOUGH = 0.01
"""A run ends as soon as ones and zeros are this share of the row's range apart, in all rows."""

STEPS = 1500
RATE = 0.05
WIDTH = 64  # The dimension of tokens of the attention layer
ROUNDING = 1e-6  # Smaller shares count as wrong: float64 rounds logits by 1e-13 of their range


@dataclass(frozen=True, slots=True)
class Subject:
    """A pattern, and the proven bounds on its least dimension."""

    part: str
    name: str
    lower: int
    upper: int

    def pattern(self) -> Pattern:
        """Load or make the pattern."""
        if self.part == "minilm":
            return load(data.path(f"minilm/{self.name}.npz"))
        if self.part == "limit":
            return load(data.path("limit/limit.npz"))
        graph, size, *causal = self.name.split(", ")
        n = int(size.removeprefix("n = "))
        return generate("mask", graph=graph, n=n, causal=bool(causal)).pattern


@dataclass(frozen=True, slots=True)
class Cell:
    """The result of training for a pattern with d dimensions, from one seed: a line of the csv."""

    part: str
    name: str
    lower: int
    upper: int
    model: str
    optimizer: str
    d: int
    seed: int
    right: int  # rows
    rows: int
    margin: float  # the least share of a row's range between its ones and zeros


TABLE: Table[Cell] = Table(Path(__file__).with_name("heads.csv"), Cell)


def subjects() -> list[Subject]:
    """Return the shipped heads, LIMIT and the masks of 32 and 64 tokens, the smallest first."""
    with DIMENSIONS.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    chosen = [
        row
        for row in rows
        if row["part"] in ("minilm", "limit")
        or (row["part"] == "masks" and row["rows"] in ("32", "64"))
    ]
    chosen.sort(key=lambda row: int(row["rows"]) * int(row["columns"]))
    return [
        Subject(row["part"], row["name"], int(row["lower"]), int(row["upper"])) for row in chosen
    ]


def measure(subject: Subject, model: str, optimizer: str) -> Iterator[Cell]:
    """Train with d from the proven lower bound on, until all seeds have enough margin.

    With fewer dimensions, no training can get all rows right.
    """
    entries = subject.pattern().to_array()
    for d in range(subject.lower, MOST_D + 1):
        found = _train(entries, model, optimizer, d)
        right = (found > ROUNDING).sum(axis=1)
        for seed, own in enumerate(found):
            place = (subject.part, subject.name, subject.lower, subject.upper)
            yield Cell(
                *place, model, optimizer, d, seed, int(right[seed]), own.size, float(own.min())
            )
        if found.min() > ENOUGH:
            return


def margins(entries: NDArray[Any], logits: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the gap between ones and zeros of each row, as a share of its range of logits.

    It is 1 for rows without ones or without zeros.
    """
    ones, zeros = entries == 1, entries == 0
    least = np.where(ones, logits, np.inf).min(axis=-1)
    most = np.where(zeros, logits, -np.inf).max(axis=-1)
    known = np.where(ones | zeros, logits, np.nan)
    spread = np.nanmax(known, axis=-1) - np.nanmin(known, axis=-1)
    trivial = ~(ones.any(axis=-1) & zeros.any(axis=-1))
    gaps = np.where(trivial, 1.0, least - most)
    return gaps / np.where(trivial | (spread == 0), 1.0, spread)


def _train(entries: NDArray[Any], model: str, optimizer: str, d: int) -> NDArray[np.float64]:
    """Train all seeds at once by Adam, or one after the other by L-BFGS; return rows' margins."""
    import torch

    torch.set_num_threads(1)  # a second thread gains little, and waits where cores are busy
    seeds = [[seed] for seed in range(SEEDS)] if optimizer == "lbfgs" else [[*range(SEEDS)]]
    found = []
    for group in seeds:
        torch.manual_seed(1000 * d + group[0])
        run = _Free(entries, d, len(group)) if model == "free" else _Layer(entries, d, len(group))
        found.append(_descend(run, optimizer))
    return np.concatenate(found)


class _Free:
    """Queries, keys and thresholds without constraints; logistic loss of every specified entry."""

    def __init__(self, entries: NDArray[Any], d: int, count: int) -> None:
        import torch

        m, n = entries.shape
        self.entries = entries
        self.signs = torch.tensor(np.where(entries == 1, 1.0, -1.0), dtype=torch.float32)
        self.known = torch.tensor(entries >= 0, dtype=torch.float32)
        self.queries = torch.randn(count, m, d, requires_grad=True)
        self.keys = torch.randn(count, n, d, requires_grad=True)
        self.thresholds = torch.zeros(count, m, 1, requires_grad=True)
        self.parameters = [self.queries, self.keys, self.thresholds]

    def logits(self) -> Tensor:
        return self.queries @ self.keys.transpose(1, 2)

    def loss(self) -> Tensor:
        from torch.nn.functional import softplus

        gaps = self.signs * (self.logits() - self.thresholds)
        return (softplus(-gaps) * self.known).sum() / self.known.sum()


class _Layer:
    """One attention head on learned tokens; cross-entropy of its weights and uniform ones."""

    def __init__(self, entries: NDArray[Any], d: int, count: int) -> None:
        import torch

        m, n = entries.shape
        self.entries = entries
        ones = np.where(entries == 1, 1.0, 0.0)
        target = ones / np.maximum(ones.sum(axis=1, keepdims=True), 1)
        self.target = torch.tensor(target, dtype=torch.float32)
        self.hidden = torch.tensor(np.where(entries >= 0, 0.0, -1e9), dtype=torch.float32)
        self.tokens = torch.randn(count, n, WIDTH, requires_grad=True)
        self.own = self.tokens if m == n else torch.randn(count, m, WIDTH, requires_grad=True)
        query, key = (torch.randn(count, WIDTH, d) / WIDTH**0.5 for _ in range(2))
        self.query, self.key = query.requires_grad_(), key.requires_grad_()
        self.scale = d**-0.5
        self.parameters = [self.tokens, self.query, self.key]
        if m != n:
            self.parameters.append(self.own)

    def logits(self) -> Tensor:
        keys = (self.tokens @ self.key).transpose(1, 2)
        return (self.own @ self.query @ keys) * self.scale

    def loss(self) -> Tensor:
        logs = (self.logits() + self.hidden).log_softmax(dim=-1)
        return -(self.target * logs).sum() / len(self.target)


def _descend(run: _Free | _Layer, optimizer: str) -> NDArray[np.float64]:
    """Descend until every run has enough margin or the steps end; return the best margins."""
    import torch

    best: NDArray[np.float64] | None = None
    if optimizer == "adam":
        adam = torch.optim.Adam(run.parameters, lr=RATE)
        for step in range(STEPS):
            adam.zero_grad()
            run.loss().backward()
            adam.step()
            if step % 50 == 49:
                best = _better(best, _measure(run))
                if best.min() > ENOUGH:
                    break
        assert best is not None
        return best
    lbfgs = torch.optim.LBFGS(
        run.parameters, max_iter=50, history_size=20, line_search_fn="strong_wolfe"
    )

    def closure() -> Any:
        lbfgs.zero_grad()
        loss = run.loss()
        loss.backward()
        return loss

    for _ in range(10):
        lbfgs.step(closure)
        best = _better(best, _measure(run))
        if best.min() > ENOUGH:
            break
    assert best is not None
    return best


def _measure(run: _Free | _Layer) -> NDArray[np.float64]:
    """Compute margins in float64 from the trained numbers."""
    import torch

    with torch.no_grad():
        own = [parameter.double() for parameter in run.parameters]
        kept = [parameter.data for parameter in run.parameters]
        for parameter, double in zip(run.parameters, own, strict=True):
            parameter.data = double
        logits = run.logits().numpy()
        for parameter, single in zip(run.parameters, kept, strict=True):
            parameter.data = single
    return margins(run.entries, logits)


def _better(best: NDArray[np.float64] | None, found: NDArray[np.float64]) -> NDArray[np.float64]:
    """Keep for each seed the state with more rows right, or else with the greater margin."""
    if best is None:
        return found
    for seed in range(len(found)):
        old, new = (((one[seed] > ROUNDING).sum(), one[seed].min()) for one in (best, found))
        if new > old:
            best[seed] = found[seed]
    return best
