"""Rows of weights that cannot be used, the tally of these, and recognition of causal attention."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.errors import InputError
from samapprox.support.text import plural


class Fault(IntEnum):
    """The reason why a row of weights states no preference."""

    PADDING = 1
    NOT_FINITE = 2
    NEGATIVE = 3
    SUM = 4
    EMPTY = 5


_WORDS = {
    Fault.PADDING: "of padding",
    Fault.NOT_FINITE: "with NaN or infinite weights",
    Fault.NEGATIVE: "with negative weights",
    Fault.SUM: "whose weights do not sum to 1",
    Fault.EMPTY: "that keep no key",
}

_TIES = {"first": "the first", "last": "the last", "all": "all", "none": "none"}


@dataclass(slots=True)
class RowCount:
    """The tally of the rows that a binarization keeps, masks and skips.

    A masked row has one 1 and otherwise ``*``: every embedding represents it. A matrix without any
    usable row is skipped.

    Attributes
    ----------
    patterns : int
        Patterns made.
    rows : int
        Rows of these patterns, masked ones included.
    masked : Counter of Fault
        Masked rows by reason.
    tied : int
        Rows with several keys of equal weight for the last places.
    skipped : int
        Matrices, and tensors that hold no weights, of which no pattern was made.
    causal : int
        Tensors that were recognised as causal.
    guessed_axes : Counter of str
        Tensors whose shape alone states which axis is the layer, by the names of their axes.
    without_zeros : Counter of str
        Patterns of a set without any 0, by family: every embedding represents them.
    examples : dict of Fault or str to str
        The first row of each reason, and the first thing ``"skipped"``, in words.

    Examples
    --------
    >>> from samapprox.attention import RowCount, TopK, binarize
    >>> count = RowCount()
    >>> print(binarize([[0.9, 0.1], [0.0, 0.0]], TopK(1), rows=count).to_text())
    10
    1*
    >>> count.lines()
    ['masked 1 of 2 rows: 1 of padding']
    """

    patterns: int = 0
    rows: int = 0
    masked: Counter[Fault] = field(default_factory=Counter)
    tied: int = 0
    skipped: int = 0
    causal: int = 0
    guessed_axes: Counter[str] = field(default_factory=Counter)
    without_zeros: Counter[str] = field(default_factory=Counter)
    examples: dict[Fault | str, str] = field(default_factory=dict)

    def add(self, rows: int, masked: Mapping[Fault, int], tied: int) -> None:
        """Count a pattern.

        Parameters
        ----------
        rows : int
            Its rows, masked ones included.
        masked : mapping of Fault to int
            Its masked rows by reason.
        tied : int
            Its rows with several keys of equal weight for the last places.
        """
        self.patterns += 1
        self.rows += rows
        self.masked.update(masked)
        self.tied += tied

    def skip(self, reason: str) -> None:
        """Count a matrix or tensor of which no pattern was made.

        Parameters
        ----------
        reason : str
            What and why; the first one is kept.
        """
        self.skipped += 1
        self.examples.setdefault("skipped", reason)

    def nothing_left(self) -> InputError:
        """Return the error of a source of which everything was skipped."""
        others = f" (and so on: {self.skipped} skipped)" if self.skipped > 1 else ""
        return InputError(f"{self.examples.get('skipped', 'no matrix of weights')}{others}")

    def lines(self, ties: str | None = None) -> list[str]:
        """Say in words what was not used as it stands; nothing where everything was.

        Parameters
        ----------
        ties : str, optional
            The tie rule that was in force.
        """
        lines = []
        if self.masked.total():
            reasons = ", ".join(
                f"{count} {_WORDS[fault]}{self._example(fault)}"
                for fault, count in sorted(self.masked.items())
                if count
            )
            lines.append(f"masked {self.masked.total()} of {plural(self.rows, 'row')}: {reasons}")
        if self.tied:
            lines.append(
                f"equal weights at the cut in {plural(self.tied, 'row')}: {_TIES[ties or 'all']} "
                "of the tied keys are kept (--ties)"
            )
        if self.skipped:
            things = "1 matrix" if self.skipped == 1 else f"{self.skipped} matrices"
            lines.append(f"skipped {things}: {self.examples.get('skipped', '')}")
        if self.causal:
            lines.append(
                f"nothing above the diagonal of {plural(self.causal, 'tensor')}: attention is "
                "causal, later positions are * (--no-causal keeps them)"
            )
        lines += [
            f"the axes of {plural(count, 'tensor')} are read as {axes}, queries, keys, because no "
            "name states a layer; for a batch of texts, use --axes text,head"
            for axes, count in sorted(self.guessed_axes.items())
        ]
        lines += [
            f"{plural(count, 'pattern')} of {family} {'has' if count == 1 else 'have'} no 0, which "
            "asks nothing of a head; choose a rule that keeps fewer keys"
            for family, count in sorted(self.without_zeros.items())
        ]
        return lines

    def _example(self, fault: Fault) -> str:
        """The first row of a reason, but for padding, which explains itself."""
        if fault is Fault.PADDING or fault not in self.examples:
            return ""
        return f" ({self.examples[fault]})"


def sum_tolerance(columns: int, roundoff: float) -> float:
    """Return the allowed distance from 1 of the sum of a row of probabilities.

    One percent, or more for long rows in half precision: a sum of n weights in the same precision
    is off like a random walk, by the square root of n times the relative rounding error of each
    weight.
    """
    return max(0.01, roundoff * math.sqrt(columns))


def is_causal(matrices: Iterable[NDArray[Any]], *, logits: bool = False) -> bool:
    """Return whether matrices show causal attention: no key after its query has weight.

    Reads only up to the first matrix that is not causal. A key is masked by weight 0, or by a logit
    of minus infinity. The answer is False where no matrix has evidence, a row before the last one
    that is not padding.
    """
    evidence = False
    for matrix in matrices:
        if matrix.shape[0] != matrix.shape[1]:
            return False
        at = np.flatnonzero(~_is_constant(matrix))
        rows = matrix[at]
        later = np.arange(matrix.shape[1]) > at[:, None]
        masked = np.isneginf(rows) if logits else rows == 0
        if (later & ~masked).any():
            return False
        evidence = evidence or bool(later.any())
    return evidence


def _is_constant(matrix: NDArray[Any]) -> NDArray[np.bool_]:
    """The rows of equal entries, where NaN equals NaN."""
    first = matrix[:, :1]
    return np.asarray(((matrix == first) | (np.isnan(matrix) & np.isnan(first))).all(axis=1))
