"""Bounds on the least dimension under cosine similarity or Euclidean distance."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property, partial

import numpy as np

from samapprox.errors import InputError
from samapprox.pattern import Pattern
from samapprox.problem import Problem, trivial_dimension
from samapprox.proofs.base import Obstruction, Proof, Witness, proves_yes
from samapprox.proofs.parts.simplify import Simplified, simplify
from samapprox.results.dimension import WeakDimension
from samapprox.results.verdict import Attempt, Verdict
from samapprox.similarities import Similarity
from samapprox.solvers.engine.portfolio import FOR_OTHER_SIMILARITIES, StrategyRecord
from samapprox.solvers.engine.search import Search
from samapprox.solvers.engine.turns import Progress, Turns
from samapprox.solvers.similarity.transfers import refute_by, represent_by, trivial_witness

__all__ = ["Bracket"]

_MOST_TRIVIAL = 10_000_000
"""Entries times dimension, of a trivial proof that is written out."""


class Bracket:
    r"""Proven bounds on the least dimension with a similarity, and turns that improve them.

    Parameters
    ----------
    pattern : Pattern
    similarity : Similarity
    search : Search
        The limits of all turns together.
    strategies : sequence of StrategyRecord
    progress : callable, optional

    Notes
    -----
    Equal rows and equal columns are merged; complementary rows are not, since the complement of a
    ball is no ball.

    Examples
    --------
    >>> from samapprox.similarities import SIMILARITIES
    >>> pattern = Pattern.from_text("100\n010\n001")
    >>> bracket = Bracket(pattern, SIMILARITIES["l2"], Search.within(9, 0))
    >>> bracket.work_on(1)
    >>> bracket.lower, bracket.upper
    (1, 1)
    """

    def __init__(
        self,
        pattern: Pattern,
        similarity: Similarity,
        search: Search,
        strategies: Sequence[StrategyRecord] = FOR_OTHER_SIMILARITIES,
        progress: Progress | None = None,
    ) -> None:
        self.pattern = pattern
        self.similarity = similarity
        self._search = search
        self._strategies = strategies
        self._progress = progress
        self.yes: Verdict | None = None
        """YES in the least dimension proven so far."""
        self.no: Verdict | None = None
        """NO in the greatest dimension refuted so far."""
        self.trails: dict[int, dict[str, Attempt]] = {}
        """The attempts at each dimension."""
        self._turns: dict[tuple[int, bool], Turns] = {}

    @property
    def lower(self) -> int:
        """A proven lower bound: no smaller dimension represents the pattern."""
        return 1 if self.no is None else self.no.lower

    @property
    def upper(self) -> int:
        """A dimension that represents the pattern: proven, or the trivial bound."""
        return trivial_dimension(self.pattern.shape) if self.yes is None else self.yes.upper

    @property
    def closed(self) -> bool:
        """Whether the bounds meet or time is up."""
        return self.lower >= self.upper or self._search.out_of_time

    @property
    def dimension(self) -> WeakDimension:
        """The bounds with their proofs."""
        trail = ((d, step) for d in sorted(self.trails) for step in self.trails[d].values())
        return WeakDimension(self.pattern, self.yes, self.no, tuple(trail), self.similarity)

    def verdict(self, d: int) -> Verdict:
        """Return the answer for one dimension; UNKNOWN with the bounds so far."""
        problem = Problem(self.pattern, d, similarity=self.similarity)
        trail = tuple(self.trails.get(d, {}).values())
        yes, no = self.yes, self.no
        if yes is not None and yes.upper <= d:
            return Verdict(problem, yes.proof, trail)
        if no is not None and no.lower > d:
            return Verdict(problem, no.proof, trail)
        return Verdict(problem, None, trail, no, yes)

    # ---------------------------------------------------------------- work

    def begin(self, d: int) -> None:
        """Take the turns on the pattern as it is, which is quick; then the trivial bound."""
        whole = self._turns_of(d, merged=False)
        while whole.has_single_calls and not (whole.over or self._is_decided(d)):
            whole.take()
        smaller = self.merged
        if not self._is_decided(d) and (smaller is None or trivial_dimension(smaller.shape) <= d):
            self.take_trivial()

    def take_trivial(self) -> None:
        """Represent the merged pattern in its trivial dimension."""
        if self.similarity.transfers is None:
            return
        smaller = self.merged
        if smaller is None:
            self._take(_represent_anything(self.pattern, self.similarity))
            return
        if smaller.shape[0] * smaller.shape[1] * trivial_dimension(smaller.shape) <= _MOST_TRIVIAL:
            self.take(trivial_witness(smaller, self.similarity))

    def take_neighbour(self, known: WeakDimension) -> None:
        """Take bounds of the merged pattern for dot products, which are right up to one.

        Parameters
        ----------
        known : WeakDimension
            Of `merged`.
        """
        found = f"weak dimension {known.lower}..{known.upper}"
        attempt = Attempt("dot-products", known.seconds, found)
        self.trails.setdefault(known.upper, {})[attempt.strategy] = attempt
        for verdict in (known.yes, known.no):
            if self.similarity.transfers is None:
                return
            if verdict is None or verdict.proof is None:
                continue
            if isinstance(verdict.proof, Witness):
                with suppress(InputError):  # its numbers are too many or too long
                    left = self._search.whole_remaining
                    self.take(represent_by(verdict.proof, known.pattern, self.similarity, left))
            elif isinstance(verdict.proof, Obstruction):
                refuted = refute_by(verdict.proof, known.pattern, self.similarity)
                if not isinstance(refuted, str):
                    self.take(refuted)

    @property
    def merged(self) -> Pattern | None:
        """The pattern without copies of rows and columns; None if no row has a zero."""
        return self._merged.pattern

    @cached_property
    def _merged(self) -> Simplified:
        return simplify(self.pattern, complements=False)

    def work_on(self, d: int) -> None:
        """Take turns until a dimension is decided, time is up, or nothing is left to try."""
        while not self._search.out_of_time and self.take_turn(d):
            pass

    def take_turn(self, d: int) -> bool:
        """Take the next turn for a dimension that is open; whether there was one."""
        if self._is_decided(d):
            return False
        waiting = self._waiting(d)
        if waiting:
            calls = [turns for turns in waiting if turns.has_single_calls]
            min(calls or waiting, key=lambda turns: turns.next_seconds).take()
        return bool(waiting)

    def next_seconds(self, d: int) -> float | None:
        """Return the length of the next turn for a dimension; None if there is none."""
        waiting = [] if self._is_decided(d) else self._waiting(d)
        return min((turns.next_seconds for turns in waiting), default=None)

    def _is_decided(self, d: int) -> bool:
        known = self.yes is not None and self.yes.upper <= d
        return known or d < self.lower

    def _waiting(self, d: int) -> list[Turns]:
        """Return the turns that are left for a dimension."""
        turns = [self._turns_of(d, merged=False)]
        if self.merged is not None:
            turns.append(self._turns_of(d, merged=True))
        return [one for one in turns if not one.over]

    def _turns_of(self, d: int, *, merged: bool) -> Turns:
        """Return the turns for a dimension, on the pattern as it is or on the merged one."""
        if (d, merged) not in self._turns:
            pattern = self.merged if merged else self.pattern
            assert pattern is not None
            self._turns[d, merged] = Turns(
                Problem(pattern, d, similarity=self.similarity),
                [record for record in self._strategies if record.simplified is merged],
                self._search.apart(),
                partial(self._accept_merged if merged else self._accept, d),
                self.trails.setdefault(d, {}),
                self._progress,
            )
        return self._turns[d, merged]

    # ---------------------------------------------------------------- what is found

    def take(self, proof: Proof) -> str | None:
        """Take a proof about the merged pattern; why it cannot be lifted, or None."""
        lifted = proof.lift(self._merged)
        return lifted if isinstance(lifted, str) else self._take(lifted)

    def _accept_merged(self, d: int, proof: Proof) -> bool | str:
        return self.take(proof) or self._is_decided(d)

    def _accept(self, d: int, proof: Proof) -> bool | str:
        return self._take(proof) or self._is_decided(d)

    def _take(self, proof: Proof) -> str | None:
        """Check a proof about the whole pattern, and keep it if it is the best so far."""
        yes = proves_yes(proof)
        if not yes and proof.dimension < 1:
            return "its refutation excludes no dimension"
        d = max(1, proof.dimension)
        verdict = Verdict(Problem(self.pattern, d, similarity=self.similarity), proof)
        if yes:
            if self.yes is None or verdict.upper < self.yes.upper:
                self.yes = verdict
        elif verdict.lower > self.lower:
            self.no = verdict
        return None


def _represent_anything(pattern: Pattern, similarity: Similarity) -> Witness:
    """Represent a pattern without zeros in one dimension."""
    one = Pattern.from_array(np.ones((1, 1), dtype=np.bool_))
    witness = trivial_witness(one, similarity)
    lifted = witness.lift(simplify(pattern, complements=False))
    assert isinstance(lifted, Witness)
    return lifted
