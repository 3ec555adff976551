"""Numeric search for embeddings with few wrong entries, or few wrong rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from samapprox.proofs.questions import Fit, Unit
from samapprox.solvers.backends.blas import one_blas_thread
from samapprox.solvers.embeddings.descent import iterate_subspace
from samapprox.solvers.engine.search import Search
from samapprox.solvers.questions.fits.searches.newton import Place, step
from samapprox.solvers.questions.fits.searches.scores import (
    Floats,
    NumericWitness,
    Scores,
    count_wrong,
)
from samapprox.support.clock import search_clock

__all__ = ["find_embedding"]

# Smaller patterns are decided quickly without a search.
_FEWEST_ENTRIES = 16
# Larger patterns take too much memory, 30 bytes an entry.
_MOST_ENTRIES = 16_000_000
# Products of features in a step, which take some ten seconds.
_MOST_PRODUCTS = 1 << 34
# Lengths of the queries in the loss: short ones smooth it, long ones count wrong items.
_SCALES = tuple(float(1 << power) for power in range(1, 11))
# Steps at each scale, if the time allows: more settle deeper, fewer leave time for more starts.
_STEPS = 10
# The place of the last scale at which a start from a good place may begin.
_COLDEST_START = 6
# Part of the time that the steps of the first start may take; the rest is for later starts.
_SHARE_OF_START = 0.6
# Part of the starts for rows that begin with the loss for entries.
_BOTH = 0.5
# Part of the time for new starts for entries, before the best one is improved.
_SHARE_OF_STARTS = 0.25
# Starts from a place for entries without a better one, before a new start is made.
_TRIES = 4
# Noise of these starts, relative to the keys: more leaves the place, less returns to it.
_LOUDEST = 0.5
# The least and the greatest patience of later starts: see `Place`.
_PATIENCE = 3.0, 30.0


def find_embedding(question: Fit, search: Search) -> NumericWitness | str:
    """Search for queries and keys with few wrong entries or rows, or say why there are none.

    The search ends when no more items are wrong than the question names.

    Singular vectors of the signs arrange everything roughly. Newton steps of all queries and all
    keys in turn then minimise a bounded loss, in which entries that contradict all others cease to
    count. The loss approaches the number of wrong items as its scale grows. Later starts, and all
    starts of later turns, have noise and another patience with items that stay wrong. For entries,
    the best place that a quarter of the time leads to is then improved, from a smaller scale and
    keys moved a little; new starts follow where this fails.

    Memory: 30 bytes an entry, and 8 (d + 1)^2 a row or column.
    """
    pattern, unit = question.pattern, question.unit
    load: type[Scores] | None = question.similarity.load("scores")
    if load is None:
        return f"there are no scores for the similarity {question.similarity}"
    scores = load(question.d)
    entries = pattern.shape[0] * pattern.shape[1]
    if not _FEWEST_ENTRIES <= entries <= _MOST_ENTRIES:
        return f"the pattern has fewer than {_FEWEST_ENTRIES} or more than {_MOST_ENTRIES} entries"
    if entries * scores.size**2 > _MOST_PRODUCTS:
        return f"the dimension {question.d} is too large for the pattern"
    signs = pattern.to_array().astype(np.float32)
    signs = np.where(signs < 0, np.float32(0), 2 * signs - 1)
    best, fewest, promising = None, entries + 1, entries + 1
    with one_blas_thread():
        for place in _approach(signs, scores, unit, search):
            if place.wrong > promising:
                continue
            promising = place.wrong
            found = scores.round(pattern, place.queries, place.keys)
            wrong = count_wrong(pattern, found)
            count = int(wrong.sum() if unit == "entries" else (wrong > 0).sum())
            if count < fewest:
                best, fewest = found, count
            if fewest <= question.wrong:
                break
    return best or "the time is too short"


def _approach(signs: Floats, scores: Scores, unit: Unit, search: Search) -> Iterator[Place]:
    """Yield places of all starts, good and bad ones."""
    random = np.random.RandomState(search.seed % (1 << 32))
    is_first_turn = "robust" not in search.work
    search.work["robust"] = None
    start = _start(signs, scores, unit, random, 0.0 if is_first_turn else random.rand())
    yield start
    improving = search_clock.now() + _SHARE_OF_STARTS * search.remaining
    steps = _count_steps(start, search)
    best = start
    while not search.out_of_time:
        anneal = _anneal_both if unit == "rows" and random.rand() < _BOTH else _anneal
        for place in anneal(start, steps, search):
            best = min(best, place, key=lambda place: place.wrong)
            yield place
        is_improved = unit == "entries" and search_clock.now() >= improving
        tries = 0
        while is_improved and tries < _TRIES and best.wrong and not search.out_of_time:
            tries += 1
            noisy = _add_noise(best, _LOUDEST * random.rand() ** 2, random)
            for place in _anneal(noisy, steps, search, random.randint(_COLDEST_START)):
                tries = 0 if place.wrong < best.wrong else tries
                best = min(best, place, key=lambda place: place.wrong)
                yield place
        start = _start(signs, scores, unit, random, random.rand())
        start = replace(start, patience=float(np.exp(random.uniform(*np.log(_PATIENCE)))))


def _start(
    signs: Floats, scores: Scores, unit: Unit, random: np.random.RandomState, noise: float
) -> Place:
    """Make a first embedding from singular vectors, with noise."""
    rows, columns = signs.shape
    mean = signs.mean(axis=1, keepdims=True)
    rank = min(scores.d, rows, columns)
    left, values, right = iterate_subspace(signs - mean, rank, random)
    keys = np.zeros((columns, scores.d), dtype=np.float32)
    keys[:, :rank] = right.T * np.sqrt(columns)
    keys += (noise + 1e-3) * random.normal(size=keys.shape).astype(np.float32)
    queries = np.zeros((rows, scores.size), dtype=np.float32)
    queries[:, :rank] = left * values / np.sqrt(columns)
    queries[:, -1:] = mean
    return Place(scores, unit, signs, scores.direct(queries), scores.place(keys))


def _count_steps(place: Place, search: Search) -> int:
    """Return how many steps at each scale fit into the time of the first start."""
    times = []
    for _ in range(2):  # the first step may be slow
        began = search_clock.now()
        step(place, _SCALES[0], search)
        times.append(max(1e-9, search_clock.now() - began))
    affordable = _SHARE_OF_START * search.remaining / (min(times) * len(_SCALES))
    return int(np.clip(affordable, 1, _STEPS))


def _anneal(place: Place, steps: int, search: Search, first: int = 0) -> Iterator[Place]:
    """Yield the places that steps at each scale lead to, from one of the scales on."""
    for scale in _SCALES[first:]:
        for _ in range(steps):
            if search.out_of_time:
                return
            place = step(place, scale, search)
        yield place


def _anneal_both(place: Place, steps: int, search: Search) -> Iterator[Place]:
    """Yield places with few wrong entries, then some with few wrong rows."""
    latest = place
    for moved in _anneal(replace(place, unit="entries"), steps, search):
        latest = replace(moved, unit="rows")
        yield latest
    yield from _anneal(latest, steps, search, _COLDEST_START)


def _add_noise(place: Place, noise: float, random: np.random.RandomState) -> Place:
    """Move all keys a little."""
    moves = noise * place.keys.std(axis=0) * random.normal(size=place.keys.shape)
    return replace(place, keys=place.scores.place(place.keys + moves.astype(np.float32)))
