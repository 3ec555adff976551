"""Proofs of NO for cosine similarity and Euclidean distance by one for dot products."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from samapprox.errors import InputError
from samapprox.pattern import UNSPECIFIED, Pattern
from samapprox.problem import Problem
from samapprox.proofs.base import Nested, Obstruction, Submatrix
from samapprox.proofs.checker import check
from samapprox.proofs.members import Choice, Indices
from samapprox.proofs.words import tabulate
from samapprox.similarities import SIMILARITIES, SimilarityLike, find_similarity


@dataclass(frozen=True, slots=True, eq=False)
class Extended(Submatrix):
    r"""A core that dot products cannot represent once a query for each single key is added.

    On a sphere, every key is exposed: some halfspace contains this point of the sphere and no other
    one. On a paraboloid, whose halfspaces are the balls, the same holds, and there is a further
    point, infinitely far upwards, which no ball contains. Equal keys can be moved apart by a
    little, unless the sphere has two points only. So an embedding of the core with these
    similarities gives one of the pattern that `extend` returns with dot products, in the same
    dimension for cosines, and in d + 1 for distances.

    Parameters
    ----------
    similarity : {"cosine", "l2"}
        The similarity for which it is a refutation.
    rows, columns : iterable of int
        The core.
    proof : Obstruction
        NO for dot products and the extended core: its rows are those of the core, then one for each
        column of the core, then for l2 one for the extra column, which is the last.

    Examples
    --------
    >>> from samapprox.proofs import Radon
    >>> Extended("l2", [0], [0, 1, 2], Radon([0, 1, 2, 3, 4], [0, 1, 2, 3])).dimension
    1
    """

    KIND = "extended"
    TASK = "dimension"
    SIMILARITIES = ("cosine", "l2")
    CLAIM = (
        "NO for cosine similarity or Euclidean distance: the proof refutes dot products for the "
        "core with a row for each single column, for l2 also with an extra column and its row."
    )
    MEMBERS = (
        Choice("similarity", ("cosine", "l2")),
        Indices("rows"),
        Indices("columns"),
        Nested("proof", "NO"),
    )

    similarity: Literal["cosine", "l2"]
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    proof: Obstruction

    def __init__(
        self,
        similarity: str,
        rows: Iterable[int],
        columns: Iterable[int],
        proof: Obstruction,
    ) -> None:
        self._fill(similarity, rows, columns, proof)

    @property
    def dimension(self) -> int:
        """The dimension that it excludes: that of the proof, or for l2 one less."""
        return self.proof.dimension - self.extra

    @property
    def extra(self) -> int:
        """The number of extra columns: 1 for l2, else 0."""
        return SIMILARITIES[self.similarity].below

    @property
    def is_plain(self) -> bool:
        """Whether the proof is about the entries of the core alone."""
        rows, columns = max(self.proof.rows, default=-1), max(self.proof.columns, default=-1)
        return rows < len(self.rows) and columns < len(self.columns)

    @property
    def size(self) -> int:
        """The number of entries of the pattern that the proof is about."""
        height, width = len(self.rows), len(self.columns)
        if self.is_plain:
            return height * width
        return (height + width + self.extra) * (width + self.extra)

    @property
    def caption(self) -> str:
        where = "" if self.is_plain else " on a paraboloid" if self.extra else " on a sphere"
        return f"no keys{where} have the marked entries"

    def pattern_of_proof(self, pattern: Pattern, dimension: int) -> Pattern:
        """Return what the proof refutes in so many dimensions: the core, extended if this matters.

        Raises
        ------
        InputError
            A row of the core has no 1.
        """
        core = pattern.take(np.array(self.rows), np.array(self.columns))
        return core if self.is_plain else extend(core, self.similarity, dimension)

    def find_fault(self, problem: Problem) -> str | None:
        """Return the reason why the extended core is not refuted, or None.

        O((r + c) c) for a core of r rows and c columns, and the proof's own check; r c^2 operations
        for cosine similarity in one dimension.
        """
        if self.similarity != problem.similarity.name:
            return f"it is about the similarity {self.similarity}, not {problem.similarity}"
        try:
            dimension = problem.d + self.extra
            inner = Problem(self.pattern_of_proof(problem.pattern, dimension), dimension)
        except InputError as error:
            return f"the core: {error}"
        fault = check(inner, self.proof)
        return None if fault is None else f"it does not refute the extended core: {fault}"

    def explain(self, problem: Problem) -> list[str]:
        inner = self.pattern_of_proof(problem.pattern, problem.d + self.extra)
        words = self.proof.explain(Problem(inner, self.proof.dimension))
        if self.is_plain and not self.extra:
            return ["No attention by dot products represents the pattern either:", *words]
        d = self.proof.dimension
        if self.is_plain:
            return [
                f"Balls in dimension {d - 1} are halfspaces in dimension {d}, which do not "
                "represent the pattern:",
                *words,
            ]
        height, width = len(self.rows), len(self.columns)
        singles = f"Rows {height} to {height + width - 1} are these queries"
        if self.extra:
            balls = f"For keys on a paraboloid, balls in dimension {d - 1} are halfspaces in {d}"
            infinity = f"row {height + width} and column {width} stand for a point in no ball"
            why, further = f"{balls}, and each", f"{singles}; {infinity}:"
        else:
            why, further = "On a sphere, each", f"{singles}:"
        return [
            f"{why} key can be singled out by a query of its own. With such queries, dot products "
            f"in dimension {d} do not represent these rows and columns:",
            *tabulate(problem.pattern, self.rows, self.columns),
            further,
            *words,
        ]


def extend(pattern: Pattern, similarity: SimilarityLike, dimension: int) -> Pattern:
    r"""Add a row for each single column; for l2 first a column that no row of the pattern has.

    Its shape is (m + n, n) for cosines, (m + n + 1, n + 1) for l2. In one dimension, the row of a
    column is \* in those that no row tells apart from it, whose keys may be equal.

    O((m + n) n); in one dimension, m n^2 operations.

    >>> print(extend(Pattern.from_text("110\n1*1"), "l2", 2).to_text())
    1100
    1*10
    1000
    0100
    0010
    0001
    """
    entries = np.pad(pattern.to_array(), ((0, 0), (0, find_similarity(similarity).below)))
    singles = np.eye(entries.shape[1], dtype=entries.dtype)
    if dimension == 1:
        ones, zeros = (np.asarray(entries == value, dtype=np.float32) for value in (1, 0))
        apart = ones.T @ zeros > 0
        singles[(singles == 0) & ~(apart | apart.T)] = UNSPECIFIED
    extended = np.vstack([entries, singles])
    return Pattern.from_array(extended == 1, extended != UNSPECIFIED)
