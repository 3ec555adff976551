"""The order model as pseudo-Boolean constraints in OPB."""

from __future__ import annotations

import re

from samapprox.errors import InputError
from samapprox.problem import Problem
from samapprox.proofs.base import Proof
from samapprox.proofs.documents import Part
from samapprox.reductions.encodings.header import header
from samapprox.reductions.encodings.order_model import NOTES, embedding, program
from samapprox.solvers.engine.search import Search

__all__ = ["decode", "encode"]


def encode(problem: Problem) -> str:
    r"""Write the order model in OPB, which numbers its variables: p_j_t is x(1 + j n + t).

    References
    ----------
    Roussel, Manquinho, "Input/output format and solver requirements for the competitions of
    pseudo-Boolean solvers" (2012).

    Examples
    --------
    >>> from samapprox import Pattern
    >>> for line in encode(Problem(Pattern.from_text("10\n01"), 1)).splitlines()[-3:]:
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


def decode(problem: Problem, document: Part, answer: str, _search: Search) -> Proof | str:
    """Decode the embedding of the `v` lines of a pseudo-Boolean solver.

    Raises
    ------
    InputError
        Neither `v` lines nor `s UNSATISFIABLE`, or no solution of this program.
    """
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
