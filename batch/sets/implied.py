"""Answers and bounds that the known facts about an instance imply."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath

from samapprox.batch.results.outcome import Outcome
from samapprox.batch.results.question import Question
from samapprox.errors import InputError
from samapprox.instance import Fact, Instance
from samapprox.pattern import Pattern
from samapprox.problem import Problem

__all__ = ["Informant", "find_contradiction", "known_answer", "known_bounds"]

_ONE_MORE = ("sign", "global")  # ranks that may exceed the weak dimension by one
_ANY = Pattern.from_text("1")  # facts are about dimensions alone, so any square pattern will do


def known_answer(facts: Iterable[Fact], question: Question) -> str | None:
    """Return the answer that the facts imply for the task ``decide``; None if they imply none.

    Parameters
    ----------
    facts : iterable of Fact
    question : Question

    Returns
    -------
    {"YES", "NO"} or None

    Examples
    --------
    >>> known_answer([Fact(2, None, "NO", "Radon")], Question("decide", d=1))
    'NO'
    """
    if question.task != "decide" or question.d is None:
        return None
    if question.similarity != "dot":
        lower, upper = known_bounds(facts, question)
        if upper is not None and question.d >= upper:
            return "YES"
        return "NO" if lower is not None and question.d < lower else None
    try:
        problem = Problem(_ANY, question.d, question.d_hid)
    except InputError:  # the question makes no sense
        return None
    return Instance(_ANY, tuple(facts)).known_answer(problem)


def known_bounds(facts: Iterable[Fact], question: Question) -> tuple[int | None, int | None]:
    """Return the bounds on what the question measures that the facts imply; None if there are none.

    Parameters
    ----------
    facts : iterable of Fact
    question : Question

    Returns
    -------
    lower, upper : int or None
        If the facts contradict each other, the lower bound may exceed the upper one.

    Examples
    --------
    >>> facts = [Fact(2, None, "NO", "Radon"), Fact(5, 5, "YES", "planted")]
    >>> known_bounds(facts, Question("dim")), known_bounds(facts, Question("rank"))
    ((3, 5), (3, 6))
    >>> known_bounds(facts, Question("fit", d=2)), known_bounds(facts, Question("fit", d=6))
    ((1, None), (None, 0))
    """
    lower, upper = _dimension(facts, question)
    if question.task == "margin":
        return None, None
    if question.task == "fit" and question.d is not None:
        some = lower is not None and question.d < lower
        none = upper is not None and question.d >= upper
        return 1 if some else None, 0 if none else None
    return lower, upper


def _dimension(facts: Iterable[Fact], question: Question) -> tuple[int | None, int | None]:
    """Return bounds on the dimension, for the question's similarity, or on its rank.

    With e, d and s for distances, dot products and cosines, e <= d <= s <= e + 1. With one
    threshold for each row, the rank is d; other ranks are d or d + 1.
    """
    lower, upper = _weak_dimension(facts)
    if lower is not None and question.similarity == "l2":
        lower = max(1, lower - 1)
    if upper is not None and (question.similarity == "cosine" or question.kind in _ONE_MORE):
        upper += 1
    return lower, upper


def _weak_dimension(facts: Iterable[Fact]) -> tuple[int | None, int | None]:
    """Return bounds on the weak dimension."""
    given = list(facts)
    no = [
        fact.d
        for fact in given
        if fact.answer == "NO" and (fact.d_hid is None or fact.d_hid >= 2 * fact.d)
    ]
    yes = [fact.d for fact in given if fact.answer == "YES"]
    return max(no) + 1 if no else None, min(yes, default=None)


def find_contradiction(facts: Iterable[Fact]) -> tuple[Fact, Fact] | None:
    """Return a NO and a YES that cannot both hold; None if all facts are consistent.

    Parameters
    ----------
    facts : iterable of Fact

    Returns
    -------
    no, yes : Fact

    Notes
    -----
    Every NO is compared with every YES: quadratic in the number of facts, which are few.

    Examples
    --------
    >>> facts = [Fact(1, None, "NO", "Radon"), Fact(3, None, "YES", ""), Fact(1, 2, "YES", "")]
    >>> no, yes = find_contradiction(facts)
    >>> no.d, yes.d, yes.d_hid
    (1, 1, 2)
    """
    given = list(facts)
    for no in given:
        for yes in given:
            if (no.answer, yes.answer) == ("NO", "YES"):
                try:
                    problem = Problem(_ANY, no.d, no.d_hid)
                except InputError:  # no question can be about it
                    continue
                if Instance(_ANY, (yes,)).known_answer(problem) == "YES":
                    return no, yes
    return None


class Informant:
    """A source of facts about instances, by their names.

    Parameters
    ----------
    facts : mapping of str to tuple of Fact
        The facts by file name. They belong to the instance with this name, or with a path that ends
        in this name; or to an instance whose name is the end of this path and of no other.
    question : Question
        A causal question specifies fewer entries, so only a YES remains known. For judgements under
        a rule other than the default, see `samapprox.grading.Grading.known`.
    """

    def __init__(self, facts: Mapping[str, tuple[Fact, ...]], question: Question) -> None:
        self._facts = facts
        self._question = question
        self._by_base: dict[str, str | None] = {}
        for file in facts:
            base = PurePosixPath(file).name
            self._by_base[base] = None if base in self._by_base else file

    def __call__(self, outcome: Outcome) -> Outcome:
        """Return the result with these facts added to those of its source."""
        file = self._file(outcome.name)
        facts = () if file is None else self._question.grading.known(self._facts[file])
        if self._question.causal:
            facts = tuple(fact for fact in facts if fact.answer == "YES")
        if not facts:
            return outcome
        lower, upper = known_bounds(facts, self._question)
        lowers = [bound for bound in (lower, outcome.known_lower) if bound is not None]
        uppers = [bound for bound in (upper, outcome.known_upper) if bound is not None]
        return outcome._replace(
            known=outcome.known or known_answer(facts, self._question),
            known_lower=max(lowers, default=None),
            known_upper=min(uppers, default=None),
        )

    def knows(self, name: str) -> bool:
        """Return whether an instance of this name is listed, even if without facts."""
        return self._file(name) is not None

    def _file(self, name: str) -> str | None:
        rest = name
        while rest:  # the longest ending first
            if rest in self._facts:
                return rest
            rest = rest.partition("/")[2]
        file = self._by_base.get(PurePosixPath(name).name)
        return file if file is not None and f"/{file}".endswith(f"/{name}") else None
