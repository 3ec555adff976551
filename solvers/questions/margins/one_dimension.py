"""Margins, few bits and number formats in single dimensions, one after the other."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from samapprox.pattern import Pattern
from samapprox.problem import Problem
from samapprox.proofs.base import Proof
from samapprox.proofs.certificate import Certificate
from samapprox.proofs.embeddings.embedding import Embedding
from samapprox.proofs.margins.unit_embedding import UnitEmbedding
from samapprox.proofs.parts.simplify import Simplification
from samapprox.proofs.questions import Margin
from samapprox.results.margins import DimensionMargin
from samapprox.results.verdict import Status, Verdict
from samapprox.solvers.engine.search import Search
from samapprox.solvers.questions.decide import decide
from samapprox.solvers.questions.margins.ascent import (
    Vectors,
    climb,
    climb_often,
    measure_margin,
    normalize,
    project,
    restrict,
)
from samapprox.solvers.questions.margins.rounding import (
    find_few_bits,
    round_finely,
    round_vectors,
    surviving_formats,
)

__all__ = ["Lifting", "SingleDimensions"]

# The first sharpness where an exact embedding has no margin in floating point.
_SHARPNESS = 640.0
# Seconds for a decision whether d suffices: the rest of the time is for climbs.
_DECIDED = 4.0
# Seconds in which an embedding is written out; with fewer, nothing is decided.
_WRITTEN = 0.5
# Seconds after the limit in which single dimensions still get a first answer.
_GRACE = 0.5


@dataclass(frozen=True, slots=True)
class Lifting:
    """The way back from a simplified pattern to the whole one, for proofs."""

    pattern: Pattern
    simplified: Simplification

    def certify_margin(self, value: Fraction, proof: Proof, d: int | None = None) -> Certificate:
        """Return the certificate of a bound on the margin, in any dimension unless d is given."""
        lifted = proof.lift(self.simplified)
        assert not isinstance(lifted, str)
        question = Margin(self.pattern, value.numerator, value.denominator, d)
        return Certificate.of(question, lifted)

    def certify_dimension(self, d: int, proof: Proof | None) -> Certificate | None:
        """Return the certificate of an answer for dimension d; None if it cannot be lifted."""
        lifted = None if proof is None else proof.lift(self.simplified)
        if lifted is None or isinstance(lifted, str):
            return None
        return Certificate.of(Problem(self.pattern, d), lifted)


class SingleDimensions:
    """Searches in ascending dimensions; each begins with the vectors of the one before.

    `entries` are those of the simplified pattern, and `found` the results so far.
    """

    def __init__(self, lifting: Lifting, entries: NDArray[np.int8], search: Search) -> None:
        assert lifting.simplified.pattern is not None
        self._lifting, self._entries, self._search = lifting, entries, search
        self._simplified = lifting.simplified
        self._smaller: Pattern = lifting.simplified.pattern
        self.found: list[DimensionMargin] = []

    def search(self, d: int, share: float, whole: Vectors | None, *, bits: bool) -> None:
        """Search a large margin in dimension d, and few bits if asked, in a share of the time.

        `whole` are the best vectors of any dimension, if some are known.
        """
        search = self._search.slice(share * self._search.remaining, d)
        if self._search.remaining < -_GRACE:
            self.found.append(DimensionMargin(d))
            return
        verdict = self._decide(d, search)
        if verdict is not None and verdict.status is Status.NO:
            no = self._lifting.certify_dimension(d, verdict.proof)
            self.found.append(DimensionMargin(d, no=no))
            return
        exact = None if verdict is None else verdict.proof
        candidates = self._candidates(d, exact, whole, search)
        best = max(candidates, key=lambda found: measure_margin(self._entries, found.logits))
        value, proof = round_vectors(self._entries, best)
        yes = self._lifting.certify_margin(value, proof, d) if value > 0 else None
        found = DimensionMargin(d, yes)
        if bits and yes is not None:
            found = self._with_bits(found, candidates)
        self.found.append(found)

    def _decide(self, d: int, search: Search) -> Verdict | None:
        """Decide shortly whether d suffices, unless a smaller dimension does."""
        seconds = min(search.remaining / 2, _DECIDED)
        if seconds < _WRITTEN or any(each.found for each in self.found):
            return None
        return decide(self._smaller, d, time_limit=seconds, seed=self._search.seed)

    def _candidates(
        self, d: int, exact: Proof | None, whole: Vectors | None, search: Search
    ) -> list[Vectors]:
        """Find vectors in dimension d by climbs, and from an exact embedding if these find none."""
        starts = [] if whole is None else [project(whole, d)]
        previous = self.found[-1].yes if self.found else None
        if previous is not None and isinstance(previous.proof, UnitEmbedding):
            start = restrict(previous.proof, self._simplified, d)
            assert start is not None
            starts.append(start)
        found = [climb_often(self._entries, d, search, starts)]
        if measure_margin(self._entries, found[0].logits) > 0:
            return found
        if isinstance(exact, Embedding) and (start := normalize(exact, d)):
            least = measure_margin(self._entries, start.logits)
            sharpness = 1 / least if least > 0 else _SHARPNESS
            found += [start, climb(self._entries, start, search, min(sharpness, 1e9))]
        return found

    def _with_bits(self, found: DimensionMargin, candidates: list[Vectors]) -> DimensionMargin:
        """Add the fewest bits and the formats for which an embedding was found."""
        from samapprox.precision import EMBEDDING_FORMATS

        whole = [
            embedding
            for vectors in candidates
            for embedding in round_finely(self._smaller, vectors)
        ]
        fewest = find_few_bits(self._smaller, candidates)
        certificate = None
        if fewest is not None:
            whole.append(fewest[1])
            certificate = self._lifting.certify_dimension(found.d, fewest[1])
        return replace(
            found,
            embedding=certificate,
            bits=None if fewest is None else fewest[0],
            formats=surviving_formats(self._smaller, whole, EMBEDDING_FORMATS),
        )
