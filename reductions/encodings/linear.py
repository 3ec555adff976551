"""0/1 programs in the languages MPS, LP and OPB, and the values that solvers give to variables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

from samapprox.errors import InputError

__all__ = [
    "MOST_TERMS",
    "Constraint",
    "Program",
    "Terms",
    "Values",
    "read_values",
    "write_lp",
    "write_mps",
    "write_opb",
]

MOST_TERMS = 4_000_000
"""Terms of the largest program that is written: some hundred megabytes while it is."""

_WIDTH = 200  # some readers take no more than 255 characters a line

Terms = list[tuple[int, int]]
"""(coefficient, variable), variables counted from 0."""

Values = dict[str, float]
"""Variables by name, in OPB files x1, x2, .., and their values; none where it is infeasible."""


@dataclass(frozen=True, slots=True)
class Constraint:
    """The sum of the terms is at least the bound, or equal to it."""

    name: str
    terms: Terms
    bound: int
    equal: bool = False


@dataclass(frozen=True, slots=True)
class Program:
    """A 0/1 program without objective; comments for readers, and members for decoding."""

    names: list[str]
    constraints: list[Constraint]
    notes: list[str]
    members: dict[str, Any]


def write_mps(program: Program) -> Iterator[str]:
    """Yield the lines of a free MPS file: one entry a line, column by column.

    >>> example = Program(["a", "b"], [Constraint("some", [(1, 0), (-1, 1)], 0)], [], {})
    >>> list(write_mps(example))[4:8]
    ['COLUMNS', " MARK0 'MARKER' 'INTORG'", ' a some 1', ' b some -1']
    """
    entries: list[list[str]] = [[] for _ in program.names]
    for constraint in program.constraints:
        for coefficient, variable in constraint.terms:
            entries[variable].append(f"{constraint.name} {coefficient}")
    yield from ("NAME samapprox", "ROWS", " N objective")
    yield from (f" {'E' if c.equal else 'G'} {c.name}" for c in program.constraints)
    yield from ("COLUMNS", " MARK0 'MARKER' 'INTORG'")
    for name, own in zip(program.names, entries, strict=True):
        yield from (f" {name} {entry}" for entry in own or ["objective 0"])
    yield from (" MARK1 'MARKER' 'INTEND'", "RHS")
    yield from (f" RHS {c.name} {c.bound}" for c in program.constraints if c.bound)
    yield from ("BOUNDS", *(f" BV BOUND {name}" for name in program.names), "ENDATA")


def write_lp(program: Program) -> Iterator[str]:
    """Yield the lines of an LP file: objective (none), constraints, and names of 0/1 variables.

    >>> example = Program(["a", "b"], [Constraint("some", [(1, 0), (-1, 1)], 0)], [], {})
    >>> list(write_lp(example))[2:]
    ['subject to', ' some: + 1 a - 1 b >= 0', 'binary', ' a b', 'end']
    """
    yield from ("minimize", f" objective: 0 {program.names[0]}", "subject to")
    for constraint in program.constraints:
        terms = [f"{'+-'[a < 0]} {abs(a)} {program.names[v]}" for a, v in constraint.terms]
        relation = "=" if constraint.equal else ">="
        text = f"{constraint.name}: {' '.join(terms)} {relation} {constraint.bound}"
        yield from (f" {line}" for line in wrap(text, _WIDTH))
    yield "binary"
    yield from (f" {line}" for line in wrap(" ".join(program.names), _WIDTH))
    yield "end"


def write_opb(program: Program) -> Iterator[str]:
    """Yield the constraints of an OPB file, which numbers its variables x1, x2, ..

    Reference: Roussel, Manquinho, "Input/output format and solver requirements for the competitions
    of pseudo-Boolean solvers" (2012).

    >>> example = Program(["a", "b"], [Constraint("some", [(1, 0), (-1, 1)], 0)], [], {})
    >>> list(write_opb(example))
    ['+1 x1 -1 x2 >= 0 ;']
    """
    for constraint in program.constraints:
        terms = " ".join(f"{a:+d} x{1 + v}" for a, v in constraint.terms)
        yield f"{terms} {'=' if constraint.equal else '>='} {constraint.bound} ;"


_VALUE = re.compile(
    r"""(?:^|[\s"'])(p_\d{1,6}_\d{1,6}|x\d{1,9})["']?  # the name
    (?:\s*=\s*|\s+(?:index="\d+"\s+)?(?:value=["'])?|\s*:\s*)
    ([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,3})?)(?![\w.])""",
    re.VERBOSE,
)

# CBC lists values that satisfy not all constraints.
_NO_SOLUTION = re.compile(r"\s*(integer )?infeasible", re.IGNORECASE)

# A proof in VeriPB's format says that the program is infeasible, too.
_INFEASIBLE = re.compile(r"infeasible|unsat|\Apseudo-Boolean proof", re.IGNORECASE)

_LITERAL = re.compile(r"([-~]?)\b(x\d{1,9})\b")


def read_values(answer: str) -> Values:
    r"""Read a solution: a name and its value in a line, or the `v` lines of OPB solvers.

    >>> read_values("# Columns 2\np_0_1 1\np_1_0 = 0.0")
    {'p_0_1': 1.0, 'p_1_0': 0.0}
    >>> read_values("s SATISFIABLE\nv x1 -x2")
    {'x1': 1.0, 'x2': 0.0}
    >>> read_values("Model status\nInfeasible")
    {}
    """
    values: Values = {}
    if _NO_SOLUTION.match(answer):
        return values
    for line in answer.splitlines():
        if line.startswith("v "):
            values |= {name: float(not sign) for sign, name in _LITERAL.findall(line)}
            continue
        found = _VALUE.search(line[:1000])
        if found is not None:  # the first is the primal value; reduced costs may follow
            values.setdefault(found[1], float(found[2]))
    if not values and _INFEASIBLE.search(answer) is None:
        raise InputError(
            "the answer has no value of a variable and does not say that there is no solution: "
            "give the file of a solution, or the solver's output (v x1 -x2 .., s UNSATISFIABLE)"
        )
    return values
