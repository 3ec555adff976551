"""Checking a refutation clause by clause, by reverse unit propagation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from operator import neg

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "MOST_CLAUSES",
    "MOST_STEPS",
    "ClauseBlocks",
    "Lemmas",
    "StepsExceededError",
    "find_fault_of_lemmas",
    "find_fault_of_names",
    "first_unfounded",
    "refutes",
]

MOST_STEPS = 1 << 34
"""Literals that are looked at in the longest refutation that is followed."""

_MANY = 2_000  # lemmas, from which on loading compiled code pays

_MANY_STEPS = 1 << 22  # and literals that are looked at: some seconds' worth

MOST_CLAUSES = 1_000_000
"""Clauses of the largest core that is checked."""

_AT_ONCE = 1 << 8  # clauses that are lists at the same time

Lemmas = tuple[tuple[int, ...], ...]


class StepsExceededError(Exception):
    """A refutation is too long to be followed."""


class _Propagation:
    """Clauses with two watched literals each, and the assignment that units force."""

    def __init__(self, most_steps: int) -> None:
        self._steps_left = most_steps
        self._watched: dict[int, list[list[int]]] = {}
        self._true: set[int] = set()
        self._trail: list[int] = []
        self.conflict = False

    def add(self, clause: Iterable[int]) -> None:
        """Add a clause for good, and what it forces together with the rest."""
        literals = list(dict.fromkeys(clause))
        self._spend(len(literals))
        if len(set(map(abs, literals))) < len(literals):  # it contains both x and -x
            return
        # Watch two literals that are not false, as far as there are any.
        if len(literals) > 1 and self._true.isdisjoint(map(neg, literals)):
            self._watched.setdefault(literals[0], []).append(literals)
            self._watched.setdefault(literals[1], []).append(literals)
            return
        literals.sort(key=lambda literal: -literal in self._true)
        open_literals = [literal for literal in literals[:2] if -literal not in self._true]
        if not open_literals:
            self.conflict = True
            return
        for literal in literals[:2]:
            self._watched.setdefault(literal, []).append(literals)
        if len(open_literals) == 1 and open_literals[0] not in self._true:
            self.conflict = self.conflict or not self._assume([open_literals[0]])

    def entails(self, clause: Sequence[int]) -> bool:
        """Return whether denying the clause leads to a conflict by unit propagation."""
        if self.conflict:
            return True
        if any(literal in self._true for literal in clause):
            return True
        self._spend(len(clause))
        mark = len(self._trail)
        holds = self._assume([-literal for literal in clause if -literal not in self._true])
        for literal in self._trail[mark:]:
            self._true.discard(literal)
        del self._trail[mark:]
        return not holds

    def _spend(self, steps: int) -> None:
        self._steps_left -= steps
        if self._steps_left < 0:
            raise StepsExceededError

    def _assume(self, literals: Sequence[int]) -> bool:
        """Make literals true with all that follows; False on a conflict."""
        true, trail, watched = self._true, self._trail, self._watched
        head = len(trail)
        for literal in literals:
            if -literal in true:
                return False
            if literal not in true:
                true.add(literal)
                trail.append(literal)
        while head < len(trail):
            falsified = -trail[head]
            head += 1
            clauses = watched.get(falsified, [])
            kept = []
            steps = len(clauses)
            for at, clause in enumerate(clauses):
                if clause[0] == falsified and len(clause) > 1:
                    clause[0], clause[1] = clause[1], clause[0]
                other = clause[0]
                if other in true and other != falsified:
                    kept.append(clause)
                    continue
                for place in range(2, len(clause)):
                    if -clause[place] not in true:
                        clause[1], clause[place] = clause[place], clause[1]
                        watched.setdefault(clause[1], []).append(clause)
                        steps += place
                        break
                else:
                    steps += len(clause)
                    kept.append(clause)
                    if other == falsified or -other in true:
                        watched[falsified] = kept + clauses[at + 1 :]
                        return False
                    true.add(other)
                    trail.append(other)
            watched[falsified] = kept
            self._spend(steps)
        return True


def first_unfounded(
    clauses: Iterable[Sequence[int]], lemmas: Sequence[Sequence[int]]
) -> int | None:
    """Return the first lemma that does not follow by unit propagation; None when all do.

    `clauses`: not an iterator: it may be gone through twice. `lemmas`: each may use those before
    it. The empty clause at the end is understood: its number is ``len(lemmas)``.

    Unit propagation with watched literals: O(size of the clauses) for each lemma at worst. Long
    refutations go through the same in compiled code, up to `MOST_STEPS`. Without numba they are
    followed in Python up to the same limit, some twenty times slower.

    A StepsExceededError is raised beyond `MOST_STEPS`.

    Reference: Goldberg, Novikov (2003), "Verification of proofs of unsatisfiability for CNF
    formulas".
    """
    if len(lemmas) <= _MANY:
        with suppress(StepsExceededError):
            return _follow(clauses, lemmas, _MANY_STEPS)
    try:
        from samapprox.proofs.refutations.propagation_kernel import EXCEEDED
        from samapprox.proofs.refutations.propagation_kernel import (
            first_unfounded as follow_compiled,
        )
    except ImportError:  # numba is not installed, or does not fit this numpy
        return _follow(clauses, lemmas, MOST_STEPS)
    number = follow_compiled(clauses, lemmas, MOST_STEPS)
    if number == EXCEEDED:
        raise StepsExceededError
    return None if number < 0 else number


def _follow(
    clauses: Iterable[Sequence[int]], lemmas: Sequence[Sequence[int]], most_steps: int
) -> int | None:
    """Find the `first_unfounded` lemma in Python alone, within so many steps."""
    state = _Propagation(most_steps)
    for clause in clauses:
        state.add(clause)
    for number, lemma in enumerate(lemmas):
        if not state.entails(lemma):
            return number
        state.add(lemma)
    return None if state.conflict else len(lemmas)


def refutes(clauses: Iterable[Sequence[int]], lemmas: Sequence[Sequence[int]]) -> bool:
    """Return whether the lemmas lead from the clauses to a contradiction."""
    return first_unfounded(clauses, lemmas) is None


class ClauseBlocks:
    """Clauses of several lengths, kept as matrices and handed out as lists.

    `blocks` (shape (count, length)): the clauses of a length, or of a part of it. `others`: clauses
    that come first.
    """

    __slots__ = ("_blocks", "_others")

    def __init__(
        self, blocks: Sequence[NDArray[np.int32]], others: Sequence[Sequence[int]] = ()
    ) -> None:
        self._blocks = blocks
        self._others = others

    def __iter__(self) -> Iterator[Sequence[int]]:
        yield from self._others
        for block in self._blocks:
            for start in range(0, len(block), _AT_ONCE):
                yield from block[start : start + _AT_ONCE].tolist()


def find_fault_of_names(lemmas: Lemmas, variables: int) -> str | None:
    """Name the first lemma with an unknown variable; None if there is none."""
    for number, lemma in enumerate(lemmas):
        if any(abs(literal) > variables for literal in lemma):
            return f"lemma {number} names a variable beyond the {variables} orientations"
    return None


def find_fault_of_lemmas(clauses: ClauseBlocks, lemmas: Lemmas) -> str | None:
    """Return the reason why the lemmas do not lead to a contradiction, or None."""
    try:
        unfounded = first_unfounded(clauses, lemmas)
    except StepsExceededError:
        return f"its refutation takes too long to check: more than {MOST_STEPS} steps"
    if unfounded is None:
        return None
    if unfounded == len(lemmas):
        return "the lemmas lead to no contradiction"
    return f"lemma {unfounded} does not follow by reverse unit propagation"
