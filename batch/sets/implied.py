"""What facts about an instance imply for a question."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath

from samapprox.batch.results.outcome import Outcome
from samapprox.batch.results.question import Question
from samapprox.errors import InputError
from samapprox.instance import Fact, Instance
from samapprox.pattern import Pattern
from samapprox.problem import Problem

__all__ = ["Informant", "known_answer", "known_bounds"]

_ANY = Pattern.from_text("1")  # facts speak of dimensions; any square will do


def known_answer(facts: Iterable[Fact], question: Question) -> str | None:
    """The answer that the facts imply for the task ``decide``.

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
    """The bounds on the weak dimension that the facts imply; None where they are silent.

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


class Informant:
    """Adds facts to results by the names of their instances.

    Parameters
    ----------
    facts : mapping of str to tuple of Fact
        By file name. An instance is meant if it has this name, or ends in it as a path, or the
        other way round where only one file does.
    question : Question
        Under a causal one, which asks for less, only what is possible remains known.
    """

    def __init__(self, facts: Mapping[str, tuple[Fact, ...]], question: Question) -> None:
        self._facts = facts
        self._question = question
        self._by_base: dict[str, str | None] = {}
        for file in facts:
            base = PurePosixPath(file).name
            self._by_base[base] = None if base in self._by_base else file

    def __call__(self, outcome: Outcome) -> Outcome:
        """The result with what is known beside what its source said."""
        file = self._file(outcome.name)
        facts = () if file is None else self._facts[file]
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
        """Whether an instance of this name is meant by one of the files."""
        return self._file(name) is not None

    def _file(self, name: str) -> str | None:
        rest = name
        while rest:  # the longest ending first
            if rest in self._facts:
                return rest
            rest = rest.partition("/")[2]
        file = self._by_base.get(PurePosixPath(name).name)
        return file if file is not None and f"/{file}".endswith(f"/{name}") else None
