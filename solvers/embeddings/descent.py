"""Descent, losses and leading singular vectors, which all numeric searches for embeddings use.

All of them look for factors U and V such that the entries of U V^T have the signs A of the pattern,
under a row of ones. `minimise` is L-BFGS with a time limit. `Logistic` is the loss of U V^T against
the signs, and `widen` moves the nearest entries away from the boundary. `leading_vectors` finds
the factors of the matrix of a given rank nearest to the signs, where most searches start, and
`vary` where they start again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.pattern import Pattern
from samapprox.problem import Problem
from samapprox.proofs.embeddings.embedding import Embedding
from samapprox.proofs.refutations.orientation_clauses import sign_matrix
from samapprox.solvers.embeddings.whole_numbers import whole_numbers
from samapprox.solvers.engine.search import Search
from samapprox.support.arrays import Floats
from samapprox.support.text import plural

# Steps from which L-BFGS learns the curvature; each costs two vectors of the length of x.
_MEMORY = 20

# Up to so many rows or columns, all singular vectors are computed; beyond, subspace iteration is
# faster.
_SMALL_SIDE = 300
_FOLLOWING = 6  # multiplications from both sides: enough for a start, which the search improves
_NOISE = 0.3  # size of the least noise in later starts, as a multiple of the mean coordinate

_STEPS = 400  # steps of the optimiser from one start
_LARGE = 100_000  # from so many entries on, a quarter of the steps is enough
_DECAY = 1e-3  # the pull towards 0, which keeps numbers small where no entry determines them
# Rounds of widening, and entries times steps of each round, which bound its time.
_WIDENINGS, _WIDENING = 3, 5_000_000
_TIDYING = 5.0  # seconds beyond the turn that a round of widening may take
_BLOCK = 1 << 17  # entries whose products fit into the cache together
_WIDE = 3.0  # widening first scales the least margin to this, where the loss still has a slope


class AllRight(Exception):  # no error, but the best that a loss can meet
    """Raised by a loss at a point where all signs are right, so that the descent can stop."""

    def __init__(self, x: Floats) -> None:
        self.x = x


class OutOfTime(Exception):  # no error, but the end of a turn
    """Raised by a loss that cannot be evaluated in the time left."""


def minimise(
    loss: Callable[[Floats], tuple[float, Floats]],
    x: Floats,
    steps: int,
    search: Search,
    memory: int = _MEMORY,
) -> Floats:
    """Minimise a loss from x and return the point where the descent ends."""
    from scipy.optimize import minimize

    latest = x

    def evaluate(place: Floats) -> tuple[float, Floats]:
        if search.out_of_time:
            raise OutOfTime
        return loss(place)

    def note(place: Floats) -> None:
        nonlocal latest
        latest = place.copy()

    options = {"maxiter": steps, "maxcor": memory}
    try:
        found = minimize(evaluate, x, jac=True, method="L-BFGS-B", callback=note, options=options)
    except AllRight as right:
        return right.x
    except OutOfTime:
        return latest
    return np.asarray(found.x)


def computes_all(shape: tuple[int, ...], rank: int) -> bool:
    """Return whether `leading_vectors` computes all singular vectors."""
    return min(shape) <= max(_SMALL_SIDE, 3 * rank)


def leading_vectors(
    signs: Floats, rank: int, rng: np.random.RandomState
) -> tuple[Floats, Floats, Floats]:
    """Return the greatest singular values with their vectors; approximately for large matrices."""
    if not computes_all(signs.shape, rank):
        return iterate_subspace(signs, rank, rng)
    left, values, right = np.linalg.svd(signs, full_matrices=False)
    return left[:, :rank], values[:rank], right[:rank]


def iterate_subspace(
    signs: NDArray[np.int8] | Floats, rank: int, rng: np.random.RandomState
) -> tuple[Floats, Floats, Floats]:
    """Approximate the greatest singular values and vectors by subspace iteration in float32.

    26 m n rank operations, and 4 m n bytes.
    """
    matrix = signs.astype(np.float32)
    directions = rng.normal(size=(signs.shape[1], rank)).astype(np.float32)
    for _ in range(_FOLLOWING):
        image = np.linalg.qr(matrix @ directions)[0]
        directions = np.linalg.qr(matrix.T @ image)[0]
    image = (matrix @ directions).astype(np.float64)
    left, values, turned = np.linalg.svd(image, full_matrices=False)
    return left, values, turned @ directions.T.astype(np.float64)


def balance(left: Floats, values: Floats, right: Floats, rank: int) -> tuple[Floats, Floats]:
    """Return factors U and V from singular vectors, with zeros where there are fewer than rank."""
    missing = ((0, 0), (0, rank - len(values)))
    roots = np.sqrt(values)
    return np.pad(left * roots, missing), np.pad(right.T * roots, missing)


def vary(U: Floats, V: Floats, rng: np.random.RandomState) -> Iterator[tuple[Floats, Floats]]:
    """Yield factors to start from, endlessly: as they are, noisy ones, and random ones."""
    yield U, V
    for turn in count(1):
        if turn % 4 == 3:
            yield rng.normal(size=U.shape), rng.normal(size=V.shape)
        else:
            noise = _NOISE * (turn % 4 + (turn > 3))
            yield (
                U + noise * np.abs(U).mean() * rng.normal(size=U.shape),
                V + noise * np.abs(V).mean() * rng.normal(size=V.shape),
            )


def join(U: Floats, V: Floats) -> Floats:
    """Return both factors as one vector, as `minimise` takes them."""
    return np.concatenate([U.ravel(), V.ravel()])


def split(x: Floats, rows: int, rank: int) -> tuple[Floats, Floats]:
    """Return the factors that `join` has joined."""
    return x[: rows * rank].reshape(rows, rank), x[rows * rank :].reshape(-1, rank)


def normalise(vectors: Floats) -> tuple[Floats, Floats]:
    """Scale vectors to length 1; return them and their lengths."""
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))[:, None]
    lengths = np.maximum(1e-300, lengths)
    return vectors / lengths, lengths


def pull_back(*sides: tuple[Floats, Floats, NDArray[np.floating[Any]]]) -> Floats:
    """Return the gradient by vectors of any length from that by the unit vectors.

    Each side is the unit vectors, the lengths, and the gradient.
    """
    gradients = (
        (slope - np.einsum("ij,ij->i", slope, unit)[:, None] * unit) / length
        for unit, length, slope in sides
    )
    return np.concatenate([gradient.ravel() for gradient in gradients])


def homogeneous(pattern: Pattern) -> Floats:
    """Return the signs of a pattern under a row of ones, the query positive on all keys."""
    return sign_matrix(pattern.to_array(), "columns").astype(np.float64)


def wrong_places(signs: NDArray[Any], U: Floats, V: Floats) -> NDArray[np.int64]:
    """Find the entries on the wrong side."""
    found = []
    step = max(1, _BLOCK // signs.shape[1])
    for start in range(0, len(signs), step):
        block = signs[start : start + step]
        places = np.argwhere((block * (U[start : start + step] @ V.T) <= 0) & (block != 0))
        found.append(places + np.array([start, 0]))
    return np.concatenate(found).astype(np.int64)


def in_pattern(places: NDArray[np.int64]) -> NDArray[np.int64]:
    """Keep the places that are entries of the pattern, below the row of ones."""
    return (places[places[:, 0] > 0] - [1, 0]).astype(np.int64)


def settle(
    problem: Problem, signs: Floats, U: Floats, V: Floats, search: Search, *, wider: bool = True
) -> Embedding | int:
    """Round factors to an embedding; or note the entries that they get wrong, and count them."""
    wrong = wrong_places(signs, U, V)
    if len(wrong):
        search.violations.append(in_pattern(wrong))
        return len(wrong)
    search.factors[problem.d + 1] = U, V
    if wider:
        U, V = widen(signs, U, V, search)
    return whole_numbers(problem.pattern, U, V, search) or 0


def describe_best(fewest: int) -> str:
    """Describe the best attempt of a search that found no embedding."""
    if not fewest:
        return "no integer embedding was found"
    return f"its best embedding gets {plural(fewest, 'entry')} wrong"


def descend(signs: Floats, U: Floats, V: Floats, search: Search) -> tuple[Floats, Floats]:
    """Minimise sum log(1 + exp(-A o U V^T)) by L-BFGS until all signs are right."""
    # A little pull towards 0 keeps the numbers small where nothing else holds them.
    loss = Logistic(signs, U.shape[1], _DECAY, until_right=True)
    steps = _STEPS if signs.size < _LARGE else _STEPS // 4
    return loss.minimise(U, V, steps, search)


def widen(signs: Floats, U: Floats, V: Floats, search: Search) -> tuple[Floats, Floats]:
    """Scale up and minimise again, so that the nearest entries move away from the boundary."""
    U, V, margin = _unit(signs, U, V)
    seconds = min(_TIDYING, search.extend(float("inf")).remaining / 4)  # rounding needs time, too
    for _ in range(_WIDENINGS):
        scale = np.sqrt(_WIDE / margin)
        loss = Logistic(signs, U.shape[1], 0.5 / scale**2)
        steps = max(10, min(_STEPS // 4, _WIDENING // signs.size))
        moved = loss.minimise(U * scale, V * scale, steps, search.extend(seconds))
        wider = _unit(signs, *moved)
        if wider[2] <= 1.01 * margin:
            break
        U, V, margin = wider
    return U, V


def _unit(signs: Floats, U: Floats, V: Floats) -> tuple[Floats, Floats, float]:
    """Scale vectors to length 1; return them and the least product of the right sign."""
    U, V = (normalise(side)[0] for side in (U, V))
    return U, V, float((signs * (U @ V.T))[signs != 0].min())


class Logistic:
    """sum log(1 + exp(-A o U V^T)) + decay / 2 (|U|^2 + |V|^2), and its gradient."""

    def __init__(self, signs: Floats, rank: int, decay: float, *, until_right: bool = False):
        self._signs = signs
        self._rank = rank
        self._decay = decay
        self._until_right = until_right
        self._stars = signs == 0
        self._starred = bool(self._stars.any())

    def __call__(self, x: Floats) -> tuple[float, Floats]:
        """Return value and gradient at U and V, one after the other, row by row."""
        left, right = split(x, len(self._signs), self._rank)
        margins = left @ right.T
        margins *= self._signs
        if self._starred:
            margins[self._stars] = 40.0  # as good as satisfied
        if self._until_right and margins.min() > 0:
            raise AllRight(x.copy())
        np.minimum(margins, 40.0, out=margins)
        np.maximum(margins, -300.0, out=margins)
        decay = np.exp(-margins)  # at most e^300
        value = float(np.log1p(decay).sum())
        decay /= 1.0 + decay
        decay *= self._signs
        gradient = join(decay @ right, decay.T @ left)
        return value + 0.5 * self._decay * float(x @ x), self._decay * x - gradient

    def minimise(self, U: Floats, V: Floats, steps: int, search: Search) -> tuple[Floats, Floats]:
        """Minimise from U and V by L-BFGS."""
        return split(minimise(self, join(U, V), steps, search), len(U), self._rank)
