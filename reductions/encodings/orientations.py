"""The orientations of d + 1 elements: clauses that other solvers receive, and what answers prove.

The clauses are necessary for an embedding, so their contradiction is a NO. A model is a YES only
once points with its orientations are found.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import comb
from typing import Any

import numpy as np

from samapprox.errors import InputError
from samapprox.pattern import Pattern
from samapprox.problem import Problem
from samapprox.proofs.base import Proof, Side
from samapprox.proofs.members import Part
from samapprox.proofs.refutations.chirotope import Chirotope
from samapprox.proofs.refutations.orientation_clauses import (
    Clauses,
    circuit_clauses,
    kinds_fit,
    most_clauses,
    relation_clauses,
    sign_matrix,
)
from samapprox.proofs.refutations.propagation import MOST_CLAUSES
from samapprox.reductions.encodings.header import merge
from samapprox.reductions.oriented_matroid import colexicographic
from samapprox.solvers.engine.search import Search
from samapprox.solvers.orientations.realize import realize


def choose_core(
    problem: Problem,
    elements: Side | None,
    relations: bool,
    rows: Sequence[int] | None,
    columns: Sequence[int] | None,
) -> Chirotope:
    """Return the part that is written, as a refutation without lemmas."""
    if rows is None or columns is None:
        simplified = merge(problem.pattern)
        rows = simplified.rows.tolist() if rows is None else rows
        columns = simplified.columns.tolist() if columns is None else columns
    if elements is None:
        elements = "columns" if len(columns) <= len(rows) + 1 else "rows"
    core = Chirotope(problem.d, rows, columns, elements, relations, [])
    _require_core(problem.pattern, core)
    return core


def list_members(core: Chirotope) -> dict[str, Any]:
    """Return the members of an encoding's document from which `read_core` builds the part again."""
    return {
        "elements": core.elements,
        "relations": core.relations,
        "core": {"rows": list(core.rows), "columns": list(core.columns)},
    }


def read_core(problem: Problem, document: Part) -> Chirotope:
    """Return the part that an encoding contains."""
    part = document.part("core")
    return Chirotope(
        problem.d,
        part.get("rows", list),
        part.get("columns", list),
        document.get("elements", str),
        document.flag("relations"),
        [],
    )


def build_clauses(pattern: Pattern, core: Chirotope) -> list[Clauses]:
    """Build the clauses as the checker will; the first says that space may be mirrored."""
    rank, elements = core.d + 1, _elements(core)
    clauses = [np.array([[1]], dtype=np.int32)]
    if elements > rank:
        signs = sign_matrix(pattern.submatrix(core.rows, core.columns), core.elements)
        clauses.append(circuit_clauses(signs, rank))
    if elements > rank + 1 and core.relations:
        clauses.append(relation_clauses(elements, rank))
    return clauses


def count_variables(core: Chirotope) -> int:
    """Count the variables: at least the one of the first clause."""
    return max(1, comb(_elements(core), core.d + 1))


def name_variables(core: Chirotope) -> list[str]:
    """Return the elements of each variable: subsets in colexicographic order."""
    names = [str(name) for name in (core.columns if core.elements == "columns" else core.rows)]
    if core.elements == "rows":
        names.insert(0, "+")
    subsets = colexicographic(len(names), core.d + 1)
    return [f"{core.elements} {' '.join(names[i] for i in subset)}" for subset in subsets]


def read_model(
    problem: Problem, core: Chirotope, true: Iterable[int], search: Search
) -> Proof | str:
    """Return an embedding of the whole pattern with the orientations of a model, if one is found.

    `true`: the variables that are true, counted from 1; others are ignored.
    """
    _require_core(problem.pattern, core)
    signs = np.full(1 + count_variables(core), -1, dtype=np.int8)
    signs[[variable for variable in true if 0 < variable < len(signs)]] = 1
    for clauses in build_clauses(problem.pattern, core):
        satisfied = (signs[abs(clauses)] == np.sign(clauses)).any(axis=1)
        if not satisfied.all():
            clause = clauses[int(satisfied.argmin())].tolist()
            raise InputError(f"the assignment violates the clause {clause}: it is no model")
    if problem.coupled:
        return "a model of the clauses, which say nothing of an X that queries and keys share"
    simplified = merge(problem.pattern)
    whole = (tuple(simplified.rows), tuple(simplified.columns)) == (core.rows, core.columns)
    if simplified.pattern is None or not whole:
        return "a model of the clauses of a part of the pattern, which prove nothing for all of it"
    found = realize(Problem(simplified.pattern, problem.d), signs[1:], core.elements, search)
    if isinstance(found, str):
        return f"a model of the clauses alone, and no points were found for it: {found}"
    return found.lift(simplified)


def refute_again(problem: Problem, core: Chirotope, search: Search) -> Proof | str:
    """Refute clauses that a solver calls infeasible without a proof that can be read."""
    from samapprox.solvers.orientations.cores import Core, refute

    _require_core(problem.pattern, core)
    found = refute(
        Core(
            core.d,
            problem.pattern.to_array(),
            core.elements,
            list(core.rows),
            list(core.columns),
            relations=core.relations is True,
        ),
        search,
    )
    return found.proof() if found is not None else _NO_CERTIFICATE


_NO_CERTIFICATE = (
    "the solver says that no orientations fit, which would be a NO, but its word is no "
    "certificate, and no refutation of these clauses was found in the time limit"
)


def _require_core(pattern: Pattern, core: Chirotope) -> None:
    """Refuse rows and columns that are not there, and more clauses than the checker takes."""
    height, width = pattern.shape
    if max(core.rows, default=0) >= height or max(core.columns, default=0) >= width:
        raise InputError(f"a row or column of the core is outside the {height} x {width} pattern")
    if not core.rows or not core.columns:
        raise InputError("the core has no rows or no columns")
    elements, others = _elements(core), len(core.rows) + len(core.columns) + 1
    most = most_clauses(elements, others - elements, core.d + 1, relations=core.relations is True)
    if most > MOST_CLAUSES or len(core.rows) * len(core.columns) > MOST_CLAUSES:
        raise InputError(
            f"{len(core.rows)} rows and {len(core.columns)} columns may give {most} clauses, of "
            f"which a certificate has at most {MOST_CLAUSES}; name fewer rows or columns"
        )
    if core.d < elements - 1 and not kinds_fit(elements, core.d + 1):
        raise InputError(
            f"the kinds of covectors on {elements} elements are too many for d = {core.d}; name "
            "fewer rows or columns, or a smaller d"
        )


def _elements(core: Chirotope) -> int:
    """Return the number of elements; the extra query counts as a row."""
    return len(core.columns) if core.elements == "columns" else len(core.rows) + 1
