"""Margins, few bits and number formats in single dimensions, one after the other."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

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
from samapprox.results import Status
from samapprox.results.margins import DimensionMargin
from samapprox.solvers.engine.search import Search
from samapprox.solvers.questions.decide import decide
from samapprox.solvers.questions.margins.ascent import (
    FAST,
    SLOW,
    Pace,
    Vectors,
    climb,
    measure_margin,
)
from samapprox.solvers.questions.margins.ceilings import Ceilings
from samapprox.solvers.questions.margins.linear_steps import (
    climb_linearly,
    fill_ball,
    fill_box,
    widen,
)
from samapprox.solvers.questions.margins.rounding import (
    find_few_bits,
    represents,
    round_finely,
    round_vectors,
    surviving_formats,
)
from samapprox.solvers.questions.margins.starts import CircleOfKeys, list_starts, vectors_of
from samapprox.solvers.questions.margins.straight_through import descend
from samapprox.support.limits import search_clock

# The first sharpness where an exact embedding has no margin in floating point, and the largest.
_SHARPNESS, _SHARPEST = 640.0, 1e9
# Margins that only linear programs raise.
_TINY = 1e-3
# Seconds for a decision whether d suffices, and its part of the time: the rest is for climbs.
_DECIDED, _DECISIONS = 4.0, 4
# Seconds in which an embedding is written out; with fewer, nothing is decided.
_WRITTEN = 0.2
# Seconds after the limit in which single dimensions still get a first answer.
_GRACE = 0.5
# Searches in each dimension; those in a row that gain little, and the relative gain that counts.
_TURNS, _IN_VAIN, _GAIN = 16, 6, 0.002
# A dimension's share of the time after a search in vain, relative to before.
_LESS = 0.5
# The time of a slow climb relative to a fast one with as many steps for each sharpness.
_FINER = 1.7


@dataclass(frozen=True, slots=True)
class Lifting:
    """The way back from a simplified pattern to the whole one, for proofs."""

    pattern: Pattern
    simplified: Simplification

    @property
    def unturned(self) -> Lifting:
        """The same without complements of rows: packings are about the ones that rows have."""
        return Lifting(self.pattern, self.simplified.unturned())

    @property
    def ceilings(self) -> Ceilings:
        """The bounds in single dimensions, for the simplified pattern."""
        assert self.simplified.pattern is not None
        return Ceilings(self.simplified.pattern.to_array())

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


class _Dimension:
    """The state of one dimension: the best vectors, or a refutation."""

    def __init__(self, d: int) -> None:
        self.d = d
        self.vectors: Vectors | None = None
        self.margin = 0.0
        self.exact: Certificate | None = None  # an embedding, which may have no margin in floats
        self.decided: Vectors | None = None  # its vectors, for the case that no climb finds any
        self.no: Certificate | None = None
        self.ceiling: tuple[Fraction, Proof] | None = None
        self.starts: Iterator[Vectors] = iter(())
        self.turns = 0  # searches
        self.seconds = 0.0  # that the first one took
        self.in_vain = 0  # those since the last one that gained much

    @property
    def weight(self) -> float:
        """Its share of the time: less after searches in vain."""
        return float(_LESS**self.in_vain)


class SingleDimensions:
    """Searches in several dimensions that help each other.

    `entries` are those of the simplified pattern. Each dimension gets an answer soon, and then
    longer and longer searches in turn.
    """

    def __init__(
        self,
        lifting: Lifting,
        entries: NDArray[np.int8],
        search: Search,
        dimensions: Sequence[int],
    ) -> None:
        assert lifting.simplified.pattern is not None
        self._lifting, self._entries, self._search = lifting, entries, search
        self._smaller: Pattern = lifting.simplified.pattern
        self._unturned = lifting.unturned
        self._ceilings = self._unturned.ceilings
        self._all = [_Dimension(d) for d in dimensions]
        self._bits: dict[int, DimensionMargin] = {}

    def bound(self, below: Fraction) -> None:
        """Bound the margin in each dimension, if that is better than a bound for all of them."""
        for each in reversed(self._all):
            if self._search.out_of_time:
                return
            if each.no is None and (found := self._ceilings.best(each.d, below)) is not None:
                each.ceiling = found
                below = found[0]  # more dimensions allow no smaller margins

    def begin(self, whole: Vectors | None) -> None:
        """Find embeddings that are known at once, and refute dimensions that have none.

        `whole` are the best vectors of any dimension, if some are known.
        """
        known: dict[int, Vectors] = {}
        self._known = known
        found = None
        if self._all and not self._search.out_of_time:
            found = CircleOfKeys.of(self._smaller, self._entries, self._all[-1].d, self._search)
        circle, proof = (None, None) if found is None else found
        for each in self._all:
            if proof is not None and proof.dimension <= each.d:
                self._keep(each, vectors_of(proof, self._smaller, each.d))
            self._decide(each)
            random = np.random.default_rng(self._search.seed + each.d)
            shape = self._entries.shape
            each.starts = list_starts(each.d, shape, known, circle, whole, random)

    def improve(self, report: Callable[[str], None], share: float) -> None:
        """Search larger margins in all dimensions in turn, until all searches gain little.

        `share`: the part of the time that is spent.
        """
        whole = self._search
        self._search = whole.slice(share * whole.remaining, 0)
        try:
            self._improve(report)
        finally:
            self._search = whole

    def _improve(self, report: Callable[[str], None]) -> None:
        open_ = [each for each in self._all if each.no is None]
        for turn in range(_TURNS):
            open_ = [each for each in open_ if each.in_vain < _IN_VAIN]
            for number, each in enumerate(open_):
                if self._search.out_of_time and (each.vectors is not None or turn):
                    continue
                if self._search.out_of_time and each.decided is not None:
                    self._keep(each, each.decided)
                    continue
                if self._search.remaining < -_GRACE:
                    return
                report(f"d = {each.d}")
                rest = sum(other.weight for other in open_[number:])
                self._turn(each, self._search.remaining * each.weight / rest)

    def reach(self, d: int, value: float, seconds: float) -> bool:
        """Search a margin in one dimension until it reaches a value, for a few turns."""
        each = next(each for each in self._all if each.d == d)
        limit = self._search.slice(seconds, d)
        for _ in range(_TURNS):
            if each.margin >= value or each.no is not None:
                break
            if limit.out_of_time or each.in_vain >= _IN_VAIN:
                break
            self._turn(each, limit.remaining)
        return each.margin >= value

    def certify(self, d: int, value: Fraction) -> Certificate | None:
        """Return the certificate of a margin in dimension d, if it was found."""
        each = next(each for each in self._all if each.d == d)
        if each.vectors is None:
            return None
        found, proof = round_vectors(self._entries, each.vectors)
        return self._lifting.certify_margin(value, proof, d) if found >= value else None

    @property
    def best(self) -> list[Vectors]:
        """The best vectors of each dimension that has some, from the smallest one on."""
        return [each.vectors for each in self._all if each.vectors is not None]

    @property
    def refuted(self) -> Certificate | None:
        """The refutation of the largest dimension that is refuted."""
        return next((each.no for each in reversed(self._all) if each.no is not None), None)

    def _turn(self, each: _Dimension, seconds: float) -> None:
        """Climb from the next start of a dimension: fast, and slowly every other time."""
        start, began = next(each.starts), search_clock.now()
        self._keep(each, start)
        before = each.margin
        search = self._search.slice(seconds, each.d)
        pace = _slow(seconds / each.seconds) if each.turns % 2 and each.seconds else FAST
        self._keep(each, climb(self._entries, start, search, pace=pace))
        if not each.turns:
            each.seconds = search_clock.now() - began
        if each.vectors is None and each.decided is not None:
            self._keep(each, self._sharpen(each.decided))
        each.turns += 1
        each.in_vain = 0 if each.margin > (1 + _GAIN) * before else each.in_vain + 1

    def round_to_bits(self) -> None:
        """Search few bits and number formats in each dimension; those of fewer dimensions count."""
        from samapprox.precision import EMBEDDING_FORMATS

        fewest: tuple[int, Embedding] | None = None
        formats = dict.fromkeys(EMBEDDING_FORMATS, False)
        for each in self._all:
            if each.vectors is None:
                continue
            here = find_few_bits(self._smaller, [each.vectors])
            if here is not None and (fewest is None or here[0] < fewest[0]):
                fewest = here
            missing = [name for name, right in formats.items() if not right]
            whole = [*round_finely(self._smaller, each.vectors), *([here[1]] if here else [])]
            formats |= surviving_formats(self._smaller, whole, missing)
            for name in missing:
                if not formats[name]:
                    near = descend(self._entries, each.vectors, name, self._search)
                    formats[name] = any(represents(self._smaller, found, name) for found in near)
            if fewest is not None:
                bits, embedding = fewest
                certificate = self._lifting.certify_dimension(each.d, embedding)
                self._bits[each.d] = DimensionMargin(
                    each.d, embedding=certificate, bits=bits, formats=dict(formats)
                )

    def result(self, everywhere: Certificate) -> list[DimensionMargin]:
        """Return what was found, with margins and bounds that do not fall as d grows.

        `everywhere` bounds the margin in all dimensions.
        """
        found = []
        best: tuple[Fraction, UnitEmbedding] | None = None
        for each in self._all:
            if each.vectors is not None:
                rounded = round_vectors(self._entries, each.vectors)
                if rounded[0] > (0 if best is None else best[0]):
                    best = rounded
            yes = None if best is None else self._lifting.certify_margin(*best, each.d)
            ceiling = (
                everywhere
                if each.ceiling is None
                else self._unturned.certify_margin(*each.ceiling, each.d)
            )
            rest = self._bits.get(each.d, DimensionMargin(each.d, embedding=each.exact))
            found.append(replace(rest, yes=yes, no=each.no, ceiling=ceiling))
        return found

    def _keep(self, each: _Dimension, vectors: Vectors | None) -> None:
        """Keep vectors with a larger margin than before, here and in all larger dimensions."""
        if vectors is None:
            return
        measure = partial(_measure, self._entries)
        vectors = max((vectors, widen(self._entries, vectors, self._search)), key=measure)
        margin = measure(vectors)
        for other in self._all:
            if other.d >= each.d and other.no is None and margin > other.margin:
                other.vectors, other.margin = vectors, margin
                self._known[other.d] = vectors

    def _decide(self, each: _Dimension) -> None:
        """Decide shortly whether a dimension suffices, unless a smaller one does."""
        seconds = min(self._search.remaining / _DECISIONS, _DECIDED)
        below = [other for other in self._all if other.d < each.d]
        known = next((other.exact for other in below if other.exact is not None), None)
        if known is not None or each.vectors is not None:
            each.exact = known
            return
        if seconds < _WRITTEN:
            return
        verdict = decide(self._smaller, each.d, time_limit=seconds, seed=self._search.seed)
        if verdict.status is Status.NO:
            for other in (*below, each):
                other.no = self._lifting.certify_dimension(other.d, verdict.proof)
        elif verdict.status is Status.YES:
            each.exact = self._lifting.certify_dimension(each.d, verdict.proof)
            each.decided = vectors_of(verdict.proof, self._smaller, each.d)

    def _sharpen(self, start: Vectors) -> Vectors:
        """Improve the vectors of an exact embedding, whose margin may be tiny."""
        least = measure_margin(self._entries, start.logits)
        sharpness = min(1 / least, _SHARPEST) if least > 0 else _SHARPNESS
        search = self._search.slice(self._search.remaining / _DECISIONS, 0)
        better = climb(self._entries, start, search, sharpness, FAST)
        best = max((start, better), key=partial(_measure, self._entries))
        if _measure(self._entries, best) > _TINY:
            return best
        steps = deque(climb_linearly(self._entries, fill_box(best), search), maxlen=1)
        candidates = [best, *map(fill_ball, steps)]
        return max(candidates, key=partial(_measure, self._entries))


def _slow(times: float) -> Pace:
    """Return the slow pace, or one that takes so many times as long as the fast one, if less."""
    steps = int(FAST.steps * times / _FINER)
    return replace(SLOW, steps=max(FAST.steps, min(SLOW.steps, steps)))


def _measure(entries: NDArray[np.int8], vectors: Vectors) -> float:
    return measure_margin(entries, vectors.logits)
