"""Search for embeddings with many right rows: keys placed on the points of a template."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray

from samapprox.pattern import Pattern
from samapprox.proofs.kinds.embedding import Embedding
from samapprox.proofs.moment_curve import embed
from samapprox.proofs.questions.fit import Fit
from samapprox.solvers.ceilings.templates import Template, make_templates
from samapprox.solvers.search import Search

__all__ = ["find_embedding"]

_MOST_ENTRIES = 1 << 24
_SWAPS = 40_000  # of one annealing
_WARMEST, _COOLEST = 1.0, 0.02  # temperatures, in rows
_STARTS = 3  # for each template


def find_embedding(question: Fit, search: Search) -> Embedding | str:
    r"""Place the keys on points with many splits such that many rows are right.

    Parameters
    ----------
    question : Fit
        The search ends when no more than its `wrong` rows are wrong.
    search : Search

    Returns
    -------
    Embedding or str
        The best one for dot products, or why there is none; for cosines in a dimension less.

    Notes
    -----
    The templates are the moment curve (all embeddings for d = 1; neighbourly for d >= 4), and in
    the plane a polygon with a point inside of each edge, which has the most splits of two points.
    Two keys change places by simulated annealing: O(m) for each try.

    Examples
    --------
    >>> from samapprox import Pattern
    >>> embedding = find_embedding(Fit(Pattern.from_text("110\n011\n101\n001"), 1, 1), Search())
    >>> embedding.keys.shape
    (3, 1)
    """
    pattern = question.pattern
    if question.unit != "rows":
        return "it counts wrong rows"
    d = question.d - (question.similarity == "cosine")  # halfspaces are caps of one dimension more
    if not d:
        return "there are two places only"
    if pattern.shape[0] * pattern.shape[1] > _MOST_ENTRIES:
        return f"the pattern has more than {_MOST_ENTRIES} entries"
    ones = pattern.to_array() == 1  # don't-cares count as zeros
    _, first, same = np.unique(ones, axis=1, return_index=True, return_inverse=True)
    rows = _Rows.merge(ones[:, first])
    random = np.random.RandomState(search.seed % (1 << 32))
    best: tuple[int, Template, NDArray[np.int64]] | None = None
    for template in make_templates(len(first), d, search.remaining) * _STARTS:
        order, right = _anneal(rows, template, random, search.slice(search.remaining / 2, 0))
        if best is None or right > best[0]:
            best = right, template, order
        if search.out_of_time or pattern.shape[0] - best[0] <= question.wrong:
            break
    if best is None or not best[0]:
        return "the points have too many splits" if best is None else "no row is right"
    _, template, order = best
    return _embed(ones[:, first], template, order, same.ravel())


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """Different rows, and how often each occurs.

    Attributes
    ----------
    columns : ndarray of bool, shape (n, m)
        Transposed.
    weights : ndarray of int64, shape (m,)
    """

    columns: NDArray[np.bool_]
    weights: NDArray[np.int64]

    @classmethod
    def merge(cls, ones: NDArray[np.bool_]) -> _Rows:
        different, weights = np.unique(ones, axis=0, return_counts=True)
        return cls(np.ascontiguousarray(different.T), weights)


def _anneal(
    rows: _Rows, template: Template, random: np.random.RandomState, search: Search
) -> tuple[NDArray[np.int64], int]:
    """Swap keys; return the key at each point, and the number of right rows."""
    n = len(rows.columns)
    at = random.permutation(n)
    sides = _hash_sides(rows.columns, template, at)
    cut = template.find_cut(sides)
    right = int(rows.weights[cut].sum())
    best, most = at.copy(), right
    everything, seconds, done = int(rows.weights.sum()), search.remaining, 0.0
    for swap in range(_SWAPS if n > 1 else 0):
        if swap % 64 == 0:
            if search.out_of_time:
                break
            done = max(swap / _SWAPS, 1.0 - search.remaining / seconds if seconds < inf else 0.0)
        if most == everything or done >= 1.0:
            break
        temperature = _WARMEST * (_COOLEST / _WARMEST) ** done
        p, q = random.randint(n), random.randint(n)
        changed = np.flatnonzero(rows.columns[at[p]] != rows.columns[at[q]])
        turned = sides[changed] ^ (template.hashes[p] ^ template.hashes[q])
        now = template.find_cut(turned)
        gain = int(rows.weights[changed] @ (now.astype(np.int64) - cut[changed]))
        if gain >= 0 or random.rand() < np.exp(gain / temperature):
            at[[p, q]] = at[[q, p]]
            sides[changed], cut[changed] = turned, now
            right += gain
            if right > most:
                best, most = at.copy(), right
    return best, most


def _hash_sides(
    columns: NDArray[np.bool_], template: Template, at: NDArray[np.int64]
) -> NDArray[np.uint64]:
    """Return the hash of the points of each row's ones."""
    hashes = np.where(columns[at], template.hashes[:, None], np.uint64(0))
    return np.asarray(np.bitwise_xor.reduce(hashes, axis=0))


def _embed(
    ones: NDArray[np.bool_],
    template: Template,
    at: NDArray[np.int64],
    same: NDArray[np.int64],
) -> Embedding:
    """Compute queries for the rows that the template cuts; the others get queries of 0."""
    sides = _hash_sides(np.ascontiguousarray(ones.T), template, at)
    cut = np.flatnonzero(template.find_cut(sides))
    if template.normals is None:
        right = Pattern.from_array(ones[cut])
        queries, keys, thresholds = embed(right, "columns", at, np.ones(len(at), dtype=np.int8))
    else:
        keys = np.zeros_like(template.points)
        keys[at] = template.points
        queries = template.normals[template.find_places(sides[cut])]
        queries, thresholds = _turn(ones[cut], queries, keys)
    all_queries = np.zeros((len(ones), keys.shape[1]), dtype=queries.dtype)
    all_thresholds = np.zeros(len(ones), dtype=thresholds.dtype)
    all_queries[cut], all_thresholds[cut] = queries, thresholds
    return Embedding(all_queries, keys[same], all_thresholds)


def _turn(
    ones: NDArray[np.bool_], normals: NDArray[np.int64], keys: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Direct the normals to the ones, and find their thresholds."""
    logits = normals @ keys.T
    limits = np.iinfo(np.int64)
    lowest = np.where(ones, logits, limits.max).min(axis=1)
    highest = np.where(ones, limits.min, logits).max(axis=1)
    signs = np.where(lowest > highest, 1, -1)
    thresholds = np.where(ones, signs[:, None] * logits, limits.max).min(axis=1) - 1
    return signs[:, None] * normals, thresholds
