"""Longest increasing subsequences against brute force and patience sorting."""

from __future__ import annotations

from bisect import bisect_left
from itertools import combinations, pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samapprox import InputError
from samapprox.attention.reasoning.arithmetic import Arithmetic
from samapprox.attention.reasoning.base import BAR
from samapprox.attention.reasoning.edit_distance import EditDistance
from samapprox.attention.reasoning.lis import LongestIncreasingSubsequence, increasing_lengths
from samapprox.attention.reasoning.replay import first_mistake

TASK = LongestIncreasingSubsequence()


def patience(numbers: list[int]) -> int:
    """The number of piles of patience sorting."""
    piles: list[int] = []
    for number in numbers:
        at = bisect_left(piles, number)
        piles[at : at + 1] = [number]
    return len(piles)


def longest_by_subsets(numbers: tuple[int, ...]) -> int:
    return max(
        k
        for k in range(1, len(numbers) + 1)
        for chosen in combinations(numbers, k)
        if all(one < other for one, other in pairwise(chosen))
    )


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_all_sequences_of_up_to_four_values(n: int) -> None:
    sequences = list(product(range(4), repeat=n))
    chains = TASK.solve([np.array([*numbers, BAR]) for numbers in sequences])
    for numbers, chain in zip(sequences, chains, strict=True):
        assert chain.answer == longest_by_subsets(numbers)
        lengths = chain.tokens[n + 1 : 2 * n + 1, 2].tolist()
        assert lengths == [longest_by_subsets((*smaller(numbers, j), numbers[j])) for j in range(n)]


def smaller(numbers: tuple[int, ...], j: int) -> list[int]:
    """List the positions that can come before j in an increasing subsequence."""
    return [number for number in numbers[:j] if number < numbers[j]]


@given(st.lists(st.integers(0, 10**9), min_size=1, max_size=60))
def test_patience_sorting_agrees(numbers: list[int]) -> None:
    chain = TASK.chain([*numbers, BAR])
    assert chain.answer == patience(numbers)
    assert first_mistake(TASK, chain.tokens, chain.needs, chain.answer) is None


def test_random_instances_of_the_paper_s_sizes() -> None:
    for n, length in zip(TASK.sizes, (83, 223, 353, 503), strict=True):
        answers = set()
        for chain in TASK.generate(n, seed=1, count=20):
            numbers = chain.tokens[:n, 0].tolist()
            assert len(chain) == length == TASK.longest(n)
            assert chain.answer == patience(numbers)
            assert all(1 <= number <= TASK.values for number in numbers)
            answers.add(chain.answer)
        assert len(answers) > 5
        assert first_mistake(TASK, chain.tokens, chain.needs) is None
        assert chain.needs.edges == n * n + n == TASK.most_edges(length)


def test_instances_of_several_lengths_keep_their_order() -> None:
    texts = ["3 1 2", "5", "1 2 3", "2,1"]
    chains = TASK.solve([TASK.parse(text) for text in texts])
    assert [chain.answer for chain in chains] == [2, 1, 3, 1]
    assert [len(chain) for chain in chains] == [9, 5, 9, 7]


def test_different_inputs_can_have_the_same_chain() -> None:
    """Definition 4.3 of Yang et al. calls a task regular if they cannot."""
    one, other = (TASK.chain([1, last, BAR]).tokens for last in (2, 3))
    assert not np.array_equal(one[:2], other[:2])
    assert np.array_equal(one[2:], other[2:])


def test_lengths_of_many_instances_at_once() -> None:
    numbers = np.random.RandomState(0).randint(0, 9, size=(50, 12))
    lengths = increasing_lengths(numbers)
    for row, found in zip(numbers.tolist(), lengths.tolist(), strict=True):
        assert found == [patience([*smaller(tuple(row), j), row[j]]) for j in range(12)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 x 2", "number 1 must be a whole number in 0..1000000000, not 'x'"),
        ("1 -2", "number 1 must be a whole number in 0..1000000000, not '-2'"),
        ("1 2.5", "not '2.5'"),
        ("1000000001", "number 0 must be in 0..1000000000, not 1000000001"),
        ("9" * 5000, "number 0 must be a whole number in 0..1000000000, not '9999"),
        ("\u0663", "number 0 must be a whole number"),
    ],
)
def test_bad_input(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        TASK.parse(text)
    assert message in str(caught.value)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("n", [3, 4, 10, 40])
def test_each_length_depends_on_all_lengths_before(n: int) -> None:
    """Equation 9 of Yang et al. (2024): K + J of LIS is at least n - 2.

    Of two inputs that differ in one number, and whose lengths before the last differ in the same
    place alone, the last lengths differ. So f must read this number or its length.
    """
    falling = np.array([*range(10 * n, 10, -10), 20 * n])
    for j in range(1, n - 1):
        other = falling.copy()
        other[j] = falling[j - 1] + 1
        one, two = increasing_lengths(np.array([falling, other]))
        assert np.flatnonzero(one[:-1] != two[:-1]).tolist() == [j]
        assert (one[-1], two[-1]) == (2, 3)


def test_only_chains_of_lis_are_linear_in_the_input() -> None:
    """Theorem 4.4 of Yang et al. (2024) supposes L = Theta(n)."""
    sizes = [2**k for k in range(3, 12)]
    for task, power in (
        (TASK, 1),
        (EditDistance(), 2),
        (Arithmetic(), 2),
    ):
        lengths = [task.longest(size) for size in sizes]
        ratios = [length / size**power for length, size in zip(lengths, sizes, strict=True)]
        assert all(0.9 < ratio < 3 for ratio in ratios)
