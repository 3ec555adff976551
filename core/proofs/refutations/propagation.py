"""Checking a refutation clause by clause, by reverse unit propagation."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

MOST_STEPS = 1 << 34
"""Literals that are looked at in the longest refutation that is followed."""

_MANY = 2_000  # lemmas, from which on loading compiled code pays

_MANY_STEPS = 1 << 22  # and literals that are looked at: some seconds' worth

MOST_CLAUSES = 1_000_000
"""Clauses of the largest core that is checked."""

_AT_ONCE = 1 << 8  # clauses that are lists at the same time

EXCEEDED, FOUNDED = -2, -1
"""Results of `follow` besides the number of a lemma."""

END = -1
"""The end of a linked list."""

Lemmas = tuple[tuple[int, ...], ...]

Memory = tuple[Any, ...]
"""Lists or arrays: codes, starts, true, trail, heads, links, steps.

`codes` and `starts`: the clauses one after another; literal +v is 2 v, -v is 2 v + 1. `true`: the
literals that hold; `trail`: in the order in which they became true. `heads` and `links`: for each
literal a linked list of the clauses that watch it, each at one of its first two places. `steps`:
how many literals were looked at.
"""


class StepsExceededError(Exception):
    """A refutation is too long to be followed."""


def first_unfounded(
    clauses: Iterable[Sequence[int]], lemmas: Sequence[Sequence[int]]
) -> int | None:
    """Return the first lemma that does not follow by unit propagation; None when all do.

    `lemmas`: each may use those before it. The empty clause at the end is understood: its number is
    ``len(lemmas)``.

    Unit propagation with watched literals: O(size of the clauses) for each lemma at worst. Long
    refutations go through the same function in compiled code, some hundred times faster, and so do
    all others once it is loaded; without numba, they are followed in Python.

    A StepsExceededError is raised beyond `MOST_STEPS`.

    Reference: Goldberg, Novikov (2003), "Verification of proofs of unsatisfiability for CNF
    formulas".
    """
    memory = _lay_out(chain(clauses, lemmas))
    given = len(memory[1]) - 1 - len(lemmas)
    number = EXCEEDED
    if len(lemmas) <= _MANY and not _compile.cache_info().currsize:
        number = _follow_in_lists(memory, given, _MANY_STEPS)
    if number == EXCEEDED:
        try:
            number = int(_compile()(memory, given, MOST_STEPS))
        except ImportError:  # numba is not installed, or does not fit this numpy
            number = _follow_in_lists(memory, given, MOST_STEPS)
    if number == EXCEEDED:
        raise StepsExceededError
    return None if number == FOUNDED else number


def _lay_out(clauses: Iterable[Sequence[int]]) -> Memory:
    """Return the memory in which nothing is true as yet, and no clause watched."""
    flat, starts = array("q"), array("q", [0])
    for clause in clauses:
        flat.extend(dict.fromkeys(clause))
        starts.append(len(flat))
    literals = np.array(flat, dtype=np.int64)
    variables = int(np.abs(literals).max(initial=0))
    return (
        2 * np.abs(literals) + (literals < 0),
        np.array(starts, dtype=np.int64),
        np.zeros(2 * variables + 2, dtype=np.bool_),
        np.zeros(variables + 1, dtype=np.int64),
        np.full(2 * variables + 2, END, dtype=np.int64),
        np.full(2 * len(starts), END, dtype=np.int64),
        np.zeros(1, dtype=np.int64),
    )


def _follow_in_lists(memory: Memory, given: int, most_steps: int) -> int:
    """Follow the lemmas in Python, where lists are faster than arrays."""
    return follow(tuple(part.tolist() for part in memory), given, most_steps)


@cache
def _compile() -> Callable[[Memory, int, int], int]:
    """Return `follow` for arrays, some hundred times faster; raise an ImportError without numba."""
    from numba.extending import register_jitable

    from samapprox.support.jit import compiled

    register_jitable(propagate)
    register_jitable(_watch_two)
    return compiled(follow)


def follow(memory: Memory, given: int, most_steps: int) -> int:
    """Return the first lemma that does not follow, `FOUNDED` if all do, or `EXCEEDED`.

    `given`: the number of clauses in front of the lemmas.
    """
    codes, starts, true, trail, _, _, steps = memory
    size = 0
    for clause in range(len(starts) - 1):
        begin, end = starts[clause], starts[clause + 1]
        steps[0] += end - begin
        if steps[0] > most_steps:
            return EXCEEDED
        if clause >= given:
            mark = size
            holds = False
            for at in range(begin, end):  # deny the lemma
                if true[codes[at]]:
                    holds = True
                    break
                if not true[codes[at] ^ 1]:
                    true[codes[at] ^ 1] = True
                    trail[size] = codes[at] ^ 1
                    size += 1
            if not holds:
                size, holds = propagate(memory, mark, size)
            for at in range(mark, size):
                true[trail[at]] = False
            size = mark
            if not holds:
                return clause - given
        free = _watch_two(memory, clause)
        if free == 0:
            return FOUNDED
        if free == 1 and not true[codes[begin]]:
            true[codes[begin]] = True
            trail[size] = codes[begin]
            size, conflict = propagate(memory, size, size + 1)
            if conflict:
                return FOUNDED
    return len(starts) - 1 - given


def _watch_two(memory: Memory, clause: int) -> int:
    """Watch two literals that are not false, as far as there are any; return their number."""
    codes, starts, true, _, heads, links, _ = memory
    begin, end = starts[clause], starts[clause + 1]
    free = 0
    for at in range(begin, end):
        if not true[codes[at] ^ 1]:
            codes[begin + free], codes[at] = codes[at], codes[begin + free]
            free += 1
            if free == 2:
                break
    for place in range(min(2, end - begin)):
        literal = codes[begin + place]
        links[2 * clause + place] = heads[literal]
        heads[literal] = 2 * clause + place
    return free


def propagate(memory: Memory, first: int, size: int) -> tuple[int, bool]:
    """Make true what the trail from `first` to `size` forces; whether that contradicts itself."""
    codes, starts, true, trail, heads, links, steps = memory
    looked = 0
    while first < size:
        falsified = trail[first] ^ 1
        first += 1
        before = END
        watch = heads[falsified]
        while watch != END:
            following = links[watch]
            clause, place = watch >> 1, watch & 1
            begin, end = starts[clause], starts[clause + 1]
            looked += 1
            other = codes[begin + 1 - place] if end - begin > 1 else falsified
            if other != falsified and true[other]:
                before, watch = watch, following
                continue
            for at in range(begin + 2, end):
                literal = codes[at]
                if not true[literal ^ 1]:
                    looked += at - begin
                    codes[begin + place], codes[at] = literal, falsified
                    if before == END:
                        heads[falsified] = following
                    else:
                        links[before] = following
                    links[watch] = heads[literal]
                    heads[literal] = watch
                    break
            else:
                looked += end - begin
                if other == falsified or true[other ^ 1]:
                    steps[0] += looked
                    return size, True
                true[other] = True
                trail[size] = other
                size += 1
                before = watch
            watch = following
    steps[0] += looked
    return size, False


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
            return f"lemma {number} names a variable beyond the {variables} that exist"
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
