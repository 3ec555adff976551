"""The patterns of the study: shipped heads, LIMIT, published masks and judgement sets."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from records.lines import fault
from records.lines import read_lines as read_dimensions
from records.questions import Question, questions
from retrieval.judgements import list_sets, name_of

from samapprox import Certificate, InputWarning, Pattern, Problem, Verdict, WeakDimension, load

__all__ = ["PARTS", "Known", "Subject", "subjects"]

PARTS = ("minilm", "limit", "masks", "judgements")
TOKENS = (32, 64)


@dataclass(frozen=True)
class Known:
    """A stored result about d, whose certificates hold."""

    weak: WeakDimension
    seconds: float


@dataclass(frozen=True)
class Subject:
    """A pattern of the study; a question of `records.results`, or a file of judgements."""

    part: str
    name: str
    question: Question | None = None
    file: Path | None = None

    @cached_property
    def pattern(self) -> Pattern:
        """The pattern; for judgements, grades of 1 or more are ones, and all else is zero."""
        if self.question is not None:
            return self.question.pattern
        assert self.file is not None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", InputWarning)
            return load(self.file)

    @cached_property
    def known(self) -> Known | None:
        """The checked bounds on d in benchmarks/measured/dimensions.csv; None if there are none."""
        if self.question is None or (line := read_dimensions().get(self.name)) is None:
            return None
        if (reason := fault(line, self.question)) is not None:
            raise AssertionError(f"{self.name}: {reason}")
        yes, no = None, None
        for side, d in (("yes", line.upper), ("no", line.lower - 1)):
            path = line.certificate(side)
            problem = Problem(self.pattern, d) if path.exists() else None
            stored = None if problem is None else Verdict(problem, Certificate.load(path).proof)
            yes, no = (stored, no) if side == "yes" else (yes, stored)
        return Known(WeakDimension(self.pattern, yes, no), line.seconds)


def subjects(judgements: Path | None = None) -> Iterator[Subject]:
    """Yield all patterns, those of a folder of judgement sets last."""
    for question in questions(TOKENS):
        if question.part in PARTS:
            yield Subject(question.part, question.name, question)
    for path in [] if judgements is None else list_sets(judgements):
        yield Subject("judgements", name_of(path), file=path)
