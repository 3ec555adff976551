"""Proven bounds on the least dimension of a pattern, and of the leaves of a divided one."""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from samapprox.errors import CertificateError, InputError
from samapprox.pattern import Pattern
from samapprox.problem import Problem, trivial_dimension
from samapprox.proofs.base import Obstruction, Proof, Witness, proves_yes
from samapprox.proofs.checker import check
from samapprox.results import Status
from samapprox.results.verdict import Attempt, Verdict
from samapprox.similarities import ATTENTION, Similarity
from samapprox.support.limits import search_clock

if TYPE_CHECKING:
    from samapprox.results.dimension import WeakDimension
    from samapprox.solvers.division.base import Division


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


_SELDOM = 10
"""Parts are glued before the end only after this many times the seconds that it took last."""

_MOST_NUMBERS = 200_000
"""Numbers of the largest embedding that is written out."""

_MOST_LOGITS = 2_000_000
"""Products of the largest embedding that is written out, since all of them are checked."""

_FEW_LOGITS = 20_000
"""Products up to which numbers longer than a machine word may be written out, too."""


class Leaves:
    r"""The best embedding of each leaf, and the bounds that follow for the whole pattern.

    A refutation of one leaf is lifted and checked on the whole pattern at once, and so is an
    embedding if there is one leaf. Of several leaves, each embedding is checked on its leaf;
    `glue` makes one for the whole. Several threads may use one instance.

    Parameters
    ----------
    division : Division
        A division of the pattern of `bounds`.
    bounds : Bounds
        The bounds of the whole pattern.
    take_whole : callable
        Takes proofs about the whole pattern; by default `bounds.take`.

    Examples
    --------
    >>> from samapprox import Pattern
    >>> from samapprox.solvers.division.division import divide
    >>> pattern = Pattern.from_text("1000\n1100\n0110\n1011")
    >>> leaves = Leaves(divide(pattern), Bounds(pattern))
    >>> leaves.uppers.tolist(), leaves.upper
    ([3], 3)
    """

    def __init__(
        self,
        division: Division,
        bounds: Bounds,
        take_whole: Callable[[Proof], Verdict] | None = None,
    ) -> None:
        self.division = division
        self._bounds = bounds
        self._take_whole = take_whole or bounds.take
        trivial = (trivial_dimension(one.shape, bounds.similarity) for one in division.leaves)
        self._uppers = np.array(list(trivial), dtype=np.int64)
        self._witnesses: list[Witness | None] = [None] * len(division.leaves)
        self._glued_seconds = 0.0
        self._glued_at = search_clock.now()
        self._lock = RLock()

    @property
    def uppers(self) -> NDArray[np.int64]:
        """For each leaf a dimension that represents it: proven, or the trivial bound."""
        return np.minimum(self._uppers, self._bounds.upper)  # parts need no more than the whole

    @property
    def upper(self) -> int:
        """A dimension that represents the whole pattern."""
        return min(self._bounds.upper, max(self.division.least, int(self._uppers.max(initial=1))))

    def has_embedding(self, leaf: int, d: int) -> bool:
        """Return whether an embedding of a leaf in no larger dimension is known."""
        known = self._witnesses[leaf]
        return known is not None and known.dimension <= d

    def take(self, leaf: int, proof: Proof) -> bool | str:
        """Check a proof about a leaf, and keep it if it is the best so far.

        Return whether it is better than what was known, or why it cannot be lifted to the whole.

        Raises
        ------
        CertificateError
            The proof does not hold.
        """
        if isinstance(proof, Obstruction):
            return self._take_obstruction(leaf, proof)
        assert isinstance(proof, Witness)
        return self._take_witness(leaf, proof)

    def _take_obstruction(self, leaf: int, obstruction: Obstruction) -> bool | str:
        if obstruction.dimension < self._bounds.lower:
            return False
        lifted = self.division.lift(leaf, obstruction)
        if isinstance(lifted, str):
            return lifted
        before = self._bounds.lower
        self._take_whole(lifted)
        return self._bounds.lower > before

    def _take_witness(self, leaf: int, witness: Witness) -> bool | str:
        dimension = witness.dimension
        if self.has_embedding(leaf, dimension):
            return False
        if len(self._uppers) == 1:
            glued = self.division.glue([witness])
            if isinstance(glued, str):
                return glued
            self._take_whole(glued)
        else:
            fault = check(Problem(self.division.leaves[leaf], dimension), witness)
            if fault is not None:
                raise CertificateError(f"the {type(witness).__name__} of a part fails: {fault}")
        with self._lock:
            if self.has_embedding(leaf, dimension):  # from another thread, meanwhile
                return False
            self._witnesses[leaf] = witness
            self._uppers[leaf] = min(dimension, self._uppers[leaf])
        return True

    # ---------------------------------------------------------------- the whole

    def glue(self) -> str | None:
        """Prove YES for the whole pattern by what is known of its leaves; return why not, or None.

        Leaves without an embedding get the trivial one.

        Raises
        ------
        CertificateError
            The glued proof does not hold.
        """
        from samapprox.solvers.embeddings.whole_numbers import trivial_witness  # not for the line

        with self._lock:
            yes = self._bounds.yes
            is_glued = yes is not None and yes.upper <= self.upper
            if is_glued or len(self._witnesses) == 1:
                return None
            witnesses = [
                witness or trivial_witness(leaf)
                for witness, leaf in zip(self._witnesses, self.division.leaves, strict=True)
            ]
        started = search_clock.now()
        glued = self.division.glue(witnesses)
        if not isinstance(glued, str):
            self._take_whole(glued)
        self._glued_at = search_clock.now()
        self._glued_seconds = self._glued_at - started
        return glued if isinstance(glued, str) else None

    def glue_if_quick(self) -> None:
        """Glue the leaves if that takes little of the time, judged by the last time."""
        if search_clock.now() - self._glued_at > _SELDOM * self._glued_seconds:
            self.glue()


def write_out(yes: Verdict) -> Verdict:
    """Return a YES with explicit queries and keys if these are few and small, else as it is."""
    witness = yes.proof
    assert isinstance(witness, Witness)
    rows, columns = yes.problem.pattern.shape
    d, logits = witness.dimension, rows * columns
    if witness.EXPLICIT or yes.problem.coupled:
        return yes
    if (rows + columns) * d > _MOST_NUMBERS or logits * d > _MOST_LOGITS:
        return yes
    try:
        embedding = witness.embedding(yes.problem.pattern)
        arrays = embedding.queries, embedding.keys, embedding.thresholds
        if logits * d <= _FEW_LOGITS or all(array.dtype != object for array in arrays):
            return Verdict(yes.problem, embedding, yes.trail, yes.below, yes.above)
    except (InputError, CertificateError):  # more digits than are written; then as it is
        pass
    return yes
