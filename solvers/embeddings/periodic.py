"""Periodic classes of keys, with few changes outside each row's own class.

Strided attention is the example: token i attends to a window and to every w-th token. Let x_j be
the class of key j (its place modulo the period) and t_j its place. A row that holds all of class x
and changes between 1 and 0 at most c times along the other keys has the signs of

    (x_j - x)^2 p(t_j) - e,  e > 0 small,

where p is a polynomial of degree c, negative on the row's ones and positive on its zeros; on the
row's own class the product vanishes. The monomials x^a t^b with a <= 2 and b <= c, without the
constant, are the 3 c + 2 coordinates of a key. So strided attention needs no more than 8
dimensions, whatever the number of tokens and the stride.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samapprox.pattern import UNSPECIFIED, Pattern
from samapprox.problem import Problem
from samapprox.proofs.base import Proof
from samapprox.proofs.embeddings.embedding import Embedding
from samapprox.proofs.exact import ExactArray
from samapprox.solvers.engine.search import Search, shared_tokens, too_large
from samapprox.storage.packed import block_height
from samapprox.support.text import plural

__all__ = [
    "NAME",
    "applies",
    "choose_classes",
    "embed",
    "find_period",
    "find_proof",
    "largest_classes",
    "turn_back",
]

NAME = "periodic"

_FEWEST = 24  # keys; other strategies are as good where there are fewer
_MOST_CELLS = 300_000_000  # a few seconds
_MOST_DEGREE = 8
_REPETITIONS = 3  # of the period, at least
_SAMPLE = 16  # rows in which the period is looked for


def applies(problem: Problem) -> str | None:
    """Return the reason why the strategy does not apply, or None."""
    if problem.pattern.shape[1] < _FEWEST:
        return f"{plural(problem.pattern.shape[1], 'key')}: too few to repeat"
    return shared_tokens(problem) or too_large(problem, _MOST_CELLS)


def find_proof(problem: Problem, search: Search) -> Proof | str:
    """Look for a period whose classes rows contain whole, with few changes elsewhere.

    O(m n) time, in blocks of rows; whole numbers of O(c log n) bits.
    """
    period = find_period(problem.pattern)
    if period is None:
        return "no period of the keys was found"
    return embed(problem.pattern, period, search)


def find_period(pattern: Pattern) -> int | None:
    """Find the distance at which ones repeat across most rows, or None."""
    rows, columns = pattern.shape
    places = np.unique(np.linspace(0, rows - 1, min(rows, _SAMPLE)).astype(np.int64))
    entries = np.vstack([pattern.block(int(row), int(row) + 1) for row in places])
    gaps = np.diff(np.flatnonzero(entries.ravel() == 1))
    gaps = gaps[(gaps > 1) & (gaps * _REPETITIONS <= columns)]
    if not gaps.size:
        return None
    period = int(np.bincount(gaps).argmax())
    whole = (_held(entries, period) >= _REPETITIONS).any(axis=1)
    bound = (entries == 0).any(axis=1)  # rows of ones hold every class
    return period if 2 * (whole & bound).sum() >= max(1, bound.sum()) else None


def _held(entries: NDArray[np.int8], period: int, value: int = 1) -> NDArray[np.int64]:
    """Return the number of entries of a class in a row, all of them that value or *; else 0."""
    rows, columns = entries.shape
    padded = np.full((rows, -(-columns // period) * period), UNSPECIFIED, dtype=np.int8)
    padded[:, :columns] = entries
    by_class = padded.reshape(rows, -1, period)
    only = ((by_class == value) | (by_class == UNSPECIFIED)).all(axis=1)
    return np.where(only, (by_class == value).sum(axis=1), 0)


def embed(pattern: Pattern, period: int, search: Search) -> Embedding | str:
    """Embed a pattern whose keys fall into classes: their places modulo `period`."""
    rows, columns = pattern.shape
    own: list[int] = []
    roots: list[list[int]] = []
    signs: list[int] = []  # of p after its last root
    turned: list[NDArray[np.bool_]] = []
    step = block_height(16 * columns)
    for start in range(0, rows, step):
        if search.out_of_time:
            return "no time left"
        entries = pattern.block(start, start + step)
        classes, complemented = choose_classes(entries, period)
        entries[complemented] = np.where(
            entries[complemented] == UNSPECIFIED, UNSPECIFIED, 1 - entries[complemented]
        )
        for line, one in zip(entries, classes.tolist(), strict=True):
            places, last = _changes(line, period, one)
            if len(places) > _MOST_DEGREE:
                changes = plural(len(places), "time")
                return f"a row changes value {changes} outside its class modulo {period}"
            own.append(one)
            roots.append(places)
            signs.append(last)
        turned.append(complemented)
    return turn_back(_embedding(columns, period, own, roots, signs), np.concatenate(turned))


def choose_classes(
    entries: NDArray[np.int8], period: int
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Choose the largest class of ones, or of zeros, in each row (-1: none), and mark zeros.

    Merged patterns hold the complement of a row that has more ones than zeros.
    """
    ones, zeros = _held(entries, period), _held(entries, period, 0)
    complemented = zeros.max(axis=1) > ones.max(axis=1)
    return largest_classes(entries, period, np.where(complemented, 0, 1)), complemented


def largest_classes(
    entries: NDArray[np.int8], period: int, values: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the largest class of each row that has the row's value throughout, or -1."""
    held = np.where(values[:, None] == 1, _held(entries, period), _held(entries, period, 0))
    return np.where(held.any(axis=1), held.argmax(axis=1), -1)


def turn_back(embedding: Embedding, turned: NDArray[np.bool_]) -> Embedding:
    """Complement these rows: for whole numbers q.k > t fails iff -q.k > -t - 1."""
    sign = np.where(turned, -1, 1)
    return Embedding(
        embedding.queries * sign[:, None], embedding.keys, embedding.thresholds * sign - turned
    )


def _changes(line: NDArray[np.int8], period: int, own: int) -> tuple[list[int], int]:
    """Find places where a row changes outside its class (odd between even ones), and its end.

    The end is +1 where the last such entry is 0, as after a polynomial's last root, else -1.
    """
    counts = line != UNSPECIFIED
    if own >= 0:
        counts[own::period] = False
    places = np.flatnonzero(counts)
    if not places.size:
        return [], 1
    ones = line[places] == 1
    at = np.flatnonzero(ones[1:] != ones[:-1])
    return (2 * places[at] + 1).tolist(), -1 if ones[-1] else 1


def _embedding(
    columns: int,
    period: int,
    own: list[int],
    roots: list[list[int]],
    signs: list[int],
) -> Embedding:
    """Keys x^a t^b; queries with the coefficients of -(x - own)^2 p(t), or of -p(t) without own."""
    degree = max(map(len, roots))
    t = _powers(2 * np.arange(columns, dtype=np.int64), degree)
    x = _powers(np.arange(columns, dtype=np.int64) % period, 2)
    keys = (x[:, :, None] * t[:, None, :]).reshape(columns, -1)
    squares = np.array(
        [[1, 0, 0] if one < 0 else [one * one, -2 * one, 1] for one in own], dtype=object
    )
    polynomials = np.array(
        [
            [-sign * c for c in _expand(places, degree)]
            for places, sign in zip(roots, signs, strict=True)
        ],
        dtype=object,
    )
    queries = (squares[:, :, None] * polynomials[:, None, :]).reshape(len(roots), -1)
    # q . k > -1 where the value is 0 or more, for whole numbers; the constant joins the threshold.
    return Embedding(queries[:, 1:], keys[:, 1:], -1 - queries[:, 0])


def _powers(values: NDArray[np.int64], degree: int) -> ExactArray:
    """Return 1, v, v^2, .. for each value, shape (values, degree + 1)."""
    exact = values.astype(object)
    return np.stack([exact**power for power in range(degree + 1)], axis=1)


def _expand(roots: list[int], degree: int) -> list[int]:
    """Expand the monic polynomial with these roots, constant term first, up to a degree."""
    coefficients = [1]
    for root in roots:
        shifted = [0, *coefficients]
        coefficients = [a - root * b for a, b in zip(shifted, [*coefficients, 0], strict=True)]
    return coefficients + [0] * (degree + 1 - len(coefficients))
