"""Two models as 0/1 programs in MPS, LP and OPB: orders of the keys, and orientations.

An order is sufficient for YES, and orientations are necessary. For d = 1, an order is both. The
values that solvers give to variables are read from their answers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from textwrap import wrap
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.errors import InputError
from samapprox.pattern import UNSPECIFIED
from samapprox.problem import Problem
from samapprox.proofs.base import Proof, Side
from samapprox.proofs.embeddings.covectors import Covectors
from samapprox.proofs.embeddings.moment_curve import MomentCurve
from samapprox.proofs.members import Part
from samapprox.proofs.refutations.chirotope import Chirotope
from samapprox.reductions.encodings.header import Encoding, header, merge
from samapprox.reductions.encodings.orientations import (
    build_clauses,
    choose_core,
    count_variables,
    list_members,
    name_variables,
    read_core,
    read_model,
    refute_again,
)
from samapprox.solvers.engine.search import Search

MOST_TERMS = 4_000_000
"""Terms of the largest program that is written: some hundred megabytes while it is."""

_WIDTH = 200  # some readers take no more than 255 characters a line

Terms = list[tuple[int, int]]
"""(coefficient, variable), variables counted from 0."""

Values = dict[str, float]
"""Variables by name, in OPB files x1, x2, .., and their values; none where it is infeasible."""

_NOTES_ON_ORDERS = [
    "The order model: an order suffices for YES, but many patterns that d > 1 can represent have",
    "none (7 of 8 random ones of size 8 x 7 for d = 2). --model orientations states necessary",
    "conditions instead, whose infeasibility is a NO.",
    "p_j_t = 1: column j of the core stands at place t; c_i_t = 1: so far as row i has a * there,",
    "it takes it for a 1; h_i_t = 1: row i may change between the places t and t + 1.",
    "A solution: YES, by samapprox decode (keys on the moment curve in this order).",
    "Infeasible: proves nothing, since other keys may do; but for d = 1 it means NO.",
]

_INFEASIBLE = (
    "there is no such order, which proves nothing: other keys than the moment curve's may do"
)

_ON_A_LINE = "there is no such order, so d = 1 is too small; but a solver's word is no certificate"


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
_SAYS_INFEASIBLE = re.compile(r"infeasible|unsat|\Apseudo-Boolean proof", re.IGNORECASE)

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
    if not values and _SAYS_INFEASIBLE.search(answer) is None:
        raise InputError(
            "the answer has no value of a variable and does not say that there is no solution: "
            "give the file of a solution, or the solver's output (v x1 -x2 .., s UNSATISFIABLE)"
        )
    return values


def _build_orders(problem: Problem) -> Program:
    r"""Build the order model of a pattern, of its core of distinct rows and columns.

    n^2 + m n variables and 2n + 2m (n - 1) constraints of up to n terms, half as many again of both
    with don't-cares. Its solutions are the orders in which every row, its * chosen well, changes at
    most d times; an order and its mirror image count once.

    Reference: Gale (1963), "Neighborly and cyclic polytopes".

    >>> from samapprox import Pattern
    >>> program = _build_orders(Problem(Pattern.from_text("100\n010\n100"), 1))
    >>> len(program.names), len(program.constraints), program.members
    (13, 17, {'core': {'rows': [0, 1], 'columns': [0, 1, 2]}})
    """
    if problem.coupled:
        raise InputError(f"with {problem} queries and keys share X; orders are for the free case")
    simplified = merge(problem.pattern)
    assert simplified.pattern is not None
    entries = simplified.pattern.to_array()
    rows, columns = entries.shape
    if rows * columns * columns > MOST_TERMS:
        raise InputError(
            f"the order model of {rows} x {columns} entries is too large to be written"
        )
    core = {"rows": simplified.rows.tolist(), "columns": simplified.columns.tolist()}
    names = [f"p_{j}_{t}" for j in range(columns) for t in range(columns)]
    model = Program(names, [], _NOTES_ON_ORDERS, {"core": core})
    for j in range(columns):
        _exactly_one(model, f"column_{j}", [j * columns + t for t in range(columns)])
    for t in range(columns):
        _exactly_one(model, f"place_{t}", [j * columns + t for j in range(columns)])
    mirror = [(-t, t) for t in range(1, columns)] + [(t, columns + t) for t in range(1, columns)]
    model.constraints.append(Constraint("mirror", mirror, 1))
    for i, row in enumerate(entries):
        _changes(model, i, row, problem.d)
    return model


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


def _place_keys(problem: Problem, values: Values) -> Proof | str:
    """Place keys on the moment curve, in the order of a solution."""
    if not values:
        return _ON_A_LINE if problem.d == 1 else _INFEASIBLE
    simplified = merge(problem.pattern)
    assert simplified.pattern is not None
    columns = simplified.pattern.shape[1]
    places = (_place(name, columns) for name, value in values.items() if value > 0.5)
    chosen = sorted((t, j) for j, t in places if j < columns)
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


def _place(name: str, columns: int) -> tuple[int, int]:
    """Return the column and the place of a variable; other variables follow those of the columns.

    OPB files number the variables: p_j_t is x(1 + j n + t).
    """
    if name.startswith("x"):
        return divmod(int(name[1:]) - 1, columns)
    _, j, t = name.split("_")
    return int(j), int(t)


ORDER, ORIENTATIONS = "order", "orientations"

_NOTES_ON_ORIENTATIONS = (
    "The model of orientations: necessary conditions, each constraint a clause.",
    "xv = 1: the determinant of the d + 1 elements of v is positive; vectors of R^(d+1) stand for",
    "keys (k, 1) and queries (q, -t), + for one more query, positive on all keys.",
    "Infeasible: NO; samapprox decode refutes the clauses again, for a certificate.",
    "A solution: fitting orientations, which prove nothing until points are found for them.",
)


def _encode(
    language: str,
    mark: str,
    write: Callable[[Program], Iterator[str]],
    problem: Problem,
    model: str | None = None,
    elements: Side | None = None,
    relations: bool | None = None,
    rows: Sequence[int] | None = None,
    columns: Sequence[int] | None = None,
) -> str:
    """Write a model; by default an order for d = 1, where it is exact, and else orientations."""
    if model is None:
        model = ORDER if problem.d == 1 and not problem.coupled else ORIENTATIONS
    if model == ORIENTATIONS:
        core = choose_core(problem, elements, relations is not False, rows, columns)
        program = _orientations(problem, core)
    elif model != ORDER:
        raise InputError(f"the model must be '{ORDER}' or '{ORIENTATIONS}', not {model[:40]!r}")
    elif (elements, relations, rows, columns) != (None, None, None, None):
        raise InputError("elements, relations, rows and columns are choices of orientations only")
    else:
        program = _build_orders(problem)
    notes = list(program.notes)
    head = []
    if language == "opb":
        if model == ORDER:
            notes += [f"x{number}: {name}" for number, name in enumerate(program.names, start=1)]
        # The format wants the sizes in the first line.
        sizes = len(program.names), len(program.constraints)
        head = ["* #variable= {} #constraint= {}".format(*sizes)]
    head += header(mark, language, problem, notes, model=model, **program.members)
    return "\n".join(chain(head, write(program), [""]))


def _orientations(problem: Problem, core: Chirotope) -> Program:
    """Build a constraint for each clause: the number of its true literals is at least 1."""
    blocks = build_clauses(problem.pattern, core)
    if sum(block.size for block in blocks) > MOST_TERMS:
        raise InputError(
            f"{sum(map(len, blocks))} clauses are too large to be written; name fewer rows or "
            "columns, or leave out the relations"
        )
    names = [f"x{number}" for number in range(1, 1 + count_variables(core))]
    meaning = [f"x{number}: {name}" for number, name in enumerate(name_variables(core), start=1)]
    clauses = (clause for block in blocks for clause in block.tolist())
    constraints = [
        Constraint(
            f"c{number}",
            [(1 if literal > 0 else -1, abs(literal) - 1) for literal in clause],
            1 - sum(literal < 0 for literal in clause),
        )
        for number, clause in enumerate(clauses, start=1)
    ]
    return Program(names, constraints, [*_NOTES_ON_ORIENTATIONS, *meaning], list_members(core))


def _decode(problem: Problem, document: Part, answer: str, search: Search) -> Proof | str:
    """Decode a solution, or the word that there is none; see the models."""
    values = read_values(answer)
    model = document.get("model", str) if document.has("model") else ORDER  # older files have none
    if model == ORDER:
        return _place_keys(problem, values)
    if model != ORIENTATIONS:
        raise InputError(f"the encoding has the unknown model {model[:40]!r}")
    core = read_core(problem, document)
    if not values:
        return refute_again(problem, core, search)
    true = [int(name[1:]) for name, value in values.items() if name[0] == "x" and value > 0.5]
    return read_model(problem, core, true, search)


MPS = Encoding(partial(_encode, "mps", "*", write_mps), _decode)
LP = Encoding(partial(_encode, "lp", "\\", write_lp), _decode)
OPB = Encoding(partial(_encode, "opb", "*", write_opb), _decode)
