"""Which keys each query attends to: attention weights as 0/1 patterns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samapprox.errors import InputError
from samapprox.pattern import Pattern
from samapprox.storage.entries import check_size

__all__ = ["TIES", "Mass", "Rule", "Threshold", "TopK", "Uniform", "binarize", "parse_rule"]

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

TIES = ("first", "last", "all", "none")
"""Who enters when keys of equal weight compete for the last places of a row."""

_BLOCK_ENTRIES = 1 << 22  # some hundred megabytes of float64 copies
_ROUNDING = 1e-12  # of sums of float64
_SUM_TOLERANCE = 1e-2  # half precision sums of a few thousand weights


class Rule(Protocol):
    """How many of its heaviest keys a row keeps."""

    @property
    def name(self) -> str:
        """A short name for files, as in ``top5``."""

    def counts(self, weights: Floats, lengths: Counts) -> Counts:
        """Number of keys that every row keeps.

        Parameters
        ----------
        weights : ndarray of float64, shape (m, n)
            The probabilities of every row, greatest first.
        lengths : ndarray of int64, shape (m,)
            How many of them are within reach (fewer than n under a mask).
        """


@dataclass(frozen=True, slots=True)
class TopK:
    """The k heaviest keys of every row (all of them where there are fewer).

    Examples
    --------
    >>> print(binarize([[0.7, 0.1, 0.2], [0.2, 0.3, 0.5]], TopK(2)).to_text())
    101
    011
    """

    k: int

    def __post_init__(self) -> None:
        if self.k < 1:
            raise InputError(f"top-k needs k >= 1, not {self.k}")

    @property
    def name(self) -> str:
        """``top5``."""
        return f"top{self.k}"

    def counts(self, weights: Floats, lengths: Counts) -> Counts:
        """k, or the row's length."""
        return np.asarray(np.minimum(min(self.k, weights.shape[1]), lengths), dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Threshold:
    """The keys with a probability of at least t."""

    t: float

    def __post_init__(self) -> None:
        if not 0 < self.t <= 1:
            raise InputError(f"the threshold must be above 0 and at most 1, not {self.t}")

    @property
    def name(self) -> str:
        """``min0.1``."""
        return f"min{self.t:g}"

    def counts(self, weights: Floats, lengths: Counts) -> Counts:  # noqa: ARG002  # other rules need it
        """How many reach t."""
        return np.asarray((weights >= self.t).sum(axis=1), dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Uniform:
    """The keys with at least the probability that uniform attention gives.

    That is 1/n; where attention is causal or masked, one over the number of keys within reach.

    Examples
    --------
    >>> print(binarize([[0.7, 0.1, 0.2], [0.2, 0.4, 0.4]], Uniform()).to_text())
    100
    011
    """

    @property
    def name(self) -> str:
        """``unif``."""
        return "unif"

    def counts(self, weights: Floats, lengths: Counts) -> Counts:
        """How many reach 1/length; the heaviest always does."""
        reached = (weights >= (1.0 / lengths)[:, None] - _ROUNDING).sum(axis=1)
        return np.asarray(np.maximum(1, reached), dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Mass:
    """The fewest heaviest keys whose probabilities sum to at least p.

    Examples
    --------
    >>> print(binarize([[0.7, 0.1, 0.2], [0.2, 0.3, 0.5]], Mass(0.75)).to_text())
    101
    011
    """

    p: float

    def __post_init__(self) -> None:
        if not 0 < self.p <= 1:
            raise InputError(f"the mass must be above 0 and at most 1, not {self.p}")

    @property
    def name(self) -> str:
        """``mass90``."""
        return f"mass{100 * self.p:g}"

    def counts(self, weights: Floats, lengths: Counts) -> Counts:
        """The length of the shortest prefix with that sum."""
        short = (np.cumsum(weights, axis=1) < self.p - _ROUNDING).sum(axis=1)
        return np.asarray(np.minimum(short + 1, lengths), dtype=np.int64)


def parse_rule(name: str) -> Rule:
    """The rule of a name as ``top5``, ``min0.1``, ``unif`` or ``mass90``.

    Raises
    ------
    InputError
        No such rule, or a number out of range.

    Examples
    --------
    >>> parse_rule("mass90"), parse_rule("unif")
    (Mass(p=0.9), Uniform())
    """
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


def binarize(
    attention: ArrayLike,
    rule: Rule,
    *,
    causal: bool = False,
    logits: bool = False,
    ties: str | None = None,
) -> Pattern:
    """The pattern of the keys that attention dwells on.

    Parameters
    ----------
    attention : array_like of float, shape (m, n)
        Probabilities (rows sum to 1), or logits.
    rule : Rule
        `TopK`, `Threshold`, `Uniform` or `Mass`.
    causal : bool
        Only keys up to the query's own position count; later entries of the pattern are *.
    logits : bool
        The numbers are logits: a softmax in float64 makes the probabilities, and ties are those of
        the logits. Minus infinity masks a key.
    ties : {"first", "last", "all", "none"}, optional
        Which of several keys of equal weight take a row's last places: those with the least or the
        greatest index, all of them, or none. By default such a row is an error.

    Returns
    -------
    Pattern

    Raises
    ------
    InputError
        Not a matrix of numbers, not probabilities, NaN, a tie without a rule, or a row that keeps
        no key; the row is named.

    Notes
    -----
    O(m n log n) time; rows are taken in blocks of some hundred megabytes.

    Examples
    --------
    >>> print(binarize([[1.0, 0.0], [0.5, 0.5]], TopK(1), causal=True, ties="first").to_text())
    1*
    10
    """
    if ties is not None and ties not in TIES:
        raise InputError(f"the tie rule must be one of {', '.join(TIES)}, not {ties!r}")
    given = _as_weights(attention, causal=causal)
    rows, columns = given.shape
    ones = np.empty((rows, columns), dtype=np.bool_)
    step = max(1, _BLOCK_ENTRIES // columns)
    for start in range(0, rows, step):
        block = _Block(given[start : start + step], start, causal=causal)
        ones[start : start + step] = _kept(block, rule, logits=logits, ties=ties)
    return Pattern.from_array(ones, np.tri(rows, dtype=np.bool_) if causal else None)


class _Block:
    """Some rows of the weights as float64, their place, and what is within their reach."""

    def __init__(self, given: NDArray[Any], first: int, *, causal: bool) -> None:
        self.first = first
        self.scores: Floats = given.astype(np.float64)
        self.allowed: NDArray[np.bool_] = np.ones(given.shape, dtype=np.bool_)
        if causal:
            self.allowed = np.tri(len(given), given.shape[1], k=first, dtype=np.bool_)
            self.scores[~self.allowed] = -np.inf


def _kept(block: _Block, rule: Rule, *, logits: bool, ties: str | None) -> NDArray[np.bool_]:
    """The keys that the rows of a block keep."""
    scores = block.scores
    _require_numbers(block)
    if logits:
        masked = np.flatnonzero(np.isneginf(scores).all(axis=1))
        if masked.size:
            raise InputError(f"row {block.first + masked[0]} is masked entirely; drop the row")
    else:
        _require_probabilities(block)
    within_reach = scores > -np.inf
    descending = -np.sort(-scores, axis=1)
    weights = _softmax(descending) if logits else np.maximum(descending, 0.0)
    counts = rule.counts(weights, within_reach.sum(axis=1))
    ones = _heaviest(block, descending, counts, ties) & within_reach
    empty = np.flatnonzero(~ones.any(axis=1))
    if empty.size:
        raise InputError(
            f"row {block.first + empty[0]} keeps no key under {rule.name}; choose a milder rule"
        )
    return ones


def _as_weights(attention: ArrayLike, *, causal: bool) -> NDArray[Any]:
    """A matrix of numbers of any kind."""
    try:
        given = np.asarray(attention)
    except ValueError:
        raise InputError("the attention is ragged: every row needs the same number") from None
    if given.dtype.kind not in "fiu" or given.ndim != 2:
        raise InputError(
            f"attention must be a matrix of numbers, not {given.dtype} of shape {given.shape}"
        )
    rows, columns = given.shape
    check_size(rows, columns)
    if causal and rows != columns:
        raise InputError(f"causal attention needs a square matrix, not {rows} x {columns}")
    return given


def _require_numbers(block: _Block) -> None:
    wrong = np.isnan(block.scores) | np.isposinf(block.scores)
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        raise InputError(
            f"the weight at row {block.first + row}, column {column} is {block.scores[row, column]}"
        )


def _require_probabilities(block: _Block) -> None:
    negative = (block.scores < 0) & block.allowed
    if negative.any():
        row, column = np.argwhere(negative)[0]
        raise InputError(
            f"the weight at row {block.first + row}, column {column} is "
            f"{block.scores[row, column]}, not a probability; say so if these are logits "
            "(logits=True, --logits)"
        )
    sums = np.where(block.allowed, block.scores, 0.0).sum(axis=1)
    wrong = np.flatnonzero(np.abs(sums - 1) > _SUM_TOLERANCE)
    if wrong.size:
        up_to = "" if block.allowed.all() else " up to the diagonal"
        raise InputError(
            f"the weights of row {block.first + wrong[0]}{up_to} sum to {sums[wrong[0]]:.6g}, not "
            "1; say so if these are logits (logits=True, --logits)"
        )


def _softmax(scores: Floats) -> Floats:
    """Row by row, with the greatest score first in every row."""
    powers = np.exp(scores - scores[:, :1])
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def _heaviest(
    block: _Block, descending: Floats, counts: Counts, ties: str | None
) -> NDArray[np.bool_]:
    """The keys with the counts[i] greatest scores of every row i."""
    scores = block.scores
    last: Floats = np.take_along_axis(descending, np.maximum(counts - 1, 0)[:, None], axis=1)
    last[counts == 0] = np.inf
    above: NDArray[np.bool_] = scores > last
    level: NDArray[np.bool_] = scores == last
    places = (counts - above.sum(axis=1))[:, None]
    contested = level.sum(axis=1, keepdims=True) > places
    if contested.any() and ties is None:
        raise InputError(_describe_tie(block.first, level, contested, places, last))
    if ties == "none":
        entering = level & ~contested
    elif ties == "last":
        entering = _first_of(level[:, ::-1], places)[:, ::-1]
    elif ties == "first":
        entering = _first_of(level, places)
    else:
        entering = level
    return np.asarray(above | entering)


def _first_of(level: NDArray[np.bool_], places: Counts) -> NDArray[np.bool_]:
    """The first places[i] flags of every row i."""
    return np.asarray(level & (np.cumsum(level, axis=1) <= places))


def _describe_tie(
    first: int,
    level: NDArray[np.bool_],
    contested: NDArray[np.bool_],
    places: Counts,
    last: Floats,
) -> str:
    row = int(np.flatnonzero(contested)[0])
    columns = np.flatnonzero(level[row])
    return (
        f"row {first + row} has {len(columns)} keys of equal weight ({last[row, 0]:.6g}, columns "
        f"{', '.join(map(str, columns[:4]))}{', ..' if len(columns) > 4 else ''}) for "
        f"{places[row, 0]} place{'s' * int(places[row, 0] != 1)}; name a tie rule "
        f"({', '.join(TIES)})"
    )
