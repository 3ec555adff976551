"""A pattern with the facts known about it, and the judgements that become its ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

from samapprox.errors import InputError, abridge, require_type
from samapprox.pattern import Pattern
from samapprox.problem import Problem, as_whole, require_dimension
from samapprox.proofs.members import Part
from samapprox.support.packages import require_name


@dataclass(frozen=True, slots=True)
class Fact:
    """A known answer: whether dimension d (and hidden dimension d_hid) suffices for the pattern.

    Attributes
    ----------
    d : int
        The dimension that the fact is about.
    d_hid : int or None
        None: the free case.
    answer : {"YES", "NO"}
        Whether that dimension represents the pattern.
    reason : str
        Why it is known: a construction, a theorem, a source.

    Examples
    --------
    >>> Fact(1, None, "YES", "planted half-lines").answer
    'YES'
    """

    d: int
    d_hid: int | None
    answer: str
    reason: str

    def __post_init__(self) -> None:
        for name in ("d", "d_hid"):
            object.__setattr__(self, name, as_whole(getattr(self, name)))
        require_dimension("a fact's d", self.d)
        if self.d_hid is not None:
            require_dimension("a fact's d_hid", self.d_hid)
        if not isinstance(self.reason, str):
            raise InputError("a fact's reason is a text")
        require_type("a fact's answer", self.answer, str, "YES or NO")
        if self.answer not in ("YES", "NO"):
            raise InputError(f"a fact's answer is YES or NO, not {abridge(self.answer)}")

    @classmethod
    def from_json(cls, value: object) -> Fact:
        """Return a fact as files and manifests state it; ``d_hid`` and ``reason`` may be left out.

        Raises
        ------
        InputError
            A member that is missing, of the wrong type or unknown: a fact half understood is
            another fact.

        Examples
        --------
        >>> Fact.from_json({"d": 1, "answer": "YES"})
        Fact(d=1, d_hid=None, answer='YES', reason='')
        """
        part = Part(value, "a fact")
        if isinstance(value, dict) and (unknown := sorted(value.keys() - set(_MEMBERS))):
            raise InputError(f"a fact has {', '.join(_MEMBERS)}, but no {unknown[0]!r}")
        return cls(
            part.get("d", int),
            part.get("d_hid", (int, type(None))) if part.has("d_hid") else None,
            part.get("answer", str),
            part.get("reason", str) if part.has("reason") else "",
        )


_MEMBERS = ("d", "d_hid", "answer", "reason")


@dataclass(frozen=True, slots=True)
class Instance:
    r"""A pattern with the facts known about it and its origin.

    Attributes
    ----------
    pattern : Pattern
        The entries.
    facts : tuple of Fact
        Empty where nothing is known; never guesses.
    origin : mapping of str to int, float or str
        Family, parameters and seed, or file and rule; enough to make it again.

    Examples
    --------
    >>> pattern = Pattern.from_text("10\n01")
    >>> instance = Instance(pattern, (Fact(1, None, "YES", "two rows"),))
    >>> instance.known_answer(Problem(pattern, 2))
    'YES'
    """

    pattern: Pattern
    facts: tuple[Fact, ...] = ()
    origin: Mapping[str, int | float | str] = field(default_factory=dict)

    def known_answer(self, problem: Problem) -> str | None:
        """Return YES or NO if the facts imply an answer for the problem's d and d_hid, else None.

        A YES holds for larger d and d_hid too, a NO for smaller ones; a coupled YES is a free YES,
        and a free NO is a coupled NO.
        """
        free = float("inf")
        hidden = free if problem.d_hid is None or not problem.coupled else problem.d_hid
        for fact in self.facts:
            fact_hidden = free if fact.d_hid is None or fact.d_hid >= 2 * fact.d else fact.d_hid
            if fact.answer == "YES":
                # Independent queries and keys of dimension d fit into any d_hid >= 2d.
                needed = 2 * fact.d if fact_hidden == free else fact_hidden
                if fact.d <= problem.d and needed <= hidden:
                    return "YES"
            elif fact.d >= problem.d and fact_hidden >= hidden:
                return "NO"
        return None

    def causal(self) -> Instance:
        r"""Return the instance under causal attention: every entry above the diagonal becomes *.

        That asks for less, so only what was known to be possible remains known; a pattern that is
        causal already stays as it is.

        Raises
        ------
        InputError
            Not square, or a row that keeps no 1.

        Examples
        --------
        >>> facts = Fact(2, None, "YES", "three keys"), Fact(1, None, "NO", "Radon's theorem")
        >>> instance = Instance(Pattern.from_text("100\n010\n001"), facts).causal()
        >>> print(instance.pattern.to_text(), [fact.answer for fact in instance.facts])
        1**
        01*
        001 ['YES']
        """
        pattern = self.pattern.causal()
        if _stars(pattern) == _stars(self.pattern):
            return self
        facts = tuple(fact for fact in self.facts if fact.answer == "YES")
        return replace(self, pattern=pattern, facts=facts, origin={**self.origin, "causal": 1})


def _stars(pattern: Pattern) -> int:
    return 0 if pattern.unspecified is None else int(pattern.unspecified.row_counts.sum())


MOST_MERGED = 50_000_000
"""Entries of the largest pattern whose equal rows and columns are merged."""


def describe(instance: Instance) -> dict[str, Any]:
    r"""Describe sizes, fingerprint, known facts and origin, as `show` prints them.

    Returned: all but the head and the parts of the document that `samapprox schema show`
    describes.

    O(m n) time. Patterns of more than `MOST_MERGED` entries are not simplified, and neither are
    sign matrices.

    >>> from samapprox import Pattern
    >>> facts = describe(Instance(Pattern.from_text("100\n011\n010")))
    >>> facts["ones a row"], facts["merged"]
    ('1..2', '2 x 3')
    """
    from samapprox.proofs.parts.simplify import simplify  # seldom needed, as signs are
    from samapprox.sign_matrix import SignMatrix

    pattern = instance.pattern
    stars = pattern.unspecified
    rows, columns = pattern.shape
    is_small = rows * columns <= MOST_MERGED and not isinstance(pattern, SignMatrix)
    small = simplify(pattern).pattern if is_small else None
    return {
        "rows": rows,
        "columns": columns,
        "ones": pattern.count,
        "unspecified": 0 if stars is None else int(stars.row_counts.sum()),
        "density": round(pattern.density, 6),
        "ones a row": f"{pattern.row_ones.min()}..{pattern.row_ones.max()}",
        "merged": None if small is None else f"{small.shape[0]} x {small.shape[1]}",
        "sha256": pattern.sha256,
        "known": [
            f"{fact.answer} for {Problem(pattern, fact.d, fact.d_hid)}: {fact.reason}"
            for fact in instance.facts
        ],
        "origin": [f"{name} = {value}" for name, value in instance.origin.items()],
    }


Unjudged = Literal["zero", "unspecified"]
UNJUDGED: tuple[str, ...] = get_args(Unjudged)


@dataclass(frozen=True, slots=True)
class Grading:
    """The rule that turns graded judgements into entries 1, 0 and *.

    Attributes
    ----------
    relevant : int
        Least grade that makes a 1; judgements of lower grades make zeros. At least 1, because 0 and
        negative grades mean not relevant, as TREC has it.
    unjudged : {"zero", "unspecified"}
        The entries of unjudged pairs: 0 or *.

    Raises
    ------
    InputError
        Another value.

    Examples
    --------
    >>> Grading(relevant=2, unjudged="unspecified").origin
    {'relevant': 2, 'unjudged': 'unspecified'}
    """

    relevant: int = 1
    unjudged: Unjudged = "zero"

    def __post_init__(self) -> None:
        if type(self.relevant) is not int or self.relevant < 1:
            raise InputError(
                "the least relevant grade must be a whole number of at least 1 (grades of 0 and "
                f"below mean not relevant), not {abridge(self.relevant)}"
            )
        require_type("unjudged", self.unjudged, str, f"one of {', '.join(UNJUDGED)}")
        require_name("value of unjudged", self.unjudged, UNJUDGED)

    @classmethod
    def of_origin(cls, origin: Mapping[str, int | float | str]) -> Grading | None:
        """Return the rule that an instance's origin states; None if it has no judgements.

        Examples
        --------
        >>> Grading.of_origin({"relevant": 2, "unjudged": "zero"})
        Grading(relevant=2, unjudged='zero')
        >>> Grading.of_origin({"family": "mask"})
        """
        try:
            given: dict[str, Any] = {name: origin[name] for name in ("relevant", "unjudged")}
            return cls(**given)
        except (KeyError, InputError):
            return None

    @property
    def is_default(self) -> bool:
        """Whether all positive grades are relevant, and unjudged pairs are zeros."""
        return self == Grading()

    @property
    def has_default_ones(self) -> bool:
        """Whether the ones are those of the default rule; unjudged pairs may be unspecified."""
        return self.relevant == Grading().relevant

    @property
    def origin(self) -> dict[str, int | float | str]:
        """The rule as part of an instance's origin."""
        return {"relevant": self.relevant, "unjudged": self.unjudged}

    def __str__(self) -> str:
        return f"relevant >= {self.relevant}, unjudged {self.unjudged}"

    def require_default(self, what: str) -> None:
        """Refuse a rule for entries that have no grades.

        Parameters
        ----------
        what : str
            The source of the entries, in the plural.

        Raises
        ------
        InputError
            The rule is not the default one.

        Examples
        --------
        >>> Grading(relevant=2).require_default("npz files")
        Traceback (most recent call last):
        ...
        samapprox.errors.InputError: npz files have no grades; drop relevant and unjudged, ...
        """
        if not self.is_default:
            raise InputError(
                f"{what} have no grades; drop relevant and unjudged, which are for retrieval "
                "judgements (qrels, tsv, jsonl)"
            )

    def known(self, facts: Iterable[Fact]) -> tuple[Fact, ...]:
        """Return the facts about judgements under the default rule that hold under this one too.

        Unspecified pairs ask for less, so YES remains; another threshold gives another pattern.

        Examples
        --------
        >>> facts = Fact(2, None, "YES", "planted"), Fact(1, None, "NO", "Radon")
        >>> [fact.answer for fact in Grading(unjudged="unspecified").known(facts)]
        ['YES']
        >>> Grading(relevant=2).known(facts)
        ()
        """
        if self.is_default:
            return tuple(facts)
        if not self.has_default_ones:
            return ()
        return tuple(fact for fact in facts if fact.answer == "YES")
