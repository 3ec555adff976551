"""The clauses that a refutation uses and its hints, traced back from the contradiction, compiled.

The checker has unit propagation of its own, forwards and without reasons, and takes nothing from
here. Literals and watches are as in `samapprox.proofs.refutations.propagation`.
"""

from __future__ import annotations

import numpy as np

from samapprox.support.arrays import Flags, Numbers
from samapprox.support.jit import compiled

_END = -1  # ends a linked list
_NONE = -1  # stands for no clause


@compiled
def trace_hints(
    codes: Numbers, starts: Numbers, given: int, variables: int, most_steps: int, record: bool
) -> tuple[Flags, bool, Numbers, Numbers]:
    """Mark the clauses and lemmas that a refutation uses, and record how each lemma follows.

    Lemmas come last. All are marked if some lemma does not follow, or after too many steps, which
    the second result says. The hints of a lemma are clauses: with the lemma denied, each but the
    last forces one literal, and the last is false. It takes unit propagation for each lemma that is
    needed, from the clauses before it: O(size of the clauses) a lemma at worst.

    Heule, Hunt, Wetzler (2013), "Trimming while checking clausal proofs".
    """
    count = len(starts) - 1
    mine = np.zeros(count, dtype=np.bool_)
    true = np.zeros(2 * variables + 2, dtype=np.bool_)
    seen = np.zeros(variables + 1, dtype=np.bool_)
    trail = np.zeros(variables + 1, dtype=np.int64)
    reasons = np.full(variables + 1, _NONE, dtype=np.int64)
    heads = np.full(2 * variables + 2, _END, dtype=np.int64)
    links = np.full(2 * count, _END, dtype=np.int64)
    chain = np.empty(variables + 1, dtype=np.int64)
    hints = np.empty(1024, dtype=np.int64)
    spans = np.zeros((count - given + 1, 2), dtype=np.int64)
    recorded = 0
    _watch(codes, starts, heads, links)
    units = np.flatnonzero(starts[1:] - starts[:-1] == 1)
    steps = np.zeros(1, dtype=np.int64)
    for lemma in range(count, given - 1, -1):  # the first is the empty clause, understood
        if lemma < count and not mine[lemma]:
            continue
        size, conflict = 0, _NONE
        for at in range(starts[lemma], starts[lemma + 1]) if lemma < count else range(0):
            literal = codes[at] ^ 1
            if not true[literal]:
                size = _assign(literal, _NONE, true, trail, reasons, size)
        for unit in units:
            if unit >= lemma or conflict != _NONE:
                break
            literal = codes[starts[unit]]
            if true[literal ^ 1]:
                conflict = int(unit)
            elif not true[literal]:
                size = _assign(literal, int(unit), true, trail, reasons, size)
        if conflict == _NONE:
            size, conflict = _propagate(
                codes, starts, true, trail, reasons, heads, links, steps, lemma, size
            )
        if conflict == _NONE or steps[0] > most_steps:
            everything, nothing = np.ones(count, dtype=np.bool_), np.zeros_like(spans)
            return everything, conflict != _NONE, hints[:0], nothing
        length = _follow(codes, starts, trail, reasons, seen, mine, chain, conflict, size)
        for at in range(size):
            true[trail[at]] = False
        if record:
            if recorded + length > len(hints):
                hints = np.concatenate((hints, np.empty(len(hints) + length, dtype=np.int64)))
            spans[lemma - given, 0] = recorded
            for at in range(length - 1, -1, -1):
                hints[recorded] = chain[at]
                recorded += 1
            spans[lemma - given, 1] = recorded
    return mine, False, hints[:recorded], spans


@compiled
def _watch(codes: Numbers, starts: Numbers, heads: Numbers, links: Numbers) -> None:
    """Let every clause watch its first two literals."""
    for clause in range(len(starts) - 1):
        for watch in range(min(2, starts[clause + 1] - starts[clause])):
            literal = codes[starts[clause] + watch]
            links[2 * clause + watch] = heads[literal]
            heads[literal] = 2 * clause + watch


@compiled
def _assign(
    literal: int, reason: int, true: Flags, trail: Numbers, reasons: Numbers, size: int
) -> int:
    """Make a literal true for a reason; the size of the trail."""
    true[literal] = True
    reasons[literal >> 1] = reason
    trail[size] = literal
    return size + 1


@compiled
def _propagate(
    codes: Numbers,
    starts: Numbers,
    true: Flags,
    trail: Numbers,
    reasons: Numbers,
    heads: Numbers,
    links: Numbers,
    steps: Numbers,
    limit: int,
    size: int,
) -> tuple[int, int]:
    """Make true what the trail forces by clauses before the limit; its size, and a false clause."""
    first = 0
    while first < size:
        falsified = trail[first] ^ 1
        first += 1
        before = _END
        watch = heads[falsified]
        while watch != _END:
            following = links[watch]
            steps[0] += 1
            clause, place = watch >> 1, watch & 1
            begin, end = starts[clause], starts[clause + 1]
            if clause >= limit or end - begin == 1:
                before, watch = watch, following
                continue
            other = codes[begin + 1 - place]
            if true[other]:
                before, watch = watch, following
                continue
            found = False
            for at in range(begin + 2, end):
                literal = codes[at]
                if not true[literal ^ 1]:
                    codes[begin + place], codes[at] = literal, falsified
                    if before == _END:
                        heads[falsified] = following
                    else:
                        links[before] = following
                    links[watch] = heads[literal]
                    heads[literal] = watch
                    found = True
                    break
            if not found:
                if true[other ^ 1]:
                    return size, clause
                size = _assign(other, clause, true, trail, reasons, size)
                before = watch
            watch = following
    return size, _NONE


@compiled
def _follow(
    codes: Numbers,
    starts: Numbers,
    trail: Numbers,
    reasons: Numbers,
    seen: Flags,
    mine: Flags,
    chain: Numbers,
    conflict: int,
    size: int,
) -> int:
    """Mark the clauses that led to a conflict; list them in the chain, the last one first."""
    mine[conflict] = True
    chain[0] = conflict
    length = 1
    for at in range(starts[conflict], starts[conflict + 1]):
        seen[codes[at] >> 1] = True
    for place in range(size - 1, -1, -1):
        variable = trail[place] >> 1
        if not seen[variable]:
            continue
        seen[variable] = False
        reason = reasons[variable]
        if reason != _NONE:
            mine[reason] = True
            chain[length] = reason
            length += 1
            for at in range(starts[reason], starts[reason + 1]):
                if codes[at] >> 1 != variable:
                    seen[codes[at] >> 1] = True
    return length
