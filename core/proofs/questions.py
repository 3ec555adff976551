"""The questions that certificates answer, and how documents state them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import gcd
from typing import Any, ClassVar, Literal, get_args

from samapprox.errors import InputError, abridge, require_type, require_whole
from samapprox.pattern import Pattern
from samapprox.problem import Problem, Question, as_whole, require_dimension
from samapprox.proofs.base import schema_of_object
from samapprox.proofs.members import LARGEST, Choice, Member, Part, Schema, Whole, WholeOrNull
from samapprox.similarities import (
    ATTENTION,
    SIMILARITIES,
    VALUE_SETS,
    Similarity,
    SimilarityLike,
    find_similarity,
)
from samapprox.support.text import plural

Unit = Literal["rows", "entries"]
UNITS: tuple[Unit, ...] = get_args(Unit)
"""The items that an embedding may get wrong."""

RankKind = Literal["sign", "global", "row"]
RANK_KINDS: tuple[RankKind, ...] = get_args(RankKind)
"""The kinds of rank: thresholds zero, one for all entries, or one for each row."""


@dataclass(frozen=True, slots=True, init=False)
class Fit(Question):
    r"""The question whether d dimensions represent a pattern except for some rows or entries.

    At most `wrong` of them may be wrong. A row is wrong if one of its specified entries is.

    With `at`, a row is right at K = `at` if its ones are among the first K keys: their number plus
    that of the zeros that score at least as high as the lowest one is at most K. Don't-cares do not
    count.

    >>> print(Fit(Pattern.from_text("100\n010\n001"), 1, wrong=1))
    at most 1 wrong row in d = 1
    >>> print(Fit(Pattern.from_text("100\n010\n001"), 1, wrong=0, at=2))
    at most 0 wrong rows at K = 2 in d = 1
    """

    TASK: ClassVar[str] = "fit"

    pattern: Pattern
    d: int
    wrong: int
    unit: Unit = "rows"
    similarity: Similarity = ATTENTION
    at: int | None = None

    def __init__(
        self,
        pattern: Pattern,
        d: int,
        wrong: int,
        unit: Unit = "rows",
        similarity: SimilarityLike = ATTENTION,
        at: int | None = None,
    ) -> None:
        for name, value in (
            ("pattern", pattern),
            ("d", as_whole(d)),
            ("wrong", as_whole(wrong)),
            ("unit", unit),
            ("similarity", find_similarity(similarity)),
            ("at", as_whole(at)),
        ):
            object.__setattr__(self, name, value)
        require_dimension("d", self.d)
        require_whole("wrong", self.wrong, 0)
        units = f"one of {', '.join(UNITS)}"
        require_type("the unit", self.unit, str, units)
        if self.unit not in UNITS:
            raise InputError(f"the unit must be {units}, not {abridge(self.unit)}")
        if self.at is not None:
            _require_depth(self.at)
            if self.unit != "rows":
                raise InputError(f"rows are right at K, not {self.unit}")

    @property
    def terms(self) -> dict[str, Any]:
        """The dimension, the number allowed and its unit, the similarity, and K if there is one."""
        terms = {"task": self.TASK, "d": self.d, "wrong": self.wrong, "unit": self.unit}
        depth = {} if self.at is None else {"at": self.at}
        return {**terms, **self.similarity.term, **depth}

    def __str__(self) -> str:
        singular = {"rows": "row", "entries": "entry"}[self.unit]
        depth = "" if self.at is None else f" at K = {self.at}"
        counted = plural(self.wrong, f"wrong {singular}") + depth
        return f"at most {counted} in {Problem(self.pattern, self.d, similarity=self.similarity)}"


@dataclass(frozen=True, slots=True, init=False)
class Recall(Question):
    r"""The question about the mean recall at K that d dimensions allow.

    The recall of a row is the share of its ones among its first K = `at` keys, by descending score.
    Zeros stand before ones of the same score, and don't-cares do not count. The mean is over all
    rows.

    A proof of YES gives an embedding with a mean recall of at least ``numerator / denominator``, a
    fraction in lowest terms. A proof of NO shows that no embedding has a larger one.

    >>> question = Recall(Pattern.from_text("100\n010\n001"), 1, 1, 2, 3)
    >>> question.claim("YES"), question.claim("NO")
    ('a mean recall at 1 of at least 2/3 in d = 1', 'no mean recall at 1 above 2/3 in d = 1')
    """

    TASK: ClassVar[str] = "recall"

    pattern: Pattern
    d: int
    at: int
    numerator: int
    denominator: int
    similarity: Similarity = ATTENTION

    def __init__(
        self,
        pattern: Pattern,
        d: int,
        at: int,
        numerator: int,
        denominator: int,
        similarity: SimilarityLike = ATTENTION,
    ) -> None:
        for name, value in (
            ("pattern", pattern),
            ("d", as_whole(d)),
            ("at", as_whole(at)),
            ("numerator", as_whole(numerator)),
            ("denominator", as_whole(denominator)),
            ("similarity", find_similarity(similarity)),
        ):
            object.__setattr__(self, name, value)
        require_dimension("d", self.d)
        _require_depth(self.at)
        _require_fraction("a mean recall", self.numerator, self.denominator)

    @property
    def value(self) -> Fraction:
        """The mean recall."""
        return Fraction(self.numerator, self.denominator)

    @property
    def terms(self) -> dict[str, Any]:
        """The dimension, K, the mean recall as a fraction, and the similarity."""
        fraction = {"numerator": self.numerator, "denominator": self.denominator}
        return {"task": self.TASK, "d": self.d, "at": self.at, **fraction, **self.similarity.term}

    def claim(self, answer: str) -> str:
        """Return the statement that a valid certificate with this answer proves."""
        value = _in_words(self.value)
        words = f"of at least {value}" if answer == "YES" else f"above {value}"
        mean = "a mean recall" if answer == "YES" else "no mean recall"
        return f"{mean} at {self.at} {words} in {self._where}"

    def __str__(self) -> str:
        return f"mean recall {_in_words(self.value)} at K = {self.at} in {self._where}"

    @property
    def _where(self) -> str:
        return str(Problem(self.pattern, self.d, similarity=self.similarity))


@dataclass(frozen=True, slots=True)
class Rank(Question):
    r"""The question whether a matrix B of rank at most r has the signs of a pattern.

    Entries 1 stand for +, entries 0 for -. S_ij is 1 if and only if B_ij > 0 and 0 if and only if
    B_ij < 0 ("sign"); the same with B_ij - t for one number t ("global"), or with B_ij - t_i
    ("row"). Weller, Boratko, Naim, Lee (2025), "On the theoretical limitations of embedding-based
    retrieval", define the three ranks.

    >>> print(Rank(Pattern.from_text("10\n01"), 2))
    sign-rank at most 2
    """

    TASK: ClassVar[str] = "rank"

    pattern: Pattern
    rank: int
    kind: RankKind = "sign"

    def __post_init__(self) -> None:
        object.__setattr__(self, "rank", as_whole(self.rank))
        require_dimension("rank", self.rank)
        if self.kind not in RANK_KINDS:
            raise InputError(f"the kind of rank must be one of {', '.join(RANK_KINDS)}")

    @property
    def similarity(self) -> Similarity:
        """Products of factors are dot products."""
        return ATTENTION

    @property
    def terms(self) -> dict[str, Any]:
        """The rank and its kind."""
        return {"task": self.TASK, "rank": self.rank, "kind": self.kind}

    def __str__(self) -> str:
        return _RANKS_IN_WORDS[self.kind].format(self.rank)


_RANKS_IN_WORDS = {
    "sign": "sign-rank at most {}",
    "global": "rank at most {} with one threshold",
    "row": "rank at most {} with a threshold for each row",
}


@dataclass(frozen=True, slots=True)
class Margin(Question):
    r"""The question whether queries and keys of norm at most 1 separate a pattern by a margin.

    The margin of queries q_i, keys k_j and thresholds t_i is the least s_ij (q_i . k_j - t_i) over
    all specified entries, with s_ij = 1 for ones and -1 for zeros. The dimension is arbitrary
    unless d is given.

    A proof of YES gives vectors with a margin of at least ``numerator / denominator``, a fraction
    in lowest terms. A proof of NO shows that no vectors have a larger one.

    >>> question = Margin(Pattern.from_text("100\n010\n001"), 3, 4)
    >>> question.value, question.claim("NO")
    (Fraction(3, 4), 'no margin above 0.75')
    """

    TASK: ClassVar[str] = "margin"

    pattern: Pattern
    numerator: int
    denominator: int
    d: int | None = None

    def __post_init__(self) -> None:
        for name in ("numerator", "denominator", "d"):
            object.__setattr__(self, name, as_whole(getattr(self, name)))
        _require_fraction("a margin", self.numerator, self.denominator)
        if self.d is not None:
            require_dimension("d", self.d)

    @property
    def similarity(self) -> Similarity:
        """Margins are those of dot products."""
        return ATTENTION

    @property
    def value(self) -> Fraction:
        """The margin."""
        return Fraction(self.numerator, self.denominator)

    @property
    def terms(self) -> dict[str, Any]:
        """The margin as a fraction, and the dimension if there is one."""
        restriction = {} if self.d is None else {"d": self.d}
        fraction = {"numerator": self.numerator, "denominator": self.denominator}
        return {"task": self.TASK, **fraction, **restriction}

    def claim(self, answer: str) -> str:
        """Return the statement that a valid certificate with this answer proves."""
        words = "a margin of at least" if answer == "YES" else "no margin above"
        return f"{words} {self._words}"

    def __str__(self) -> str:
        return f"margin {self._words}"

    @property
    def _words(self) -> str:
        """The margin in words, and the dimension if there is one."""
        return _in_words(self.value) + ("" if self.d is None else f" in d = {self.d}")


def _require_depth(at: int) -> None:
    require_whole("K", at, 1)
    if at > LARGEST:
        raise InputError(f"K must be at most {LARGEST}, as in documents, not {abridge(at)}")


def _require_fraction(name: str, numerator: int, denominator: int) -> None:
    if type(numerator) is not int or type(denominator) is not int:
        raise InputError("numerator and denominator must be whole numbers")
    if numerator < 0 or denominator < 1:
        raise InputError(f"{name} is a fraction of at least 0 with a positive denominator")
    if gcd(numerator, denominator) != 1:
        raise InputError(f"numerator and denominator of {name} must have no common factor")


def _in_words(value: Fraction) -> str:
    """Return a fraction as a decimal number if that is exact in millionths."""
    if 10**6 % value.denominator:
        return str(value)
    whole, millionths = divmod(value.numerator * (10**6 // value.denominator), 10**6)
    return f"{whole}.{millionths:06}".rstrip("0").rstrip(".")


@dataclass(frozen=True, slots=True)
class KnownQuestion:
    """A class of questions, and the members with which documents state its arguments.

    Reading a question requires the right types only: its class refuses arguments without a meaning.
    """

    load: Callable[..., Question]
    members: tuple[Member, ...]


_HOW = "How queries and keys are compared; dot if left out."

KNOWN_QUESTIONS = {
    "dimension": KnownQuestion(
        Problem,
        (
            Whole("d"),
            WholeOrNull("d_hid", description="null: queries and keys are independent."),
            Choice("similarity", (*SIMILARITIES, *VALUE_SETS), optional=True, description=_HOW),
        ),
    ),
    "rank": KnownQuestion(Rank, (Whole("rank"), Choice("kind", RANK_KINDS))),
    "fit": KnownQuestion(
        Fit,
        (
            Whole("d"),
            Whole("wrong", least=0),
            Choice("unit", UNITS),
            Choice("similarity", tuple(SIMILARITIES), optional=True),
            Whole("at", optional=True, description="K: rows are right at K; else, right."),
        ),
    ),
    "recall": KnownQuestion(
        Recall,
        (
            Whole("d"),
            Whole("at", description="K."),
            Whole("numerator", least=0),
            Whole("denominator"),
            Choice("similarity", tuple(SIMILARITIES), optional=True),
        ),
    ),
    "margin": KnownQuestion(
        Margin,
        (Whole("numerator", least=0), Whole("denominator"), Whole("d", optional=True)),
    ),
}
"""The "task" of a document's problem -> its class and members; "dimension" may be left out."""


def read_question(part: Part) -> tuple[str, dict[str, Any]]:
    """Read the member "problem" of a certificate: its task, and its arguments besides the pattern.

    >>> read_question(Part({"d": 2, "d_hid": None}, "the problem"))
    ('dimension', {'d': 2, 'd_hid': None})
    """
    task = part.get("task", str) if part.has("task") else Problem.TASK
    if task not in KNOWN_QUESTIONS:
        raise InputError(f"unknown task {task[:40]!r}")
    members = KNOWN_QUESTIONS[task].members
    part.refuse_others(("task", *(member.name for member in members)))
    return task, {
        member.name: member.read(part)
        for member in members
        if member.is_required or part.has(member.name)
    }


def schema_of_questions() -> Schema:
    """Return the schema of the member "problem" of a certificate."""
    schemas = []
    for task, question in KNOWN_QUESTIONS.items():
        schema = {"title": task, **schema_of_object(question.members, task=task)}
        if task == Problem.TASK:
            schema["required"].remove("task")
        schemas.append(schema)
    return {"description": "The question.", "oneOf": schemas}
