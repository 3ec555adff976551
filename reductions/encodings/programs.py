"""Two models as 0/1 programs in MPS, LP and OPB: orders of the keys, and orientations.

An order is sufficient for YES, and orientations are necessary. For d = 1, an order is both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain

from samapprox.errors import InputError
from samapprox.problem import Problem
from samapprox.proofs.base import Proof, Side
from samapprox.proofs.documents import Part
from samapprox.proofs.refutations.chirotope import Chirotope
from samapprox.reductions.encodings.header import Encoding, header
from samapprox.reductions.encodings.linear import (
    MOST_TERMS,
    Constraint,
    Program,
    read_values,
    write_lp,
    write_mps,
    write_opb,
)
from samapprox.reductions.encodings.order import build, place_keys
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

__all__ = ["LP", "MPS", "OPB", "ORDER", "ORIENTATIONS"]

ORDER, ORIENTATIONS = "order", "orientations"

_NOTES = (
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
        program = build(problem)
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
    return Program(names, constraints, [*_NOTES, *meaning], list_members(core))


def _decode(problem: Problem, document: Part, answer: str, search: Search) -> Proof | str:
    """Decode a solution, or the word that there is none; see the models."""
    values = read_values(answer)
    model = document.get("model", str) if document.has("model") else ORDER  # older files have none
    if model == ORDER:
        return place_keys(problem, values)
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
