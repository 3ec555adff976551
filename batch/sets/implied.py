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
    if question.d is None:
        return None
    try:
        problem = Problem(_ANY, question.d, question.d_hid)
    except InputError:  # the question makes no sense
        return None
    return Instance(_ANY, tuple(facts)).known_answer(problem)


def known_bounds(facts: Iterable[Fact]) -> tuple[int | None, int | None]:
    """Return the bounds on the weak dimension that the facts imply; None if they imply none.

    Parameters
    ----------
    facts : iterable of Fact

    Returns
    -------
    lower, upper : int or None
        If the facts contradict each other, the lower bound may exceed the upper one.

    Examples
    --------
    >>> known_bounds([Fact(2, None, "NO", "Radon"), Fact(5, 5, "YES", "planted")])
    (3, 5)
    """
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
        lower, upper = known_bounds(facts)
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
