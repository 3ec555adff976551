"""Check proofs in VeriPB's format, version 1.1, with the rules that Exact uses for clauses.

A proof begins with the constraints that it loads (`l`). It then derives others as sums of earlier
ones, with or without saturation (`pol`), or by unit propagation (`rup`), and names a contradiction
(`c`). Constraints are numbered from 1 in the order of these lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

__all__ = ["Constraint", "is_refutation"]


@dataclass(frozen=True, slots=True)
class Constraint:
    """The sum of the coefficients of true literals is at least the bound; literal -v is not v.

    All coefficients are positive, and no variable has both literals.
    """

    coefficients: dict[int, int]
    bound: int

    @classmethod
    def of(cls, terms: Iterable[tuple[int, int]], bound: int) -> Constraint:
        """Return the constraint for terms (coefficient, literal), by x = 1 - not x."""
        totals: dict[int, int] = {}
        for coefficient, literal in terms:
            if literal < 0:
                bound -= coefficient
            sign = 1 if literal > 0 else -1
            totals[abs(literal)] = totals.get(abs(literal), 0) + sign * coefficient
        bound -= sum(min(total, 0) for total in totals.values())
        literals = {v if total > 0 else -v: abs(total) for v, total in totals.items() if total}
        return cls(literals, bound)

    @property
    def terms(self) -> list[tuple[int, int]]:
        """Pairs (coefficient, literal)."""
        return [(coefficient, literal) for literal, coefficient in self.coefficients.items()]

    @property
    def is_contradiction(self) -> bool:
        """Whether it fails even if all its literals are true."""
        return sum(self.coefficients.values()) < self.bound

    def __add__(self, other: Constraint) -> Constraint:
        return Constraint.of([*self.terms, *other.terms], self.bound + other.bound)

    def saturate(self) -> Constraint:
        """Return it with coefficients of at most the bound, which 0/1 solutions satisfy as well."""
        most = max(self.bound, 0)
        return Constraint.of([(min(a, most), x) for a, x in self.terms], self.bound)

    def negate(self) -> Constraint:
        """Return the constraint that holds where this one fails."""
        return Constraint.of([(-a, x) for a, x in self.terms], 1 - self.bound)


def is_refutation(program: Sequence[Constraint], proof: str) -> bool:
    """Return whether each step follows and a contradiction is derived.

    Raises ValueError if a step uses another rule.
    """
    known: list[Constraint] = []
    for line in proof.splitlines()[1:]:
        rule, _, step = line.partition(" ")
        if rule == "l":
            known.append(program[int(step) - 1])
        elif rule == "pol":
            known.append(_combine(known, step.split()))
        elif rule == "rup":
            derived = _read(step)
            if not _propagation_fails([*known, derived.negate()]):
                return False
            known.append(derived)
        elif rule == "c":
            return known[int(step) - 1].is_contradiction
        else:
            raise ValueError(f"a rule that this checker does not know: {line}")
    return False


def _combine(known: Sequence[Constraint], tokens: Sequence[str]) -> Constraint:
    """Evaluate a sum of constraints in reverse Polish notation."""
    stack: list[Constraint] = []
    for token in tokens:
        if token == "+":
            last = stack.pop()
            stack.append(stack.pop() + last)
        elif token == "s":
            stack.append(stack.pop().saturate())
        else:
            stack.append(known[int(token) - 1])
    (result,) = stack
    return result


def _read(text: str) -> Constraint:
    """Read a constraint such as +1 x1 +2 ~x3 >= 1 ;"""
    left, _, bound = text.rstrip(" ;").partition(">=")
    tokens = left.split()
    literals = [-int(name[2:]) if name[0] == "~" else int(name[1:]) for name in tokens[1::2]]
    return Constraint.of(zip(map(int, tokens[::2]), literals, strict=True), int(bound))


def _propagation_fails(constraints: Sequence[Constraint]) -> bool:
    """Return whether unit propagation violates a constraint."""
    true: set[int] = set()
    before = -1
    while before < len(true):
        before = len(true)
        for constraint in constraints:
            slack = sum(a for a, x in constraint.terms if -x not in true) - constraint.bound
            if slack < 0:
                return True
            true |= {x for a, x in constraint.terms if a > slack and -x not in true}
    return False
