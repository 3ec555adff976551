"""d = 1: queries and keys on a line, free and coupled, in linear time.

Modules decide d = 1 in other ways: with don't-cares, for many patterns at once, or as published.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from samapprox.pattern import Pattern
from samapprox.problem import Problem
from samapprox.proofs.base import Proof
from samapprox.support.packages import lazy_modules

if TYPE_CHECKING:  # only the proof that is found is imported
    from samapprox.proofs.embeddings.embedding import Embedding, SelfAttention
    from samapprox.proofs.refutations.radon import Radon
    from samapprox.proofs.refutations.shattering import Shattering
    from samapprox.proofs.refutations.sign_clash import SharedSplit, SignClash
    from samapprox.solvers.engine.search import Search
    from samapprox.storage.sparse import SparseMatrix
    from samapprox.support.arrays import Flags, Numbers


NAME = "line"


def applies(problem: Problem) -> str | None:
    """Return the reason why the strategy does not apply, or None."""
    if not problem.pattern.is_specified:
        return "don't-care entries make d = 1 an ordering problem, beyond this linear-time test"
    return None


def find_proof(
    problem: Problem,
    search: Search | None = None,
) -> Proof | str:
    """Decide d = 1; for larger d, look for an embedding on a line.

    Cost O(m n / 64) word operations for dense patterns, O(ones) for sparse ones, plus sorting the
    rows and columns. Rows are flipped to agree with a reference row, where that is possible; then
    they must form a chain under inclusion. The candidate chain is read off in O(n log m), or by
    column degrees, and one count of the ones in it decides: the first row that differs leads to the
    clash.

    Likhosherstov et al. (2023), Algorithm 1 and Theorem 0.3, corrected for d_hid = 1.
    """
    found = _line_up(problem.pattern)
    if not isinstance(found, _Line):
        return found if problem.d == 1 else "d = 1 is refuted, which proves nothing about d >= 2"
    if not problem.coupled:
        return found.embedding()
    if problem.d == 1:
        return _couple(problem.pattern, found)
    assert problem.d_hid is not None
    return found.embedding().self_attention()


# ---------------------------------------------------------------- rows against one another


def relation(
    common: Numbers, ones: Numbers, reference_ones: int, columns: int
) -> tuple[Flags, Flags]:
    """Relate rows to a reference row, from counts alone."""
    neither = columns - ones - reference_ones + common
    same = (common > 0) & (neither > 0)
    opposite = (common < ones) & (common < reference_ones)
    return same, opposite


def _relation_to(pattern: Pattern, row: int) -> tuple[Flags, Flags]:
    ones = pattern.row_ones
    return relation(pattern.ones.intersections(row), ones, int(ones[row]), pattern.shape[1])


@dataclass(frozen=True, slots=True, eq=False)
class _Line:
    """Half-lines that represent a pattern, by levels along the line; full rows are not `mixed`."""

    level: Numbers  # of each column, 0 .. number of levels - 1; small levels are in many rows
    bound: Numbers  # row i, where mixed, is (or, flipped, is not) {j : level[j] < bound[i]}
    mixed: Flags  # rows with a 0 and a 1
    flipped: Flags

    def embedding(self) -> Embedding:
        """Compute keys highest - level, queries +-1 (0 for full rows) and thresholds."""
        from samapprox.proofs.embeddings.embedding import Embedding

        highest = int(self.level.max())
        keys = highest - self.level
        # level < bound <=> key > highest - bound, and its negation -key > bound - highest - 1
        queries = np.where(self.mixed, np.where(self.flipped, -1, 1), 0)
        thresholds = np.where(self.flipped, self.bound - highest - 1, highest - self.bound)
        thresholds[~self.mixed] = -1
        return Embedding(queries[:, None], keys[:, None], thresholds)

    def first_wrong_row(self, pattern: Pattern) -> int | None:
        """Return the first row whose half-line does not hold exactly its ones, or None.

        All ones of a row lie in a half-line that has as many columns, and none of them in the
        half-line of a flipped row, which has a column for each zero.
        """
        order = np.argsort(self.level, kind="stable")
        lengths = np.searchsorted(self.level[order], self.bound, side="left")
        inside = pattern.ones.prefix_counts(order, lengths)
        ones = pattern.row_ones
        right = np.where(
            self.flipped,
            (inside == 0) & (lengths == len(order) - ones),
            (inside == ones) & (lengths == ones),
        )
        wrong = np.flatnonzero(self.mixed & ~right)
        return int(wrong[0]) if wrong.size else None


def _line_up(pattern: Pattern) -> _Line | Radon | Shattering:
    """Find half-lines that represent a fully specified pattern, or the clash that forbids them."""
    ones, columns = pattern.row_ones, pattern.shape[1]
    mixed = ones < columns
    if not mixed.any():
        nothing = np.zeros(len(ones), dtype=np.int64)
        return _Line(np.zeros(columns, dtype=np.int64), nothing, mixed, nothing > 0)
    reference = int(mixed.argmax())
    same, opposite = _relation_to(pattern, reference)
    both = np.flatnonzero(same & opposite & mixed)
    if both.size:
        return _shatter(pattern, reference, int(both[0]))
    flipped = opposite & mixed
    sizes = np.where(flipped, columns - ones, ones)
    line = _chain(pattern, mixed, flipped, sizes)
    row = line.first_wrong_row(pattern)
    if row is None:
        return line
    # The row where the chain breaks is incomparable with another one: against the reference both
    # are labelled, so that pair contradicts the two labels.
    same, opposite = _relation_to(pattern, row)
    contradicts = np.where(flipped == flipped[row], opposite, same) & mixed
    partner = int(contradicts.argmax())
    if same[partner] and opposite[partner]:
        return _shatter(pattern, row, partner)
    return _find_clash(pattern, reference, row, partner)


# ---------------------------------------------------------------- the chain of row sets


def _chain(pattern: Pattern, mixed: Flags, flipped: Flags, sizes: Numbers) -> _Line:
    """Return the only candidate chain: right if any is; else wrong in a row of a clashing pair."""
    if pattern.ones.is_sparse:
        rank = _rank_by_degree(pattern.ones, mixed, flipped)
    else:
        rank = _rank_by_bisection(pattern, mixed, flipped, sizes)
    # Columns of equal rank share a level, and a row of size s holds the levels of the first s.
    levels, level = np.unique(rank, return_inverse=True)
    below = np.concatenate(([0], np.cumsum(np.bincount(level, minlength=len(levels)))))
    bound = np.searchsorted(below, sizes, side="right") - 1
    return _Line(level.reshape(-1).astype(np.int64), bound.astype(np.int64), mixed, flipped)


def _rank_by_degree(matrix: SparseMatrix, mixed: Flags, flipped: Flags) -> Numbers:
    """Return minus the number of (flipped) rows that hold each column, up to a constant.

    In a chain the columns of the small sets are in the most rows. If instead a row holds a column
    j but not k although k has no smaller degree, then another row holds k but not j.
    """
    return matrix.column_counts(flipped) - matrix.column_counts(mixed & ~flipped)


def _rank_by_bisection(pattern: Pattern, mixed: Flags, flipped: Flags, sizes: Numbers) -> Numbers:
    """Bisect for the first (flipped) row, in order of size, that holds each column.

    Row positions low - 1 and low were looked at (or do not exist): the one does not hold the
    column, the other does. A row that breaks the monotone rule is thus incomparable with one of
    the two, as sizes ascend with position.
    """
    by_size = np.flatnonzero(mixed)
    by_size = by_size[np.argsort(sizes[by_size], kind="stable")]
    columns = np.arange(pattern.shape[1])
    low = np.zeros(len(columns), dtype=np.int64)
    high = np.full(len(columns), len(by_size), dtype=np.int64)
    while (open_ := low < high).any():
        middle = np.where(open_, (low + high) // 2, 0)
        rows = by_size[middle]
        holds = pattern.ones.entries(rows, columns) != flipped[rows]
        high = np.where(open_ & holds, middle, high)
        low = np.where(open_ & ~holds, middle + 1, low)
    return low


# ---------------------------------------------------------------- clashes


def _find_types(pattern: Pattern, rows: list[int]) -> dict[tuple[int, ...], int]:
    """Return the first column that shows each occurring 0/1 vector on the given rows."""
    code = np.zeros(pattern.shape[1], dtype=np.int8)
    for row in rows:
        code = 2 * code + pattern.block(row, row + 1)[0]
    kinds, first = np.unique(code, return_index=True)
    vectors = (kinds[:, None] >> np.arange(len(rows))[::-1]) & 1
    return dict(zip(map(tuple, vectors.tolist()), first.tolist(), strict=True))


def _shatter(pattern: Pattern, *rows: int) -> Shattering:
    """Return two rows with 11, 10, 01 and 00 among their columns."""
    ordered = sorted(rows)
    return _build_shattering(ordered, _find_types(pattern, ordered).values())


def _build_shattering(rows: Sequence[int], columns: Iterable[int]) -> Shattering:
    from samapprox.proofs.refutations.shattering import Shattering

    return Shattering(rows, sorted(columns))


def _find_clash(pattern: Pattern, *rows: int) -> Radon | Shattering:
    """Return the smallest clash of three rows whose same/opposite labels multiply to -1.

    Columns lie on a line iff no three of them are each cut off from the other two by some row and
    no four shatter two rows: as points of a cube they must sit on a line isometrically, and by
    Menger's theorem only such triples and quadruples can prevent that.
    """
    ordered = sorted(rows)
    column_of = _find_types(pattern, ordered)
    for triple in combinations(column_of, 3):
        if _cuts_off_each(list(zip(*triple, strict=True))):
            from samapprox.proofs.refutations.radon import Radon

            return Radon(ordered, sorted(column_of[kind] for kind in triple))
    for first, second in combinations(range(3), 2):
        pair = {(kind[first], kind[second]): column for kind, column in column_of.items()}
        if len(pair) == 4:
            return _build_shattering([ordered[first], ordered[second]], pair.values())
    raise AssertionError("three clashing rows always hold a clash of three or four columns")


def _cuts_off_each(rows: Sequence[tuple[int, ...]]) -> bool:
    """Return whether three rows of three entries single out one column each, all different."""
    odd = {at for row in rows for at in range(3) if row.count(row[at]) == 1}
    return odd == {0, 1, 2}


# ---------------------------------------------------------------- d_hid = 1


def _couple(pattern: Pattern, line: _Line) -> SelfAttention | SignClash:
    """Return logits c x_i x_j from half-lines, or the reason why no x and c exist.

    x must descend with the level and be positive on exactly the right tokens: row i asks for
    columns of small level iff it is unflipped, that is, iff c x_i > 0. So the tokens of unflipped
    rows all come before those of flipped rows (c > 0), or after them (c < 0). Full rows may stand
    anywhere.
    """
    tokens = np.arange(len(line.level))
    plain, flipped = tokens[line.mixed & ~line.flipped], tokens[line.flipped]
    for c, before, after in ((1, plain, flipped), (-1, flipped, plain)):
        last = line.level[before].max(initial=-1)
        if last <= line.level[after].min(initial=len(tokens)):
            return _place_tokens(line, c, before, after)
    return _find_sign_clash(pattern, line, plain, flipped)


def _place_tokens(line: _Line, c: int, before: Numbers, after: Numbers) -> SelfAttention:
    """Tokens x: positive up to the level where those of `before` end, negative from there on."""
    from samapprox.proofs.embeddings.embedding import SelfAttention

    turn = int(line.level[before].max(initial=-1))
    negative = line.level > turn
    negative[after] = True
    x = np.where(negative, turn - 1 - line.level, turn + 1 - line.level)
    # Row i holds level < bound: x above every x of level >= bound, which at the level of the turn
    # itself are those of its positive part. Flipped rows mirror that.
    ordered = np.sort(x)[::-1]
    first_out = np.searchsorted(np.sort(line.level), line.bound, side="left")
    highest_out = ordered[np.minimum(first_out, len(x) - 1)]
    lowest_in = ordered[np.maximum(first_out - 1, 0)]
    thresholds = np.where(line.flipped, c * x * lowest_in, c * x * highest_out)
    thresholds[~line.mixed] = -1 - np.abs(x[~line.mixed]) * int(np.abs(x).max())
    one = np.ones((1, 1), dtype=np.int64)
    return SelfAttention(x[:, None], c * one, one, thresholds)


def _find_sign_clash(pattern: Pattern, line: _Line, plain: Numbers, flipped: Numbers) -> SignClash:
    """Find interleaving tokens of both classes: one row forces c > 0, another c < 0."""
    from samapprox.proofs.refutations.sign_clash import SignClash

    level = line.level
    positive = _find_claim(line, plain[level[plain].argmin()], flipped[level[flipped].argmax()])
    negative = _find_claim(line, plain[level[plain].argmax()], flipped[level[flipped].argmin()])
    splits = [
        _find_shared_split(pattern, row, token)
        for row, token in sorted(
            {(u, t) for u, a, b in (positive, negative) for t in (a, b) if t != u}
        )
    ]
    return SignClash(positive, negative, splits)


def _find_claim(line: _Line, plain: np.int64, flipped: np.int64) -> tuple[int, int, int]:
    """Find a row that separates the two tokens' columns, the token of its class, and the other."""
    low, high = sorted((line.level[plain], line.level[flipped]))
    separates = line.mixed & (line.bound > low) & (line.bound <= high)
    # One of the two tokens' own rows makes the shortest argument.
    row = next((int(t) for t in (plain, flipped) if separates[t]), int(separates.argmax()))
    own, other = (flipped, plain) if line.flipped[row] else (plain, flipped)
    return row, int(own), int(other)


def _find_shared_split(pattern: Pattern, first: int, second: int) -> SharedSplit:
    """Find two columns that both rows separate."""
    from samapprox.proofs.refutations.sign_clash import SharedSplit

    rows = sorted((first, second))
    column_of = _find_types(pattern, rows)
    for one, other in (((1, 1), (0, 0)), ((1, 0), (0, 1))):
        if one in column_of and other in column_of:
            return SharedSplit(rows, sorted((column_of[one], column_of[other])))
    raise AssertionError("rows that are neither empty nor full always share a split")


__getattr__, __dir__ = lazy_modules(__name__)
