"""Refutations trimmed to the clauses and lemmas that they need, and the steps of each lemma."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np
from numpy.typing import NDArray

from samapprox.solvers.engine.backends import Lemmas
from samapprox.solvers.engine.search import Search
from samapprox.support.arrays import Numbers

MOST_STEPS = 1 << 62
"""More than any refutation takes."""

_STEPS_A_SECOND = 100_000_000  # steps of unit propagation in a second, roughly

Trimmed = tuple[list[Numbers], Lemmas]
"""The numbers of the used clauses in each block, and the used lemmas."""


@overload
def trim(blocks: Sequence[NDArray[np.integer]], lemmas: Lemmas) -> Trimmed: ...


@overload
def trim(
    blocks: Sequence[NDArray[np.integer]], lemmas: Lemmas, most_steps: int
) -> Trimmed | None: ...


def trim(
    blocks: Sequence[NDArray[np.integer]], lemmas: Lemmas, most_steps: int = MOST_STEPS
) -> Trimmed | None:
    """Trim a refutation to the clauses and lemmas that it uses; None if that takes too long.

    Unit propagation for each lemma that is needed.

    Heule, Hunt, Wetzler (2013), "Trimming while checking clausal proofs".
    """
    from samapprox.solvers.orientations.needed_kernel import trace_hints

    codes, starts, given, variables = flatten(blocks, lemmas)
    kept, exceeded, *_ = trace_hints(codes, starts, given, variables, most_steps, False)
    if exceeded:
        return None
    of_blocks = np.split(kept, np.cumsum([len(block) for block in blocks]))
    used = [np.flatnonzero(mine) for mine in of_blocks[:-1]]
    return used, [lemma for lemma, mine in zip(lemmas, of_blocks[-1], strict=True) if mine]


def affordable_steps(search: Search) -> int:
    """Return how many steps of unit propagation the time that is left allows."""
    return int(_STEPS_A_SECOND * min(1e6, max(0.0, search.remaining)))


def flatten(
    blocks: Sequence[NDArray[np.integer]], lemmas: Sequence[Sequence[int]]
) -> tuple[Numbers, Numbers, int, int]:
    """Return clauses and lemmas as `samapprox.solvers.orientations.needed_kernel` takes them."""
    widths = [np.full(len(block), block.shape[1], dtype=np.int64) for block in blocks]
    widths.append(np.array([len(lemma) for lemma in lemmas], dtype=np.int64))
    parts = [block.ravel().astype(np.int64) for block in blocks]
    parts.append(np.array([literal for lemma in lemmas for literal in lemma], dtype=np.int64))
    literals = np.concatenate(parts)
    starts = np.append(0, np.cumsum(np.concatenate(widths)))
    given, variables = sum(map(len, blocks)), int(np.abs(literals).max(initial=0))
    return 2 * np.abs(literals) + (literals < 0), starts, given, variables


@dataclass(frozen=True, slots=True, eq=False)
class Hinted:
    """The used clauses and lemmas of a refutation, with the steps of every lemma."""

    used: list[Numbers]  # of each block, which of its clauses are used, ascending
    lemmas: list[tuple[int, ...]]  # the used lemmas in order; the last one is the empty clause
    # The steps of each lemma. Used clauses count from 1, and the lemmas continue the count. With
    # the lemma denied, every step but the last forces one literal, and the last is false.
    hints: list[Numbers]


def find_hints(
    blocks: Sequence[NDArray[np.integer]], lemmas: Sequence[Sequence[int]]
) -> Hinted | None:
    """Find the steps of a refutation by unit propagation, and leave out all that none needs.

    Cost as of `samapprox.solvers.orientations.trim.trim`.

    Cruz-Filipe, Heule, Hunt, Kaufmann, Schneider-Kamp (2017), "Efficient certified RAT
    verification", for LRAT.
    """
    from samapprox.solvers.orientations.needed_kernel import trace_hints

    distinct = [tuple(dict.fromkeys(lemma)) for lemma in lemmas]
    # A lemma with a literal and its opposite is true, so no step needs it.
    sound = [lemma for lemma in distinct if set(lemma).isdisjoint(-literal for literal in lemma)]
    codes, starts, given, variables = flatten(blocks, sound)
    needed, _, hints, spans = trace_hints(codes, starts, given, variables, MOST_STEPS, True)
    if not len(hints):
        return None
    number = np.cumsum(needed, dtype=np.int64)
    of_blocks = np.split(needed, np.cumsum([len(block) for block in blocks]))
    used = [np.flatnonzero(mine) for mine in of_blocks]
    kept = [*used.pop().tolist(), len(sound)]
    sound.append(())
    return Hinted(
        used,
        [sound[lemma] for lemma in kept],
        [number[hints[start:stop]] for start, stop in spans[kept].tolist()],
    )
