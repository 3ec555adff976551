"""Random projections from few random numbers: Haar Stiefel matrices with rows drawn on demand."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.approximation.target import Target
from samapprox.support.arrays import Floats, Indices, Singles

Reals = NDArray[Any]

_TALL = 4
"""With so many times as many rows as columns, a Gaussian is surely well conditioned (about 3),
and float32 serves for its Gram matrix."""


def haar(n: int, r: int, rng: np.random.Generator) -> Floats:
    """Draw a uniformly distributed n x r Stiefel matrix: QR of a Gaussian, signs corrected.

    Source: Stewart (1980), "The Efficient Generation of Random Orthogonal Matrices".
    """
    Q, R = np.linalg.qr(rng.standard_normal((n, r)))
    return np.asarray(Q * np.sign(np.diagonal(R)))


@dataclass(frozen=True, slots=True)
class Part:
    """Rows of a frame, as factors: G, L and T of the lemma.

    The frame that begins with these rows is [G; rest T^T] L^-T, where the rest is the frame that
    begins with the next part.
    """

    start: int
    gaussian: Reals  # G
    lower: Floats  # L
    root: Floats | None  # T, upper triangular; None in the last part

    def combine(self, places: Indices, weights: Floats) -> Floats:
        """Return sums of weights[i, l] times row places[i, l] of G; other parts' rows are zero."""
        inside = places - self.start
        outside = (inside < 0) | (inside >= len(self.gaussian))
        inside = np.where(outside, 0, inside)
        terms = zip(np.where(outside, 0.0, weights).T, inside.T, strict=True)
        return np.asarray(sum(w[:, None] * self.gaussian[own] for w, own in terms))


class LazyFrame:
    """A Haar n x r Stiefel matrix Y, some rows at a time.

    Let H be Haar, m x r, and its first c rows be wanted. H is the Q of a Gaussian G = [G1; G2],
    and all that the rows of G1 need of G2 is its Gram matrix: a Wishart matrix W = T T^T of m - c
    degrees of freedom, T by Bartlett. With G1^T G1 + W = L L^T the wanted rows are G1 L^-T and the
    others are H' T^T L^-T, where H', the Q of G2, is Haar, (m - c) x r, and independent of all
    that was drawn. So the rest is a lazy frame again. `docs/theory/approximate.md` has the proof.
    c rows cost O(c r^2 + r^3) and c r + r^2 / 2 random numbers, whatever n is.

    Gaussians are numbers of float32, and so are the Gram matrices of tall ones; the r x r algebra
    is of float64, and `complete` does it all again in float64 for the same Gaussians.
    """

    def __init__(self, n: int, r: int, rng: np.random.Generator) -> None:
        self.n, self.r, self.revealed = n, r, 0
        self.parts: list[Part] = []
        self._rng = rng

    def reveal(self, count: int) -> Part:
        """Return the next rows: `count` of them, or all where fewer than r would remain."""
        left = self.n - self.revealed
        if left - count < self.r:
            count = left
        kind = np.float32 if left >= _TALL * self.r else np.float64
        drawn = self._rng.standard_normal((count, self.r), dtype=np.float32)
        gaussian: Reals = drawn.astype(kind, copy=False)
        root = None if count == left else _bartlett(left - count, self.r, self._rng)
        gram: Reals = gaussian.T @ gaussian
        lower = _lower(gram, root)
        self.parts.append(Part(self.revealed, gaussian, lower, root))
        self.revealed += count
        return self.parts[-1]

    def combine(self, places: Indices, weights: Floats) -> Floats:
        """Return sums of weights[i, l] times the revealed row places[i, l]. O(r^2) each."""
        found: Floats | None = None
        for part in reversed(self.parts):
            inner = part.combine(places, weights)
            if found is not None and part.root is not None:
                inner = inner + found @ part.root.T
            found = _solved(part.lower, inner.T, transposed=False).T
        assert found is not None
        return found

    def products(self, queries: Floats) -> Reals:
        """Return inner products of vectors with all revealed rows, shape (vectors, revealed)."""
        found: list[Reals] = []
        for part in self.parts:
            queries = _solved(part.lower, queries.T, transposed=True).T
            found.append(queries.astype(part.gaussian.dtype) @ part.gaussian.T)
            if part.root is not None:
                queries = queries @ part.root
        return np.hstack(found)

    def complete(self) -> Floats:
        """Return all of Y in float64, the rows in the order in which they were revealed."""
        if self.revealed < self.n:
            self.reveal(self.n - self.revealed)
        rows = np.empty((0, self.r))
        for part in reversed(self.parts):
            wide = part.gaussian.astype(np.float64)
            inner = wide if part.root is None else np.vstack([wide, rows @ part.root.T])
            rows = _solved(_lower(wide.T @ wide, part.root), inner.T, transposed=False).T
        return rows


def _bartlett(degrees: int, r: int, rng: np.random.Generator) -> Floats:
    """Draw an upper triangular T with T T^T Wishart of at least r degrees of freedom."""
    T = np.zeros(r * r)
    T[_above_diagonal(r)] = rng.standard_normal(r * (r - 1) // 2, dtype=np.float32)
    T[:: r + 1] = np.sqrt(rng.chisquare(np.arange(degrees - r + 1, degrees + 1)))
    return T.reshape(r, r)


@cache
def _above_diagonal(r: int) -> NDArray[np.int64]:
    """Return flat places of the entries above the diagonal of an r x r matrix."""
    return np.flatnonzero(np.triu(np.ones((r, r), dtype=np.bool_), 1))


def _lower(gram: Reals, root: Floats | None) -> Floats:
    """Return L with L L^T = gram + root root^T, for an upper triangular root."""
    from scipy.linalg import lapack

    both = gram.T.astype(np.float64)  # a column at a time, as LAPACK reads it; it is symmetric
    if root is not None:
        square, _ = lapack.dlauum(root.T, lower=1)
        both += square  # only the lower triangles count
    lower, _ = lapack.dpotrf(both, lower=1, overwrite_a=1)
    return np.asarray(lower)


def _solved(lower: Floats, right: Any, *, transposed: bool) -> Floats:
    """Return L^-1 right, or L^-T right."""
    from scipy.linalg import lapack

    found, _ = lapack.dtrtrs(lower, right, lower=1, trans=int(transposed))
    return np.asarray(found)


_SURELY = 1e-4  # relative margin at which float32 is certain: its error is below 1 % of that
_FIRST_LOOK = 16  # rows of A that are tested first, those that are likeliest to fail


class LazyDraws:
    """Draws of Y for one matrix A and one precision.

    The rows of Y are looked at in an order in which the rows of A are soon complete: a row of A
    needs those of its nonzeros. Complete rows are taken up by how probable it is that they fail:
    by a guess of the slack that conditions (7) and (8) leave them.

    All choices depend on known rows alone, so that hidden rows keep their distribution.
    """

    def __init__(self, target: Target, eps1: float, eps2: float, *, causal: bool) -> None:
        self.n, self.causal, self.limit, self._eps2 = target.n, causal, math.log(eps1), eps2
        self.order = _order(target)
        position = np.empty(self.n, dtype=np.int64)
        position[self.order] = np.arange(self.n)
        support = _padded(target, position[target.columns], None)
        done = support.max(axis=1)
        self.rows = np.argsort(done, kind="stable")
        self.done, self.support = done[self.rows], support[self.rows]
        self.weight = _padded(target, bias(target, eps1, eps2), 0.0)[self.rows]
        self._log = _padded(target, target.logs, None)[self.rows]
        self.surely = _SURELY * max(1.0, float(self.weight.sum(axis=1).max()))

    def slack(self, rows: Any, own: Any, limit: Any) -> Any:
        """Return by how much the conditions hold for rows with these logits on their nonzeros.

        `limit` plus the least of them is what condition (7) leaves.
        """
        slack = own.min(axis=1) + limit
        if own.shape[1] > 1:
            errors = own - self._log[rows]
            slack = np.minimum(slack, self._eps2 - errors.max(axis=1) + errors.min(axis=1))
        return slack

    def fails(self, frame: LazyFrame, first: int) -> bool:
        """Return whether a condition surely fails; reads `first` rows of Y, then more.

        False says that no entry breaks a condition by more than float32 can be wrong.
        """
        look = _Look(self, frame)
        while frame.revealed < self.n:
            look.reveal(first if not frame.revealed else frame.revealed)
            if any(look.broken(rows) for rows in look.suspects()):
                return True
        return False


class _Look:
    """The part of one draw that is known."""

    def __init__(self, draws: LazyDraws, frame: LazyFrame) -> None:
        self._draws, self._frame = draws, frame
        self._gaussian: Singles = np.empty((0, frame.r), dtype=np.float32)
        self._safety: Singles = np.empty(0, dtype=np.float32)

    def reveal(self, count: int) -> None:
        """Reveal more rows of Y; return how safe the completed rows of A seem."""
        part = self._frame.reveal(count)
        self._gaussian = (
            part.gaussian
            if len(self._frame.parts) == 1
            else np.concatenate([self._gaussian, part.gaussian])
        )
        done = np.searchsorted(self._draws.done, self._frame.revealed)
        self._safety = np.append(self._safety, self._guess(len(self._safety), int(done)))

    def _guess(self, start: int, stop: int) -> Singles:
        """Estimate by how much conditions hold for a typical greatest zero and a Gaussian Y."""
        draws, r = self._draws, self._frame.r
        weight = draws.weight[start:stop].astype(np.float32)
        keys = [self._gaussian[places] for places in draws.support[start:stop].T]
        query: Any = sum(w[:, None] * key for w, key in zip(weight.T, keys, strict=True))
        own = np.stack([np.einsum("ij,ij->i", query, key) for key in keys], axis=1) / r
        usual = math.sqrt(2 * math.log(draws.n)) / r  # of n normal numbers, the greatest
        zero = usual * np.sqrt(np.einsum("ij,ij->i", query, query))
        return np.asarray(draws.slack(slice(start, stop), own, draws.limit - zero))

    def suspects(self) -> Iterator[Indices]:
        """Yield complete rows of A, the likeliest to fail first."""
        ranked = np.argsort(self._safety)
        start, size = 0, _FIRST_LOOK
        while start < len(ranked):
            yield ranked[start : start + size]
            if self._frame.revealed < self._draws.n:
                return
            start, size = start + size, 4 * size

    def broken(self, rows: Indices) -> bool:
        """Return whether one of these rows surely breaks a condition, on what is known."""
        draws = self._draws
        support = draws.support[rows]
        queries = self._frame.combine(support, draws.weight[rows] * (draws.n / self._frame.r))
        logits = self._frame.products(queries)
        place = np.arange(len(rows))[:, None]
        own = logits[place, support]
        logits[place, support] = -np.inf
        if draws.causal:
            logits[draws.order[: logits.shape[1]] > draws.rows[rows][:, None]] = -np.inf
        slack = draws.slack(rows, own, draws.limit - logits.max(axis=1))
        return bool((slack < -draws.surely).any())


def _order(target: Target) -> Indices:
    """Order the columns so that the supports of rows are soon complete: breadth first."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    incidence = csr_array(
        (np.ones(len(target.columns)), target.columns, target.indptr), shape=(target.n, target.n)
    )
    together = csr_array(incidence.T @ incidence)
    return np.asarray(reverse_cuthill_mckee(together, symmetric_mode=True), dtype=np.int64)


def _padded(target: Target, values: NDArray[Any], padding: float | None) -> NDArray[Any]:
    """Return a value of each nonzero as a matrix, a row a row; None pads with the row's first one.

    So a nonzero counts several times, which changes no least and no greatest one.
    """
    shape = target.n, target.row_k
    padded = np.full(shape, padding) if padding is not None else np.empty(shape, values.dtype)
    if padding is None:
        padded[:] = values[target.indptr[:-1], None]
    padded[target.rows, np.arange(len(values)) - target.indptr[target.rows]] = values
    return padded


def bias(target: Target, eps1: float, eps2: float) -> NDArray[np.float64]:
    """Return the nonzeros of B, Equation (9), in the places of `target.values`."""
    return np.asarray(target.log_ratios - np.log(eps1) + eps2)
