"""Orders of the keys around a circle or along a line: proofs of YES without numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samapprox.errors import InputError
from samapprox.proofs.base import Witness
from samapprox.proofs.exact import ExactArray
from samapprox.proofs.kinds.moment_curve import MomentCurve
from samapprox.proofs.members import Choice, Vector
from samapprox.proofs.words import order_keys

if TYPE_CHECKING:
    from samapprox.pattern import Pattern
    from samapprox.problem import Problem
    from samapprox.proofs.kinds.embedding import Embedding
    from samapprox.proofs.simplify import Simplified

__all__ = ["Curve", "KeyOrder"]

Curve = Literal["circle", "line"]
"""The curve on which the keys lie."""


@dataclass(frozen=True, slots=True, eq=False)
class KeyOrder(Witness):
    r"""An order of the keys in which the ones of each row are consecutive.

    On a circle, the keys are points of the unit circle, in this order, and each row is an arc: YES
    for cosine similarity and Euclidean distance in d = 2, or in d = 1 if there are at most two
    points. On a line, each row is an interval: YES for Euclidean distance in d = 1.

    Parameters
    ----------
    curve : {"circle", "line"}
    places : array_like of int, shape (n,)
        The place of each column, at least 0. Columns with the same place have the same key.

    Raises
    ------
    InputError
        A negative place, or one beyond 64 bits.

    Examples
    --------
    >>> from samapprox import Pattern
    >>> proof = KeyOrder("circle", [0, 1, 2, 1])
    >>> proof.dimension, KeyOrder("circle", [0, 1, 1, 1]).dimension
    (2, 1)
    >>> proof.embedding(Pattern.from_text("1000\n0101\n1010")).dimension
    2
    """

    KIND = "key-order"
    CLAIM = (
        "YES for cosine similarity and Euclidean distance in d = 2 (circle; d = 1 with at most two "
        "places), or for Euclidean distance in d = 1 (line): in the order of the places, each "
        "row's ones form an arc or interval that contains none of its zeros."
    )
    MEMBERS = (Choice("curve", ("circle", "line")), Vector("places", minimum=0))

    curve: Curve
    places: ExactArray

    def __init__(self, curve: str, places: ArrayLike) -> None:
        self._fill(curve=curve, places=places)
        if self.places.dtype != np.int64:
            raise InputError("places must be numbers below 2^62")

    @property
    def dimension(self) -> int:
        """The d in which it represents the pattern."""
        if self.curve == "line" or not len(self.places):
            return 1
        first = self.places == self.places.min()
        return 1 if np.all(first | (self.places == self.places.max())) else 2

    @property
    def points(self) -> NDArray[np.int64]:
        """The point of each column: 0 for the least place, 1 for the next, and so on."""
        return np.unique(self.places, return_inverse=True)[1].reshape(-1).astype(np.int64)

    def embedding(self, pattern: Pattern, /) -> Embedding:
        """Write queries, keys and thresholds as whole numbers, for dot products.

        Parameters
        ----------
        pattern : Pattern
            One that it represents.

        Raises
        ------
        InputError
            It does not represent the pattern, or the numbers are too large to be written out.

        Notes
        -----
        The dimension is 2 or less also for keys on a line, whose intervals are no halfspaces.
        """
        order = np.argsort(self.places, kind="stable")
        return MomentCurve(2, "columns", order).embedding(pattern)

    def lift(self, simplified: Simplified, /) -> KeyOrder | str:
        """Carry the order for a simplified pattern over to the original."""
        if self.curve == "line" and simplified.flipped.any():
            return "the complement of an interval is no interval"
        return KeyOrder(self.curve, self.places[simplified.column_of])

    def explain(self, problem: Problem) -> list[str]:
        """Explain the proof in lines of text."""
        order = order_keys(problem.pattern, self.places)
        if self.curve == "line":
            return [f"In this order of the keys, the ones of each row are consecutive: {order}"]
        if self.dimension == 1:
            return [f"Each row is constant on the keys at each of two points: {order}"]
        return [f"In this order around the circle, the ones of each row are an arc: {order}"]
