"""The order model in the LP format, for integer programming."""

from __future__ import annotations

from samapprox.checker import Proof
from samapprox.documents import Part
from samapprox.problem import Problem
from samapprox.reductions.encodings.header import header
from samapprox.reductions.encodings.linear import model_builder
from samapprox.reductions.encodings.order_model import NOTES, embedding, program, read_values
from samapprox.solvers.search import Search

__all__ = ["decode", "encode"]


def encode(problem: Problem) -> str:
    r"""The order model in the LP format.

    Examples
    --------
    >>> from samapprox import Pattern
    >>> print(encode(Problem(Pattern.from_text("10\n01"), 1)).splitlines()[0])
    \ samapprox: can attention with d = 1 show this 2 x 2 pattern?
    """
    model, core = program(problem)
    mark = header("\\", "lp", problem, NOTES, core=core)
    return "\n".join([*mark, model_builder(model).export_to_lp_string()])


def decode(problem: Problem, _document: Part, answer: str, _search: Search) -> Proof | str:
    """The embedding of a solution file: see `read_values` and `embedding`."""
    return embedding(problem, read_values(answer))
