"""The question whether dimension d represents a pattern, and the contract of reductions."""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from samapprox.errors import InputError, abridge, require_type
from samapprox.pattern import Pattern
from samapprox.similarities import ATTENTION, Similarity, SimilarityLike, find_comparison


class Question(ABC):
    """A question about a pattern, to which the answer is YES or NO.

    Subclasses are frozen dataclasses whose first field is the pattern. Each is listed in
    `samapprox.proofs.questions`.

    Attributes
    ----------
    TASK : str
        The name of the task in certificates.
    pattern : Pattern
        The pattern that the question is about.

    Examples
    --------
    >>> from samapprox import Pattern, Problem
    >>> Problem(Pattern.from_text("10"), 1).claim("YES")
    'YES for d = 1'
    """

    __slots__ = ()

    TASK: ClassVar[str]

    if TYPE_CHECKING:  # at run time a field's default would be looked for here

        @property
        def pattern(self) -> Pattern:
            """The pattern that the question is about."""

        @property
        def similarity(self) -> Similarity:
            """The similarity of queries and keys: a proof for another one does not answer it."""

    @property
    @abstractmethod
    def terms(self) -> dict[str, Any]:
        """The question without its pattern: the member "problem" of certificates."""

    def claim(self, answer: str) -> str:
        """Return the statement that a valid certificate with this answer proves.

        Parameters
        ----------
        answer : {"YES", "NO"}
            The answer that a certificate gives.
        """
        return f"{answer} for {self}"


@dataclass(frozen=True, slots=True, init=False)
class Problem(Question):
    r"""The question whether attention with query/key dimension d represents the pattern.

    Parameters
    ----------
    pattern : Pattern
        The pattern that the question is about.
    d : int
        Query/key dimension, at least 1.
    d_hid : int or None
        Hidden dimension of X. None: queries and keys are independent (the free case).
    similarity : {"dot", "cosine", "l2"}, a set of values, or Similarity
        The attribute is the record. "dot": S_ij is 1 if and only if q_i . k_j > t_i. "cosine": the
        same with keys on the unit sphere of R^d. "l2": S_ij is 1 if and only if |q_i - k_j| < t_i.
        A set of values ("binary", "ternary", "int2", "int3", "int4"): dot products of queries and
        keys whose entries lie in it; with "-keys" at the end, the entries of keys alone.

    Raises
    ------
    InputError
        d < 1, d_hid < d, or d_hid < 2d (queries and keys share X) on a rectangle; an unknown
        similarity, or d_hid with another similarity than "dot".

    References
    ----------
    Likhosherstov, Choromanski, Weller (2023), Definition 0.1: (d, d_hid)-weak SAM approximation.

    Examples
    --------
    >>> pattern = Pattern.from_text("10\n01")
    >>> Problem(pattern, 1).coupled, Problem(pattern, 1, 1).coupled, Problem(pattern, 1, 2).coupled
    (False, True, False)
    >>> print(Problem(pattern, 2, similarity="cosine"))
    d = 2 with cosine similarity
    """

    TASK: ClassVar[str] = "dimension"

    pattern: Pattern
    d: int
    d_hid: int | None = None
    similarity: Similarity = ATTENTION

    def __init__(
        self,
        pattern: Pattern,
        d: int,
        d_hid: int | None = None,
        similarity: SimilarityLike = ATTENTION,
    ) -> None:
        for name, value in (
            ("pattern", pattern),
            ("d", as_whole(d)),
            ("d_hid", as_whole(d_hid)),
            ("similarity", find_comparison(similarity)),
        ):
            object.__setattr__(self, name, value)
        require_type("pattern", self.pattern, Pattern, "a Pattern")
        require_one_question(self.d_hid, self.similarity)
        require_dimension("d", self.d)
        require_hidden_dimension(self.d, self.d_hid)
        if self.coupled and not self.pattern.is_square:
            rows, columns = self.pattern.shape
            raise InputError(
                f"d_hid = {self.d_hid} < 2d = {2 * self.d} makes queries and keys share X, which "
                f"needs a square pattern, not {rows} x {columns}; leave d_hid out"
            )

    @property
    def coupled(self) -> bool:
        """Whether queries and keys share X too tightly to be chosen independently."""
        return self.d_hid is not None and self.d_hid < 2 * self.d

    @property
    def terms(self) -> dict[str, Any]:
        """The dimensions, and the similarity unless it is that of attention."""
        return {"d": self.d, "d_hid": self.d_hid, **self.similarity.term}

    @property
    def kind_of_attention(self) -> str:
        """The words after "attention": the similarity, unless it is that of attention, and d."""
        manner = self.similarity.manner
        return f"{manner} and d = {self.d}" if manner else f" with {self}"

    def __str__(self) -> str:
        hidden = "" if self.d_hid is None else f", d_hid = {self.d_hid}"
        return f"d = {self.d}{hidden}{self.similarity.manner}"


MOST_DIMENSIONS = 1 << 24
"""More than any pattern needs, for any similarity, and any matrix as its rank: min(m, n)."""


def as_whole(value: Any) -> Any:
    """Return numpy's whole numbers as Python's, which fit into documents; the rest as it is.

    >>> import numpy as np
    >>> type(as_whole(np.uint8(200))).__name__, as_whole(1.5), as_whole(None), as_whole(True)
    ('int', 1.5, None, True)
    """
    try:
        return value if isinstance(value, bool) else operator.index(value)
    except TypeError:
        return value


def require_dimension(name: str, value: Any) -> None:
    """Refuse a value that is no dimension.

    >>> require_dimension("d", 0)
    Traceback (most recent call last):
    ...
    samapprox.errors.InputError: d must be a whole number of at least 1, not 0
    """
    try:
        number = operator.index(value)
    except TypeError:
        number = 0
    if number < 1 or isinstance(value, bool):
        raise InputError(f"{name} must be a whole number of at least 1, not {abridge(value)}")
    if number > MOST_DIMENSIONS:
        raise InputError(f"{name} must be at most {MOST_DIMENSIONS}; min(m, n) always suffices")


def require_one_question(d_hid: int | None, similarity: SimilarityLike) -> None:
    """Refuse a hidden dimension beside a similarity that attention does not compute.

    >>> require_one_question(2, "l2")
    Traceback (most recent call last):
    ...
    samapprox.errors.InputError: d_hid has a meaning for the similarity dot only, not for l2; ...
    """
    if d_hid is not None and not find_comparison(similarity).is_attention:
        raise InputError(
            f"d_hid has a meaning for the similarity {ATTENTION} only, not for {similarity}; "
            "leave one of them out"
        )


def require_hidden_dimension(d: int, d_hid: int | None) -> None:
    """Refuse an invalid hidden dimension, or one below d; None is the free case.

    >>> require_hidden_dimension(2, 1)
    Traceback (most recent call last):
    ...
    samapprox.errors.InputError: d_hid must be at least d, but d_hid = 1 and d = 2; W_Q and ...
    """
    if d_hid is None:
        return
    require_dimension("d_hid", d_hid)
    if d_hid < d:
        raise InputError(
            f"d_hid must be at least d, but d_hid = {d_hid} and d = {d}; "
            "W_Q and W_K map d_hid dimensions to d"
        )


def trivial_dimension(shape: tuple[int, int], similarity: Similarity = ATTENTION) -> int:
    """Return a dimension that suffices for every pattern of a shape: min(m, n - 1), at least 1.

    The m rows are represented by keys S_1j, .., S_mj, and n affinely independent points are cut in
    every way by halfspaces. A similarity may need `Similarity.per_row` coordinates for each row.

    >>> trivial_dimension((3, 8)), trivial_dimension((9, 4)), trivial_dimension((2, 1))
    (3, 3, 1)
    """
    rows, columns = shape
    return max(1, min(similarity.per_row * rows, columns - 1))


Asked = TypeVar("Asked")
Reduced = TypeVar("Reduced")
Back = TypeVar("Back")


class Reduction(ABC, Generic[Asked, Reduced, Back]):
    """A map from a question to another one, and of the proofs for that one back.

    `apply` keeps in its second result all that `lift` needs, so that one instance serves any number
    of questions. A reduction to several questions returns a tuple of them; `lift` then takes a
    proof for each, or one refutation with the number of its question. No lifted proof is trusted:
    it is checked against the question that was asked.
    """

    @abstractmethod
    def apply(self, asked: Asked, /) -> tuple[Reduced, Back]:
        """Return the simpler question, and what is needed to lift its proofs."""

    def carry_facts(self, _facts: Sequence[Any], /) -> tuple[Any, ...]:
        """Return what facts known about the question say about the reduced one; here, nothing."""
        return ()

    @abstractmethod
    def lift(self, proof: Any, back: Back, /) -> Any:
        """Return a proof for the question asked, or one line that says why there is none."""


class Chain(Reduction[Any, Any, tuple[Any, ...]]):
    """Reductions one after the other: itself a reduction, whose proofs are lifted in reverse."""

    def __init__(self, *reductions: Reduction[Any, Any, Any]) -> None:
        self._reductions = reductions

    def apply(self, asked: Any, /) -> tuple[Any, tuple[Any, ...]]:
        """Apply all reductions in order."""
        backs = []
        for reduction in self._reductions:
            asked, back = reduction.apply(asked)
            backs.append(back)
        return asked, tuple(backs)

    def lift(self, proof: Any, backs: tuple[Any, ...], /) -> Any:
        """Lift a proof through all reductions in reverse; stop at the first that says why not."""
        for reduction, back in zip(reversed(self._reductions), reversed(backs), strict=True):
            if isinstance(proof, str):
                return proof
            proof = reduction.lift(proof, back)
        return proof
