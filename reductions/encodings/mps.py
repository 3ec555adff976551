"""The order model as MPS, for integer programming."""

from __future__ import annotations

from samapprox.problem import Problem
from samapprox.proofs.base import Proof
from samapprox.proofs.documents import Part
from samapprox.reductions.encodings.header import header
from samapprox.reductions.encodings.order_model import NOTES, embedding, program, read_values
from samapprox.solvers.engine.search import Search

__all__ = ["decode", "encode"]


def encode(problem: Problem) -> str:
    r"""Write the order model in free MPS: one entry a line, column by column.

    Examples
    --------
    >>> from samapprox import Pattern
    >>> text = encode(Problem(Pattern.from_text("10\n01"), 1))
    >>> for line in text[text.index("COLUMNS") :].splitlines()[:4]:
    ...     print(line)
    COLUMNS
     MARK0 'MARKER' 'INTORG'
     p_0_0 column_0 1
     p_0_0 place_0 1
    """
    model, core = program(problem)
    entries: list[list[str]] = [[] for _ in model.names]
    for constraint in model.constraints:
        for coefficient, variable in constraint.terms:
            entries[variable].append(f"{constraint.name} {coefficient}")
    lines = [*header("*", "mps", problem, NOTES, core=core), "NAME order", "ROWS", " N objective"]
    lines += [f" {'E' if c.equal else 'G'} {c.name}" for c in model.constraints]
    lines += ["COLUMNS", " MARK0 'MARKER' 'INTORG'"]
    for name, own in zip(model.names, entries, strict=True):
        lines += [f" {name} {entry}" for entry in own]
    lines += [" MARK1 'MARKER' 'INTEND'", "RHS"]
    lines += [f" RHS {c.name} {c.bound}" for c in model.constraints if c.bound]
    lines += ["BOUNDS", *(f" BV BOUND {name}" for name in model.names), "ENDATA", ""]
    return "\n".join(lines)


def decode(problem: Problem, _document: Part, answer: str, _search: Search) -> Proof | str:
    """Decode the embedding of a solution file: see `read_values` and `embedding`."""
    return embedding(problem, read_values(answer))
