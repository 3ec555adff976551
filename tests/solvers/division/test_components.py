"""Components decide a pattern: against decisions of whole patterns, and with all proofs checked."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse
from helpers.durations import ended_within
from helpers.solvers.divisions import confirm
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from samapprox import Pattern, Status, decide
from samapprox.solvers.division.division import divide

Entries = NDArray[np.int8]


def random_block(random: np.random.RandomState, most: int) -> Entries:
    shape = random.randint(1, most + 1, size=2)
    block = (random.rand(*shape) < random.choice([0.4, 0.5, 0.6])).astype(np.int8)
    block[~block.any(axis=1), 0] = 1
    return block


def place_blocks(blocks: list[Entries]) -> Entries:
    return scipy.sparse.block_diag(blocks, format="csr").toarray().astype(np.int8)


def random_blocks(random: np.random.RandomState, *, stars: float = 0.0) -> Pattern:
    """Blocks, some of them twice, rows and columns shuffled, some rows complemented."""
    blocks = [random_block(random, 7) for _ in range(random.randint(2, 4))]
    if random.rand() < 0.3:
        height, width = blocks[0].shape
        blocks.append(blocks[0][random.permutation(height)][:, random.permutation(width)])
    entries = place_blocks(blocks)
    rows, columns = entries.shape
    unspecified = random.rand(rows, columns) < stars
    unspecified[~((entries == 1) & ~unspecified).any(axis=1)] = False
    entries[unspecified] = 0
    flipped = (random.rand(rows) < 0.3) & ((entries == 0) & ~unspecified).any(axis=1)
    entries[flipped] ^= 1
    order, places = random.permutation(rows), random.permutation(columns)
    ones, care = (array[order][:, places] for array in (entries == 1, ~unspecified))
    return Pattern.from_array(ones & care, care if stars else None)


@settings(max_examples=10)
@given(st.integers(0, 10**6))
def test_components_decide_the_pattern(seed: int) -> None:
    pattern = random_blocks(np.random.RandomState(seed))
    confirm(pattern, divide(pattern))


@settings(max_examples=10)
@given(st.integers(0, 10**6))
def test_components_decide_the_pattern_with_unspecified_entries(seed: int) -> None:
    pattern = random_blocks(np.random.RandomState(seed), stars=0.1)
    confirm(pattern, divide(pattern))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(150))
def test_many_patterns(seed: int) -> None:
    for stars in (0.0, 0.15):
        pattern = random_blocks(np.random.RandomState(10**7 + seed), stars=stars)
        confirm(pattern, divide(pattern))


@pytest.mark.parametrize(
    ("text", "leaves"),
    [
        ("1", []),
        ("11\n11", []),
        ("10", [(1, 2)]),
        ("10\n01", [(1, 2)]),  # complements: one row, one component
        ("100\n010\n001", []),  # three single ones
        ("1000\n0100\n0010", []),  # and a column without ones
        ("1100\n0011\n1111", [(1, 2)]),
        ("110000\n011000\n101000\n000111", [(4, 4)]),
        ("001111\n100111\n010111\n000111", [(4, 4)]),  # the same, complemented
    ],
)
def test_small_patterns(text: str, leaves: list[tuple[int, int]]) -> None:
    pattern = Pattern.from_text(text)
    division = divide(pattern)
    assert [leaf.shape for leaf in division.leaves] == leaves
    confirm(pattern, division)


def test_equal_parts_are_one_leaf_hardest_first() -> None:
    random = np.random.RandomState(3)
    small, large = (random.rand(5, 6) < 0.5) * 1, (random.rand(8, 9) < 0.5) * 1
    blocks = [small[random.permutation(5)][:, random.permutation(6)] for _ in range(20)]
    division = divide(Pattern.from_array(place_blocks([*blocks, large])))
    assert [leaf.shape for leaf in division.leaves] == [
        (9, 9),
        (5, 6),
    ]  # a full row and the border are one
    assert sorted(len(part.rows) for part in division.parts) == [1, 20]


def test_the_border_is_needed() -> None:
    """Two blocks, each with room for a key in no row in the plane, that need three dimensions."""
    random = np.random.RandomState(0)
    for _ in range(2000):
        blocks = [(random.rand(6, 5) < 0.5).astype(np.int8) for _ in range(2)]
        if not all(block.any(axis=1).all() for block in blocks):
            continue
        padded = [np.hstack([block, np.zeros((6, 1), dtype=np.int8)]) for block in blocks]
        answers = [decide(block, 2).status for block in (*padded, place_blocks(blocks))]
        if answers == [Status.YES, Status.YES, Status.NO]:
            return
    pytest.fail("no counterexample")


def test_seven_thousand_queries() -> None:
    """One to four relevant documents each, of a million: divided within a second or two."""
    random = np.random.RandomState(0)
    counts = random.choice([1, 2, 3, 4], size=7000, p=[0.4, 0.3, 0.2, 0.1])
    rows = np.repeat(np.arange(7000), counts)
    columns = random.randint(0, 60_000, size=len(rows))
    matrix = scipy.sparse.coo_array((np.ones(len(rows)), (rows, columns)), shape=(7000, 10**6))
    pattern = Pattern.from_sparse(matrix.tocsr().astype(bool))
    division = ended_within(5, lambda: divide(pattern))
    assert sum(len(part.rows) for part in division.parts) > 4000
    assert len(division.leaves) < 150
    assert max(max(leaf.shape) for leaf in division.leaves) < 40
