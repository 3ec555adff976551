"""Bounds on the least dimension under cosine similarity or Euclidean distance."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from samapprox.dimension import WeakDimension
from samapprox.pattern import Pattern
from samapprox.problem import Problem, Similarity, trivial_dimension
from samapprox.proofs.base import Proof, Witness, proves_yes
from samapprox.proofs.simplify import simplify
from samapprox.solvers.portfolio import StrategyRecord
from samapprox.solvers.search import Search
from samapprox.solvers.similarity.portfolio import STRATEGIES
from samapprox.solvers.similarity.transfers import refute_by, represent_by, trivial_witness
from samapprox.solvers.turns import Progress, Turns
from samapprox.verdict import Attempt, Verdict

__all__ = ["Bracket"]

_MOST_TRIVIAL = 1 << 26
"""Numbers of a trivial proof that is written out."""


class Bracket:
    r"""Proven bounds on the least dimension with a similarity, and turns that improve them.

    Parameters
    ----------
    pattern : Pattern
    similarity : {"cosine", "l2"}
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
    >>> bracket = Bracket(Pattern.from_text("100\n010\n001"), "l2", Search.within(9, 0))
    >>> bracket.work_on(1)
    >>> bracket.lower, bracket.upper
    (1, 1)
    """

    def __init__(
        self,
        pattern: Pattern,
        similarity: Similarity,
        search: Search,
        strategies: Sequence[StrategyRecord] = STRATEGIES,
        progress: Progress | None = None,
    ) -> None:
        self.pattern = pattern
        self.similarity = similarity
        self._search = search
        self._strategies = strategies
        self._progress = progress
        self._merged = simplify(pattern, complements=False)
        self.yes: Verdict | None = None
        """YES in the least dimension proven so far."""
        self.no: Verdict | None = None
        """NO in the greatest dimension refuted so far."""
        self.trails: dict[int, dict[str, Attempt]] = {}
        """The attempts at each dimension."""
        self._turns: dict[int, list[Turns]] = {}
        if self._merged.pattern is None:
            self._take(_represent_anything(pattern, similarity))

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

    def take_trivial(self, most: int) -> None:
        """Represent the merged pattern in its trivial dimension, if that is at most this."""
        smaller = self._merged.pattern
        if smaller is None or trivial_dimension(smaller.shape) > most:
            return
        if sum(smaller.shape) * max(smaller.shape) <= _MOST_TRIVIAL:
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
            if verdict is None or verdict.proof is None:
                continue
            if isinstance(verdict.proof, Witness):
                self.take(represent_by(verdict.proof, known.pattern, self.similarity))
            else:
                refuted = refute_by(verdict.proof, known.pattern, self.similarity)  # type: ignore[arg-type]
                if not isinstance(refuted, str):
                    self.take(refuted)

    @property
    def merged(self) -> Pattern | None:
        """The pattern without copies of rows and columns; None if no row has a zero."""
        return self._merged.pattern

    def work_on(self, d: int) -> None:
        """Take turns until a dimension is decided, time is up, or nothing is left to try."""
        while not self._search.out_of_time and self.take_turn(d):
            pass

    def take_turn(self, d: int) -> bool:
        """Take the next turn for a dimension that is open; whether there was one."""
        if self._is_decided(d):
            return False
        waiting = [turns for turns in self._turns_of(d) if not turns.over]
        if not waiting:
            return False
        calls = [turns for turns in waiting if turns.has_single_calls]
        min(calls or waiting, key=lambda turns: turns.next_seconds).take()
        return True

    def next_seconds(self, d: int) -> float | None:
        """Return the length of the next turn for a dimension; None if there is none."""
        waiting = [] if self._is_decided(d) else self._turns_of(d)
        return min((turns.next_seconds for turns in waiting if not turns.over), default=None)

    def _is_decided(self, d: int) -> bool:
        known = self.yes is not None and self.yes.upper <= d
        return known or d < self.lower

    def _turns_of(self, d: int) -> list[Turns]:
        """Return the turns for a dimension: on the pattern as it is, and on the merged one."""
        if d not in self._turns:
            trail = self.trails.setdefault(d, {})
            self._turns[d] = [
                Turns(
                    Problem(pattern, d, similarity=self.similarity),
                    [record for record in self._strategies if record.simplified is simplified],
                    self._search.apart(),
                    partial(accept, d),
                    trail,
                    self._progress,
                )
                for pattern, simplified, accept in (
                    (self.pattern, False, self._accept),
                    (self._merged.pattern, True, self._accept_merged),
                )
                if pattern is not None
            ]
        return self._turns[d]

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
