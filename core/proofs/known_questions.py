"""The known questions: the class and the reading of each, imported on use."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from samapprox.errors import InputError
from samapprox.problem import Question
from samapprox.proofs.documents import Part

__all__ = ["KNOWN_QUESTIONS", "KnownQuestion", "read_question"]


@dataclass(frozen=True, slots=True)
class KnownQuestion:
    """A question about patterns.

    Attributes
    ----------
    name : str
        The name of the class.
    module : str
        The module of the class.
    reader : str
        The module whose ``read_terms(part)`` reads the question without its pattern.

    Examples
    --------
    >>> KNOWN_QUESTIONS["dimension"].load_class()
    <class 'samapprox.problem.Problem'>
    """

    name: str
    module: str
    reader: str

    def load_class(self) -> Callable[..., Question]:
        """Load the class of the questions."""
        found: Callable[..., Question] = getattr(import_module(self.module), self.name)
        return found

    def load_reader(self) -> Callable[[Part], dict[str, Any]]:
        """Load the function that reads the question's arguments besides the pattern."""
        found: Callable[[Part], dict[str, Any]] = import_module(self.reader).read_terms
        return found


_QUESTIONS = "samapprox.proofs.questions"

KNOWN_QUESTIONS = {
    "dimension": KnownQuestion("Problem", "samapprox.problem", f"{_QUESTIONS}.dimension"),
    "rank": KnownQuestion("Rank", f"{_QUESTIONS}.rank", f"{_QUESTIONS}.rank"),
    "fit": KnownQuestion("Fit", f"{_QUESTIONS}.fit", f"{_QUESTIONS}.fit"),
    "margin": KnownQuestion("Margin", f"{_QUESTIONS}.margin", f"{_QUESTIONS}.margin"),
}
"""The "task" of a document's problem -> its class and reader; "dimension" may be left out."""


def read_question(part: Part) -> tuple[str, dict[str, Any]]:
    """Read the member "problem" of a certificate: its task, and its arguments besides the pattern.

    Raises
    ------
    InputError
        An unknown task, or a member that is missing, unknown or of a wrong type (named).

    Examples
    --------
    >>> read_question(Part({"d": 2, "d_hid": None}, "the problem"))
    ('dimension', {'d': 2, 'd_hid': None})
    """
    task = part.get("task", str) if part.has("task") else "dimension"
    if task not in KNOWN_QUESTIONS:
        raise InputError(f"unknown task {task[:40]!r}")
    return task, KNOWN_QUESTIONS[task].load_reader()(part)
