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

__all__ = ["LazyDraws", "LazyFrame", "Part", "bias", "haar"]


Floats = NDArray[np.float64]
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
    """Rows of a frame as gaussian L^-T outer, kept as factors."""

    gaussian: Reals
    lower: Floats  # L
    outer: Floats | None  # None is the identity

    def rows(self, places: NDArray[np.int64]) -> Floats:
        """Return some of the rows. O(r^2) each."""
        inner = _solved(self.lower, self.gaussian[places].T, transposed=False).T
        return np.asarray(inner if self.outer is None else inner @ self.outer)

    def products(self, queries: Floats) -> Reals:
        """Return inner products of vectors with all the rows, shape (vectors, count)."""
        turned = queries.T if self.outer is None else self.outer @ queries.T
        short = _solved(self.lower, turned, transposed=True).T.astype(self.gaussian.dtype)
        return np.asarray(short @ self.gaussian.T)


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
        self._rests: list[Floats] = []

    def reveal(self, count: int) -> Part:
        """Return the next rows: `count` of them, or all where fewer than r would remain."""
        left = self.n - self.revealed
        if left - count < self.r:
            count = left
        outer = _beyond(self.parts[-1], self._rests[-1]) if self.parts else None
        kind = np.float32 if left >= _TALL * self.r else np.float64
        drawn = self._rng.standard_normal((count, self.r), dtype=np.float32)
        gaussian: Reals = drawn.astype(kind, copy=False)
        rest = None if count == left else _bartlett(left - count, self.r, self._rng)
        if rest is not None:
            self._rests.append(rest)
        gram: Reals = gaussian.T @ gaussian
        lower = _lower(gram.astype(np.float64), rest)
        self.parts.append(Part(gaussian, lower, outer))
        self.revealed += count
        return self.parts[-1]

    def complete(self) -> Floats:
        """Return all of Y in float64, the rows in the order in which they were revealed."""
        if self.revealed < self.n:
            self.reveal(self.n - self.revealed)
        rows: list[Floats] = []
        outer: Floats | None = None
        for part, rest in zip(self.parts, [*self._rests, None], strict=True):
            wide = part.gaussian.astype(np.float64)
            again = Part(part.gaussian, _lower(wide.T @ wide, rest), outer)
            rows.append(again.rows(np.arange(len(wide))))
            outer = None if rest is None else _beyond(again, rest)
        return np.vstack(rows)


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


def _lower(gram: Floats, rest: Floats | None) -> Floats:
    """Return L with L L^T = gram + rest rest^T, for an upper triangular rest."""
    from scipy.linalg import lapack

    if rest is not None:
        square, _ = lapack.dlauum(rest, lower=0)
        gram = gram + square  # only the upper triangles count
    upper, _ = lapack.dpotrf(gram, lower=0)
    return np.asarray(upper.T)


def _solved(lower: Floats, right: Any, *, transposed: bool) -> Floats:
    """Return L^-1 right, or L^-T right."""
    from scipy.linalg import lapack

    found, _ = lapack.dtrtrs(lower.T, right, lower=0, trans=0 if transposed else 1)
    return np.asarray(found)


def _beyond(part: Part, rest: Floats) -> Floats:
    """Return the map from the Haar rows after a part to rows of Y: T^T L^-T outer."""
    outer = np.eye(len(rest)) if part.outer is None else part.outer
    return np.asarray(rest.T @ _solved(part.lower, outer, transposed=True))


Singles = NDArray[np.float32]
Indices = NDArray[np.int64]

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
        self._ends = [0]
        self._gaussian: Singles = np.empty((0, frame.r), dtype=np.float32)
        self._safety: Singles = np.empty(0, dtype=np.float32)

    def reveal(self, count: int) -> None:
        """Reveal more rows of Y; return how safe the completed rows of A seem."""
        part = self._frame.reveal(count)
        self._ends.append(self._frame.revealed)
        self._gaussian = (
            part.gaussian
            if len(self._ends) == 2
            else np.concatenate([self._gaussian, part.gaussian])
        )
        done = np.searchsorted(self._draws.done, self._frame.revealed)
        self._safety = np.append(self._safety, self._guess(len(self._safety), int(done)))

    def _guess(self, start: int, stop: int) -> Singles:
        """Estimate by how much conditions hold for a typical greatest zero and a Gaussian Y."""
        draws, r = self._draws, self._frame.r
        support, weight = draws.support[start:stop], draws.weight[start:stop]
        keys = [self._gaussian[places] for places in support.T]
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
        query: Any = sum(
            w[:, None] * self._rows_of_y(places)
            for w, places in zip(draws.weight[rows].T, support.T, strict=True)
        )
        query *= draws.n / self._frame.r
        logits = np.hstack([part.products(query) for part in self._frame.parts])
        place = np.arange(len(rows))[:, None]
        own = logits[place, support]
        logits[place, support] = -np.inf
        if draws.causal:
            logits[draws.order[: logits.shape[1]] > draws.rows[rows][:, None]] = -np.inf
        slack = draws.slack(rows, own, draws.limit - logits.max(axis=1))
        return bool((slack < -draws.surely).any())

    def _rows_of_y(self, places: Indices) -> Any:
        if len(self._frame.parts) == 1:
            return self._frame.parts[0].rows(places)
        found = np.empty((len(places), self._frame.r))
        for part, start, stop in zip(
            self._frame.parts, self._ends[:-1], self._ends[1:], strict=True
        ):
            here = (places >= start) & (places < stop)
            found[here] = part.rows(places[here] - start)
        return found


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
