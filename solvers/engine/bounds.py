"""Proven bounds on the least dimension of a pattern with a similarity."""

from __future__ import annotations

from threading import RLock
from typing import TYPE_CHECKING

from samapprox.pattern import Pattern
from samapprox.problem import Problem, trivial_dimension
from samapprox.proofs.base import Proof, proves_yes
from samapprox.results.answer import Status
from samapprox.results.verdict import Attempt, Verdict
from samapprox.similarities import ATTENTION, Similarity

if TYPE_CHECKING:
    from samapprox.results.dimension import WeakDimension


class Bounds:
    r"""The best proofs of YES and NO for a pattern, and the trail of attempts.

    Every proof is checked before it counts, so `lower` never falls and `upper` never rises. Reading
    changes nothing. Several threads may use one instance.

    Examples
    --------
    >>> from samapprox.proofs import Radon
    >>> bounds = Bounds(Pattern.from_text("100\n010\n001"))
    >>> bounds.take(Radon([0, 1, 2], [0, 1, 2])).status.value, bounds.lower, bounds.upper
    ('NO', 2, 2)
    """

    def __init__(self, pattern: Pattern, similarity: Similarity = ATTENTION) -> None:
        self.pattern = pattern
        self.similarity = similarity
        self.yes: Verdict | None = None
        """YES in the least dimension proven so far."""
        self.no: Verdict | None = None
        """NO in the greatest dimension refuted so far."""
        self.trails: dict[int, dict[str, Attempt]] = {}
        """The attempts at each dimension, by strategy."""
        self._lock = RLock()

    @property
    def lower(self) -> int:
        """A proven lower bound: no smaller dimension represents the pattern."""
        return 1 if self.no is None else self.no.lower

    @property
    def upper(self) -> int:
        """A dimension that represents the pattern: proven, or the trivial bound."""
        trivial = trivial_dimension(self.pattern.shape, self.similarity)
        return trivial if self.yes is None else min(trivial, self.yes.upper)

    def take(self, proof: Proof, asked: Problem | None = None) -> Verdict:
        """Check a proof about the pattern, and keep it if it is the best so far.

        A proof that decides the question `asked` is checked as its answer, any other one as a bound
        in its own dimension. A YES above the trivial bound is kept only as an answer.

        Raises
        ------
        CertificateError
            The proof does not hold.
        """
        answers = asked is not None and settles(proof, asked.d)
        if asked is None or not answers:
            asked = Problem(self.pattern, max(1, proof.dimension), similarity=self.similarity)
        verdict = Verdict(asked, proof)
        with self._lock:
            if verdict.status is Status.NO:
                if verdict.lower > self.lower:
                    self.no = verdict
            elif self.yes is None:
                if answers or verdict.upper <= self.upper:
                    self.yes = verdict
            elif verdict.upper < self.yes.upper:
                self.yes = verdict
        return verdict

    def trail(self, d: int) -> dict[str, Attempt]:
        """Return the attempts at a dimension, to which others can be added."""
        return self.trails.setdefault(d, {})

    def verdict(self, d: int) -> Verdict:
        """Return the answer for a dimension of the free case; UNKNOWN comes with the bounds."""
        problem = Problem(self.pattern, d, similarity=self.similarity)
        trail = tuple(self.trails.get(d, {}).values())
        for known in (self.yes, self.no):
            if known is not None and known.proof is not None and settles(known.proof, d):
                return Verdict(problem, known.proof, trail)
        return Verdict(problem, None, trail, self.no, self.yes)

    @property
    def dimension(self) -> WeakDimension:
        """The bounds with their proofs."""
        from samapprox.results.dimension import WeakDimension  # a decision needs only verdicts

        trail = tuple(
            (d, attempt) for d in sorted(self.trails) for attempt in tuple(self.trails[d].values())
        )
        return WeakDimension(self.pattern, self.yes, self.no, trail, self.similarity)


def settles(proof: Proof, d: int) -> bool:
    """Return whether a proof decides d: YES in no larger, or NO in no smaller dimension."""
    return proof.dimension <= d if proves_yes(proof) else proof.dimension >= d
