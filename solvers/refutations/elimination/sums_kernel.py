"""Elimination over GF(2) on sums of sign patterns, in compiled code.

Their faces have no partners: see `samapprox.solvers.refutations.elimination.flow_kernel`.
"""

from __future__ import annotations

from samapprox.solvers.refutations.elimination.elimination_kernel import (
    add_or_keep,
    cancel_pairs,
    push,
)
from samapprox.support.arrays import Flags, Numbers, Places
from samapprox.support.jit import compiled


@compiled
def reduce(
    columns: Numbers,
    bounds: Numbers,
    odd: Flags,
    heap: Numbers,
    state: Numbers,
    keys: Numbers,
    values: Places,
    rows: Numbers,
    starts: Numbers,
    sums: Places,
    sum_starts: Numbers,
    origins: Numbers,
    parities: Flags,
    steps: int,
) -> bool:
    """Reduce columns until a sum of them is odd and has no rows, or for so many steps.

    `columns`, `bounds`: the rows of each column; the order of the rows does not matter. `odd`:
    whether it is odd. `heap`: the column in work, with pairs of rows that cancel. `state`: its
    number; the number of reduced columns; whether it is in the heap; the length of the heap; its
    parity; how many reduced columns were added to it; the length of the longest reduced column.
    """
    read = 0
    while read < steps:
        kept = state[1]
        if state[2] == 0:
            if state[0] == len(bounds) - 1:
                return False
            begin, end = bounds[state[0]], bounds[state[0] + 1]
            if end - begin + state[6] > len(heap):
                state[3] = end - begin
                return False
            for at in range(begin, end):
                push(heap, at - begin, columns[at])
            state[2], state[3], state[4], state[5] = 1, end - begin, odd[state[0]], 0
            read += end - begin
        length, added, begin = state[3], sum_starts[kept] + state[5], starts[kept]
        if length + state[6] > len(heap) or begin + length > len(rows):
            return False
        if added == len(sums) or kept + 2 > len(starts) or 2 * kept + 2 > len(keys):
            return False
        length = cancel_pairs(heap, length)
        state[3] = length
        read += 1
        if length > 0:
            read += add_or_keep(
                heap, state, keys, values, rows, starts, sums, sum_starts, origins, parities
            )
            continue
        state[0] += 1
        state[2] = state[3] = 0
        if state[4]:
            return True
    return False
