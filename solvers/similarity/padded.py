"""Patterns in which each row occurs with and without one key: decided in one dimension less."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from samapprox.errors import InputError
from samapprox.pattern import UNSPECIFIED, Pattern
from samapprox.problem import Problem, Reduction
from samapprox.proofs.base import Obstruction, Proof, Witness
from samapprox.proofs.embeddings.embedding import Embedding
from samapprox.solvers.engine.search import Search, shared_tokens, too_large
from samapprox.support.arrays import Entries

NAME = "padded"


_MOST_CELLS = 1 << 22  # entries of the largest pattern in which copies of rows are looked for
_SHARE = 0.5  # the share of the time left for a smaller pattern with the same answer


def applies(problem: Problem) -> str | None:
    """Return the reason why the strategy does not apply, or None."""
    reason = shared_tokens(problem) or too_large(problem, _MOST_CELLS)
    if reason is None and find_padding(problem.pattern, problem.d) is None:
        return "no key is held by one of two copies of each row"
    return reason


def find_proof(problem: Problem, search: Search) -> Proof | str:
    r"""Decide d - 1 for the pattern without the padding, and carry the answer over.

    docs/theory/stretchability.md has the proof.

    Examples
    --------
    >>> from samapprox import Pattern
    >>> pattern = Pattern.from_text("1001\n0101\n0011\n1000\n0100\n0010\n1110")
    >>> find_proof(Problem(pattern, 2), Search()).KIND
    'padded'
    """
    padding = None
    if NAME not in search.work:  # else it goes on
        padding = find_padding(problem.pattern, problem.d)
        if padding is not None and padding.is_whole:  # the smaller pattern has the same answer
            search = search.extend(_SHARE * search.whole_remaining)
    from samapprox.solvers.engine.decision import decide_reduced  # few patterns are padded

    return decide_reduced(problem, WithoutPadding(padding), search, NAME)


@dataclass(frozen=True, slots=True)
class Padding:
    """Rows and columns of a padded pattern, as in `Padded`, and whether they are all."""

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    is_whole: bool

    def smaller_pattern(self, pattern: Pattern) -> Pattern:
        """Return the rows with z = columns[0], complemented where they lack it, without z."""
        entries = _turn(pattern.submatrix(self.rows[1::2], self.columns), 1)[:, 1:]
        return Pattern.from_array(entries == 1, entries != UNSPECIFIED)

    def pad(self, pattern: Pattern, inner: Embedding) -> Embedding:
        """Embed a pattern that is padded as a whole: z above all other keys, rows steep."""
        rows, columns = pattern.shape
        d = inner.dimension
        steep = int(np.abs(inner.thresholds).max(initial=0)) + 1
        queries = np.zeros((rows, d + 1), dtype=object)
        thresholds = np.full(rows, -1, dtype=object)
        queries[self.rows[0], d] = -1
        for copy, slope in ((1, steep), (2, -steep)):
            of = list(self.rows[copy::2])
            queries[of, :d], queries[of, d], thresholds[of] = inner.queries, slope, inner.thresholds
        keys = np.zeros((columns, d + 1), dtype=object)
        keys[list(self.columns[1:]), :d] = inner.keys
        keys[self.columns[0], d] = 1
        has_z = pattern.submatrix(self.rows, self.columns[:1])[:, 0] == 1
        wanted = np.arange(len(self.rows)) % 2 == 1
        turned = [self.rows[place] for place in np.flatnonzero(has_z != wanted)]
        queries[turned] *= -1
        thresholds[turned] = -thresholds[turned] - 1
        return Embedding(queries, keys, thresholds)


@dataclass(frozen=True, slots=True)
class WithoutPadding(Reduction[Problem, Problem, tuple[Pattern, Padding]]):
    """A padded pattern in d dimensions as the pattern without the padding in d - 1."""

    padding: Padding | None = None

    def apply(self, asked: Problem) -> tuple[Problem, tuple[Pattern, Padding]]:
        """Return the smaller problem; the way back is the pattern and its padding."""
        assert self.padding is not None
        smaller = Problem(self.padding.smaller_pattern(asked.pattern), asked.d - 1)
        return smaller, (asked.pattern, self.padding)

    def lift(self, proof: Proof, back: tuple[Pattern, Padding]) -> Proof | str:
        """Carry a NO over, and a YES if there are no other rows."""
        pattern, padding = back
        if isinstance(proof, Obstruction):
            from samapprox.proofs.refutations.padded import Padded

            return Padded(padding.rows, padding.columns, proof)
        assert isinstance(proof, Witness)
        if not padding.is_whole:
            return "the padded part of the pattern is representable, which proves nothing here"
        try:
            return padding.pad(pattern, proof.embedding(padding.smaller_pattern(pattern)))
        except InputError as error:  # the numbers of a witness may be too long
            return str(error)


def find_padding(pattern: Pattern, least: int) -> Padding | None:
    """Return the padding with the most pairs of rows, at least so many; None if there is none.

    O(m n), and O(m log m) for each row that separates a key from all others.
    """
    entries = pattern.to_array()
    signs: NDArray[np.int64] = np.where(entries == UNSPECIFIED, 0, 2 * entries - 1).astype(np.int64)
    weights = np.random.default_rng(0).integers(1 << 40, size=(signs.shape[1],))
    sums: NDArray[np.int64] = signs @ weights
    best: list[tuple[int, int]] = []
    found: tuple[int, int] | None = None
    for level, z in _levels(entries):
        # Rows that hold z are read as they are, others as complements: partners are opposite.
        read = signs[:, z] * (sums - signs[:, z] * weights[z])
        pairs = _opposite(np.where(signs[:, z] != 0, read, 0))
        pairs = [pair for pair in pairs if level not in pair]
        if len(pairs) > max(len(best), least - 1):
            pairs = list(_check_pairs(entries, z, pairs))
            if len(pairs) > max(len(best), least - 1):
                best, found = pairs, (level, z)
    if found is None:
        return None
    level, z = found
    others = [column for column in range(entries.shape[1]) if column != z]
    rows = (level, *(row for pair in best for row in pair))
    return Padding(rows, (z, *others), len(rows) == len(entries))


def _levels(entries: Entries) -> Iterator[tuple[int, int]]:
    """Yield each row that separates one column from all others, and this column."""
    width = entries.shape[1]
    counts = (entries == 1).sum(axis=1)
    specified = (entries != UNSPECIFIED).all(axis=1)
    for row in np.flatnonzero(specified & ((counts == 1) | (counts == width - 1))).tolist():
        single = 1 if counts[row] == 1 else 0
        yield row, int((entries[row] == single).argmax())


def _opposite(values: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Pair the places of opposite numbers; each number counts once, and 0 never."""
    unique, first = np.unique(values, return_index=True)
    positive = unique > 0
    at = np.searchsorted(unique, -unique[positive])
    has_partner = unique[np.minimum(at, len(unique) - 1)] == -unique[positive]
    ones = first[positive][has_partner]
    others = first[at[has_partner]]
    return sorted(
        (min(a, b), max(a, b)) for a, b in zip(ones.tolist(), others.tolist(), strict=True)
    )


def _check_pairs(
    entries: Entries, z: int, pairs: list[tuple[int, int]]
) -> Iterator[tuple[int, int]]:
    """Yield the pairs that are copies of a row with a one, the copy that is read with z first."""
    width = entries.shape[1]
    ordered = entries[:, [z, *(column for column in range(width) if column != z)]]
    for pair in pairs:
        for a, b in (pair, pair[::-1]):
            upper, lower = _turn(ordered[[a]], 1)[0, 1:], _turn(ordered[[b]], 0)[0, 1:]
            if (upper == lower).all() and (upper == 1).any():
                yield a, b
                break


def _turn(entries: Entries, first: int) -> Entries:
    """Complement the rows whose first entry is not the given one."""
    turned = (entries[:, :1] != first) & (entries != UNSPECIFIED)
    return np.where(turned, 1 - entries, entries).astype(np.int8)
