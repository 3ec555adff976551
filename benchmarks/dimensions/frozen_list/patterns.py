"""5,000 patterns and a question each: drawn here, so that no change of the package changes them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from shared.paths import ROOT

__all__ = ["DIGEST", "QUESTIONS", "Case", "digest", "draw_cases"]

Entries = NDArray[np.int8]
Generator = np.random.RandomState

DATA = ROOT / "data"
NUMBER = 5_000
DIGEST = "388cd2afbfd304f8e50bb4793c266f6dcc0ebffe977d266c5a0bc910c74543cf"
"""SHA-256 of all patterns and questions of the list."""

QUESTIONS = (
    *(f"decide {d} {similarity}" for similarity in ("dot", "cosine", "l2") for d in (1, 2, 3)),
    *(f"dim {similarity}" for similarity in ("dot", "cosine", "l2", "dot", "dot", "dot")),
    "decide 4 dot",
    "decide 5 dot",
    "coupled 2",
    "rank sign",
    "rank global",
    "rank row",
    *(f"fit {d} rows {similarity}" for similarity in ("dot", "cosine", "l2") for d in (1, 2)),
    "fit 1 entries dot",
    "fit 2 entries l2",
    "margin",
)
"""Question words, one a pattern in turn; `frozen.py` asks them."""


@dataclass(frozen=True, slots=True)
class Case:
    """A pattern with -1 for don't-cares, and the question about it."""

    name: str
    question: str
    entries: Entries


def draw_cases() -> Iterator[Case]:
    """Yield all cases, the same on every machine."""
    sources = list(SOURCES.items())
    for number in range(NUMBER):
        random = np.random.RandomState(number)
        question = QUESTIONS[number % len(QUESTIONS)]
        name, source = sources[(number // len(QUESTIONS)) % len(sources)]
        entries = source(random).copy()
        if question.startswith(("coupled", "fit", "margin", "rank")):
            entries = entries[:12, :12]  # their searches end sooner on small patterns
        if question.startswith("coupled"):
            side = min(entries.shape)
            entries = entries[:side, :side]
        _give_rows_ones(entries, random)
        yield Case(f"{number:04d}-{name}", question, np.ascontiguousarray(entries, dtype=np.int8))


def digest() -> str:
    """Return the SHA-256 of all cases."""
    found = hashlib.sha256()
    for case in draw_cases():
        found.update(f"{case.name} {case.question} {case.entries.shape}".encode())
        found.update(case.entries.tobytes())
    return found.hexdigest()


def _give_rows_ones(entries: Entries, random: Generator) -> None:
    """Give every row without a 1 one at a random key, since queries must attend to something."""
    for row in np.flatnonzero(~(entries == 1).any(axis=1)):
        entries[row, random.randint(entries.shape[1])] = 1


# ---------------------------------------------------------------- sources


def _as_entries(entries: NDArray[np.generic]) -> Entries:
    """Return entries of any type as 1, 0 and -1."""
    return np.asarray(entries, dtype=np.int8)


def _random(random: Generator) -> Entries:
    rows, columns = random.randint(3, 13, size=2)
    return _as_entries(random.rand(rows, columns) < random.choice([0.2, 0.35, 0.5]))


def _partial(random: Generator) -> Entries:
    entries = _random(random)
    entries[random.rand(*entries.shape) < 0.2] = -1
    return entries


def _planted(random: Generator) -> Entries:
    """Halfspaces in up to three dimensions, with few wrong entries in every third pattern."""
    d, rows, columns = random.randint(1, 4), *random.randint(6, 41, size=2)
    scores = random.randint(-9, 10, size=(rows, d)) @ random.randint(-9, 10, size=(d, columns))
    entries = scores > random.randint(-20, 21, size=(rows, 1))
    if random.randint(3) == 0:
        entries ^= random.rand(rows, columns) < 0.01
    return _as_entries(entries)


def _balls(random: Generator) -> Entries:
    """Balls around integer points in one to three dimensions."""
    d, rows, columns = random.randint(1, 4), *random.randint(5, 21, size=2)
    queries, keys = random.randint(-9, 10, (rows, 1, d)), random.randint(-9, 10, (1, columns, d))
    distances = ((queries - keys) ** 2).sum(axis=2)
    return _as_entries(distances < random.randint(4, 200, size=(rows, 1)))


def _intervals(random: Generator) -> Entries:
    """Windows, hubs and strides of tokens, in a random order of the tokens."""
    n, width, stride = random.randint(6, 25), random.randint(1, 4), random.randint(3, 9)
    apart = np.abs(np.arange(n)[:, None] - np.arange(n)[None])
    entries = apart <= width
    if random.randint(2):
        entries |= apart % stride == 0
    if random.randint(2):
        entries[:, :1] = entries[:1] = True
    order = random.permutation(n)
    return _as_entries(entries[order][:, order])


def _subsets(random: Generator) -> Entries:
    """Some of the subsets of two or three keys."""
    n, k = random.randint(5, 10), random.randint(2, 4)
    sets = list(combinations(range(n), k))
    chosen = random.permutation(len(sets))[: random.randint(6, 41)]
    entries = np.zeros((len(chosen), n), dtype=np.int8)
    for row, place in enumerate(chosen.tolist()):
        entries[row, list(sets[place])] = 1
    return entries


def _sparse_rows(random: Generator) -> Entries:
    rows, columns, k = *random.randint(8, 41, size=2), random.randint(1, 4)
    entries = np.zeros((rows, columns), dtype=np.int8)
    for row in entries:
        row[random.permutation(columns)[:k]] = 1
    return entries


def _causal(random: Generator) -> Entries:
    n = random.randint(5, 15)
    entries = (random.rand(n, n) < 0.4).astype(np.int8)
    entries[np.triu_indices(n, 1)] = -1
    entries[0, 0] = 1
    return entries


def _blocks(random: Generator) -> Entries:
    """Patterns on disjoint keys, beside repeated rows and columns."""
    parts = [(random.rand(*random.randint(2, 6, size=2)) < 0.5) for _ in range(3)]
    entries = np.zeros(np.sum([part.shape for part in parts], axis=0), dtype=np.int8)
    top = left = 0
    for part in parts:
        entries[top : top + part.shape[0], left : left + part.shape[1]] = part
        top, left = top + part.shape[0], left + part.shape[1]
    chosen = random.randint(0, top, top + 3), random.randint(0, left, left + 3)
    return _as_entries(entries[chosen[0]][:, chosen[1]])


def _shipped(random: Generator) -> Entries:
    """Rows and columns of the shipped attention heads."""
    files = sorted((DATA / "minilm").glob("*.npz"))
    with np.load(files[random.randint(len(files))]) as file:
        entries = _as_entries(file["S"])
    size = random.choice([10, 16, 24])
    chosen = [random.permutation(side)[:size] for side in entries.shape]
    return _as_entries(entries[chosen[0]][:, chosen[1]])


def _whole_heads(random: Generator) -> Entries:
    """Shipped heads and lists of topes as they are."""
    folder = DATA / ("minilm" if random.randint(3) else "oriented-matroids")
    files = sorted(folder.glob("*.npz"))
    with np.load(files[random.randint(len(files))]) as file:
        return _as_entries(file["S"])


SOURCES: dict[str, Callable[[Generator], Entries]] = {
    "random": _random,
    "planted": _planted,
    "intervals": _intervals,
    "shipped": _shipped,
    "subsets": _subsets,
    "partial": _partial,
    "balls": _balls,
    "sparse-rows": _sparse_rows,
    "blocks": _blocks,
    "causal": _causal,
    "heads": _whole_heads,
}
