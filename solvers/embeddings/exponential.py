"""Periodic classes of keys, and one run outside each row's own class: keys at powers of a number.

Strided attention is the example: token i attends to a window and to every w-th token. Let x_j be
the class of key j (its place modulo the period), K a power of 2, and a and b the ends of the run of
ones outside class x. A row has the signs of

    e K^j - (x_j - x)^2 (K^(2 j - b) + K^a),  e > 0,

if K is large enough: divided by K^j, the bracket is about 1 at the ends of the run, smaller within
it, and at least K outside. On the row's own class, the product vanishes. The monomials x, x^2, K^j,
K^(2 j), x K^(2 j) and x^2 K^(2 j) are the 6 coordinates of a key. If all runs reach the last
specified key, as under a causal mask,

    1 + e K^j - 2 (x_j - x)^2

has the same signs: 3 coordinates.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import floor

import numpy as np
from numpy.typing import NDArray

from samapprox.pattern import Pattern
from samapprox.problem import Problem
from samapprox.proofs.base import Proof
from samapprox.proofs.embeddings.embedding import Embedding
from samapprox.solvers.embeddings import periodic
from samapprox.solvers.engine.search import Search

__all__ = ["NAME", "applies", "embed", "find_proof"]

NAME = "exponential"

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Numbers = NDArray[np.int64]

_MOST_KEYS = 4_096  # the powers of 2 have as many bits
_MOST_BITS = 12  # of K
_GAP = 0.02  # between the logarithms to base 2 of a row's ones and zeros, enough for
_BITS = 10  # of its factor e
_SECONDS_A_BIT = 4e-10  # of an entry's logit, for the check; measured
_SECONDS_AN_ENTRY = 2e-7  # for each K; measured
_LONGEST = 5.0  # seconds, where a turn is shorter: no other strategy finds this


def applies(problem: Problem) -> str | None:
    """Return the reason why the strategy does not apply, or None."""
    keys = problem.pattern.shape[1]
    if keys > _MOST_KEYS:
        return f"with {keys} keys, the numbers would be too long"
    return periodic.applies(problem)


def find_proof(problem: Problem, search: Search) -> Proof | str:
    """Look for a period such that each row is one class and one run of other keys.

    O(m n) time for each K that is tried, and whole numbers of O(n log K) bits. With a stride of 16
    or more, K is 2, so that 128 tokens take 256 bits.
    """
    period = periodic.find_period(problem.pattern)
    if period is None:
        return "no period of the keys was found"
    return embed(problem.pattern, period, search)


def embed(pattern: Pattern, period: int, search: Search) -> Embedding | str:
    """Return the embedding of a pattern whose rows are a class, modulo `period`, and a run."""
    search = search.extend(_LONGEST)
    rows, columns = pattern.shape
    if search.remaining < _SECONDS_AN_ENTRY * rows * columns:
        return "no time left"
    lines = _Lines.of(pattern, period)
    if lines.broken.any():
        return f"row {lines.broken.argmax()} is not a class modulo {period} and one run"
    form = _as_run if lines.ends_early.any() else _as_suffix
    for bits in range(1, _MOST_BITS + 1):
        entry = _SECONDS_AN_ENTRY + _SECONDS_A_BIT * columns * bits
        if search.remaining < entry * rows * columns:
            return "no time left"
        coefficients = form(lines, bits)
        if coefficients is not None:
            return _embedding(lines, coefficients, bits)
    return f"some run needs powers of more than 2^{_MOST_BITS}"


@dataclass(frozen=True, slots=True, eq=False)
class _Lines:
    """Rows that hold a class each, and what they hold outside of it."""

    own: Numbers  # (m,): the class that a row holds, or -1
    complemented: Flags  # (m,): whether the row's ones and zeros were exchanged
    period: int
    squares: Numbers  # (m, n): (x_j - x)^2; 1 where a row holds no class
    ones: Flags  # (m, n): outside the class
    zeros: Flags  # (m, n): outside the class
    first: Numbers  # (m,): the first one of each row outside the class
    last: Numbers  # (m,): the last one
    starts_late: Flags  # (m,): whether a zero comes before the first one
    ends_early: Flags  # (m,): whether a zero comes after the last one
    broken: Flags  # (m,): whether a zero comes between them

    @classmethod
    def of(cls, pattern: Pattern, period: int) -> _Lines:
        """Read all rows, with ones and zeros exchanged where this makes a row end with ones."""
        entries = pattern.to_array()
        own, complemented = periodic.choose_classes(entries, period)
        lines = cls._read(entries, period, own, complemented)
        if not lines.ends_early.any():
            return lines
        exchanged = ~complemented
        other = periodic.largest_classes(entries, period, np.where(exchanged, 0, 1))
        turned = cls._read(entries, period, other, exchanged)
        better = lines.ends_early & ~turned.ends_early & ~turned.broken
        own, exchanged = np.where(better, other, own), complemented ^ better
        return cls._read(entries, period, own, exchanged)

    @classmethod
    def _read(
        cls, entries: NDArray[np.int8], period: int, own: Numbers, complemented: Flags
    ) -> _Lines:
        places = np.arange(entries.shape[1])
        squares = np.where(own[:, None] < 0, 1, np.square(places % period - own[:, None]))
        flip, outside = complemented[:, None], squares > 0
        ones = np.where(flip, entries == 0, entries == 1) & outside
        zeros = np.where(flip, entries == 1, entries == 0) & outside
        first, last = ones.argmax(axis=1), places[-1] - ones[:, ::-1].argmax(axis=1)
        before, after = places < first[:, None], places > last[:, None]
        some = ones.any(axis=1)
        starts_late, ends_early, broken = (
            some & (zeros & part).any(axis=1) for part in (before, after, ~before & ~after)
        )
        return cls(
            own,
            complemented,
            period,
            squares,
            ones,
            zeros,
            first,
            last,
            starts_late,
            ends_early,
            broken,
        )

    def factors(self, logarithms: Floats) -> Floats | None:
        """Return, for each row, a number above those of its ones and below those of its zeros.

        Rows without ones have -inf; None is returned where the gap of a row is too small.
        """
        low = np.where(self.ones, logarithms, -np.inf).max(axis=1)
        high = np.where(self.zeros, logarithms, np.inf).min(axis=1)
        some = self.ones.any(axis=1)
        if (some & (high < low + _GAP)).any():
            return None
        low = np.where(np.isinf(low), np.minimum(high, 0) - 2, low)
        high = np.where(np.isinf(high), low + 2, high)
        return np.where(some, (low + high) / 2, -np.inf)


def _as_suffix(lines: _Lines, bits: int) -> list[list[int]] | None:
    """Return coefficients of 1, x, x^2 and K^j."""
    squares = np.log2(np.maximum(2 * lines.squares - 1, 1))
    factors = lines.factors(squares - bits * np.arange(lines.ones.shape[1]))
    if factors is None:
        return None
    found = []
    for own, factor in zip(lines.own.tolist(), factors.tolist(), strict=True):
        mantissa, shift = _round(factor)
        found.append([c << shift for c in _below_one(own)] + [mantissa])
    return found


def _as_run(lines: _Lines, bits: int) -> list[list[int]] | None:
    """Return coefficients of 1, x, x^2, K^j, K^(2 j), x K^(2 j) and x^2 K^(2 j)."""
    places, first, last = np.arange(lines.ones.shape[1]), lines.first, lines.last
    left, right = lines.starts_late, lines.ends_early
    falling = np.where(left[:, None], bits * (first[:, None] - places), -np.inf)
    rising = np.where(right[:, None], bits * (places - last[:, None]), -np.inf)
    bracket = np.logaddexp2(falling, rising)
    factors = lines.factors(np.log2(np.maximum(lines.squares, 1)) + bracket)
    if factors is None:
        return None
    found = []
    for row, own in enumerate(lines.own.tolist()):
        if factors[row] == -np.inf:
            found.append([*_below_one(own), 0, 0, 0, 0])
            continue
        turn = bits * int(last[row]) if right[row] else 0
        mantissa, shift = _round(float(factors[row]) + turn)
        constant = 1 << (bits * int(first[row]) + turn + shift) if left[row] else 0
        leading = 1 << shift if right[row] else 0
        square = _square(own)
        found.append([-constant * c for c in square] + [mantissa] + [-leading * c for c in square])
    return found


def _embedding(lines: _Lines, coefficients: list[list[int]], bits: int) -> Embedding:
    """Return the embedding in the monomials that have these coefficients, after the constant."""
    keys = []
    for place in range(lines.ones.shape[1]):
        x, power = place % lines.period, 1 << (bits * place)
        key = [x, x**2, power, power**2, x * power**2, x**2 * power**2]
        keys.append(key[: len(coefficients[0]) - 1])
    polynomials = np.array(coefficients, dtype=object)
    monomials = np.array(keys, dtype=object)
    embedding = Embedding(polynomials[:, 1:], monomials, -polynomials[:, 0])
    return periodic.turn_back(embedding, lines.complemented)


def _square(own: int) -> tuple[int, int, int]:
    """Return the coefficients of (x - own)^2, constant first; of 1 where there is no class."""
    return (1, 0, 0) if own < 0 else (own * own, -2 * own, 1)


def _below_one(own: int) -> list[int]:
    """Return the coefficients of 1 - 2 (x - own)^2, which is positive for x = own alone."""
    constant, linear, leading = _square(own)
    return [1 - 2 * constant, -2 * linear, -2 * leading]


def _round(logarithm: float) -> tuple[int, int]:
    """Return whole numbers m and s >= 0 such that m / 2^s is nearly 2^logarithm."""
    if logarithm == -np.inf:
        return 0, 0
    whole = floor(logarithm)
    mantissa, shift = round(2 ** (logarithm - whole + _BITS)), _BITS - whole
    return (mantissa, shift) if shift >= 0 else (mantissa << -shift, 0)
