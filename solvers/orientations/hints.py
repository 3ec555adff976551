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
    """The used clauses and lemmas of a refutation, with the steps of every lemma.

    Attributes
    ----------
    used : list of ndarray of int64
        Of each block, which of its clauses are used, ascending.
    lemmas : list of tuple of int
        The used lemmas in order; the last one is the empty clause.
    hints : list of ndarray of int64
        The steps of each lemma. Used clauses count from 1, and the lemmas continue the count. With
        the lemma denied, every step but the last forces one literal, and the last is false.

    Examples
    --------
    >>> clauses = np.array([[1, 2], [3, 4], [-1, 2], [1, -2], [-1, -2]])
    >>> hinted = find_hints([clauses], [(2,)])
    >>> hinted.used[0].tolist(), hinted.lemmas, [steps.tolist() for steps in hinted.hints]
    ([0, 2, 3, 4], [(2,), ()], [[2, 1], [5, 4, 3]])
    """

    used: list[Numbers]
    lemmas: list[tuple[int, ...]]
    hints: list[Numbers]


def find_hints(
    blocks: Sequence[NDArray[np.integer]], lemmas: Sequence[Sequence[int]]
) -> Hinted | None:
    """Find the steps of a refutation by unit propagation, and leave out all that none needs.

    Parameters
    ----------
    blocks : sequence of ndarray of int, shapes (clauses, literals)
        DIMACS literals, no variable twice in a clause.
    lemmas : sequence of clauses
        Each follows by unit propagation from all before it; the empty clause is understood.

    Returns
    -------
    Hinted or None
        None if some lemma does not follow.

    Notes
    -----
    Cost as of `samapprox.solvers.orientations.trim.trim`.

    References
    ----------
    Cruz-Filipe, Heule, Hunt, Kaufmann, Schneider-Kamp (2017), "Efficient certified RAT
    verification", for LRAT.

    Examples
    --------
    >>> find_hints([np.array([[1, 2], [-1, 2]])], [(2,)]) is None
    True
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
