"""The orientations of d + 1 elements as a CNF in DIMACS; its refutations are proofs of NO."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import comb

import numpy as np
from numpy.typing import NDArray

from samapprox.errors import InputError
from samapprox.pattern import Pattern
from samapprox.problem import Problem
from samapprox.proofs.base import Proof, Side
from samapprox.proofs.documents import Part
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
from samapprox.reductions.encodings.header import Encoding, header, merge, numbers
from samapprox.reductions.oriented_matroid import colexicographic
from samapprox.solvers.engine.search import Search
from samapprox.solvers.orientations.realize import realize

__all__ = ["DIMACS", "decode", "encode"]

_NOTES = (
    "Variable v is true when the determinant of its d + 1 elements is positive; vectors of R^(d+1)",
    "stand for keys (k, 1) and queries (q, -t), + for one more query, positive on all keys.",
    "UNSATISFIABLE with a DRUP proof: NO, by samapprox decode.",
    "SATISFIABLE: fitting orientations, which prove nothing until points are found for them.",
)


def encode(
    problem: Problem,
    elements: Side | None = None,
    relations: bool = False,
    rows: Sequence[int] | None = None,
    columns: Sequence[int] | None = None,
) -> str:
    r"""Write the chirotope clauses of a pattern, or of some rows and columns of it.

    `samapprox.proofs.refutations.orientation_clauses.most_clauses` clauses on C(N, d + 1)
    variables, N the number of elements.

    Reference: Björner, Las Vergnas, Sturmfels, White, Ziegler, "Oriented Matroids", chapters 1, 3
    and 8.

    >>> problem = Problem(Pattern.from_text("100\n010\n001"), 1)
    >>> for line in encode(problem).splitlines()[6:11]:
    ...     print(line)
    c 1: columns 0 1
    c 2: columns 0 2
    c 3: columns 1 2
    p cnf 3 9
    1 0
    """
    core = _core(problem, elements, relations, rows, columns)
    variables = _variables(core)
    mark = header(
        "c",
        "dimacs",
        problem,
        [*_NOTES, *(f"{number}: {name}" for number, name in enumerate(variables, start=1))],
        elements=core.elements,
        relations=core.relations,
        core={"rows": list(core.rows), "columns": list(core.columns)},
    )
    clauses = [clause for part in _clauses(problem.pattern, core) for clause in part.tolist()]
    lines = [f"p cnf {max(1, len(variables))} {len(clauses)}"]
    lines += [" ".join(map(str, clause)) + " 0" for clause in clauses]
    return "\n".join([*mark, *lines, ""])


def decode(problem: Problem, document: Part, answer: str, search: Search) -> Proof | str:
    """Decode the proof in a SAT solver's output, or in its DRUP file.

    The answer is a model (`s SATISFIABLE` and `v` lines, or minisat's `SAT` and one line), or a
    proof: a clause a line, closed by 0; deletions (`d`) are dropped. The result is a `Chirotope`,
    an embedding whose points fit the model, or why the answer proves nothing.
    """
    part = document.part("core")
    core = Chirotope(
        problem.d,
        part.get("rows", list),
        part.get("columns", list),
        document.get("elements", str),
        document.flag("relations"),
        [],
    )
    said = _read(answer)
    if said.model is None:
        return _refutation(core, said)
    _require_core(problem.pattern, core)
    signs = np.full(1 + max(1, comb(_elements(core), core.d + 1)), -1, dtype=np.int8)
    signs[[literal for literal in said.model if 0 < literal < len(signs)]] = 1
    for clauses in _clauses(problem.pattern, core):
        satisfied = (signs[abs(clauses)] == np.sign(clauses)).any(axis=1)
        if not satisfied.all():
            clause = clauses[int(satisfied.argmin())].tolist()
            raise InputError(f"the assignment violates the clause {clause}: it is no model")
    return _points(problem, core, signs[1:], search)


# ---------------------------------------------------------------- the clauses


def _core(
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


def _clauses(pattern: Pattern, core: Chirotope) -> list[Clauses]:
    """Build the clauses as the checker will; the first says that space may be mirrored."""
    rank, elements = core.d + 1, _elements(core)
    clauses = [np.array([[1]], dtype=np.int32)]
    if elements > rank:
        signs = sign_matrix(pattern.submatrix(core.rows, core.columns), core.elements)
        clauses.append(circuit_clauses(signs, rank))
    if elements > rank + 1 and core.relations:
        clauses.append(relation_clauses(elements, rank))
    return clauses


def _variables(core: Chirotope) -> list[str]:
    """Return the elements of each variable: subsets in colexicographic order."""
    names = [str(name) for name in (core.columns if core.elements == "columns" else core.rows)]
    if core.elements == "rows":
        names.insert(0, "+")
    subsets = colexicographic(len(names), core.d + 1)
    return [f"{core.elements} {' '.join(names[i] for i in subset)}" for subset in subsets]


# ---------------------------------------------------------------- answers


_SATISFIABLE = ("SAT", "SATISFIABLE")
_UNSATISFIABLE = ("UNSAT", "UNSATISFIABLE")

_NO_PROOF = (
    "the solver says UNSATISFIABLE but gives no proof; have it write one as text (cadical "
    "--no-binary FILE.cnf FILE.drat, kissat --no-binary FILE.cnf FILE.drat) and decode FILE.drat"
)


@dataclass(slots=True)
class _Answer:
    """A solver's answer: a model, or the lemmas of a proof, closed by the empty clause."""

    status: str | None = None
    model: list[int] | None = None
    lemmas: list[tuple[int, ...]] = field(default_factory=list)
    closed: bool = False


def _read(answer: str) -> _Answer:
    """Tell models from proofs, and read either."""
    said = _Answer()
    for number, line in enumerate(answer.splitlines(), start=1):
        head, _, rest = line.strip().partition(" ")
        if head in ("s", "SAT", "UNSAT", "UNSATISFIABLE", "INDET", "INDETERMINATE"):
            said.status = rest.strip() if head == "s" else head
            if said.status in _SATISFIABLE:
                said.model = []
        elif head == "v":
            said.model = (said.model or []) + _literals(rest, number)
        elif head in ("", "c", "d"):
            continue
        elif said.model is not None:
            said.model += _literals(line, number)
        else:
            literals = _literals(line, number)
            if literals[-1:] != [0] or 0 in literals[:-1]:
                raise InputError(
                    f"line {number} is no clause that 0 closes: proofs are read as text in DRUP "
                    "or DRAT (cadical --no-binary), models as v lines"
                )
            if len(literals) == 1:  # the empty clause: whatever follows, it is proven
                said.closed = True
                break
            said.lemmas.append(tuple(literals[:-1]))
    if said.model == []:
        raise InputError("the answer is SATISFIABLE but has no model (v lines)")
    return said


def _refutation(core: Chirotope, said: _Answer) -> Proof | str:
    """Return the proof of NO in an answer that is no model, or why there is none."""
    if said.status not in (None, *_UNSATISFIABLE):
        return "the solver found no answer"
    if said.status in _UNSATISFIABLE and not said.lemmas and not said.closed:
        # unit propagation alone never refutes clauses of three and more literals
        return _NO_PROOF
    return replace(core, lemmas=tuple(said.lemmas))


def _literals(text: str, number: int) -> list[int]:
    return numbers(text.split(), f"line {number} of the answer")


def _points(
    problem: Problem, core: Chirotope, signs: NDArray[np.int8], search: Search
) -> Proof | str:
    """Return an embedding of the whole pattern with these orientations, if it can be found."""
    if problem.coupled:
        return "a model of the clauses, which say nothing of an X that queries and keys share"
    simplified = merge(problem.pattern)
    whole = (tuple(simplified.rows), tuple(simplified.columns)) == (core.rows, core.columns)
    if simplified.pattern is None or not whole:
        return "a model of the clauses of a part of the pattern, which prove nothing for all of it"
    found = realize(Problem(simplified.pattern, problem.d), signs, core.elements, search)
    if isinstance(found, str):
        return f"a model of the clauses alone, and no points were found for it: {found}"
    return found.lift(simplified)


DIMACS = Encoding(encode, decode)
