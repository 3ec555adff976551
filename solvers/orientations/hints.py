"""The steps of a refutation, lemma by lemma, as LRAT proofs state them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from samapprox.solvers.orientations.trim import MOST_STEPS, flatten

__all__ = ["Hinted", "find_hints"]

Numbers = NDArray[np.int64]


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
