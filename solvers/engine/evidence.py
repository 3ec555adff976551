"""Proofs about the parts of a divided pattern, and the bounds that they give for the whole."""

from __future__ import annotations

from threading import RLock
from typing import TYPE_CHECKING

import numpy as np

from samapprox.errors import CertificateError, InputError
from samapprox.pattern import Pattern
from samapprox.problem import Problem, trivial_dimension
from samapprox.proofs.base import Obstruction, Proof, Witness
from samapprox.proofs.checker import check
from samapprox.proofs.embeddings.embedding import Embedding, SelfAttention
from samapprox.results.verdict import Verdict
from samapprox.solvers.embeddings.trivial import trivial_witness
from samapprox.support.clock import search_clock

if TYPE_CHECKING:
    from samapprox.solvers.division.division import Division

__all__ = ["Evidence", "embed_in_any_order"]

_MOST_NUMBERS = 200_000  # of an embedding that is written out, and
_MOST_LOGITS = 2_000_000  # of its products, which are then checked
_MOST_BITS = 62  # of one number, unless there are few
_FEW_LOGITS = 20_000


class Evidence:
    r"""Checked proofs about the leaves of a division, and the bounds that follow for the whole.

    Parameters
    ----------
    pattern : Pattern
    division : Division
        A division of this pattern.

    Notes
    -----
    A refutation of one leaf is lifted and checked on the whole pattern at once. So is an embedding
    where there is one leaf; of several leaves, each is checked on its leaf, and the whole when it
    is asked for. Methods may be called from several threads.

    Examples
    --------
    >>> from samapprox.solvers.division.division import divide
    >>> pattern = Pattern.from_text("1000\n1100\n0110\n1011")
    >>> evidence = Evidence(pattern, divide(pattern))
    >>> evidence.lower, evidence.upper, evidence.yes() is None
    (1, 3, True)
    """

    def __init__(self, pattern: Pattern, division: Division) -> None:
        self.pattern = pattern
        self.division = division
        self.uppers = np.array(
            [trivial_dimension(leaf.shape) for leaf in division.leaves], dtype=np.int64
        )
        """For each leaf a dimension that represents it: proven, or the trivial bound."""
        self._witnesses: list[Witness | None] = [None] * len(division.leaves)
        self._no: Verdict | None = None
        self._yes: Verdict | None = None
        self._written: Verdict | None = None
        self._glued_seconds = 0.0
        self._glued_at = search_clock.now()
        self._lock = RLock()

    @property
    def lower(self) -> int:
        """A proven lower bound: no smaller dimension represents the pattern."""
        return 1 if self._no is None else self._no.lower

    @property
    def upper(self) -> int:
        """A dimension that represents the pattern: proven, or the trivial bound."""
        known = trivial_dimension(self.pattern.shape)
        if self._yes is not None:
            known = min(known, self._yes.upper)
        return min(known, max(self.division.least, int(self.uppers.max(initial=1))))

    @property
    def no(self) -> Verdict | None:
        """The proof of NO in the greatest dimension that is refuted."""
        return self._no

    @property
    def glued(self) -> Verdict | None:
        """The proof of YES in the least dimension proven for the whole pattern so far."""
        return self._yes

    def take_verdict(self, verdict: Verdict, *, answers: bool = False) -> None:
        """Take an answer about the whole pattern, where it is the best so far.

        Parameters
        ----------
        verdict : Verdict
        answers : bool
            Whether it answers the question; then it is kept even where the trivial bound is better.
        """
        with self._lock:
            if verdict.lower > self.lower:
                self._no = verdict
            known = self._yes.upper if self._yes is not None else self.upper + 1
            if answers and self._yes is None:
                known = verdict.upper + 1
            if isinstance(verdict.proof, Witness) and verdict.upper < known:
                self._yes = verdict
                np.minimum(self.uppers, verdict.upper, out=self.uppers)  # parts need no more

    def take(self, leaf: int, proof: Proof, problem: Problem | None = None) -> bool | str:
        """Check a proof about a leaf, and keep it where it is the best so far.

        Parameters
        ----------
        leaf : int
        proof : Proof
        problem : Problem, optional
            The question that verdicts about the whole pattern answer; by default the free case in
            the best dimension that the proof decides.

        Returns
        -------
        bool or str
            Whether it is better than what was known; or why it cannot be lifted to the whole.

        Raises
        ------
        CertificateError
            The proof does not hold.
        """
        if isinstance(proof, Obstruction):
            return self._take_obstruction(leaf, proof, problem)
        assert isinstance(proof, Witness)
        return self._take_witness(leaf, proof, problem)

    def _take_obstruction(
        self, leaf: int, obstruction: Obstruction, problem: Problem | None
    ) -> bool | str:
        if obstruction.dimension < self.lower:
            return False
        lifted = self.division.lift(leaf, obstruction)
        if isinstance(lifted, str):
            return lifted
        no = Verdict(problem or Problem(self.pattern, lifted.dimension), lifted)
        self.take_verdict(no)
        return self._no is no

    def _take_witness(self, leaf: int, witness: Witness, problem: Problem | None) -> bool | str:
        dimension = witness.dimension
        if self._has_better(leaf, dimension):
            return False
        if len(self.uppers) == 1:
            glued = self.division.glue([witness])
            if isinstance(glued, str):
                return glued
            self._take_glued(glued, problem)
        else:
            fault = check(Problem(self.division.leaves[leaf], dimension), witness)
            if fault is not None:
                raise CertificateError(f"the {type(witness).__name__} of a part fails: {fault}")
        with self._lock:
            if self._has_better(leaf, dimension):  # from another thread, meanwhile
                return False
            self._witnesses[leaf] = witness
            self.uppers[leaf] = min(dimension, self.uppers[leaf])
        return True

    def _has_better(self, leaf: int, dimension: int) -> bool:
        """Return whether a leaf has a proof of YES in no larger dimension."""
        known = self._witnesses[leaf]
        return known is not None and known.dimension <= dimension

    def _take_glued(self, proof: Proof, problem: Problem | None) -> None:
        """Check a proof about the whole pattern, and take it."""
        verdict = Verdict(problem or Problem(self.pattern, proof.dimension), proof)
        self.take_verdict(verdict, answers=problem is not None)

    # ---------------------------------------------------------------- the whole

    def yes(self, problem: Problem | None = None) -> Verdict | None:
        """Return the proof of YES in the least proven dimension; None if there is none.

        Parameters
        ----------
        problem : Problem, optional
            The question that it answers; by default the free case in the dimension of the proof.

        Returns
        -------
        Verdict or None
            Its proof is written out in whole numbers where these are few and small.

        Raises
        ------
        CertificateError
            The glued proof does not hold.
        """
        self._glue(problem)
        if self._yes is not None and self._yes is not self._written:
            self._yes = self._written = _write_out(self._yes)
        return self._yes

    def _glue(self, problem: Problem | None) -> None:
        """Make a verdict about the whole pattern of what is known of its leaves."""
        with self._lock:
            if self._is_glued or len(self._witnesses) == 1:
                return
            witnesses = [
                witness or trivial_witness(leaf)
                for witness, leaf in zip(self._witnesses, self.division.leaves, strict=True)
            ]
        started = search_clock.now()
        glued = self.division.glue(witnesses)
        if not isinstance(glued, str):
            self._take_glued(glued, problem)
        self._glued_at = search_clock.now()
        self._glued_seconds = self._glued_at - started

    def yes_in_passing(self) -> Verdict | None:
        """Return the same where gluing is quick, judged by the last time; else the old proof."""
        if search_clock.now() - self._glued_at > 10 * self._glued_seconds:
            self._glue(None)
        return self._yes

    @property
    def _is_glued(self) -> bool:
        """Whether the verdict that there is uses the best proof of each leaf."""
        return self._yes is not None and self._yes.upper <= self.upper


def embed_in_any_order(pattern: Pattern, known: Verdict | None) -> Verdict | None:
    r"""Prove YES for twice the most ones of a line at no cost; else return the known proof.

    Parameters
    ----------
    pattern : Pattern
    known : Verdict or None
        YES in some dimension.

    Examples
    --------
    >>> embed_in_any_order(Pattern(np.eye(8)), None).upper
    2
    """
    from samapprox.solvers.embeddings.orders import any_order  # where there is no time for more

    proof = any_order(pattern)
    if proof.d >= (trivial_dimension(pattern.shape) if known is None else known.upper):
        return known
    return Verdict(Problem(pattern, proof.d), proof)


def _write_out(yes: Verdict) -> Verdict:
    """Return the verdict with explicit queries and keys, where they are few and small."""
    witness = yes.proof
    assert isinstance(witness, Witness)
    rows, columns = yes.problem.pattern.shape
    d, logits = witness.dimension, rows * columns
    if isinstance(witness, Embedding | SelfAttention) or yes.problem.coupled:
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
