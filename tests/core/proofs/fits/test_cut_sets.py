"""Limits on rows that are right at K: never below what points allow, and exact on a line."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from helpers.paths import ROOT
from helpers.truth.fits import fewest_wrong_at, random_pattern
from numpy.typing import NDArray

from samapprox import Pattern, load
from samapprox.proofs.fits.cut_sets import count_right_at, find_room
from samapprox.similarities import SIMILARITIES

Random = np.random.RandomState
Floats = NDArray[np.float64]


def score(similarity: str, queries: Floats, keys: Floats) -> Floats:
    if similarity == "l2":
        return -np.asarray(np.linalg.norm(queries[:, None] - keys[None], axis=2))
    if similarity == "cosine":
        keys = keys / np.linalg.norm(keys, axis=1, keepdims=True)
    return np.asarray(queries @ keys.T)


def first_keys(random: Random, similarity: str, n: int, d: int, k: int) -> list[list[int]]:
    """List sets of the first k of n keys in R^d for many queries."""
    keys = random.normal(size=(n, d))
    if random.rand() < 0.3:  # many cut sets
        keys /= np.linalg.norm(keys, axis=1, keepdims=True)
    spread = random.choice([1.0, 3.0])
    scores = score(similarity, spread * random.normal(size=(3000, d)), keys)
    heights = -np.sort(-scores, axis=1)
    scores = scores[heights[:, k - 1] > heights[:, k] + 1e-9]  # no tie: it would not be right
    first = np.sort(np.argsort(-scores, axis=1)[:, :k], axis=1)
    return list(np.unique(first, axis=0).tolist())


@pytest.mark.parametrize("similarity", list(SIMILARITIES))
@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_rows_of_an_embedding_are_all_right(similarity: str, d: int) -> None:
    """With all sets of ones in all cut sets, in all columns and in some, with don't-cares."""
    random = Random(d)
    for _ in range(12):
        n, k = random.randint(3, 13), random.randint(1, 6)
        k = min(k, n - 1)
        size = random.randint(1, k + 1)
        chosen = {
            ones
            for cut in first_keys(random, similarity, n, d, k)
            for ones in combinations(cut, size)
        }
        sizes = {ones[:1] for ones in chosen if random.rand() < 0.5}
        if not chosen:
            continue
        entries = np.zeros((len(chosen) + len(sizes), n), dtype=np.int8)
        for row, ones in zip(entries, [*sorted(chosen), *sorted(sizes)], strict=True):
            row[list(ones)] = 1
        entries = entries[random.randint(len(entries), size=2 * len(entries))]
        room = find_room((entries == 1).sum(axis=1), k)
        assert count_right_at(entries, room, d, SIMILARITIES[similarity]) == len(entries)
        columns = np.flatnonzero(random.rand(n) < 0.7)
        part = entries[:, columns]
        assert count_right_at(part, room, d, SIMILARITIES[similarity]) == len(entries)
        part[(part == 0) & (random.rand(*part.shape) < 0.2)] = -1
        assert count_right_at(part, room, d, SIMILARITIES[similarity]) == len(entries)


def test_few_columns_on_a_line_are_exact() -> None:
    random = Random(3)
    for _ in range(60):
        pattern = random_pattern(random, 8, 6)
        at = random.randint(1, 8)
        entries = pattern.to_array()
        right = count_right_at(entries, find_room(pattern.row_ones, at), 1)
        assert len(entries) - right == fewest_wrong_at(entries, at), (entries, at)


def best_on_line(entries: NDArray[np.int8], at: int) -> int:
    """Count the right rows in the best order, whose first and last K columns alone matter."""
    n, best = entries.shape[1], 0
    weights = (entries == 1) @ (1 << np.arange(n))
    for first in combinations(range(n), at):
        rest = [j for j in range(n) if j not in first]
        if 2 * at <= n:
            others = combinations(rest, at)
        else:
            shared = combinations(first, 2 * at - n)
            others = (tuple(rest) + both for both in shared)
        ends = (sum(1 << j for j in end) for end in others)
        one = sum(1 << j for j in first)
        best = max(
            best, *(int((((weights & ~one) == 0) | ((weights & ~end) == 0)).sum()) for end in ends)
        )
    return best


def test_more_columns_on_a_line_are_never_undercut() -> None:
    random = Random(5)
    for _ in range(40):
        n = random.randint(8, 11)
        rows = [random.choice(n, size=random.randint(1, 4), replace=False) for _ in range(12)]
        entries = np.zeros((12, n), dtype=np.int8)
        for row, ones in zip(entries, rows, strict=True):
            row[ones] = 1
        at = random.randint(3, n)
        right = count_right_at(entries, find_room(entries.sum(axis=1), at), 1)
        assert right >= best_on_line(entries, at)


def test_two_ends_hold_all_pairs_of_a_line() -> None:
    """Two ends of three keys hold three pairs each, and no order has more."""
    entries = np.zeros((28, 8), dtype=np.int8)
    for row, pair in zip(entries, combinations(range(8), 2), strict=True):
        row[list(pair)] = 1
    assert count_right_at(entries, np.full(28, 1), 1) == 6 == best_on_line(entries, 3)


def test_limits_of_a_retrieval_set() -> None:
    pattern = load(ROOT / "data/limit/limit.npz")
    rights = {
        at: [
            count_right_at(pattern.to_array(), find_room(pattern.row_ones, at), d)
            for d in (1, 2, 3, 4)
        ]
        for at in (1, 2, 3, 5, 10)
    }
    assert rights == {
        1: [0, 0, 0, 0],
        2: [2, 69, 132, 1000],
        3: [6, 266, 492, 1000],
        5: [20, 609, 1000, 1000],
        10: [90, 1000, 1000, 1000],
    }


def test_a_key_with_few_rows_limits_a_cut_set() -> None:
    """Ten rows of two keys each, none shared: two sets of six keys hold six of them."""
    entries = np.repeat(np.eye(10, dtype=np.int8), 2, axis=1)
    assert count_right_at(entries, np.full(10, 4), 1) == 6


def test_rows_with_too_many_ones_are_wrong_in_every_dimension() -> None:
    pattern = Pattern.from_text("1110\n1000")
    assert count_right_at(pattern.to_array(), find_room(pattern.row_ones, 2), 99) == 1
    no_columns = np.zeros((2, 0), dtype=np.int8)
    assert count_right_at(no_columns, find_room(pattern.row_ones, 2), 99) == 1
