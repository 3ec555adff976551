"""Numeric search for an embedding: logistic loss, many starts, then a wide margin."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from samapprox.checker import Proof
from samapprox.pattern import UNSPECIFIED
from samapprox.problem import Problem
from samapprox.solvers.search import Search
from samapprox.solvers.whole_numbers import whole_numbers

__all__ = ["NAME", "applies", "find_proof", "first_turn"]

NAME = "gradient"

Floats = NDArray[np.float64]

_MOST_CELLS = 16_000_000
_STEPS = 400  # of the optimiser, from one start
_DECAY = 1e-3
_WIDENINGS, _WIDENING = 3, 5_000_000  # rounds; entries times steps of one
_TIDYING = 5.0  # seconds at most for that
_WIDE = 3.0  # least margin that widening starts from, where the loss still sees it
_SMALL_SIDE = 300  # rows or columns up to which all singular vectors are computed
_LARGE = 100_000  # entries from which on polishing pays
_FEW = 1e-3  # share of wrong entries that polishing may mend
_ACTIVE = 12  # entries in the active set for each free number
_FARTHEST = 8.0  # margin that the last entry of the active set is scaled to
_ROUNDS = 20


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
            embedding = whole_numbers(pattern, *_widened(signs, U, V, search))
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
    # A little pull towards 0 keeps the numbers small where nothing else holds them.
    loss = _Logistic(signs, U.shape[1], _DECAY, until_right=True)
    steps = _STEPS if signs.size < _LARGE else _STEPS // 4
    return loss.minimised(U, V, steps, search)


def _widened(signs: Floats, U: Floats, V: Floats, search: Search) -> tuple[Floats, Floats]:
    """The same scaled up and minimised again: the nearest entries move away from the boundary."""
    U, V, margin = _unit(signs, U, V)
    for _ in range(_WIDENINGS):
        scale = np.sqrt(_WIDE / margin)
        loss = _Logistic(signs, U.shape[1], 0.5 / scale**2)
        steps = max(10, min(_STEPS // 4, _WIDENING // signs.size))
        moved = loss.minimised(U * scale, V * scale, steps, search.extended(_TIDYING))
        wider = _unit(signs, *moved)
        if wider[2] <= 1.01 * margin:
            break
        U, V, margin = wider
    return U, V


def _unit(signs: Floats, U: Floats, V: Floats) -> tuple[Floats, Floats, float]:
    """Vectors of length 1, and the least product of the right sign."""
    U = U / np.linalg.norm(U, axis=1, keepdims=True)
    V = V / np.linalg.norm(V, axis=1, keepdims=True)
    return U, V, float((signs * (U @ V.T))[signs != 0].min())


class _Logistic:
    """sum log(1 + exp(-A o U V^T)) + decay / 2 (|U|^2 + |V|^2), and its gradient."""

    def __init__(self, signs: Floats, rank: int, decay: float, *, until_right: bool = False):
        self._signs = signs
        self._rank = rank
        self._decay = decay
        self._until_right = until_right
        self._stars = signs == 0
        self._starred = bool(self._stars.any())

    def _split(self, x: Floats) -> tuple[Floats, Floats]:
        rows, rank = len(self._signs), self._rank
        return x[: rows * rank].reshape(rows, rank), x[rows * rank :].reshape(-1, rank)

    def __call__(self, x: Floats) -> tuple[float, Floats]:
        left, right = self._split(x)
        margins = left @ right.T
        margins *= self._signs
        if self._starred:
            margins[self._stars] = 40.0  # as good as satisfied
        if self._until_right and margins.min() > 0:
            raise _Right(x.copy())
        np.minimum(margins, 40.0, out=margins)
        np.maximum(margins, -300.0, out=margins)
        decay = np.exp(-margins)  # at most e^300
        value = float(np.log1p(decay).sum())
        decay /= 1.0 + decay
        decay *= self._signs
        gradient = np.concatenate([(decay @ right).ravel(), (decay.T @ left).ravel()])
        return value + 0.5 * self._decay * float(x @ x), self._decay * x - gradient

    def minimised(self, U: Floats, V: Floats, steps: int, search: Search) -> tuple[Floats, Floats]:
        """From U and V by L-BFGS."""
        from scipy.optimize import minimize

        def stop(_x: Floats) -> None:
            if search.out_of_time:
                raise StopIteration

        try:
            result = minimize(
                self,
                np.concatenate([U.ravel(), V.ravel()]),
                jac=True,
                method="L-BFGS-B",
                callback=stop,
                options={"maxiter": steps, "maxcor": 20},
            )
        except _Right as right:
            return self._split(right.x)
        return self._split(np.asarray(result.x))


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
