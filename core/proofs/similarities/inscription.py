"""Graphs of polytopes that no sphere circumscribes: refutations by Rivin's theorem."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from samapprox.errors import require_items
from samapprox.pattern import UNSPECIFIED
from samapprox.problem import Problem
from samapprox.proofs.base import Submatrix
from samapprox.proofs.exact import ExactArray, Matrix, Vector
from samapprox.proofs.members import Indices, Whole
from samapprox.proofs.words import tabulate
from samapprox.support.text import plural

_MOST_SUMS = 1 << 22
"""Pairs of vertices times cuts that are added up: some seconds."""

Edge = tuple[int, int]


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
    TASK = "dimension"
    SIMILARITIES = ("cosine", "l2")
    CLAIM = (
        "NO for cosine similarity in d = 3 or Euclidean distance in d = 2: the rows are edges of "
        "the convex hull of the keys, and multipliers show that no polytope inscribed in a sphere "
        "has them (Rivin's theorem)."
    )
    caption = "the marked rows are edges of a polytope that no sphere circumscribes"
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
        for name, items in (("vertices", vertices), ("cuts", cuts)):
            require_items(name, items, "numbers")
        vertices, cuts = list(vertices), list(cuts)
        cuts = cuts or np.zeros((0, 1 + len(vertices)), dtype=np.int64)
        self._fill(d, rows, columns, vertices, cuts)

    @property
    def dimension(self) -> int:
        """The dimension d that it excludes."""
        return self.d

    def find_fault(self, problem: Problem) -> str | None:
        """Return the reason why the hull of the keys is not refuted, or None.

        For n vertices and c cuts, O(n^2 c) additions of Python integers.
        """
        most = problem.similarity.sphere_dimension
        if most is None or self.d > most:
            return f"Rivin's theorem excludes d = {most} for {problem}, not d = {self.d}"
        edges = _read_edges(problem, self)
        if isinstance(edges, str):
            return edges
        count = len(self.columns)
        if fault := _find_fault_of_degrees(edges, count):
            return fault
        if fault := _find_fault_of_cuts(self, count):
            return fault
        complete = len(edges) == 3 * count - 6
        pairs = sorted(edges) if complete else list(combinations(range(count), 2))
        if len(pairs) * (1 + len(self.cuts)) > _MOST_SUMS:
            return (
                f"it is too large to check: {len(pairs)} pairs of vertices, {len(self.cuts)} cuts"
            )
        sums = _add_up(self, pairs)
        multipliers = self.cuts[:, 0].tolist()
        constant = sum(self.vertices.tolist()) + sum(multipliers)
        strict = bool(multipliers) or any(
            total > 0 or (total < 0 and pair in edges) for pair, total in sums.items()
        )
        if not strict or sum(max(total, 0) for total in sums.values()) > 2 * constant:
            return "the multipliers do not contradict each other"
        return None

    def explain(self, problem: Problem) -> list[str]:
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


def _read_edges(problem: Problem, proof: Inscription) -> set[Edge] | str:
    """Return the pairs of columns that the rows single out, or what is wrong with the core."""
    if len(proof.vertices) != len(proof.columns):
        return f"it has {len(proof.vertices)} multipliers for {len(proof.columns)} columns"
    entries = problem.pattern.submatrix(proof.rows, proof.columns)
    if (entries == UNSPECIFIED).any():
        return "it reads a don't-care entry"
    edges: set[Edge] = set()
    for row, line in zip(proof.rows, entries, strict=True):
        pair = np.flatnonzero(line == 1)
        if len(pair) != 2:
            pair = np.flatnonzero(line == 0)
        if len(pair) != 2:
            return f"{problem.pattern.row_label(row)} does not single out two columns of the core"
        edges.add((int(pair[0]), int(pair[1])))
    return edges


def _find_fault_of_degrees(edges: set[Edge], columns: int) -> str | None:
    """Check that the keys are pairwise different, and do not lie in one plane."""
    degrees = np.zeros(columns, dtype=np.int64)
    for edge in edges:
        degrees[list(edge)] += 1
    if (few := np.flatnonzero(degrees < 2)).size:
        return f"column {few[0]} of the core lies in fewer than two edges"
    if degrees.max(initial=0) < 3:
        return "no column of the core lies in three edges"
    return None


def _find_fault_of_cuts(proof: Inscription, count: int) -> str | None:
    """Check that each cut has a positive multiplier and two vertices on each side."""
    if proof.cuts.shape[1] != 1 + count:
        return f"each cut must be {1 + count} numbers, not {proof.cuts.shape[1]}"
    sides: NDArray[np.int64] = proof.cuts[:, 1:]
    if (wrong := np.flatnonzero(proof.cuts[:, 0] <= 0)).size:
        return f"the multiplier of cut {wrong[0]} is not positive"
    if (wrong := np.flatnonzero(((sides != 0) & (sides != 1)).any(axis=1))).size:
        return f"cut {wrong[0]} does not assign 0 or 1 to each vertex"
    held = (sides == 1).sum(axis=1)
    if (wrong := np.flatnonzero((held < 2) | (held > count - 2))).size:
        return f"cut {wrong[0]} has fewer than two vertices on one side"
    return None


def _add_up(proof: Inscription, pairs: list[Edge]) -> dict[Edge, int]:
    """Return the coefficient of each pair's weight in the combination."""
    vertices, multipliers = proof.vertices.tolist(), proof.cuts[:, 0].tolist()
    sides = proof.cuts[:, 1:].T.tolist()  # of each vertex, in each cut
    return {
        (a, b): vertices[a]
        + vertices[b]
        + sum(
            multiplier
            for multiplier, side, other in zip(multipliers, sides[a], sides[b], strict=True)
            if side != other
        )
        for a, b in pairs
    }
