"""Elimination over GF(2) on sign patterns: topological refutations of the whole or of parts."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from math import comb

import numpy as np
from numpy.typing import NDArray

from samapprox.problem import Problem
from samapprox.proofs.base import Proof, Side
from samapprox.proofs.checks.orientation_clauses import sign_matrix
from samapprox.solvers.refutations.dense_blocks import on_excerpt
from samapprox.solvers.refutations.topology.cycles import NO_CYCLE, OUT_OF_TIME
from samapprox.solvers.refutations.topology.suspension import Part, Suspension, shrink, suspend
from samapprox.solvers.search import Search

__all__ = ["NAME", "applies", "find_proof", "first_turn"]

NAME = "topological"

Numbers = NDArray[np.int64]
Signs = NDArray[np.int8]

_MOST_ENTRIES = 4_000_000  # of a pattern that is looked at as a whole
_MOST_DIMENSIONS = 30
_LATER = 0.3  # seconds, at most, for the first turn
_FACES_A_SECOND = 400_000  # that are eliminated, roughly, if all of them occur
_FEWEST_FACES = 2_000  # on the first elements that are tried, or
_LEAST_SHARE, _MOST_SHARE = 0.02, 4.0  # of as many as are affordable; and the most
_GROWTH = 12  # times as many faces the next time
_SHARE = 0.6  # of the time that is left, for one order of the elements
_COMMON = 0.8  # of the signs of an element, mostly +, that stands for a key that all attend to
_LESS = 0.2  # and of that, for its first elements
_FAVOUR = 3.0  # for elements that numeric searches left wrong
_LEAST_TIDYING = 0.3  # seconds for making a refuted part smaller; or twice what it took


def applies(problem: Problem) -> str | None:
    """Return the reason why the strategy does not apply, or None."""
    if problem.d < 2:
        return "d = 1 is decided by other strategies"
    if problem.d > _MOST_DIMENSIONS:
        return f"d = {problem.d} leads to too many sign patterns"
    return None


def first_turn(problem: Problem) -> float:
    """Return the length of the first turn in seconds: after SAT on few elements, unless large."""
    rows, columns = problem.pattern.shape
    return min(_LATER, max(0.02, 1.6e-5 * rows * columns))


def find_proof(problem: Problem, search: Search) -> Proof | str:
    r"""Find sign patterns on d + 2 elements that contain a circuit of any vectors.

    Parameters
    ----------
    problem : Problem
    search : Search
        `violations` guide the choice of elements.

    Returns
    -------
    Proof or str
        A `Topological`, or why there is none.

    Notes
    -----
    The elements come in one after the other, on each side, until the first ones are refuted. If all
    of them are not, no topological refutation exists, on either side: docs/theory/topological.md.
    Where time is too short for all, other elements come first in their turn.

    Examples
    --------
    >>> from samapprox.reductions.families import generate
    >>> pattern = generate("mask", graph="star", n=32).pattern
    >>> len(find_proof(Problem(pattern, 2), Search()).columns)
    17
    """
    return on_excerpt(problem, search, _MOST_ENTRIES, _find)


def _find(problem: Problem, search: Search) -> Proof | str:
    entries = problem.pattern.to_array()
    sides: list[Side] = ["columns", "rows"]
    signs = {side: sign_matrix(entries, side) for side in sides}
    sides.sort(key=lambda side: signs[side].shape[1])
    hot = search.count_violations(entries.shape)
    heat = {"columns": hot[1], "rows": np.append(hot[0].max(initial=0), hot[0])}
    rng = np.random.RandomState(search.seed % (1 << 32))
    for order in _orders():
        for side in sides:
            elements = _common_first(signs[side], order(heat[side], rng))
            apex = elements[0]
            part = search.slice(_SHARE * search.remaining, 0)
            found = _grow(problem.d, side, signs[side], elements, part)
            if isinstance(found, Suspension):
                return found.proof()
            if found == NO_CYCLE and (signs[side][:, apex] != 0).all():
                search.exhausted.add(NAME)
                return found
            if search.out_of_time:
                return OUT_OF_TIME
    raise AssertionError("there are always more orders")


def _orders() -> Iterator[Callable[[NDArray[np.float64], np.random.RandomState], Numbers]]:
    """Yield ways to order the elements: as they stand at first, then others again and again."""
    yield lambda heat, _: np.arange(len(heat))
    while True:
        yield _hot_first
        yield _near_first
        yield _spaced_first


def _common_first(signs: Signs, elements: Numbers) -> Numbers:
    """Put the element with the fewest don't-cares first, then those that most covectors hold."""
    known, sums = (signs != 0).sum(axis=0), signs.sum(axis=0, dtype=np.int64)
    common = 1.0 * (sums > _COMMON * known)
    common[np.lexsort((-sums, -known))[0]] = 2
    return elements[np.argsort(-common[elements], kind="stable")]


def _hot_first(heat: NDArray[np.float64], rng: np.random.RandomState) -> Numbers:
    """Order elements at random, those first that numeric searches left wrong."""
    favour = 1 + _FAVOUR * heat / max(1e-9, float(heat.max(initial=0)))
    return np.argsort(rng.random_sample(len(heat)) / favour)


def _near_first(heat: NDArray[np.float64], rng: np.random.RandomState) -> Numbers:
    """Order elements by their distance from one of them."""
    return np.argsort(np.abs(np.arange(len(heat)) - rng.randint(len(heat))), kind="stable")


def _spaced_first(heat: NDArray[np.float64], rng: np.random.RandomState) -> Numbers:
    """Order elements so that every s-th one comes first."""
    spacing = 2 + rng.randint(max(1, len(heat) // 4))
    places = np.arange(len(heat)) - rng.randint(spacing)
    return np.argsort(places % spacing, kind="stable")


def _grow(d: int, side: Side, signs: Signs, elements: Numbers, search: Search) -> Suspension | str:
    """Refute the first elements, as few as there are sizes for, and make the refutation small."""
    started = time.monotonic()
    sizes = list(_sizes(len(elements), d, _FACES_A_SECOND * search.remaining))
    for size in sizes:
        part = Part(d, side, signs, np.arange(len(signs)), elements[:size])
        # A refutation of more elements may come sooner than the end of all patterns on fewer.
        last = size == sizes[-1]
        found = suspend(part, search if last else search.slice(_LESS * search.remaining, 0))
        if isinstance(found, Suspension):
            seconds = max(_LEAST_TIDYING, 2 * (time.monotonic() - started))
            return shrink(found, search.extend(seconds))
        if size == len(elements):
            return found
    return OUT_OF_TIME


def _sizes(elements: int, d: int, affordable: float) -> Iterator[int]:
    """Yield how many elements to try, the last time as many as are affordable, or all.

    Usually far fewer faces occur than there could be, so some times as many as are affordable are.
    """
    faces, size = max(_FEWEST_FACES, _LEAST_SHARE * affordable), d + 2
    while True:
        while size < elements and _count_faces(size, d) < faces:
            size += 1
        if size >= elements or _count_faces(size, d) > _MOST_SHARE * affordable:
            break
        yield size
        faces *= _GROWTH
    if _count_faces(elements, d) <= _MOST_SHARE * affordable or elements <= d + 2:
        yield elements


def _count_faces(elements: int, d: int) -> int:
    """Return how many faces of opposed patterns there can be, beside an apex."""
    return comb(elements - 1, d) << (d - 1)
