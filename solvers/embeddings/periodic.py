"""Periodic classes of keys, with few changes outside each row's own class.

Strided attention is the example: token i attends to a window and to every w-th token. Let x_j be
the class of key j (its place modulo the period) and t_j its place. A row that holds all of class x
and changes between 1 and 0 at most c times along the other keys has the signs of

    (x_j - x)^2 p(t_j) - e,  e > 0 small,

where p is a polynomial of degree c, negative on the row's ones and positive on its zeros; on the
row's own class the product vanishes. The monomials x^a t^b with a <= 2 and b <= c, without the
constant, are the 3 c + 2 coordinates of a key. So strided attention needs no more than 8
dimensions, whatever the number of tokens and the stride.

A row with one run of ones outside class x, from key a to key b, needs fewer dimensions, but longer
numbers. Let K be a power of 2. The row has the signs of

    e K^j - (x_j - x)^2 (K^(2 j - b) + K^a),  e > 0,

if K is large enough: divided by K^j, the bracket is about 1 at the ends of the run, smaller within
it, and at least K outside. The monomials x, x^2, K^j, K^(2 j), x K^(2 j) and x^2 K^(2 j) are the 6
coordinates of a key. If all runs reach the last specified key, as under a causal mask,

    1 + e K^j - 2 (x_j - x)^2

has the same signs: 3 coordinates.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import floor

import numpy as np

from samapprox.pattern import UNSPECIFIED, Pattern
from samapprox.problem import Problem
from samapprox.proofs.base import Proof
from samapprox.proofs.embeddings.embedding import Embedding
from samapprox.proofs.exact import ExactArray
from samapprox.solvers.engine.search import Search, shared_tokens, too_large
from samapprox.storage import block_height
from samapprox.support.arrays import Entries, Flags, Floats, Numbers
from samapprox.support.text import plural

NAME = "periodic"


_FEWEST = 24  # with fewer keys, other strategies are as good
_MOST_CELLS = 300_000_000  # larger patterns would take more than a few seconds
_MOST_DEGREE = 8  # polynomials of a larger degree would need over 26 dimensions
_REPETITIONS = 3  # the keys must contain the period so many times
_SAMPLE = 16  # rows in which the period is looked for
_MOST_KEYS = 4_096  # powers of 2 have as many bits as there are keys, or more
_MOST_BITS = 12  # K is at most 2 to this power
# The logarithms to base 2 of a row's ones and zeros must be so far apart, which is enough for a
# factor e of _BITS bits.
_GAP = 0.02
_BITS = 10  # more bits would allow smaller gaps, but make all powers longer
_SECONDS_A_BIT = 4e-10  # seconds of the check for each bit of an entry's logit, measured
_SECONDS_AN_ENTRY = 2e-7  # seconds of an entry for each K, measured
# Seconds for powers, even if the turn is shorter: no other strategy finds these embeddings.
_LONGEST = 5.0


def applies(problem: Problem) -> str | None:
    """Return the reason why the strategy does not apply, or None."""
    if problem.pattern.shape[1] < _FEWEST:
        return f"{plural(problem.pattern.shape[1], 'key')}: too few to repeat"
    return shared_tokens(problem) or too_large(problem, _MOST_CELLS)


def find_proof(problem: Problem, search: Search) -> Proof | str:
    """Look for a period whose classes rows contain whole, with few changes elsewhere.

    Polynomials come first, in blocks of rows: O(m n) time, and whole numbers of O(c log n) bits.
    If they need more than d dimensions, powers follow: O(m n) time for each K that is tried, and
    O(n log K) bits. With a stride of 16 or more, K is 2, so that 128 tokens take 256 bits.
    """
    period = find_period(problem.pattern)
    if period is None:
        return "no period of the keys was found"
    found = embed_by_polynomials(problem.pattern, period, search)
    if isinstance(found, Embedding) and found.dimension <= problem.d:
        return found
    shorter = embed_by_powers(problem.pattern, period, search)
    if isinstance(shorter, str) or (
        isinstance(found, Embedding) and found.dimension <= shorter.dimension
    ):
        return found
    return shorter


def find_period(pattern: Pattern) -> int | None:
    """Find the distance at which ones repeat across most rows, or None."""
    rows, columns = pattern.shape
    places = np.unique(np.linspace(0, rows - 1, min(rows, _SAMPLE)).astype(np.int64))
    entries = np.vstack([pattern.block(int(row), int(row) + 1) for row in places])
    gaps = np.diff(np.flatnonzero(entries.ravel() == 1))
    gaps = gaps[(gaps > 1) & (gaps * _REPETITIONS <= columns)]
    if not gaps.size:
        return None
    period = int(np.bincount(gaps).argmax())
    whole = (_held(entries, period) >= _REPETITIONS).any(axis=1)
    bound = (entries == 0).any(axis=1)  # rows of ones hold every class
    return period if 2 * (whole & bound).sum() >= max(1, bound.sum()) else None


def _held(entries: Entries, period: int) -> Numbers:
    """Return, for each row and class, the number of its ones if the others are *; else 0."""
    rows, columns = entries.shape
    padded = np.full((rows, -(-columns // period) * period), UNSPECIFIED, dtype=np.int8)
    padded[:, :columns] = entries
    by_class = padded.reshape(rows, -1, period)
    return np.where((by_class != 0).all(axis=1), (by_class == 1).sum(axis=1), 0)


def _complement(entries: Entries, rows: Flags) -> Entries:
    """Exchange the ones and zeros of some rows."""
    return np.where(rows[:, None] & (entries != UNSPECIFIED), 1 - entries, entries)


def _choose_sides(entries: Entries, period: int) -> tuple[Entries, Flags]:
    """Complement the rows whose largest class of zeros exceeds that of ones; say which.

    Merged patterns hold the complement of a row that has more ones than zeros.
    """
    every = np.ones(len(entries), dtype=np.bool_)
    ones, zeros = (_held(each, period) for each in (entries, _complement(entries, every)))
    complemented = zeros.max(axis=1) > ones.max(axis=1)
    return _complement(entries, complemented), complemented


def _find_largest_classes(entries: Entries, period: int) -> Numbers:
    """Return the largest class that each row holds, or -1."""
    held = _held(entries, period)
    return np.where(held.any(axis=1), held.argmax(axis=1), -1)


def _turn_back(embedding: Embedding, turned: Flags) -> Embedding:
    """Complement these rows: for whole numbers q.k > t fails iff -q.k > -t - 1."""
    sign = np.where(turned, -1, 1)
    return Embedding(
        embedding.queries * sign[:, None], embedding.keys, embedding.thresholds * sign - turned
    )


# ---------------------------------------------------------------- polynomials


def embed_by_polynomials(pattern: Pattern, period: int, search: Search) -> Embedding | str:
    """Embed a pattern whose rows change seldom outside a class of keys, by polynomials."""
    rows, columns = pattern.shape
    own: list[int] = []
    roots: list[list[int]] = []
    signs: list[int] = []  # of p after its last root
    turned: list[Flags] = []
    step = block_height(16 * columns)
    for start in range(0, rows, step):
        if search.out_of_time:
            return "no time left"
        entries, complemented = _choose_sides(pattern.block(start, start + step), period)
        classes = _find_largest_classes(entries, period)
        for line, one in zip(entries, classes.tolist(), strict=True):
            places, last = _find_changes(line, period, one)
            if len(places) > _MOST_DEGREE:
                changes = plural(len(places), "time")
                return f"a row changes value {changes} outside its class modulo {period}"
            own.append(one)
            roots.append(places)
            signs.append(last)
        turned.append(complemented)
    return _turn_back(_embed_classes(columns, period, own, roots, signs), np.concatenate(turned))


def _find_changes(line: Entries, period: int, own: int) -> tuple[list[int], int]:
    """Find places where a row changes outside its class (odd between even ones), and its end.

    The end is +1 where the last such entry is 0, as after a polynomial's last root, else -1.
    """
    counts = line != UNSPECIFIED
    if own >= 0:
        counts[own::period] = False
    places = np.flatnonzero(counts)
    if not places.size:
        return [], 1
    ones = line[places] == 1
    at = np.flatnonzero(ones[1:] != ones[:-1])
    return (2 * places[at] + 1).tolist(), -1 if ones[-1] else 1


def _embed_classes(
    columns: int,
    period: int,
    own: list[int],
    roots: list[list[int]],
    signs: list[int],
) -> Embedding:
    """Keys x^a t^b; queries with the coefficients of -(x - own)^2 p(t), or of -p(t) without own."""
    degree = max(map(len, roots))
    t = _powers(2 * np.arange(columns, dtype=np.int64), degree)
    x = _powers(np.arange(columns, dtype=np.int64) % period, 2)
    keys = (x[:, :, None] * t[:, None, :]).reshape(columns, -1)
    squares = np.array([_expand_square(one) for one in own], dtype=object)
    polynomials = np.array(
        [
            [-sign * c for c in _expand(places, degree)]
            for places, sign in zip(roots, signs, strict=True)
        ],
        dtype=object,
    )
    queries = (squares[:, :, None] * polynomials[:, None, :]).reshape(len(roots), -1)
    # q . k > -1 where the value is 0 or more, for whole numbers; the constant joins the threshold.
    return Embedding(queries[:, 1:], keys[:, 1:], -1 - queries[:, 0])


def _powers(values: Numbers, degree: int) -> ExactArray:
    """Return 1, v, v^2, .. for each value, shape (values, degree + 1)."""
    exact = values.astype(object)
    return np.stack([exact**power for power in range(degree + 1)], axis=1)


def _expand(roots: list[int], degree: int) -> list[int]:
    """Expand the monic polynomial with these roots, constant term first, up to a degree."""
    coefficients = [1]
    for root in roots:
        shifted = [0, *coefficients]
        coefficients = [a - root * b for a, b in zip(shifted, [*coefficients, 0], strict=True)]
    return coefficients + [0] * (degree + 1 - len(coefficients))


# ---------------------------------------------------------------- powers


def embed_by_powers(pattern: Pattern, period: int, search: Search) -> Embedding | str:
    """Embed a pattern whose rows are a class of keys and a run, by powers of K."""
    search = search.extend(_LONGEST)
    rows, columns = pattern.shape
    if columns > _MOST_KEYS:
        return f"with {columns} keys, the numbers would be too long"
    if search.remaining < _SECONDS_AN_ENTRY * rows * columns:
        return "no time left"
    lines = _Lines.of(pattern, period)
    if lines.broken.any():
        return f"row {lines.broken.argmax()} is not a class modulo {period} and one run"
    form = _find_run if lines.ends_early.any() else _find_suffix
    for bits in range(1, _MOST_BITS + 1):
        entry = _SECONDS_AN_ENTRY + _SECONDS_A_BIT * columns * bits
        if search.remaining < entry * rows * columns:
            return "no time left"
        coefficients = form(lines, bits)
        if coefficients is not None:
            return _embed_lines(lines, coefficients, bits)
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
        entries, complemented = _choose_sides(pattern.to_array(), period)
        lines = cls._read(entries, period, complemented)
        if not lines.ends_early.any():
            return lines
        turned = cls._read(_complement(entries, lines.ends_early), period, complemented)
        better = lines.ends_early & ~turned.ends_early & ~turned.broken
        return cls._read(_complement(entries, better), period, complemented ^ better)

    @classmethod
    def _read(cls, entries: Entries, period: int, complemented: Flags) -> _Lines:
        own = _find_largest_classes(entries, period)
        places = np.arange(entries.shape[1])
        squares = np.where(own[:, None] < 0, 1, np.square(places % period - own[:, None]))
        ones, zeros = ((entries == value) & (squares > 0) for value in (1, 0))
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


def _find_suffix(lines: _Lines, bits: int) -> list[list[int]] | None:
    """Return coefficients of 1, x, x^2 and K^j."""
    squares = np.log2(np.maximum(2 * lines.squares - 1, 1))
    factors = lines.factors(squares - bits * np.arange(lines.ones.shape[1]))
    if factors is None:
        return None
    found = []
    for own, factor in zip(lines.own.tolist(), factors.tolist(), strict=True):
        mantissa, shift = _round(factor)
        found.append([c << shift for c in _expand_below_one(own)] + [mantissa])
    return found


def _find_run(lines: _Lines, bits: int) -> list[list[int]] | None:
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
            found.append([*_expand_below_one(own), 0, 0, 0, 0])
            continue
        turn = bits * int(last[row]) if right[row] else 0
        mantissa, shift = _round(float(factors[row]) + turn)
        constant = 1 << (bits * int(first[row]) + turn + shift) if left[row] else 0
        leading = 1 << shift if right[row] else 0
        square = _expand_square(own)
        found.append([-constant * c for c in square] + [mantissa] + [-leading * c for c in square])
    return found


def _embed_lines(lines: _Lines, coefficients: list[list[int]], bits: int) -> Embedding:
    """Return the embedding in the monomials that have these coefficients, after the constant."""
    keys = []
    for place in range(lines.ones.shape[1]):
        x, power = place % lines.period, 1 << (bits * place)
        key = [x, x**2, power, power**2, x * power**2, x**2 * power**2]
        keys.append(key[: len(coefficients[0]) - 1])
    polynomials = np.array(coefficients, dtype=object)
    monomials = np.array(keys, dtype=object)
    embedding = Embedding(polynomials[:, 1:], monomials, -polynomials[:, 0])
    return _turn_back(embedding, lines.complemented)


def _expand_square(own: int) -> tuple[int, int, int]:
    """Return the coefficients of (x - own)^2, constant first; of 1 where there is no class."""
    return (1, 0, 0) if own < 0 else (own * own, -2 * own, 1)


def _expand_below_one(own: int) -> list[int]:
    """Return the coefficients of 1 - 2 (x - own)^2, which is positive for x = own alone."""
    constant, linear, leading = _expand_square(own)
    return [1 - 2 * constant, -2 * linear, -2 * leading]


def _round(logarithm: float) -> tuple[int, int]:
    """Return whole numbers m and s >= 0 such that m / 2^s is nearly 2^logarithm."""
    if logarithm == -np.inf:
        return 0, 0
    whole = floor(logarithm)
    mantissa, shift = round(2 ** (logarithm - whole + _BITS)), _BITS - whole
    return (mantissa, shift) if shift >= 0 else (mantissa << -shift, 0)
