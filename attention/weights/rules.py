"""Rules that say how many of its heaviest keys a query attends to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from samapprox.errors import InputError, abridge
from samapprox.problem import as_whole
from samapprox.support.arrays import Floats, Numbers

_ROUNDING = 1e-12  # allowance for the rounding of sums of float64


@runtime_checkable
class Rule(Protocol):
    """A rule for the number of heaviest keys that each row keeps."""

    @property
    def name(self) -> str:
        """A short name for files, as in ``top5``."""

    def counts(self, weights: Floats, lengths: Numbers) -> Numbers:
        """Number of keys that every row keeps.

        Parameters
        ----------
        weights : ndarray of float64, shape (m, n)
            The probabilities of every row, greatest first.
        lengths : ndarray of int64, shape (m,)
            The number of keys within reach of each row (fewer than n under a mask).
        """


@dataclass(frozen=True, slots=True)
class TopK:
    """The k heaviest keys of every row (all of them where there are fewer).

    Examples
    --------
    >>> from samapprox.attention import binarize
    >>> print(binarize([[0.7, 0.1, 0.2], [0.2, 0.3, 0.5]], TopK(2)).to_text())
    101
    011
    """

    k: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", as_whole(self.k))
        if type(self.k) is not int:
            raise InputError(f"top-k needs a whole number k, not {abridge(self.k)}")
        if self.k < 1:
            raise InputError(f"top-k needs k >= 1, not {abridge(self.k)}")
        if self.k >= 1 << 63:
            raise InputError(f"top-k needs k below 2^63, not {abridge(self.k)}")

    @property
    def name(self) -> str:
        """``top5``."""
        return f"top{self.k}"

    def counts(self, weights: Floats, lengths: Numbers) -> Numbers:
        """k, or the row's length.

        Parameters
        ----------
        weights : ndarray of float64, shape (m, n)
            The probabilities of every row, greatest first.
        lengths : ndarray of int64, shape (m,)
            The number of keys within reach of each row.
        """
        return np.asarray(np.minimum(min(self.k, weights.shape[1]), lengths), dtype=np.int64)


def _require_share(what: str, value: Any) -> float:
    """Return a number above 0 and at most 1, or refuse it."""
    try:
        share = float("nan" if isinstance(value, str | bytes) else value)
    except (TypeError, ValueError, OverflowError):
        share = float("nan")
    if not 0 < share <= 1:
        raise InputError(f"the {what} must be above 0 and at most 1, not {abridge(value)}")
    return share


@dataclass(frozen=True, slots=True)
class Threshold:
    """The keys with a probability of at least t."""

    t: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "t", _require_share("threshold", self.t))

    @property
    def name(self) -> str:
        """``min0.1``."""
        return f"min{self.t:g}"

    def counts(self, weights: Floats, lengths: Numbers) -> Numbers:
        """Return the number of keys that reach t.

        Parameters
        ----------
        weights : ndarray of float64, shape (m, n)
            The probabilities of every row, greatest first.
        lengths : ndarray of int64, shape (m,)
            The number of keys within reach of each row.
        """
        return np.asarray((weights >= self.t).sum(axis=1), dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Uniform:
    """The keys with at least the probability that uniform attention gives.

    That is 1/n; where attention is causal or masked, one over the number of keys within reach.

    Examples
    --------
    >>> from samapprox.attention import binarize
    >>> print(binarize([[0.7, 0.1, 0.2], [0.2, 0.4, 0.4]], Uniform()).to_text())
    100
    011
    """

    @property
    def name(self) -> str:
        """``unif``."""
        return "unif"

    def counts(self, weights: Floats, lengths: Numbers) -> Numbers:
        """Return the number of keys that reach 1/length; the heaviest always does.

        Parameters
        ----------
        weights : ndarray of float64, shape (m, n)
            The probabilities of every row, greatest first.
        lengths : ndarray of int64, shape (m,)
            The number of keys within reach of each row.
        """
        reached = (weights >= (1.0 / lengths)[:, None] - _ROUNDING).sum(axis=1)
        return np.asarray(np.maximum(1, reached), dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Mass:
    """The fewest heaviest keys whose probabilities sum to at least p.

    Examples
    --------
    >>> from samapprox.attention import binarize
    >>> print(binarize([[0.7, 0.1, 0.2], [0.2, 0.3, 0.5]], Mass(0.75)).to_text())
    101
    011
    """

    p: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "p", _require_share("mass", self.p))

    @property
    def name(self) -> str:
        """``mass90``."""
        return f"mass{100 * self.p:g}"

    def counts(self, weights: Floats, lengths: Numbers) -> Numbers:
        """The length of the shortest prefix with that sum.

        Parameters
        ----------
        weights : ndarray of float64, shape (m, n)
            The probabilities of every row, greatest first.
        lengths : ndarray of int64, shape (m,)
            The number of keys within reach of each row.
        """
        short = (np.cumsum(weights, axis=1) < self.p - _ROUNDING).sum(axis=1)
        return np.asarray(np.minimum(short + 1, lengths), dtype=np.int64)


def list_rules(
    top_k: Sequence[int], threshold: Sequence[float], uniform: bool, mass: Sequence[float]
) -> list[Rule]:
    """List the rules that numbers name, each once."""
    rules: list[Rule] = [*map(TopK, top_k), *map(Threshold, threshold)]
    if uniform:
        rules.append(Uniform())
    rules += map(Mass, mass)
    return list(dict.fromkeys(rules))


def parse_rule(name: str) -> Rule:
    """The rule of a name as ``top5``, ``min0.1``, ``unif`` or ``mass90``."""
    try:
        if name == "unif":
            return Uniform()
        if name.startswith("top"):
            return TopK(int(name[3:]))
        if name.startswith("min"):
            return Threshold(float(name[3:]))
        if name.startswith("mass"):
            return Mass(float(name[4:]) / 100)
    except InputError:
        raise
    except ValueError:
        pass
    raise InputError(f"unknown rule {name!r}; write top5, min0.1, unif or mass90")
