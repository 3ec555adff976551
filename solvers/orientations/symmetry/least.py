"""Refutations of the least orientations: relations, symmetries and final polynomials in turn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import compress
from math import comb

import numpy as np
from numpy.typing import NDArray

from samapprox.proofs.checks.orientation_clauses import (
    CLAUSES_A_RELATION,
    Clauses,
    circuit_clauses,
    relation_clauses,
)
from samapprox.proofs.kinds.chirotope import Chirotope
from samapprox.proofs.kinds.final_polynomial import FinalPolynomial
from samapprox.solvers.backends.sat import Sat, list_clauses, refutation
from samapprox.solvers.engine.search import Search
from samapprox.solvers.orientations.biquadratic import final_polynomial, least_elements
from samapprox.solvers.orientations.cores import Core
from samapprox.solvers.orientations.realising.small_parts import final_polynomial_of_part
from samapprox.solvers.orientations.symmetry.breaking import Breaker, BrokenClause, Images
from samapprox.solvers.orientations.symmetry.polynomials import move
from samapprox.solvers.orientations.trim import affordable_steps, trim
from samapprox.support.plural import plural

__all__ = ["refute_least"]

_MOST_AT_ONCE = 16  # clauses that a model gives
_MOST_POLYNOMIALS = 200  # with their images, some 200 MB


def refute_least(core: Core, breaker: Breaker, search: Search) -> Chirotope | str:
    """Refute all orientations of a core that are least among their images, or say why that fails.

    A model of the clauses of circuits and relations that exceeds one of its images gives clauses
    against that; one that is the least of its images gives a final polynomial. So each kind of
    orientations is refuted once, not once for each of its images. Final polynomials on few elements
    are cheaper than models: they are tried on every model, and their images are added as well.
    """
    rank, elements = core.d + 1, core.signs.shape[1]
    rng = np.random.RandomState(search.seed % (1 << 32))
    clauses = _Clauses.of(core)
    answer: bool | None = None
    with Sat(search) as sat:
        sat.add(list_clauses(clauses.blocks(), search))
        while len(clauses.polynomials) < _MOST_POLYNOMIALS and (answer := sat.solve()):
            positive = np.zeros(comb(elements, rank), dtype=np.bool_)
            positive[[variable - 1 for variable in sat.true]] = True
            broken = breaker.violated(positive, _MOST_AT_ONCE)
            sat.add([clause.literals for clause in broken])
            clauses.broken += broken
            polynomial = None
            signs = np.where(positive, 1, -1).astype(np.int8)
            if elements > least_elements(rank):
                doubtful = rng.random_sample((elements,))
                polynomial = final_polynomial_of_part(signs, doubtful, rank, rng, search)
            if polynomial is not None:
                images = breaker.images(polynomial.clause)
            elif broken:
                continue
            else:
                polynomial = final_polynomial(np.append(np.int8(0), signs), elements, rank, search)
                if polynomial is None:
                    break
                images = Images(np.array([polynomial.clause], dtype=np.int32), np.zeros(1, int))
            sat.add(images.literals.tolist())
            clauses.polynomials.append((polynomial, images))
    if answer is False:
        return clauses.proof(core, breaker, search) or "no time left for the refutation"
    found = plural(len(clauses.polynomials), "final polynomial")
    if search.out_of_time:
        return f"no time left after {found}"
    if len(clauses.polynomials) == _MOST_POLYNOMIALS:
        return f"{found} do not refute the orientations of {plural(elements, 'element')}"
    return f"after {found}, it found orientations of {plural(elements, 'element')} without one"


@dataclass(slots=True)
class _Clauses:
    """The clauses of a core, and those that models gave."""

    circuits: Clauses
    relations: Clauses
    broken: list[BrokenClause] = field(default_factory=list)
    polynomials: list[tuple[FinalPolynomial, Images]] = field(default_factory=list)

    @classmethod
    def of(cls, core: Core) -> _Clauses:
        """Return the clauses of circuits and of all relations."""
        signs, rank = core.signs, core.d + 1
        return cls(circuit_clauses(signs, rank), relation_clauses(signs.shape[1], rank))

    def blocks(self) -> list[Clauses]:
        """Return all clauses, those of one origin after the other."""
        broken = [each.literals for each in self.broken]
        singles = [np.array([literals], dtype=np.int32) for literals in [(1,), *broken]]
        images = [images.literals for _, images in self.polynomials]
        return [self.circuits, self.relations, *singles, *images]

    def proof(self, core: Core, breaker: Breaker, search: Search) -> Chirotope | None:
        """Return a proof with what a refutation uses; None if time is up."""
        lemmas = refutation(list_clauses(self.blocks(), search), search)
        if lemmas is None:
            return None
        trimmed = trim(self.blocks(), lemmas, affordable_steps(search))
        if trimmed is None:
            return None
        (_, of_relations, _, *of_learnt), lemmas = trimmed
        used = [len(each) > 0 for each in of_learnt]
        count = len(self.relations) // CLAUSES_A_RELATION
        return Chirotope(
            core.d,
            core.rows,
            core.columns,
            core.side,
            np.unique(of_relations % max(1, count)).tolist(),
            lemmas,
            list(self._used_polynomials(of_learnt[len(self.broken) :], breaker)),
            breaker.symmetry(compress(self.broken, used)),
        )

    def _used_polynomials(
        self, used: Sequence[NDArray[np.int64]], breaker: Breaker
    ) -> Iterator[FinalPolynomial]:
        """Yield the images of polynomials whose clauses are used."""
        for (polynomial, images), places in zip(self.polynomials, used, strict=True):
            for place in places.tolist():
                permutation = breaker.permutation(int(images.automorphisms[place]))
                yield move(polynomial, (-images.literals[place]).tolist(), permutation)
