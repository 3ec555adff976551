"""The orientations of d + 1 elements as a CNF in DIMACS; its refutations are proofs of NO."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from samapprox.errors import InputError
from samapprox.problem import Problem
from samapprox.proofs.base import Proof, Side
from samapprox.proofs.members import Part
from samapprox.proofs.refutations.chirotope import Chirotope
from samapprox.reductions.encodings.header import Encoding, header, numbers
from samapprox.reductions.encodings.orientations import (
    build_clauses,
    choose_core,
    list_members,
    name_variables,
    read_core,
    read_model,
)
from samapprox.solvers.engine.search import Search

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

    >>> from samapprox import Pattern
    >>> problem = Problem(Pattern.from_text("100\n010\n001"), 1)
    >>> for line in encode(problem).splitlines()[6:11]:
    ...     print(line)
    c 1: columns 0 1
    c 2: columns 0 2
    c 3: columns 1 2
    p cnf 3 9
    1 0
    """
    core = choose_core(problem, elements, relations, rows, columns)
    variables = name_variables(core)
    mark = header(
        "c",
        "dimacs",
        problem,
        [*_NOTES, *(f"{number}: {name}" for number, name in enumerate(variables, start=1))],
        **list_members(core),
    )
    clauses = [clause for part in build_clauses(problem.pattern, core) for clause in part.tolist()]
    lines = [f"p cnf {max(1, len(variables))} {len(clauses)}"]
    lines += [" ".join(map(str, clause)) + " 0" for clause in clauses]
    return "\n".join([*mark, *lines, ""])


def decode(problem: Problem, document: Part, answer: str, search: Search) -> Proof | str:
    """Decode the proof in a SAT solver's output, or in its DRUP file.

    The answer is a model (`s SATISFIABLE` and `v` lines, or minisat's `SAT` and one line), or a
    proof: a clause a line, closed by 0; deletions (`d`) are dropped. The result is a `Chirotope`,
    an embedding whose points fit the model, or why the answer proves nothing.
    """
    core = read_core(problem, document)
    said = _read(answer)
    if said.model is None:
        return _refutation(core, said)
    return read_model(problem, core, said.model, search)


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


DIMACS = Encoding(encode, decode)
