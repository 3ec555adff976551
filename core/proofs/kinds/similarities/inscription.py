"""Graphs of polytopes that no sphere circumscribes: refutations by Rivin's theorem."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from samapprox.problem import Problem
from samapprox.proofs.base import Submatrix
from samapprox.proofs.exact import ExactArray
from samapprox.proofs.members import Indices, Matrix, Vector, Whole
from samapprox.proofs.words import tabulate
from samapprox.support.text import plural

__all__ = ["Inscription"]


@dataclass(frozen=True, slots=True, eq=False)
class Inscription(Submatrix):
    """Edges of the convex hull of the keys that points of a sphere cannot have.

    Keys on the unit sphere of R^3 are the vertices of their convex hull. If a cap contains exactly
    two of them, they are an edge of it. The exterior dihedral angles of such a polytope, divided by
    2 pi, are weights of its edges between 0 and 1/2. They sum to 1 around each vertex, and to more
    than 1 along the edges between any two sets of at least two vertices (Rivin). Integer
    multipliers show that no weights do. Balls of the plane are caps of the sphere, by stereographic
    projection.

    Parameters
    ----------
    d : int
        The dimension that it excludes: 3 for cosine similarity, 2 for Euclidean distance.
    rows, columns : iterable of int
        The core: each row contains exactly two of the columns, or all but two.
    vertices : array_like of int
        A multiplier for each column of the core.
    cuts : array_like of int, shape (cuts, 1 + vertices), optional
        A positive multiplier, then 1 for the vertices of one side and 0 for those of the other.

    References
    ----------
    Rivin (1996), "A characterization of ideal polyhedra in hyperbolic 3-space", Annals of
    Mathematics 143; Hodgson, Rivin, Smith (1992), "A characterization of convex hyperbolic
    3-polyhedra and of convex polyhedra inscribed in the sphere", Bulletin of the AMS 27.

    Examples
    --------
    >>> Inscription(3, range(18), range(8), [-1] * 4 + [1] * 4).dimension
    3
    """

    KIND = "inscription"
    CLAIM = (
        "NO for cosine similarity in d = 3 or Euclidean distance in d = 2: the rows are edges of "
        "the convex hull of the keys, and multipliers show that no polytope inscribed in a sphere "
        "has them (Rivin's theorem)."
    )
    MEMBERS = (
        Whole("d"),
        Indices("rows"),
        Indices("columns"),
        Vector("vertices"),
        Matrix("cuts", least=0),
    )

    d: int
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    vertices: ExactArray
    cuts: ExactArray

    def __init__(
        self,
        d: int,
        rows: Iterable[int],
        columns: Iterable[int],
        vertices: Sequence[int] | ExactArray,
        cuts: Sequence[Sequence[int]] | ExactArray = (),
    ) -> None:
        cuts = cuts if len(cuts) else np.zeros((0, 1 + len(vertices)), dtype=np.int64)
        self._fill(d=d, rows=rows, columns=columns, vertices=vertices, cuts=cuts)

    @property
    def dimension(self) -> int:
        """The dimension d that it excludes."""
        return self.d

    @property
    def caption(self) -> str:
        """The caption of a picture of the core: half a line on the marked rows and columns."""
        return "the marked rows are edges of a polytope that no sphere circumscribes"

    def explain(self, problem: Problem) -> list[str]:
        """Explain the proof in lines of text."""
        where = "lifted to a sphere" if problem.similarity.below else "on the sphere"
        using = f", using {plural(len(self.cuts), 'cut')}" if len(self.cuts) else ""
        return [
            f"For keys {where}, each of these rows singles out an edge of their convex hull. By "
            "Rivin's theorem, the exterior dihedral angles around each vertex sum to 2 pi, but the "
            f"following multipliers of the vertices show that no angles do{using}:",
            *(
                f"  {problem.pattern.column_label(column)}: {multiplier}"
                for column, multiplier in zip(self.columns, self.vertices.tolist(), strict=True)
                if multiplier
            ),
            *tabulate(problem.pattern, self.rows, self.columns),
        ]
