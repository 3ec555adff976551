"""SAT on the few elements that are hardest for a numeric search."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

import numpy as np
from numpy.typing import NDArray

from samapprox.problem import Problem
from samapprox.proofs.base import Proof, Side
from samapprox.proofs.refutations.orientation_clauses import sign_matrix
from samapprox.solvers.embeddings.projections import Approach
from samapprox.solvers.engine.search import Search, shared_tokens, too_large
from samapprox.solvers.orientations.cores import Core, most_elements
from samapprox.solvers.orientations.minimal_cores import minimal
from samapprox.support.arrays import Floats
from samapprox.support.text import plural

NAME = "hard-part"

Elements = NDArray[np.int64]
"""Numbers of elements, ascending."""

_MOST_CELLS = 100_000  # larger patterns take too long for a numeric search on every part
_MOST_RANK = 10  # larger ranks lead to too many clauses
_STARTS = 4  # starts of each search for an embedding
# Steps of each start at first, and the factor by which they grow to make sure.
_STEPS, _LONGER = 1_000, 8
# Share of the elements that may go at once, and its factor after a failure.
_SHARE, _LESS = 0.3, 0.7
# Relations among the elements of a part: in a short turn, and for each second of a long one.
_RELATIONS, _RELATIONS_A_SECOND = 60_000, 120_000
# The number of times that an element was wrong is multiplied by a random factor between these.
_CHANCE = (0.6, 1.4)
_CHOOSING = 5.0  # seconds for a choice of elements, or what is left of the turn
_REFUTING = 30.0  # seconds beyond the turn for refuting a part, and for making it minimal


def applies(problem: Problem) -> str | None:
    """Return the reason why the strategy does not apply, or None."""
    if problem.d + 1 > _MOST_RANK:
        return f"rank {problem.d + 1} leads to too many clauses"
    return shared_tokens(problem) or too_large(problem, _MOST_CELLS)


def find_proof(problem: Problem, search: Search) -> Proof | str:
    """Leave out elements until no embedding of the rest is found; refute the rest by SAT.

    The numeric search need not be right: if a part that it fails to embed has an embedding, SAT
    finds orientations. For so few elements, all Grassmann-Pluecker relations count.
    """
    entries, rank = problem.pattern.to_array(), problem.d + 1
    most = most_elements(rank, max(_RELATIONS, _RELATIONS_A_SECOND * search.remaining))
    rng = np.random.RandomState(search.seed)
    sides: tuple[Side, ...] = ("columns", "rows")
    hard = 0
    for turn in count(int(rng.randint(2))):
        if search.out_of_time:
            break
        side = sides[turn % 2]
        core = choose_core(problem.d, entries, side, most, rng, search, (_STEPS, _LONGER))
        if core is None:
            continue
        hard += 1
        proven = minimal(core, search.extend(_REFUTING))
        if proven is not None:
            return proven.proof()
    return f"consistent orientations exist for {plural(hard, 'part')} that resisted embedding"


def choose_core(
    d: int,
    entries: NDArray[np.int8],
    side: Side,
    most: int,
    rng: np.random.RandomState,
    search: Search,
    pace: tuple[int, int],
) -> Core | None:
    """Choose at most so many elements that a numeric search fails to embed, or None.

    The pace is the steps of each start at first, and the factor by which they grow to make sure.
    """
    signs = sign_matrix(entries, side).astype(np.float64)
    # A choice that is broken off is of no use.
    longer = search.extend(max(_CHOOSING, search.remaining))
    part = _HardPart(signs, d + 1, rng, longer, pace, extra=side == "rows").choose(most)
    return None if part is None else Core.of(d, entries, side, part.tolist(), relations=True)


@dataclass(frozen=True, slots=True, eq=False)
class _HardPart:
    """Numeric searches on fewer and fewer elements of a sign matrix."""

    signs: Floats
    rank: int
    rng: np.random.RandomState
    search: Search
    pace: tuple[int, int]
    extra: bool  # whether element 0 is the extra query, which stays

    def choose(self, most: int) -> Elements | None:
        """Choose at most so many elements that no search embeds, ascending, or None.

        Elements are left out, those first that are seldom wrong, as long as the rest is not
        embedded. The last part is tried for longer. If it has an embedding after all, the search
        returns to the last larger part without one, and leaves out others. It takes a few numeric
        searches for each part, O(covectors elements r) a step.
        """
        parts = [np.arange(self.signs.shape[1])]
        first, factor = self.pace
        steps = first
        while parts:
            heat = self._count_wrong(parts[-1], steps)
            if self.search.out_of_time:
                return None
            if heat is None:
                parts.pop()
                continue
            smaller = list(self._shrink(parts[-1], heat, steps))
            parts += smaller
            if len(parts[-1]) > most:
                return None  # longer searches would leave even more
            if not smaller and steps > first:
                return parts[-1]
            steps *= factor
        return None

    def _shrink(self, part: Elements, heat: Floats, steps: int) -> Iterator[Elements]:
        """Yield nested parts of the part that so many steps do not embed."""
        share = _SHARE
        while (going := int(share * len(part))) > 1 and not self.search.out_of_time:
            often = heat * self.rng.uniform(*_CHANCE, size=len(part))
            if self.extra:
                often[0] = np.inf
            rest = part[np.sort(np.argsort(often)[going:])]
            hotter = self._count_wrong(rest, steps)
            if hotter is None:
                share *= _LESS
            else:
                part, heat = rest, hotter
                yield part
        for element in self.rng.permutation(part[int(self.extra) :]):
            rest = part[part != element]
            if self.search.out_of_time:
                return
            if self._count_wrong(rest, steps) is not None:
                part = rest
                yield part

    def _count_wrong(self, part: Elements, steps: int) -> Floats | None:
        """Count how often each element was wrong, unless an embedding of them is found."""
        if len(part) <= self.rank:
            return None
        covectors = np.unique(self.signs[:, part], axis=0)
        heat = np.zeros(len(part))
        for _ in range(_STARTS):
            approach = Approach(covectors, self.rank, self.rng, counts_wrong=True)
            if approach.go(steps, self.search):
                return None
            heat += approach.heat.sum(axis=0)
        return heat
