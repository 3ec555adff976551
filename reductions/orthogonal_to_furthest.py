"""Orthogonal vectors to furthest vectors: why sparse attention cannot do Task 1 in few layers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samapprox.attention.vectors.layers import Layers, furthest_layers
from samapprox.attention.vectors.relay import Graphs
from samapprox.errors import InputError
from samapprox.problem import Reduction
from samapprox.support.arrays import Bits, Indices
from samapprox.support.progress import OnProgress
from samapprox.vectors import VectorSet, as_bits, require_same_dimension

Pair = tuple[int, int]
Sides = tuple[Bits, Bits | None]
"""The vectors of the first set, and of the second if there is one."""


@dataclass(frozen=True, slots=True)
class OrthogonalToFurthest(Reduction[VectorSet, VectorSet, Sides]):
    """Boolean vectors as unit vectors, among which the orthogonal ones are furthest apart.

    Notes
    -----
    v becomes v / |v|. Inner products of unit vectors that come from Boolean ones are 0 or at least
    1/d, so that the furthest vector of one that has an orthogonal partner is such a partner. Of two
    sets one is made: (1, 0) is appended to the vectors of the first and (0, 1) to those of the
    second, and pairs within a set are never orthogonal. A zero vector, which has no direction, is
    orthogonal to all: within one set the first of them gets a dimension of its own, and all others
    of them share another one. The rounding to float32 does no harm as d is at most 2^20
    (docs/theory/furthest.md). O(n d).

    References
    ----------
    Zaheer et al. (2020), "Big Bird: Transformers for Longer Sequences", appendix C.

    Examples
    --------
    >>> bits = VectorSet(np.array([[1, 1, 0], [1, 0, 1], [0, 0, 1]]))
    >>> reduction = OrthogonalToFurthest()
    >>> target, back = reduction.apply(bits)
    >>> from samapprox.attention.vectors import furthest
    >>> reduction.lift(furthest(target.first).indices, back)
    (0, 2)
    """

    name: ClassVar[str] = "orthogonal-to-furthest"
    preserves: ClassVar[str] = (
        "some pair of vectors is orthogonal if and only if some vector is orthogonal to the "
        "furthest one from it; if a vector has orthogonal partners, its furthest vector is one"
    )

    def apply(self, instance: VectorSet) -> tuple[VectorSet, Sides]:
        """Make unit vectors; the way back is the Boolean vectors.

        Parameters
        ----------
        instance : VectorSet
            One set or two of Boolean vectors.

        Raises
        ------
        InputError
            Not Boolean vectors, or a single one.
        """
        left, right = back = _sides(instance)
        target = _one_set(left) if right is None else _two_sets(left, right)
        origin = {**instance.origin, "reduction": self.name}
        return VectorSet(_units(target), origin=origin), back

    def lift(self, proof: ArrayLike, back: Sides) -> Pair | None:
        """Return an orthogonal pair, or None if there is none.

        Parameters
        ----------
        proof : array_like of int
            The index of each unit vector's furthest one.
        back : (ndarray, ndarray or None)
            The second result of `apply`; the pair holds indices into the first and the second set.

        Raises
        ------
        InputError
            Another number of indices, or one that is out of range.
        """
        left, right = back
        if right is None:
            return _pair(left, left, 0, proof)
        return _pair(left, right, len(left), proof)


def _sides(instance: VectorSet) -> Sides:
    """Return the vectors of the first set and of the second, checked."""
    if instance.second is None:
        bits = as_bits(instance.first)
        if len(bits) == 1:
            raise InputError("a single vector makes no pair; give at least two")
        return bits, None
    left, right = as_bits(instance.first, "first set"), as_bits(instance.second, "second set")
    require_same_dimension(left, right)
    return left, right


def _one_set(bits: Bits) -> Bits:
    """Return the vectors, with two dimensions more where some are zero."""
    zero = np.flatnonzero(~bits.any(axis=1))
    if not len(zero):
        return bits
    more = np.zeros((len(bits), 2), dtype=np.uint8)
    more[zero[:1], 0] = 1
    more[zero[1:], 1] = 1
    return np.hstack([bits, more])


def _two_sets(left: Bits, right: Bits) -> Bits:
    """Extend both sets, each by a dimension that only its own vectors have."""
    first = np.hstack([left, np.tile(np.array([1, 0], dtype=np.uint8), (len(left), 1))])
    second = np.hstack([right, np.tile(np.array([0, 1], dtype=np.uint8), (len(right), 1))])
    return np.vstack([first, second])


def _units(bits: Bits) -> NDArray[Any]:
    """Divide vectors by their norms, in float32."""
    norms = np.sqrt(bits.sum(axis=1, dtype=np.int64))
    return np.asarray(bits / norms[:, None], dtype=np.float32)


def _pair(left: Bits, right: Bits, offset: int, furthest: ArrayLike) -> Pair | None:
    """Find the first vector of the target orthogonal to its furthest one, and that one."""
    indices = np.asarray(furthest)
    count = len(left) + (len(right) if offset else 0)
    if indices.shape != (count,) or indices.dtype.kind not in "iu":
        raise InputError(f"the answer must hold {count} indices, one per unit vector")
    if not (0 <= indices.min() <= indices.max() < count):
        raise InputError(f"the answer holds an index outside 0..{count - 1}")
    firsts = np.arange(len(left))
    partners = indices[: len(left)] - offset
    usable = np.flatnonzero((partners >= 0) & ((partners != firsts) | (offset > 0)))
    i, j = firsts[usable], partners[usable]
    met = np.einsum("nd,nd->n", left[i], right[j], dtype=np.int64)
    found = np.flatnonzero(met == 0)
    return (int(i[found[0]]), int(j[found[0]])) if len(found) else None


class UnitVectors:
    """One set of vectors, or Boolean vectors as unit vectors, among which pairs are sought.

    >>> found = UnitVectors(VectorSet(np.eye(3, dtype=np.uint8)))
    >>> found.is_reduced, found.rows.shape, found.pair(np.array([-1, 0, 0]))
    (True, (3, 3), (1, 0))
    """

    def __init__(self, vectors: VectorSet) -> None:
        self._reduction = OrthogonalToFurthest()
        self.is_reduced = vectors.is_boolean
        if self.is_reduced:
            vectors, self._back = self._reduction.apply(vectors)
        elif vectors.second is not None:
            raise InputError("a graph needs one set of vectors; the file holds two")
        self.rows: NDArray[Any] = vectors.first
        self.known: Indices | None = vectors.furthest

    def pair(self, held: Indices) -> tuple[int, int] | None:
        """Return an orthogonal pair among candidates (-1: none yet), if one is sought and there."""
        if not self.is_reduced:
            return None
        return self._reduction.lift(np.where(held < 0, np.arange(len(held)), held), self._back)

    def relay(
        self,
        graphs: Graphs,
        layers: int,
        answers: Indices | None,
        *,
        threads: int | None = None,
        progress: OnProgress | None = None,
    ) -> Layers:
        """Run this many layers on graphs; recall is measured against the answers, if given."""
        return furthest_layers(
            self.rows,
            graphs,
            layers=layers,
            answers=answers,
            against_full=False,
            goal=(lambda held: self.pair(held) is not None) if self.is_reduced else None,
            threads=threads,
            progress=progress,
        )
