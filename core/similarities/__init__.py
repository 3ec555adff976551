"""The similarities of queries and keys: a record of facts about each, found by its name.

No other module asks which similarity one is. It asks the record what holds for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from samapprox.errors import require_type
from samapprox.support.packages import load_object, unknown_name

__all__ = [
    "ATTENTION",
    "SIMILARITIES",
    "VALUE_SETS",
    "Similarity",
    "SimilarityLike",
    "find_comparison",
    "find_similarity",
]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Similarity:
    """A similarity of queries and keys, as one record of facts.

    A row of a pattern is represented by a query and a threshold: its ones are the keys whose
    similarity with the query is above the threshold. min(m, n - 1) dimensions, at least 1, must
    suffice for every pattern of m rows and n columns, or min(2 m, n - 1) with `per_row` = 2.

    Strings of the form "module:name" are imported when they are needed, since they lie above this
    package. None says that a similarity has no such part, and methods that need it do not apply.

    Parameters
    ----------
    name : str
        What users and documents write.
    words : str
        What sentences add after "attention" and "d = 2", as in "with cosine similarity"; empty for
        the similarity of attention.
    ranking : str
        How keys are ranked, as in "by cosine similarity".
    dimension_name : str
        The name of the least dimension.
    regions : str
        The sets of keys that a query and a threshold cut off, as in "caps of a sphere".
    below, above : int
        The least dimension of a pattern lies between w - below and w + above, where w is its weak
        dimension (with dot products). Keys in R^d are points of R^(d + below), which queries cut by
        halfspaces; an embedding for dot products in R^d becomes one in R^(d + above).
    per_row : int
        The number of coordinates for each row that suffice for every pattern.
    values : tuple of int or None
        The entries that queries and keys may have, in ascending order; None for real vectors. With
        values, upper bounds for dot products say nothing.
    free_queries : bool
        Only keys must have such entries.
    is_attention : bool
        Attention computes it: it is the default, which documents and sentences leave out, and
        hidden dimensions and number formats apply to it.
    divides : bool
        Patterns are divided: complements of rows cost nothing, and components are glued.
    is_convex : bool
        Keys, as points of R^(d + below), are in convex position.
    curves : tuple of str
        What keys lie on for d = 1, 2, .., where that is of dimension at most 1: "points", "circle"
        or "line". Patterns without don't-cares are decided in linear time for these d, and on
        points, all patterns are.
    transfers : str or None
        Proofs for dot products as proofs for this similarity: `Transfers` in
        `samapprox.solvers.similarity.transfers`, or a subclass.
    scores : str or None
        The class of scores that numeric fits improve: `Scores` in
        `samapprox.solvers.questions.fits.scores`, or a subclass.
    measure : str or None
        The comparison of given embeddings: a subclass of `Measure` in
        `samapprox.solvers.questions.evaluation.measures`.

    Examples
    --------
    >>> from samapprox.similarities import SIMILARITIES
    >>> cosine = SIMILARITIES["cosine"]
    >>> cosine, cosine.words, cosine.sphere_dimension
    (<Similarity cosine>, 'with cosine similarity', 3)
    """

    name: str
    words: str
    ranking: str
    dimension_name: str
    regions: str
    below: int = 0
    above: int = 0
    per_row: int = 1
    values: tuple[int, ...] | None = None
    free_queries: bool = False
    is_attention: bool = False
    divides: bool = False
    is_convex: bool = False
    curves: tuple[str, ...] = ()
    transfers: str | None = None
    scores: str | None = None
    measure: str | None = None

    @property
    def manner(self) -> str:
        """The words after a blank; nothing for the similarity of attention."""
        return f" {self.words}" if self.words else ""

    @property
    def term(self) -> dict[str, str]:
        """The member "similarity" of documents, which leave out that of attention."""
        return {} if self.is_attention else {"similarity": self.name}

    @property
    def sphere_dimension(self) -> int | None:
        """The d whose keys are points of a sphere in space, up to a projection; None without."""
        return 3 - self.below if self.is_convex else None

    def curve(self, d: int) -> str:
        """Return what keys in R^d lie on, or a curve that they may lie on: "circle"."""
        return self.curves[d - 1] if d <= len(self.curves) else "circle"

    def load(self, part: str) -> Any:
        """Import the object that a field names; None where the similarity has none."""
        path = getattr(self, part)
        return None if path is None else load_object(path)

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"<Similarity {self.name}>"

    def __reduce__(self) -> tuple[Any, ...]:  # a copy of a record is the record itself
        return find_comparison, (self.name,)


RECORDS = (
    # the similarity of attention: S_ij is 1 if and only if q_i . k_j > t_i
    Similarity(
        name="dot",
        words="",
        ranking="by dot product",
        dimension_name="weak dimension",
        regions="halfspaces",
        is_attention=True,
        divides=True,
        transfers="samapprox.solvers.similarity.transfers:Transfers",
        scores="samapprox.solvers.questions.fits.scores:Scores",
        measure="samapprox.solvers.questions.evaluation.measures:DotProduct",
    ),
    # S_ij is 1 if and only if q_i . k_j > t_i, with keys on the unit sphere
    Similarity(
        name="cosine",
        words="with cosine similarity",
        ranking="by cosine similarity",
        dimension_name="cosine dimension",
        regions="caps of a sphere",
        above=1,  # a stereographic projection maps R^d to the sphere of R^(d+1)
        is_convex=True,
        curves=("points", "circle"),
        transfers="samapprox.solvers.similarity.transfers:CapTransfers",
        scores="samapprox.solvers.questions.fits.scores:CapScores",
        measure="samapprox.solvers.questions.evaluation.measures:Cosine",
    ),
    # S_ij is 1 if and only if |q_i - k_j| < t_i
    Similarity(
        name="l2",
        words="with Euclidean distance",
        ranking="by Euclidean distance",
        dimension_name="Euclidean dimension",
        regions="balls",
        below=1,  # balls of R^d are halfspaces that cut the paraboloid of R^(d+1)
        is_convex=True,
        curves=("line",),
        transfers="samapprox.solvers.similarity.transfers:BallTransfers",
        scores="samapprox.solvers.questions.fits.scores:BallScores",
        measure="samapprox.solvers.questions.evaluation.measures:Distance",
    ),
)
"""The record of each similarity."""

SIMILARITIES: dict[str, Similarity] = {record.name: record for record in RECORDS}
"""All similarities by name."""

ATTENTION = SIMILARITIES["dot"]
"""The similarity that attention computes, and the default everywhere."""


def _restrict(
    name: str,
    values: tuple[int, ...],
    *,
    per_row: int = 1,
    what: str = "queries and keys",
    free_queries: bool = False,
) -> Similarity:
    """Return the record of dot products of queries and keys with few values."""
    return Similarity(
        name=name if what == "queries and keys" else f"{name}-{what}",
        words=f"with {name} {what}",
        ranking="by dot product",
        dimension_name=f"least dimension with {name} {what}",
        regions="halfspaces",
        per_row=per_row,
        values=values,
        free_queries=free_queries,
        transfers="samapprox.solvers.values.trivial:TrivialVectors",
    )


_ENTRIES = {
    "binary": (-1, 1),
    "ternary": (-1, 0, 1),
    **{f"int{b}": tuple(range(-(1 << b - 1), 1 << b - 1)) for b in (2, 3, 4)},
}

_RECORDS_OF_SETS = (
    *(
        _restrict(name, values, per_row=1 if 0 in values else 2)
        for name, values in _ENTRIES.items()
    ),
    *(_restrict(name, values, what="keys", free_queries=True) for name, values in _ENTRIES.items()),
)

_SETS = {record.name: record for record in _RECORDS_OF_SETS}
"""Dot products of vectors whose entries lie in a finite set, by name.

With the entries -1 and 1, dot products, cosines, Euclidean and Hamming distances rank keys alike.
"""

VALUE_SETS = tuple(_SETS)
"""The names of these sets of values: records that only questions of dimensions take."""

SimilarityLike = str | Similarity
"""A similarity or its name, as users write it."""


def find_similarity(similarity: SimilarityLike) -> Similarity:
    """Return the record of a similarity that is given by name, or as a record.

    Parameters
    ----------
    similarity : str or Similarity
        "dot", "cosine" or "l2", or a record, which is returned as it is.

    Returns
    -------
    Similarity
        The record.

    Raises
    ------
    InputError
        No similarity has this name.

    Examples
    --------
    >>> find_similarity("cosin")
    Traceback (most recent call last):
    ...
    samapprox.errors.InputError: unknown similarity 'cosin' (did you mean 'cosine'?); ...
    """
    require_type("similarity", similarity, str | Similarity, "the name of one, such as 'cosine'")
    name = str(similarity)
    known = SIMILARITIES.get(name)
    # Checks rely on the records, so one that is not in the table proves nothing.
    if known is None or (isinstance(similarity, Similarity) and similarity is not known):
        raise unknown_name("similarity", name, SIMILARITIES)
    return known


def find_comparison(similarity: SimilarityLike) -> Similarity:
    """Return the record of a similarity, or of a set of values, by name or as a record.

    Parameters
    ----------
    similarity : str or Similarity
        A name such as "cosine" or "ternary", or a record, which is returned as it is.

    Returns
    -------
    Similarity
        The record.

    Raises
    ------
    InputError
        No similarity and no set of values has this name.

    Examples
    --------
    >>> find_comparison("ternary").values
    (-1, 0, 1)
    """
    require_type("similarity", similarity, str | Similarity, "the name of one, such as 'cosine'")
    name = str(similarity)
    if name not in _SETS:
        return find_similarity(similarity)
    if isinstance(similarity, Similarity) and similarity is not _SETS[name]:
        raise unknown_name("similarity", name, SIMILARITIES)
    return _SETS[name]
