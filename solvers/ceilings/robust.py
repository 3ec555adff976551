"""Numeric search for embeddings with few wrong entries, or few wrong rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from samapprox.proofs.kinds.embedding import Embedding
from samapprox.proofs.questions.fit import Fit, Unit
from samapprox.solvers.backends.blas import one_blas_thread
from samapprox.solvers.ceilings.line_search import best_steps
from samapprox.solvers.ceilings.losses import Loss, bounded, descend, logistic, logits
from samapprox.solvers.ceilings.thresholds import count_wrong, round_embedding
from samapprox.solvers.embeddings.lbfgs import Floats
from samapprox.solvers.embeddings.singular import iterate_subspace
from samapprox.solvers.search import Search

__all__ = ["find_embedding"]

_FEWEST_ENTRIES = 400  # smaller patterns are decided faster
_MOST_ENTRIES = 16_000_000
_ROUGHLY = 40  # steps of the logistic loss
_STEPS = 60  # at each sharpness
_SHARPNESS = (4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0)
_SHARP = (64.0, 128.0, 256.0, 512.0)
_COARSE = (4.0, 16.0, 64.0, 256.0)
_FEW_STEPS = 25
_LINES = 10  # random directions for each query and key in a round
_TRIES = 6  # rounds without a better embedding before the next start
_STARTS = 10


def find_embedding(question: Fit, search: Search) -> Embedding | str:
    r"""Search for queries and keys with few wrong entries or rows.

    Parameters
    ----------
    question : Fit
        The search ends when no more than its `wrong` items are wrong.
    search : Search

    Returns
    -------
    Embedding or str
        The best one, or why there is none.

    Notes
    -----
    The logistic loss arranges everything roughly, but outliers pull at it. A bounded loss of
    growing sharpness then approaches the number of wrong items. Each round moves single queries
    and keys out of local minima: by new fits to the other side, which are taken where they are
    better, and by exact searches along lines.

    10 m n d operations and some 10 ns an entry for each step. Memory: 60 bytes an entry.

    Examples
    --------
    >>> from samapprox import Pattern
    >>> pattern = Pattern(np.tri(20))
    >>> count_wrong(pattern, find_embedding(Fit(pattern, 2, 0), Search())).sum().item()
    0
    """
    pattern, unit = question.pattern, question.unit
    if question.similarity != "dot":
        return f"it is about dot products, not {question.similarity}"
    entries = pattern.shape[0] * pattern.shape[1]
    if not _FEWEST_ENTRIES <= entries <= _MOST_ENTRIES:
        return f"the pattern has fewer than {_FEWEST_ENTRIES} or more than {_MOST_ENTRIES} entries"
    signs = pattern.to_array().astype(np.float64)
    signs = np.where(signs < 0, 0.0, 2.0 * signs - 1.0)
    best, fewest = None, signs.size + 1
    with one_blas_thread():
        for queries, keys in _approach(signs, question.d, unit, search):
            embedding = round_embedding(pattern, queries[:, :-1], keys)
            wrong = count_wrong(pattern, embedding)
            count = int(wrong.sum() if unit == "entries" else (wrong > 0).sum())
            if count < fewest:
                best, fewest = embedding, count
            if fewest <= question.wrong:
                break
    return best or "the time is too short"


def _approach(signs: Floats, d: int, unit: Unit, search: Search) -> Iterator[tuple[Floats, Floats]]:
    """Yield better and better queries and keys of each start."""
    random = np.random.RandomState(search.seed % (1 << 32))
    for noise in 0.1 * np.arange(_STARTS):
        if search.out_of_time:
            break
        place = _start(signs, d, random, noise, unit, search)
        yield place.queries, place.keys
        tries = 0
        while tries < _TRIES and place.wrong and not search.out_of_time:
            moved = _leave_minima(place, random, search)
            moved = min(_sharpen(moved, _SHARP, search), moved, key=lambda place: place.wrong)
            tries = 0 if moved.wrong < place.wrong else tries + 1
            if moved.wrong <= place.wrong:
                place = moved
                yield place.queries, place.keys


@dataclass(frozen=True, slots=True)
class _Place:
    """Queries and keys, and the signs that their logits should have."""

    signs: Floats
    unit: Unit
    queries: Floats
    keys: Floats

    def move(self, queries: Floats, keys: Floats) -> _Place:
        return _Place(self.signs, self.unit, queries, keys)

    @property
    def margins(self) -> Floats:
        return self.signs * logits(self.queries, self.keys)

    @property
    def outliers(self) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
        """The wrong entries."""
        found: np.ndarray[tuple[int, int], np.dtype[np.bool_]] = self.margins < 0
        return found

    @property
    def wrong(self) -> int:
        """The number of wrong items."""
        outliers = self.outliers
        return int(outliers.any(axis=1).sum() if self.unit == "rows" else outliers.sum())


def _start(
    signs: Floats, d: int, random: np.random.RandomState, noise: float, unit: Unit, search: Search
) -> _Place:
    """Make a first embedding from singular vectors, with noise."""
    rows, columns = signs.shape
    mean = signs.mean(axis=1, keepdims=True)
    rank = min(d, rows, columns)
    left, values, right = iterate_subspace(signs - mean, rank, random)
    keys = np.zeros((columns, d))
    keys[:, :rank] = right.T * np.sqrt(columns)
    queries = np.zeros((rows, d + 1))
    queries[:, :rank] = 2.0 * left * values / np.sqrt(columns)
    queries[:, -1:] = 2.0 * mean
    keys += (noise + 1e-3) * random.normal(size=keys.shape)
    queries += noise * random.normal(size=queries.shape) * np.abs(queries).mean()
    queries, keys = descend(logistic, signs, queries, keys, _ROUGHLY, search)
    return _sharpen(_Place(signs, unit, queries, keys), _SHARPNESS, search)


def _sharpen(place: _Place, sharpness: tuple[float, ...], search: Search) -> _Place:
    """Minimise the bounded loss while the scale of the queries grows."""
    loss = bounded(place.unit)
    for scale in sharpness:
        queries = _scale(place.queries, scale)
        place = place.move(*descend(loss, place.signs, queries, place.keys, _STEPS, search))
    return place


def _leave_minima(place: _Place, random: np.random.RandomState, search: Search) -> _Place:
    """Move single queries and keys, each to where fewer of its entries are wrong."""
    place = _refit_queries(place, search)
    if place.unit == "rows":
        return place
    place = _refit_keys(place, search)
    for _ in range(_LINES):
        if search.out_of_time:
            break
        place = _search_lines(place, random)
    return place


def _refit_queries(place: _Place, search: Search) -> _Place:
    """Fit all queries anew to the keys, and keep those with fewer wrong entries."""
    signs, keys, queries = place.signs, place.keys, _scale(place.queries, 1.0)
    queries, _ = descend(logistic, signs, queries, keys, _FEW_STEPS, search, "queries")
    for scale in _COARSE:
        loss: Loss = bounded("entries")
        start = _scale(queries, scale)
        queries, _ = descend(loss, signs, start, keys, _FEW_STEPS, search, "queries")
    moved = place.move(queries, keys)
    better = moved.outliers.sum(axis=1) < place.outliers.sum(axis=1)
    chosen = np.where(better[:, None], _scale(queries, 1.0), _scale(place.queries, 1.0))
    return place.move(chosen, keys)


def _refit_keys(place: _Place, search: Search) -> _Place:
    """Fit all keys anew to the queries, and keep those with fewer wrong entries."""
    signs, queries = place.signs, _scale(place.queries, 1.0)
    _, keys = descend(logistic, signs, queries, place.keys, _FEW_STEPS, search, "keys")
    for scale in _COARSE:
        start = _scale(queries, scale)
        loss = bounded("entries")
        _, keys = descend(loss, signs, start, keys, _FEW_STEPS, search, "keys")
    moved = place.move(queries, keys)
    better = moved.outliers.sum(axis=0) < place.outliers.sum(axis=0)
    return place.move(queries, np.where(better[:, None], keys, place.keys))


def _search_lines(place: _Place, random: np.random.RandomState) -> _Place:
    """Move each query along a random line, then each key."""
    queries = _scale(place.queries, 1.0)
    directions = random.normal(size=queries.shape)
    slopes = place.signs * logits(directions, place.keys)
    steps = best_steps(place.signs * logits(queries, place.keys), slopes)
    queries = queries + steps[:, None] * directions
    directions = random.normal(size=place.keys.shape)
    slopes = place.signs * (queries[:, :-1] @ directions.T)
    steps = best_steps((place.signs * logits(queries, place.keys)).T, slopes.T)
    return place.move(queries, place.keys + steps[:, None] * directions)


def _scale(queries: Floats, scale: float) -> Floats:
    lengths = np.linalg.norm(queries, axis=1, keepdims=True)
    scaled: Floats = queries * (scale / np.maximum(1e-300, lengths))
    return scaled
