"""The order model in the languages of integer programming: MPS, LP and OPB."""

from __future__ import annotations

import re
from collections.abc import Iterator
from textwrap import wrap

from samapprox.errors import InputError
from samapprox.problem import Problem
from samapprox.proofs.base import Proof
from samapprox.proofs.documents import Part
from samapprox.reductions.encodings.header import Encoding, header
from samapprox.reductions.encodings.order_model import (
    NOTES,
    Program,
    embedding,
    program,
    read_values,
)
from samapprox.solvers.engine.search import Search

__all__ = ["LP", "MPS", "OPB"]

_WIDTH = 200  # some readers take no more than 255 characters a line


def _encode_mps(problem: Problem) -> str:
    r"""Write the order model in free MPS: one entry a line, column by column.

    >>> from samapprox import Pattern
    >>> text = _encode_mps(Problem(Pattern.from_text("10\n01"), 1))
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


def _encode_lp(problem: Problem) -> str:
    r"""Write the order model in the LP format.

    >>> from samapprox import Pattern
    >>> text = _encode_lp(Problem(Pattern.from_text("10\n01"), 1))
    >>> for line in text[text.index("subject") :].splitlines()[:2]:
    ...     print(line)
    subject to
     column_0: + 1 p_0_0 + 1 p_0_1 = 1
    """
    model, core = program(problem)
    return "\n".join([*header("\\", "lp", problem, NOTES, core=core), *_lp_lines(model), ""])


def _lp_lines(model: Program) -> Iterator[str]:
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


def _encode_opb(problem: Problem) -> str:
    r"""Write the order model in OPB, which numbers its variables: p_j_t is x(1 + j n + t).

    Reference: Roussel, Manquinho, "Input/output format and solver requirements for the competitions
    of pseudo-Boolean solvers" (2012).

    >>> from samapprox import Pattern
    >>> for line in _encode_opb(Problem(Pattern.from_text("10\n01"), 1)).splitlines()[-3:]:
    ...     print(line)
    +1 x5 +1 x1 -1 x2 >= 0 ;
    +1 x5 +1 x2 -1 x1 >= 0 ;
    -1 x5 >= -1 ;
    """
    model, core = program(problem)
    # The format wants the sizes in the first line.
    lines = [f"* #variable= {len(model.names)} #constraint= {len(model.constraints)}"]
    names = [f"x{number}: {name}" for number, name in enumerate(model.names, start=1)]
    lines += header("*", "opb", problem, [*NOTES, *names], core=core)
    for constraint in model.constraints:
        terms = " ".join(f"{a:+d} x{1 + v}" for a, v in constraint.terms)
        lines.append(f"{terms} {'=' if constraint.equal else '>='} {constraint.bound} ;")
    return "\n".join([*lines, ""])


def _decode_values(problem: Problem, _document: Part, answer: str, _search: Search) -> Proof | str:
    """Decode the embedding of a solution file: see `read_values` and `embedding`."""
    return embedding(problem, read_values(answer))


def _decode_opb(problem: Problem, document: Part, answer: str, _search: Search) -> Proof | str:
    """Decode the embedding of the `v` lines of a pseudo-Boolean solver."""
    count = len(document.part("core").get("columns", list))
    values: dict[tuple[int, int], float] = {}
    for line in answer.splitlines():
        if line.startswith("v "):
            for sign, digits in re.findall(r"([-~]?)\bx(\d{1,9})\b", line):
                place = divmod(int(digits) - 1, max(1, count))
                if 0 <= place[0] < count:
                    values[place] = float(not sign)
    if not values and re.search("^s UNSAT", answer, re.MULTILINE) is None:
        raise InputError("the answer has neither v lines (v x1 -x2 ..) nor s UNSATISFIABLE")
    return embedding(problem, values)


MPS = Encoding(_encode_mps, _decode_values)
LP = Encoding(_encode_lp, _decode_values)
OPB = Encoding(_encode_opb, _decode_opb)
