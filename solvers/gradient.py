"""Numeric search for an embedding: logistic loss, many starts, then whole numbers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from samapprox.checker import Proof, first_mismatch
from samapprox.embedding import Embedding
from samapprox.pattern import UNSPECIFIED, Pattern
from samapprox.problem import Problem
from samapprox.solvers.search import Search

__all__ = ["NAME", "applies", "find_proof", "first_turn", "whole_numbers"]

NAME = "gradient"

Floats = NDArray[np.float64]

_MOST_CELLS = 16_000_000
_STEPS = 400  # of the optimiser, from one start
_DECAY = 1e-3
_SMALL_SIDE = 300  # rows or columns up to which all singular vectors are computed
_LARGE = 100_000  # entries from which on polishing pays
_FEW = 1e-3  # share of wrong entries that polishing may mend
_ACTIVE = 12  # entries in the active set for each free number
_FARTHEST = 8.0  # margin that the last entry of the active set is scaled to
_ROUNDS = 20
_BITS = (6, 8, 10, 12, 16, 20, 26, 32, 40)


def applies(problem: Problem) -> str | None:
    """Why this strategy has nothing to say about the problem; None when it applies."""
    if problem.coupled:
        return "queries and keys share X"
    rows, columns = problem.pattern.shape
    if rows * columns > _MOST_CELLS:
        return f"{rows} x {columns} is too large for it"
    return None


def first_turn(problem: Problem) -> float:
    """Seconds that are worth a try: some hundred steps from the singular vectors."""
    rows, columns = problem.pattern.shape
    return max(0.01, 1e-5 * rows * columns)


def find_proof(problem: Problem, search: Search) -> Proof | str:
    r"""Minimise the logistic loss of U V^T against the signs, from singular vectors and by kicks.

    Parameters
    ----------
    problem : Problem
    search : Search
        Entries that stay wrong are noted in `violations`.

    Returns
    -------
    Proof or str
        An integer embedding that the checker's own test accepts, or how near it came.

    Notes
    -----
    U holds the queries with minus their thresholds, and one more vector that is positive on all
    keys; V the keys with a 1. O(m n d) a step.

    Examples
    --------
    >>> from samapprox.reductions.families import generate
    >>> find_proof(Problem(generate("random", rows=5, columns=5).pattern, 4), Search()).dimension
    4
    """
    from threadpoolctl import threadpool_limits

    # The products are long and thin: threads only get into each other's way.
    with threadpool_limits(1, user_api="blas"):
        return _search(problem, search)


def _search(problem: Problem, search: Search) -> Proof | str:
    pattern = problem.pattern
    entries = pattern.to_array()
    signs = np.where(entries == UNSPECIFIED, 0, 2 * (entries == 1) - 1).astype(np.float64)
    signs = np.vstack([np.ones((1, signs.shape[1])), signs])
    fewest = signs.size
    for U, V in _starts(signs, problem.d + 1, search):
        U, V = _descend(signs, U, V, search)
        wrong = _wrong(signs, U, V)
        if 0 < len(wrong) <= _FEW * signs.size and signs.size >= _LARGE:
            U, V = _polish(signs, U, V, search)
            wrong = _wrong(signs, U, V)
        if not len(wrong):
            embedding = whole_numbers(pattern, U, V)
            if embedding is not None:
                return embedding
            fewest = 0
        else:
            search.violations.append((wrong[wrong[:, 0] > 0] - [1, 0]).astype(np.int64))
            fewest = min(fewest, len(wrong))
        if search.out_of_time:
            break
    return f"its best embedding misses {fewest} entries" if fewest else "no whole numbers found"


def _wrong(signs: Floats, U: Floats, V: Floats) -> NDArray[np.int64]:
    """Places of the entries that are not on their side."""
    return np.argwhere((signs * (U @ V.T) <= 0) & (signs != 0)).astype(np.int64)


# ---------------------------------------------------------------- descent


class _Right(Exception):  # noqa: N818
    """All signs are right: no need to go on."""

    def __init__(self, x: Floats) -> None:
        self.x = x


def _descend(signs: Floats, U: Floats, V: Floats, search: Search) -> tuple[Floats, Floats]:
    """L-BFGS on sum log(1 + exp(-A o U V^T)), until all signs are right."""
    from scipy.optimize import minimize

    rows, columns = signs.shape
    rank = U.shape[1]
    stars = signs == 0
    starred = bool(stars.any())

    def unpack(x: Floats) -> tuple[Floats, Floats]:
        return x[: rows * rank].reshape(rows, rank), x[rows * rank :].reshape(columns, rank)

    def loss(x: Floats) -> tuple[float, Floats]:
        left, right = unpack(x)
        margins = left @ right.T
        margins *= signs
        if starred:
            margins[stars] = 40.0  # as good as satisfied
        if margins.min() > 0:
            raise _Right(x.copy())
        np.minimum(margins, 40.0, out=margins)
        np.maximum(margins, -300.0, out=margins)
        decay = np.exp(-margins)  # at most e^300
        value = float(np.log1p(decay).sum())
        decay /= 1.0 + decay
        decay *= signs
        gradient = np.concatenate([(decay @ right).ravel(), (decay.T @ left).ravel()])
        # A little pull towards 0 keeps the numbers small where nothing else holds them.
        return value + 0.5 * _DECAY * float(x @ x), _DECAY * x - gradient

    def stop(_x: Floats) -> None:
        if search.out_of_time:
            raise StopIteration

    start = np.concatenate([U.ravel(), V.ravel()])
    try:
        result = minimize(
            loss,
            start,
            jac=True,
            method="L-BFGS-B",
            callback=stop,
            options={"maxiter": _STEPS if signs.size < _LARGE else _STEPS // 4, "maxcor": 20},
        )
    except _Right as right:
        return unpack(right.x)
    return unpack(np.asarray(result.x))


def _polish(signs: Floats, U: Floats, V: Floats, search: Search) -> tuple[Floats, Floats]:
    """Descend on the entries nearest to the wrong side alone, scaled up so that they count.

    Where lines and points lie close together the loss of all entries hardly sees the last wrong
    ones; a small active set, chosen anew each round, does, and costs little.
    """
    from scipy.optimize import minimize
    from scipy.sparse import csr_array

    rows, columns = signs.shape
    rank = U.shape[1]
    count = min(signs.size, _ACTIVE * rank * (rows + columns))
    for _ in range(_ROUNDS):
        margins = signs * (U @ V.T)
        margins[signs == 0] = np.inf
        if margins.min() > 0 or search.out_of_time:
            break
        near = np.argpartition(margins, count - 1, axis=None)[:count]
        factor = np.sqrt(_FARTHEST / max(1e-12, float(margins.flat[near[-1]])))
        order = np.sort(near)
        places = (order // columns, order % columns)
        wanted = signs[places]
        indptr = np.concatenate(([0], np.cumsum(np.bincount(places[0], minlength=rows))))

        def loss(
            x: Floats,
            places: tuple[NDArray[np.int64], NDArray[np.int64]] = places,
            wanted: Floats = wanted,
            indptr: NDArray[np.int64] = indptr,
        ) -> tuple[float, Floats]:
            left = x[: rows * rank].reshape(rows, rank)
            right = x[rows * rank :].reshape(columns, rank)
            margins = np.einsum("ij,ij->i", left[places[0]], right[places[1]]) * wanted
            decay = np.exp(-np.clip(margins, -300.0, 40.0))
            weight = csr_array((wanted * decay / (1.0 + decay), places[1], indptr), signs.shape)
            gradient = np.concatenate([(weight @ right).ravel(), (weight.T @ left).ravel()])
            return float(np.log1p(decay).sum()), -gradient

        result = minimize(
            loss,
            np.concatenate([U.ravel(), V.ravel()]) * factor,
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": _STEPS // 2, "maxcor": 20},
        )
        x = np.asarray(result.x)
        U, V = x[: rows * rank].reshape(rows, rank), x[rows * rank :].reshape(columns, rank)
    return U, V


def _starts(signs: Floats, rank: int, search: Search) -> Iterator[tuple[Floats, Floats]]:
    """Singular vectors, noisy ones, random ones; without end."""
    rng = np.random.RandomState(search.seed % (1 << 32))
    rows, columns = signs.shape
    left, values, right = _leading_vectors(signs, rank, rng)
    kept = len(values)
    roots = np.sqrt(values[:kept])
    U0 = np.zeros((rows, rank))
    V0 = np.zeros((columns, rank))
    U0[:, :kept], V0[:, :kept] = left[:, :kept] * roots, right[:kept].T * roots
    scale = 2.0 / max(1e-9, float(np.sqrt(np.abs(U0 @ V0.T).mean())))
    yield U0 * scale, V0 * scale
    turn = 0
    while True:
        turn += 1
        noise = 0.3 * (turn % 4 + 1) * float(np.abs(U0).mean() * scale)
        if turn % 4 == 0:
            yield rng.normal(size=U0.shape), rng.normal(size=V0.shape)
        else:
            yield (
                U0 * scale + noise * rng.normal(size=U0.shape),
                V0 * scale + noise * rng.normal(size=V0.shape),
            )


def _leading_vectors(
    signs: Floats, rank: int, rng: np.random.RandomState
) -> tuple[Floats, Floats, Floats]:
    """The greatest singular values with their vectors; of large matrices those alone."""
    if min(signs.shape) <= max(_SMALL_SIDE, 3 * rank):
        left, values, right = np.linalg.svd(signs, full_matrices=False)
        return left[:, :rank], values[:rank], right[:rank]
    from scipy.sparse.linalg import svds

    left, values, right = svds(signs, k=rank, v0=rng.normal(size=min(signs.shape)), tol=1e-3)
    return left[:, ::-1], values[::-1], right[::-1]


# ---------------------------------------------------------------- whole numbers


def whole_numbers(pattern: Pattern, U: Floats, V: Floats) -> Embedding | None:
    """Round an embedding in homogeneous form to the fewest bits that keep it right.

    Parameters
    ----------
    pattern : Pattern, shape (m, n)
    U : ndarray of float64, shape (m + 1, d + 1)
        Row 0 is positive on all keys.
    V : ndarray of float64, shape (n, d + 1)

    Returns
    -------
    Embedding or None
        None where 40 bits are too few.
    """
    # Coordinates in which row 0 is the last axis; then scale every key to have a 1 there.
    basis, _ = np.linalg.qr(np.column_stack([U[0], np.eye(U.shape[1])]))
    basis = np.roll(basis, -1, axis=1)
    queries, keys = U[1:] @ basis, V @ basis
    height = keys[:, -1:]
    if height[0] < 0:  # the axis may have come out the other way round
        height, queries[:, -1] = -height, -queries[:, -1]
    if not (height > 0).all():
        return None
    keys = keys[:, :-1] / height
    queries = queries[:, :-1] / np.maximum(1e-300, np.abs(queries[:, :-1]).max(axis=1))[:, None]
    keys = (keys - np.median(keys, axis=0)) / max(1e-300, float(np.abs(keys).max()))
    for bits in _BITS:
        embedding = _rounded(pattern, queries, keys, bits)
        if embedding is not None and first_mismatch(pattern, embedding) is None:
            return embedding
    return None


def _rounded(pattern: Pattern, queries: Floats, keys: Floats, bits: int) -> Embedding | None:
    """Rounded queries and keys with the thresholds that suit them; None if one row has none."""
    scale = float(1 << bits)
    whole_queries = np.rint(queries * scale).astype(np.int64).astype(object)
    whole_keys = np.rint(keys * scale).astype(np.int64).astype(object)
    if bits <= 26:
        whole_queries, whole_keys = whole_queries.astype(np.int64), whole_keys.astype(np.int64)
    logits = whole_queries @ whole_keys.T
    entries = pattern.to_array()
    far = np.abs(logits).max(initial=0) + 1
    thresholds = np.where(entries == 0, logits, -far).max(axis=1)
    least = np.where(entries == 1, logits, far).min(axis=1)
    if (least <= thresholds).any():
        return None
    return Embedding(whole_queries, whole_keys, thresholds)
