"""Attention weights as 0/1 patterns: the keys that each query attends to."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samapprox.attention.weights.rows import Fault, RowCount, sum_tolerance
from samapprox.attention.weights.rules import Rule
from samapprox.errors import InputError, abridge, require_flag, require_number, require_type
from samapprox.pattern import Pattern
from samapprox.storage.entries import check_size
from samapprox.support.arrays import Flags, Floats, Numbers

TIES = ("first", "last", "all", "none")
"""The rules for keys of equal weight that compete for the last places of a row."""

_BLOCK_ENTRIES = 1 << 22  # some hundred megabytes of float64 copies
_MASKED_KEY = 0  # the 1 of a masked row: within reach of every query, also under a causal mask


class NoUsableRow(InputError):
    """Every row of a matrix of weights would be masked."""


def require_ties(ties: object) -> None:
    """Refuse what names no way to choose among equal weights."""
    if ties is not None:
        known = f"one of {', '.join(TIES)}"
        require_type("ties", ties, str, known)
        if ties not in TIES:
            raise InputError(f"ties must be {known}, not {abridge(ties)}")


def binarize(
    attention: ArrayLike,
    rule: Rule,
    *,
    causal: bool = False,
    logits: bool = False,
    ties: str | None = None,
    rows: RowCount | None = None,
    roundoff: float | None = None,
) -> Pattern:
    """Return the pattern of the keys that attention gives the most weight.

    Parameters
    ----------
    attention : array_like of float, shape (m, n)
        Probabilities (rows sum to 1), or logits.
    rule : Rule
        `TopK`, `Threshold`, `Uniform` or `Mass`. No rule keeps a key whose probability is given as
        0.
    causal : bool
        Only keys up to the query's own position count; later entries of the pattern are *.
    logits : bool
        The numbers are logits: a softmax in float64 makes the probabilities, and ties are those of
        the logits. Minus infinity masks a key.
    ties : {"first", "last", "all", "none"}, optional
        Which of several keys of equal weight take a row's last places: those with the least or the
        greatest index, all of them, or none. By default such a row is an error, with `rows` all
        tied keys are kept: the weights prefer all of them to every other key, and none of them to
        another.
    rows : RowCount, optional
        A tally. Where it is given, rows that cannot be used are masked and counted, not errors:
        padding (all weights are 0 or NaN, all logits minus infinity), NaN and infinities, negative
        weights, sums other than 1, and rows that keep no key. A masked row has a 1 at key 0 and
        otherwise *: it has no 0, so that it constrains nothing.
    roundoff : float, optional
        Relative rounding error of the weights, from which the tolerance of their sums follows (see
        `samapprox.attention.weights.rows.sum_tolerance`); by default that of their type.

    Returns
    -------
    Pattern
        Rows are queries, columns are keys; 1 where the rule keeps the key.

    Raises
    ------
    InputError
        Not a matrix of numbers. Without `rows` also the first row that cannot be used, or that has
        a tie without a rule; with `rows` a matrix none of whose rows can be used.

    Notes
    -----
    O(m n log n) time; rows are taken in blocks of some hundred megabytes.

    Examples
    --------
    >>> from samapprox.attention import TopK
    >>> print(binarize([[1.0, 0.0], [0.5, 0.5]], TopK(1), causal=True, ties="first").to_text())
    1*
    10
    """
    require_ties(ties)
    require_type("rule", rule, Rule, "a rule such as TopK(5)")
    if rows is not None:
        require_type("rows", rows, RowCount, "a RowCount")
    for name, value in (("causal", causal), ("logits", logits)):
        require_flag(name, value)
    given = _as_weights(attention, causal=causal)
    height, width = given.shape
    if roundoff is None:
        roundoff = float(np.finfo(given.dtype).eps) / 2 if given.dtype.kind == "f" else 0.0
    require_number("roundoff", roundoff)
    if not 0 <= roundoff < 1:
        raise InputError(f"roundoff must be at least 0 and below 1, not {roundoff}")
    tolerance = sum_tolerance(width, roundoff)
    reading = _Reading(rule, tolerance, logits=logits, ties=ties, strict=rows is None)
    ones = np.empty((height, width), dtype=np.bool_)
    faults = np.zeros(height, dtype=np.int8)
    step = max(1, _BLOCK_ENTRIES // width)
    for start in range(0, height, step):
        block = _Block(given[start : start + step], start, causal=causal)
        kept, fault = reading.read(block)
        ones[start : start + step] = kept
        faults[start : start + step] = fault
    masked = faults > 0
    if rows is not None:
        if masked.all():
            raise NoUsableRow(f"no row can be used: {reading.examples[Fault(int(faults[0]))]}")
        rows.add(height, Counter(map(Fault, faults[masked].tolist())), reading.tied)
        for reason, words in reading.examples.items():
            rows.examples.setdefault(reason, words)
    care = np.tri(height, dtype=np.bool_) if causal else None
    if masked.any():
        care = np.ones((height, width), dtype=np.bool_) if care is None else care
        care[masked] = False
        ones[masked, _MASKED_KEY] = care[masked, _MASKED_KEY] = True
    return Pattern.from_array(ones, care)


class _Block:
    """Some rows of the weights as float64, their place, and the entries within their reach."""

    def __init__(self, given: NDArray[Any], first: int, *, causal: bool) -> None:
        self.first = first
        with np.errstate(invalid="ignore"):  # some NaN are signalling
            self.scores: Floats = given.astype(np.float64)
        self.allowed: Flags = np.ones(given.shape, dtype=np.bool_)
        if causal:
            self.allowed = np.tri(len(given), given.shape[1], k=first, dtype=np.bool_)
            self.scores[~self.allowed] = -np.inf


class _Reading:
    """The reading of the rows of a matrix, with the ties and faults that it meets."""

    def __init__(
        self, rule: Rule, tolerance: float, *, logits: bool, ties: str | None, strict: bool
    ) -> None:
        self.rule, self.tolerance, self.logits, self.strict = rule, tolerance, logits, strict
        self.ties = ties if strict else ties or "all"
        self.tied = 0
        self.examples: dict[Fault, str] = {}

    def read(self, block: _Block) -> tuple[Flags, NDArray[np.int8]]:
        """The keys that each row of a block keeps, and the `Fault` of each row or 0."""
        faults = self._find_faults(block)
        self._note(block, faults)
        usable = faults == 0
        kept: Flags = np.zeros(block.scores.shape, dtype=np.bool_)
        kept[usable] = self._choose(block, usable)
        faults[usable & ~kept.any(axis=1)] = Fault.EMPTY
        self._note(block, faults)
        return kept, faults

    def _note(self, block: _Block, faults: NDArray[np.int8]) -> None:
        """Keep an example of each fault; where there is no tally, the first one is an error."""
        if self.strict and faults.any():
            row = int(np.flatnonzero(faults)[0])
            raise InputError(self.describe(block, row, Fault(int(faults[row]))))
        found, first = np.unique(faults, return_index=True)
        for fault, row in zip(found.tolist(), first.tolist(), strict=True):
            if fault and Fault(fault) not in self.examples:
                self.examples[Fault(fault)] = self.describe(block, row, Fault(fault))

    def _find_faults(self, block: _Block) -> NDArray[np.int8]:
        scores, outside = block.scores, ~block.allowed
        nothing = np.isneginf(scores) if self.logits else scores == 0
        tests = {
            Fault.PADDING: (nothing | outside).all(axis=1)
            | (np.isnan(scores) | outside).all(axis=1),
            Fault.NOT_FINITE: (np.isnan(scores) | np.isposinf(scores)).any(axis=1),
        }
        if not self.logits:
            tests[Fault.NEGATIVE] = ((scores < 0) & block.allowed).any(axis=1)
            tests[Fault.SUM] = ~(np.abs(_sums(block) - 1) <= self.tolerance)
        faults = np.zeros(len(scores), dtype=np.int8)
        for fault, flags in tests.items():
            faults[flags & (faults == 0)] = fault
        return faults

    def _choose(self, block: _Block, usable: Flags) -> Flags:
        scores = block.scores[usable]
        within_reach = scores > -np.inf
        descending = -np.sort(-scores, axis=1)
        weights = _softmax(descending) if self.logits else np.maximum(descending, 0.0)
        counts = self.rule.counts(weights, within_reach.sum(axis=1))
        if not self.logits:
            counts = np.minimum(counts, (scores > 0).sum(axis=1))
        rows = np.flatnonzero(usable) + block.first
        ones, tied = _heaviest(scores, rows, descending, counts, self.ties)
        self.tied += tied
        return np.asarray(ones & within_reach)

    def describe(self, block: _Block, row: int, fault: Fault) -> str:
        """Describe the fault of a row."""
        at, scores = block.first + row, block.scores[row]
        mend = "say so if these are logits (logits=True, --logits)"
        if fault is Fault.EMPTY:
            return f"row {at} keeps no key under {self.rule.name}; choose a milder rule"
        if fault is Fault.PADDING and self.logits and np.isneginf(scores).any():
            return f"row {at} is masked entirely; drop the row"
        if fault is Fault.NEGATIVE:
            column = int(np.flatnonzero((scores < 0) & block.allowed[row])[0])
            return (
                f"the weight at row {at}, column {column} is {scores[column]}, not a probability; "
                f"{mend}"
            )
        wrong = np.flatnonzero(np.isnan(scores) | np.isposinf(scores))
        if wrong.size:
            return f"the weight at row {at}, column {wrong[0]} is {scores[wrong[0]]}"
        if ((scores == 0) | (scores == 1)).all():
            mend = "a 0/1 pattern needs no rule: `samapprox dim`"
        up_to = "" if block.allowed.all() else " up to the diagonal"
        return f"the weights of row {at}{up_to} sum to {_sums(block)[row]:.6g}, not 1; {mend}"


def _sums(block: _Block) -> Floats:
    """The sums of the rows; NaN where infinities cancel."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(block.allowed, block.scores, 0.0).sum(axis=1))


def _as_weights(attention: ArrayLike, *, causal: bool) -> NDArray[Any]:
    """Convert to a matrix of numbers of any kind."""
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


def _softmax(scores: Floats) -> Floats:
    """Row by row, with the greatest score first in every row."""
    powers = np.exp(scores - scores[:, :1])
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def _heaviest(
    scores: Floats, rows: Numbers, descending: Floats, counts: Numbers, ties: str | None
) -> tuple[Flags, int]:
    """The keys with the counts[i] greatest scores of every row i, and the number of tied rows."""
    last: Floats = np.take_along_axis(descending, np.maximum(counts - 1, 0)[:, None], axis=1)
    last[counts == 0] = np.inf
    above: Flags = scores > last
    level: Flags = scores == last
    places = (counts - above.sum(axis=1))[:, None]
    contested = level.sum(axis=1, keepdims=True) > places
    if contested.any() and ties is None:
        raise InputError(_describe_tie(rows, level, contested, places, last))
    if ties == "none":
        entering = level & ~contested
    elif ties == "last":
        entering = _first_of(level[:, ::-1], places)[:, ::-1]
    elif ties == "first":
        entering = _first_of(level, places)
    else:
        entering = level
    return np.asarray(above | entering), int(contested.sum())


def _first_of(level: Flags, places: Numbers) -> Flags:
    """The first places[i] flags of every row i."""
    return np.asarray(level & (np.cumsum(level, axis=1) <= places))


def _describe_tie(
    rows: Numbers,
    level: Flags,
    contested: Flags,
    places: Numbers,
    last: Floats,
) -> str:
    row = int(np.flatnonzero(contested)[0])
    columns = np.flatnonzero(level[row])
    return (
        f"row {rows[row]} has {len(columns)} keys of equal weight ({last[row, 0]:.6g}, columns "
        f"{', '.join(map(str, columns[:4]))}{', ..' if len(columns) > 4 else ''}) for "
        f"{places[row, 0]} place{'s' * int(places[row, 0] != 1)}; name a tie rule "
        f"({', '.join(TIES)})"
    )
