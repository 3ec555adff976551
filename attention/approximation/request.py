"""Requests to methods, and the approximations that they return."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from numpy.typing import NDArray

from samapprox.attention.approximation.checker import Report, finite, require_precision
from samapprox.attention.approximation.layer import AttentionLayer
from samapprox.attention.approximation.precision import require_arithmetic
from samapprox.attention.approximation.target import Target
from samapprox.errors import InputError, require_flag, require_number, require_type, require_whole
from samapprox.support.documents import document_head
from samapprox.support.limits import deadline_in, search_clock
from samapprox.support.parameters import random_stream
from samapprox.support.progress import OnProgress, Progress

_MOST_NUMBERS = 1 << 28  # 2 GB


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A matrix, the precision to reach, and the choices of a method.

    A method that cannot serve a request (a d that it does not have, a k that it cannot) raises
    InputError, which says what it can.

    Parameters
    ----------
    target : Target, shape (n, n)
        A.
    eps1, eps2 : float
        The precision of conditions (7) and (8).
    causal : bool
        CSAM: A must be lower triangular.
    k, gamma : optional
        Bounds that A is refused for exceeding; by default A's own.
    d : int, optional
        The query dimension; by default the method's own choice.
    least : bool
        Search for the least d that the method can do with, where d is not given.
    d_hid : int, optional
        Columns of X; by default the least that the method can do with.
    seed : int
        The seed of all random choices.
    redraws : float
        Q: a random method draws up to Q n times for each d.
    step : int
        Even; a method that searches for the least d tries multiples of it.
    spread : float, optional
        The most that the logits of a row may be apart, for methods that can choose it.
    arithmetic : str, optional
        In which the conditions must hold, too, after rounding: float64, .., float16, or int8 for
        whole numbers of 8 bits (`samapprox.attention.approximation.precision`).
    progress : callable, optional
        Called with a `Progress` that says what is being tried.
    deadline : float
        Time of `search_clock` at which a search ends with what it has found (see `within`). What
        needs no search, and the check, run to their end.

    Raises
    ------
    InputError
        eps1, eps2, gamma, d, d_hid, seed, redraws, step, spread or arithmetic out of range, or a
        causal request for a matrix with entries above the diagonal.

    Examples
    --------
    >>> request = Request(target=Target.from_array([[1.0]]), eps1=0.5, eps2=1.0)
    >>> request.draws
    1
    """

    target: Target
    eps1: float
    eps2: float
    causal: bool = False
    k: int | None = None
    gamma: float | None = None
    d: int | None = None
    least: bool = False
    d_hid: int | None = None
    seed: int = 0
    redraws: float = 1.0
    step: int = 16
    spread: float | None = None
    arithmetic: str | None = None
    progress: OnProgress | None = None
    deadline: float = math.inf

    def __post_init__(self) -> None:
        require_precision(self.eps1, self.eps2)
        require_type("target", self.target, Target, "a Target")
        require_flag("causal", self.causal)
        for name in ("k", "d", "d_hid"):
            if getattr(self, name) is not None:
                require_whole(name, getattr(self, name))
        require_whole("step", self.step)
        for name in ("gamma", "spread"):
            if getattr(self, name) is not None:
                require_number(name, getattr(self, name))
        require_number("redraws", self.redraws)
        self.target.require(k=self.k, gamma=self.gamma, causal=self.causal)
        if self.d is not None and self.d < 1:
            raise InputError(f"d must be at least 1, not {self.d}")
        if self.d_hid is not None and self.d_hid < (self.d or 1):
            raise InputError(f"d_hid must be at least d = {self.d or 1}, not {self.d_hid}")
        width = max(self.d_hid or 1, self.d or 1)
        if width * max(self.target.n, self.d or 1) > _MOST_NUMBERS:
            raise InputError(
                f"X, W_Q or W_K would have more than {_MOST_NUMBERS:,} numbers; lower d or d_hid"
            )
        if self.gamma is not None and not math.isfinite(self.gamma):
            raise InputError(f"gamma must be finite, not {self.gamma}")
        random_stream(self.seed)
        if not 0 < self.redraws <= 1e6:
            raise InputError(f"Q must be above 0 and at most a million, not {self.redraws}")
        if self.spread is not None and not -math.log(self.eps1) < self.spread < math.inf:
            raise InputError(
                f"the spread must be above log(1 / eps1) = {-math.log(self.eps1):.4g}, which zeros "
                f"are away from nonzeros, not {float(self.spread):g}"
            )
        if self.arithmetic is not None:
            require_arithmetic(self.arithmetic)
        if self.step < 2 or self.step % 2:
            raise InputError(f"the step of d must be even and positive, not {self.step}")

    @property
    def draws(self) -> int:
        """The number of random draws for each d: Q n, rounded, and at least 1."""
        return max(1, round(self.redraws * self.target.n))

    @property
    def out_of_time(self) -> bool:
        """Whether the deadline has passed."""
        return search_clock.now() >= self.deadline

    @property
    def cut_short(self) -> dict[str, str]:
        """The fact that a search ran out of time, if it did."""
        return {"stopped": "out of time"} if self.out_of_time else {}

    def within(self, seconds: float | None) -> Request:
        """Return the same request with a deadline in so many seconds, if given.

        Parameters
        ----------
        seconds : float or None
            The time limit; None changes nothing.

        Raises
        ------
        InputError
            No time limit: see `samapprox.support.limits`.

        Examples
        --------
        >>> request = Request(target=Target.from_array([[1.0]]), eps1=0.5, eps2=1.0)
        >>> request.within(None).out_of_time, request.within(1e-9).out_of_time
        (False, True)
        """
        return self if seconds is None else replace(self, deadline=deadline_in(seconds))

    def to_json(self) -> dict[str, Any]:
        """Return the part of documents that says what was asked."""
        target = self.target
        return {
            "n": target.n,
            "k": target.k,
            "gamma": target.gamma,
            "causal": self.causal,
            "eps1": self.eps1,
            "eps2": self.eps2,
        }

    def report_progress(self, what: str) -> None:
        """Call `progress`, if given.

        Parameters
        ----------
        what : str
            What is being tried.
        """
        if self.progress is not None:
            self.progress(Progress(what))


@dataclass(frozen=True, slots=True)
class Construction:
    """The unchecked layer that a method built.

    Attributes
    ----------
    layer : AttentionLayer
        The layer, not yet checked.
    facts : mapping of str to anything that JSON knows
        What there is to say about it: seeds, draws, the order of columns. Printed by the command.
    """

    layer: AttentionLayer
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Approximation:
    """A layer, the checker's report on it, and the method that it comes from."""

    method: str
    layer: AttentionLayer
    report: Report
    facts: Mapping[str, Any]

    def to_json(self, request: Request) -> dict[str, Any]:
        """Return the document of `approximate --json`: see `samapprox schema approximation`.

        Parameters
        ----------
        request : Request
            The one that the layer is for.

        Returns
        -------
        dict
            The members of the document.
        """
        layer, report = self.layer, self.report
        return {
            **document_head("approximation"),
            "method": self.method,
            **request.to_json(),
            "rank": layer.rank,
            "d": layer.d,
            "d_hid": layer.d_hid,
            "arithmetic": report.arithmetic,
            "verified": report.holds,
            "proven": report.is_proven,
            "zeros": report.zeros.to_json(),
            "ratios": report.ones.to_json(),
            "spread": finite(report.spread),
            "rounding": finite(report.rounding),
            "facts": dict(self.facts),
        }


def make_layer(request: Request, queries: NDArray[Any], keys: NDArray[Any]) -> AttentionLayer:
    """Make the layer of these factors, with d = r, or d = 2r (the theorem's form).

    Raises InputError for a d that is neither r nor 2r, or d_hid < 2r.
    """
    rank = queries.shape[1]
    d = rank if request.d is None else request.d
    if d not in (rank, 2 * rank):
        raise InputError(
            f"this construction has rank {rank}: give d = {rank}, or d = {2 * rank} for the "
            f"theorem's form, not {d}"
        )
    return AttentionLayer.from_factors(
        queries, keys, theorem=d == 2 * rank, d_hid=request.d_hid, causal=request.causal
    )
