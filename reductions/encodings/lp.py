"""The order model in the LP format, for integer programming."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap

from samapprox.problem import Problem
from samapprox.proofs.base import Proof
from samapprox.proofs.documents import Part
from samapprox.reductions.encodings.header import header
from samapprox.reductions.encodings.order_model import (
    NOTES,
    Program,
    embedding,
    program,
    read_values,
)
from samapprox.solvers.engine.search import Search

__all__ = ["decode", "encode"]

_WIDTH = 200  # some readers take no more than 255 characters a line


def encode(problem: Problem) -> str:
    r"""Write the order model in the LP format.

    Examples
    --------
    >>> from samapprox import Pattern
    >>> text = encode(Problem(Pattern.from_text("10\n01"), 1))
    >>> for line in text[text.index("subject") :].splitlines()[:2]:
    ...     print(line)
    subject to
     column_0: + 1 p_0_0 + 1 p_0_1 = 1
    """
    model, core = program(problem)
    return "\n".join([*header("\\", "lp", problem, NOTES, core=core), *_lines(model), ""])


def _lines(model: Program) -> Iterator[str]:
    """Yield objective (none), constraints, and the names of the 0/1 variables."""
    yield from ("minimize", f" objective: 0 {model.names[0]}", "subject to")
    for constraint in model.constraints:
        terms = [f"{'+-'[a < 0]} {abs(a)} {model.names[v]}" for a, v in constraint.terms]
        relation = "=" if constraint.equal else ">="
        text = f"{constraint.name}: {' '.join(terms)} {relation} {constraint.bound}"
        yield from (f" {line}" for line in wrap(text, _WIDTH))
    yield "binary"
    yield from (f" {line}" for line in wrap(" ".join(model.names), _WIDTH))
    yield "end"


def decode(problem: Problem, _document: Part, answer: str, _search: Search) -> Proof | str:
    """Decode the embedding of a solution file: see `read_values` and `embedding`."""
    return embedding(problem, read_values(answer))
