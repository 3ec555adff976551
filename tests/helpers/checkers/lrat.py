"""A strict checker of LRAT proofs, which shares no code with the package."""

from __future__ import annotations

from pathlib import Path

Clause = tuple[int, ...]


class LratError(Exception):
    """A proof does not hold; the message says where."""


def read_formula(text: str) -> tuple[int, list[Clause]]:
    """Read a formula in DIMACS strictly: its number of variables, and its clauses."""
    lines = [line for line in text.splitlines() if not line.startswith("c")]
    head = lines[0].split()
    if head[:2] != ["p", "cnf"]:
        raise LratError(f"no problem line: {lines[0]}")
    variables, count = int(head[2]), int(head[3])
    clauses = []
    for line in lines[1:]:
        *literals, end = map(int, line.split())
        if end != 0 or 0 in literals or any(abs(literal) > variables for literal in literals):
            raise LratError(f"no clause: {line}")
        clauses.append(tuple(literals))
    if len(clauses) != count:
        raise LratError(f"{len(clauses)} clauses, not {count}")
    return variables, clauses


def check_lrat(formula: str, proof: str) -> int:
    """Check a proof without deletions or RAT steps; return its number of lemmas.

    Every hint must be a unit clause that is not satisfied, the last one false, and nothing may
    follow the empty clause, which comes last.
    """
    _, clauses = read_formula(formula)
    known = dict(enumerate(clauses, start=1))
    last = len(known)
    lemma: Clause | None = None
    lines = proof.splitlines()
    for line in lines:
        if lemma == ():
            raise LratError("there are lemmas after the empty clause")
        number, *rest = map(int, line.split())
        end = rest.index(0)
        lemma, hints = tuple(rest[:end]), rest[end + 1 :]
        if hints[-1:] != [0] or 0 in hints[:-1] or number <= last:
            raise LratError(f"lemma {number} is badly written")
        _follow(number, lemma, [known_clause(known, hint) for hint in hints[:-1]])
        known[number], last = lemma, number
    if lemma != ():
        raise LratError("the empty clause is missing")
    return len(lines)


def known_clause(known: dict[int, Clause], hint: int) -> Clause:
    """Return the clause that a hint names."""
    if hint not in known:
        raise LratError(f"the hint {hint} names no clause")
    return known[hint]


def _follow(number: int, lemma: Clause, hints: list[Clause]) -> None:
    """Follow the hints of a lemma to a false clause."""
    true = {-literal for literal in lemma}
    for at, clause in enumerate(hints):
        left = [literal for literal in clause if -literal not in true]
        if not left:
            if at != len(hints) - 1:
                raise LratError(f"lemma {number} has hints after its conflict")
            return
        if len(left) > 1 or left[0] in true:
            raise LratError(f"hint {at} of lemma {number} is not unit")
        true.add(left[0])
    raise LratError(f"lemma {number} ends without a conflict")


def check_files(formula: Path, proof: Path) -> int:
    """Check a proof in files."""
    return check_lrat(formula.read_text(), proof.read_text())
