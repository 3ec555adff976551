"""The question whether a rank suffices for the signs of a matrix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

from samapprox.errors import InputError
from samapprox.pattern import Pattern
from samapprox.problem import Question, require_dimension
from samapprox.proofs.documents import Part

__all__ = ["RANK_KINDS", "Rank", "RankKind", "read_terms"]

RankKind = Literal["sign", "global", "row"]
RANK_KINDS: tuple[RankKind, ...] = get_args(RankKind)
"""The kinds of rank: thresholds zero, one for all entries, or one for each row."""


@dataclass(frozen=True, slots=True)
class Rank(Question):
    r"""The question whether a matrix of rank at most r has the signs of a pattern.

    Parameters
    ----------
    pattern : Pattern
        Entries 1 stand for +, entries 0 for -.
    rank : int
        r, at least 1.
    kind : {"sign", "global", "row"}
        S_ij is 1 if and only if B_ij > 0 and 0 if and only if B_ij < 0 ("sign"); the same with
        B_ij - t for one number t ("global"), or with B_ij - t_i ("row").

    Raises
    ------
    InputError

    References
    ----------
    Weller, Boratko, Naim, Lee (2025), "On the theoretical limitations of embedding-based
    retrieval", for the three ranks.

    Examples
    --------
    >>> print(Rank(Pattern.from_text("10\n01"), 2))
    sign-rank at most 2
    """

    TASK: ClassVar[str] = "rank"

    pattern: Pattern
    rank: int
    kind: RankKind = "sign"

    def __post_init__(self) -> None:
        require_dimension("rank", self.rank)
        if self.kind not in RANK_KINDS:
            raise InputError(f"the kind of rank must be one of {', '.join(RANK_KINDS)}")

    @property
    def terms(self) -> dict[str, Any]:
        """The rank and its kind."""
        return {"task": self.TASK, "rank": self.rank, "kind": self.kind}

    def __str__(self) -> str:
        return _KIND_IN_WORDS[self.kind].format(self.rank)


_KIND_IN_WORDS = {
    "sign": "sign-rank at most {}",
    "global": "rank at most {} with one threshold",
    "row": "rank at most {} with a threshold for each row",
}


def read_terms(part: Part) -> dict[str, Any]:
    """Read the rank and its kind.

    Raises
    ------
    InputError

    Examples
    --------
    >>> read_terms(Part({"task": "rank", "rank": 3, "kind": "sign"}, "the problem"))
    {'rank': 3, 'kind': 'sign'}
    """
    part.refuse_others(("task", "rank", "kind"))
    return {"rank": part.get("rank", int), "kind": part.get("kind", str)}
