"""What a decision returns."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property

from samapprox.errors import CertificateError, InputError
from samapprox.problem import Problem
from samapprox.proofs.base import Obstruction, Proof, proves_yes
from samapprox.proofs.certificate import Certificate
from samapprox.proofs.checks import check

__all__ = ["Attempt", "Interrupted", "Status", "Verdict"]


class Status(Enum):
    """The answer to a problem."""

    YES = "YES"
    NO = "NO"
    UNKNOWN = "UNKNOWN"


@dataclass(frozen=True, slots=True)
class Attempt:
    """One strategy's part in a decision.

    Attributes
    ----------
    strategy : str
    seconds : float
        Wall-clock time.
    outcome : str
        "YES", "NO", or why the strategy did not apply or gave up.
    """

    strategy: str
    seconds: float
    outcome: str


@dataclass(frozen=True)
class Verdict:
    """The answer to a problem, with its proof; a proof that fails the exact checker is refused.

    Attributes
    ----------
    problem : Problem
    proof : Proof or None
        An embedding (YES), an obstruction (NO) or None (UNKNOWN).
    trail : tuple of Attempt
        Strategies in the order they were tried.
    check_seconds : float
        Wall-clock time of the exact check.

    Raises
    ------
    CertificateError
        The proof does not hold: a bug in the strategy that made it.

    Examples
    --------
    >>> from samapprox import decide
    >>> verdict = decide([[1, 0, 0], [0, 1, 0], [0, 0, 1]], d=1)
    >>> verdict.status.value, verdict.lower, verdict.upper
    ('NO', 2, 2)
    """

    problem: Problem
    proof: Proof | None
    trail: tuple[Attempt, ...] = ()
    check_seconds: float = field(init=False, default=0.0)

    def __post_init__(self) -> None:
        if self.proof is None:
            return
        start = time.perf_counter()
        reason = check(self.problem, self.proof)
        object.__setattr__(self, "check_seconds", time.perf_counter() - start)
        if reason is not None:
            raise CertificateError(
                f"the {type(self.proof).__name__} for {self.problem} fails the checker: {reason}"
            )

    @property
    def seconds(self) -> float:
        """Wall-clock time of the strategies and the check together."""
        return self.check_seconds + sum(attempt.seconds for attempt in self.trail)

    @property
    def status(self) -> Status:
        """YES, NO or UNKNOWN, as the proof has it."""
        if self.proof is None:
            return Status.UNKNOWN
        return Status.YES if proves_yes(self.proof) else Status.NO

    @property
    def lower(self) -> int:
        """A proven lower bound on the weak dimension (least d of the free case)."""
        if self.status is Status.NO and not self._is_about_coupling_alone:
            return self.problem.d + 1
        return 1

    @property
    def upper(self) -> int:
        """A proven upper bound on the weak dimension.

        For YES it is the dimension of the proof; else min(m, n - 1), which suffices for every
        pattern: m rows are shown by keys S_1j, .., S_mj, and n affinely independent points
        are cut in every way by halfspaces.
        """
        if self.status is Status.YES:
            assert self.proof is not None
            return self.proof.dimension
        rows, columns = self.problem.pattern.shape
        return max(1, min(rows, columns - 1))

    def _repr_svg_(self) -> str | None:
        """The picture that notebooks show (see `samapprox.pictures.draw`), if there can be one."""
        from samapprox.pictures import draw, svg

        title = f"{self.status.value} for {self.problem}"
        try:
            return svg(draw(self.problem.pattern, self.proof, title=title))
        except InputError:
            return None

    def _repr_html_(self) -> str:
        """The answer, its picture and its proof in words, as notebooks show it."""
        from samapprox.pictures.notebook import verdict_html

        return verdict_html(self)

    @property
    def _is_about_coupling_alone(self) -> bool:
        return isinstance(self.proof, Obstruction) and self.proof.COUPLED_ONLY

    @cached_property
    def certificate(self) -> Certificate | None:
        """The proof bound to the pattern's fingerprint, to save and verify; None for UNKNOWN."""
        return None if self.proof is None else Certificate.of(self.problem, self.proof)


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a decision.

    Attributes
    ----------
    so_far : object
        UNKNOWN with the trail so far (a `Verdict`), the bounds so far (a `WeakDimension`, or a list
        of `samapprox.solvers.pareto.HiddenDimension`), or the layers so far (a
        `samapprox.attention.approximation.frontier.Frontier`).
    """

    def __init__(self, so_far: object) -> None:
        super().__init__()
        self.so_far = so_far
