"""The order model in the languages of integer programming: MPS, LP and OPB.

Its unknowns are places for the columns such that no row changes more than d times.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from textwrap import wrap

import numpy as np
from numpy.typing import NDArray

from samapprox.errors import InputError
from samapprox.pattern import UNSPECIFIED
from samapprox.problem import Problem
from samapprox.proofs.base import Proof
from samapprox.proofs.documents import Part
from samapprox.proofs.embeddings.covectors import Covectors
from samapprox.proofs.embeddings.moment_curve import MomentCurve
from samapprox.reductions.encodings.header import Encoding, header, merge
from samapprox.solvers.engine.search import Search

__all__ = ["LP", "MPS", "OPB"]

NOTES = (
    "p_j_t = 1: column j of the core stands at place t; c_i_t = 1: so far as row i has a * there,",
    "it takes it for a 1; h_i_t = 1: row i may change between the places t and t + 1.",
    "A solution: YES, by samapprox decode (keys on the moment curve in this order).",
    "Infeasible: proves nothing, since other keys may do; but for d = 1 it means NO.",
)
_INFEASIBLE = (
    "there is no such order, which proves nothing: other keys than the moment curve's may do"
)

_ON_A_LINE = "there is no such order, so d = 1 is too small; but a solver's word is no certificate"
_MOST_TERMS = 4_000_000

Terms = list[tuple[int, int]]
"""(coefficient, variable), variables counted from 0."""


@dataclass(frozen=True, slots=True)
class Constraint:
    """The sum of the terms is at least the bound, or equal to it."""

    name: str
    terms: Terms
    bound: int
    equal: bool = False


@dataclass(frozen=True, slots=True)
class Program:
    """A 0/1 program without objective."""

    names: list[str]
    constraints: list[Constraint]


def program(problem: Problem) -> tuple[Program, dict[str, list[int]]]:
    r"""Build the order model of a pattern, and its core of distinct rows and columns.

    n^2 + m n variables and 2n + 2m (n - 1) constraints of up to n terms, half as many again of both
    with don't-cares. Its solutions are the orders in which every row, its * chosen well, changes at
    most d times; an order and its mirror image count once.

    Reference: Gale (1963), "Neighborly and cyclic polytopes".

    >>> from samapprox import Pattern
    >>> model, core = program(Problem(Pattern.from_text("100\n010\n100"), 1))
    >>> len(model.names), len(model.constraints), core
    (13, 17, {'rows': [0, 1], 'columns': [0, 1, 2]})
    """
    if problem.coupled:
        raise InputError(f"with {problem} queries and keys share X; orders are for the free case")
    simplified = merge(problem.pattern)
    assert simplified.pattern is not None
    entries = simplified.pattern.to_array()
    rows, columns = entries.shape
    if rows * columns * columns > _MOST_TERMS:
        raise InputError(
            f"the order model of {rows} x {columns} entries is too large to be written"
        )
    model = Program([f"p_{j}_{t}" for j in range(columns) for t in range(columns)], [])
    for j in range(columns):
        _exactly_one(model, f"column_{j}", [j * columns + t for t in range(columns)])
    for t in range(columns):
        _exactly_one(model, f"place_{t}", [j * columns + t for j in range(columns)])
    mirror = [(-t, t) for t in range(1, columns)] + [(t, columns + t) for t in range(1, columns)]
    model.constraints.append(Constraint("mirror", mirror, 1))
    for i, row in enumerate(entries):
        _changes(model, i, row, problem.d)
    return model, {"rows": simplified.rows.tolist(), "columns": simplified.columns.tolist()}


def _exactly_one(model: Program, name: str, variables: Iterable[int]) -> None:
    model.constraints.append(Constraint(name, [(1, v) for v in variables], 1, equal=True))


def _new(model: Program, name: str) -> int:
    model.names.append(name)
    return len(model.names) - 1


def _changes(model: Program, i: int, row: NDArray[np.int8], d: int) -> None:
    """Constrain row i, read along the places, to at most d changes."""
    count = len(row)
    ones, zeros = (np.flatnonzero(row == value).tolist() for value in (1, 0))
    shown: list[Terms] = []
    for t in range(count):
        at = {value: [(1, j * count + t) for j in own] for value, own in ((1, ones), (0, zeros))}
        if UNSPECIFIED in row:
            c = _new(model, f"c_{i}_{t}")
            above = [(1, c), *((-1, v) for _, v in at[1])]
            below = [(-1, c), *((-1, v) for _, v in at[0])]
            model.constraints.append(Constraint(f"one_{i}_{t}", above, 0))
            model.constraints.append(Constraint(f"zero_{i}_{t}", below, -1))
            shown.append([(1, c)])
        else:  # its ones tell, or its zeros: fewer terms
            shown.append(at[1] if len(ones) <= len(zeros) else at[0])
    changed = [_new(model, f"h_{i}_{t}") for t in range(count - 1)]
    for t, h in enumerate(changed):
        for name, first, second in (("up", t, t + 1), ("down", t + 1, t)):
            terms = [(1, h), *shown[first], *((-a, v) for a, v in shown[second])]
            model.constraints.append(Constraint(f"{name}_{i}_{t}", terms, 0))
    model.constraints.append(Constraint(f"changes_{i}", [(-1, h) for h in changed], -d))


# ---------------------------------------------------------------- languages


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


# ---------------------------------------------------------------- answers


def embedding(problem: Problem, values: dict[tuple[int, int], float]) -> Proof | str:
    """Place keys on the moment curve, in the order of a solution."""
    if not values:
        return _ON_A_LINE if problem.d == 1 else _INFEASIBLE
    simplified = merge(problem.pattern)
    assert simplified.pattern is not None
    columns = simplified.pattern.shape[1]
    chosen = sorted((t, j) for (j, t), value in values.items() if value > 0.5)
    order = np.array([j for _, j in chosen], dtype=np.int64)
    if [t for t, _ in chosen] != list(range(columns)) or set(order.tolist()) != set(range(columns)):
        raise InputError(f"the solution does not give each of {columns} columns a place of its own")
    ahead = np.ones(columns, dtype=np.int8)
    counts = Covectors(simplified.pattern, "columns").count_changes(order, ahead)[1:]
    if counts.max() > problem.d:
        worst = int(counts.argmax())
        name = problem.pattern.row_label(int(simplified.rows[worst]))
        raise InputError(
            f"in the solution's order {name} changes {counts[worst]} times, not {problem.d}"
        )
    curve = MomentCurve(problem.d, "columns", order)
    return curve.embedding(simplified.pattern).lift(simplified)


_VALUE = re.compile(
    r"""(?:^|[\s"'])p_(\d{1,6})_(\d{1,6})["']?  # the name
    (?:\s*=\s*|\s+(?:index="\d+"\s+)?(?:value=["'])?|\s*:\s*)
    ([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,3})?)(?![\w.])""",
    re.VERBOSE,
)


def read_values(answer: str) -> dict[tuple[int, int], float]:
    r"""Read the variables p from a solution file: name and value in one line.

    >>> read_values("# Columns 2\np_0_1 1\np_1_0 = 0.0")
    {(0, 1): 1.0, (1, 0): 0.0}
    >>> read_values("Model status\nInfeasible")
    {}
    """
    values: dict[tuple[int, int], float] = {}
    for line in answer.splitlines():
        found = _VALUE.search(line[:1000])
        if found is not None:  # the first is the primal value; reduced costs may follow
            values.setdefault((int(found[1]), int(found[2])), float(found[3]))
    if not values and re.search(r"infeasible|unsat", answer, re.IGNORECASE) is None:
        raise InputError("the answer has no value of a variable p_j_t: give the file of a solution")
    return values


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
