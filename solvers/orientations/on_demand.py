"""Orientations that satisfy clauses and all relations, which enter as a model violates them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import NDArray

from samapprox.proofs.checks.orientation_clauses import Clauses, relation_clauses
from samapprox.solvers.backends.sat import Lemmas, Sat
from samapprox.solvers.orientations.contractions import Contractions
from samapprox.solvers.orientations.implicates import MOST_WIDTH, PrimeImplicates, derive
from samapprox.solvers.orientations.trim import trim
from samapprox.solvers.search import Search

__all__ = ["Chi", "Contradiction", "orient"]

_FEW = 20_000  # clauses, up to which loading compiled code takes longer than it saves
_AT_ONCE = 4_096  # clauses that are made lists
_MOST_A_ROUND = 2_000  # relations that are added for one model

Chi = NDArray[np.int8]
"""Orientations by variable: +1 or -1; place 0 is 0 and belongs to no variable."""


@dataclass(frozen=True, slots=True, eq=False)
class Contradiction:
    """Clauses and relations that no orientations satisfy, with a refutation of them.

    Attributes
    ----------
    circuits : ndarray of int64
        Which of the circuits' clauses are among them, ascending.
    relations : ndarray of int64
        Places in `three_term_relations`, ascending.
    lemmas : Lemmas
    """

    circuits: NDArray[np.int64]
    relations: NDArray[np.int64]
    lemmas: Lemmas


def orient(
    circuits: Clauses,
    others: Sequence[Clauses],
    elements: int,
    rank: int,
    search: Search,
    *,
    relations: bool = True,
) -> Chi | Contradiction | None:
    """Find orientations that satisfy everything, or what contradicts itself; None if time is up.

    Parameters
    ----------
    circuits : Clauses
        As from `circuit_clauses`.
    others : sequence of Clauses
        Further ones.
    elements, rank : int
        N and r.
    search : Search
    relations : bool
        Whether the Grassmann-Pluecker relations must hold as well.

    Notes
    -----
    Few of the relations matter: the solver starts without any, and for each model receives one of
    those that it violates for each (r-2)-subset. What it has learned stays. Where the circuits have
    many clauses, the solver receives their prime implicates, and the refutation begins with a
    derivation of those that it uses; long refutations are trimmed.

    Examples
    --------
    >>> from samapprox.proofs.checks.orientation_clauses import circuit_clauses
    >>> signs = np.array([[1, 1, 1, 1], [1, -1, 1, 1], [1, 1, -1, 1]], dtype=np.int8)
    >>> chi = orient(circuit_clauses(signs, 2), [], 4, 2, Search())
    >>> chi.shape
    (7,)
    >>> signs = np.vstack([signs, [1, 1, 1, -1]]).astype(np.int8)
    >>> type(orient(circuit_clauses(signs, 2), [], 4, 2, Search())).__name__
    'Contradiction'
    """
    rng = np.random.RandomState(0)
    contractions = Contractions(elements, rank) if relations and elements >= rank + 2 else None
    added = np.empty(0, dtype=np.int64)
    shorten = len(circuits) >= _FEW and rank < MOST_WIDTH
    implicates = PrimeImplicates.of(circuits) if shorten else None
    shortened = [circuits] if implicates is None else implicates.blocks
    with Sat(search, proof=True) as sat:
        sat.add(_listed([*others, *shortened]))
        while (answer := sat.solve()) is not None:
            if not answer:
                lemmas = sat.lemmas
                break
            chi = np.full(1 + comb(elements, rank), -1, dtype=np.int8)
            chi[list(sat.true)] = 1
            chi[0] = 0
            if contractions is None:
                return chi
            more = contractions.violated(chi, rng, _MOST_A_ROUND)
            if not len(more):
                return chi
            sat.add(_listed([relation_clauses(elements, rank, more.tolist())]))
            added = np.union1d(added, more)
        else:
            return None
    if len(circuits) + sum(map(len, others)) < _FEW:
        return Contradiction(np.arange(len(circuits)), added, lemmas)
    if implicates is not None:
        lemmas = _without_implicates(implicates, others, added, lemmas, elements, rank)
    of_relations = relation_clauses(elements, rank, added.tolist())
    (*_, needed, used), lemmas = trim([*others, circuits, of_relations], lemmas)
    # The clauses of a relation stand as many apart as there are relations among them.
    return Contradiction(needed, added[np.unique(used % max(1, len(added)))], lemmas)


def _without_implicates(
    implicates: PrimeImplicates,
    others: Sequence[Clauses],
    relations: NDArray[np.int64],
    lemmas: Lemmas,
    elements: int,
    rank: int,
) -> Lemmas:
    """Derive the implicates that a refutation uses at its beginning."""
    of_relations = relation_clauses(elements, rank, relations.tolist())
    used, lemmas = trim([*others, of_relations, *implicates.blocks], lemmas)
    numbers = [
        which[mine] for which, mine in zip(implicates.places, used[len(others) + 1 :], strict=True)
    ]
    return [*derive(implicates, np.concatenate(numbers)), *lemmas]


def _listed(blocks: Sequence[Clauses]) -> Iterator[list[int]]:
    """Yield all clauses, some at a time: millions of lists at once are slow."""
    for block in blocks:
        for at in range(0, len(block), _AT_ONCE):
            yield from block[at : at + _AT_ONCE].tolist()
