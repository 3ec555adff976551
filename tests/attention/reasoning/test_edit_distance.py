"""Edit distances, also within a band, against recursion and shortest paths."""

from __future__ import annotations

from functools import cache
from itertools import product
from string import ascii_lowercase

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samapprox import InputError
from samapprox.attention.reasoning.base import BAR, COMMA
from samapprox.attention.reasoning.edit_distance import BandedEditDistance, EditDistance
from samapprox.attention.reasoning.replay import first_mistake

STRINGS = ["".join(letters) for k in (1, 2, 3) for letters in product("ab", repeat=k)]


def by_recursion(task: EditDistance, one: str, other: str) -> int:
    @cache
    def distance(one: str, other: str) -> int:
        if not one or not other:
            return len(one) * task.delete + len(other) * task.insert
        return min(
            distance(one[:-1], other) + task.delete,
            distance(one, other[:-1]) + task.insert,
            distance(one[:-1], other[:-1]) + task.replace * (one[-1] != other[-1]),
        )

    return distance(one, other)


def by_shortest_path(task: EditDistance, one: str, other: str, w: int) -> int:
    """Edits as edges of a grid, whose nodes are within the band."""
    graph = nx.DiGraph()
    for i, j in product(range(len(one) + 1), range(len(other) + 1)):
        edits = [((i + 1, j), task.delete), ((i, j + 1), task.insert)]
        if i < len(one) and j < len(other):
            edits.append(((i + 1, j + 1), task.replace * (one[i] != other[j])))
        graph.add_weighted_edges_from(
            ((i, j), (k, m), cost) for (k, m), cost in edits if max(abs(i - j), abs(k - m)) <= w
        )
    length: int = nx.dijkstra_path_length(graph, (0, 0), (len(one), len(other)))
    return length


@pytest.mark.parametrize("costs", [(2, 2, 3), (1, 1, 1), (1, 2, 5), (3, 0, 1), (0, 0, 0)])
def test_all_pairs_of_short_strings(costs: tuple[int, int, int]) -> None:
    task = EditDistance(*costs)
    pairs = list(product(STRINGS, STRINGS))
    chains = task.solve([task.parse(" ".join(pair)) for pair in pairs])
    for (one, other), chain in zip(pairs, chains, strict=True):
        assert chain.answer == by_recursion(task, one, other)
        assert first_mistake(task, chain.tokens, chain.needs, chain.answer) is None


@pytest.mark.parametrize("w", [0, 1, 2, 3])
def test_all_pairs_of_short_strings_within_a_band(w: int) -> None:
    task = BandedEditDistance(1, 2, 4, w=w)
    for one, other in product(STRINGS, STRINGS):
        if abs(len(one) - len(other)) > w:
            with pytest.raises(InputError, match="which differ by more than w"):
                task.parse(f"{one} {other}")
            continue
        chain = task.chain(task.parse(f"{one} {other}"))
        assert chain.answer == by_shortest_path(task, one, other, w)
        assert first_mistake(task, chain.tokens, chain.needs, chain.answer) is None


def test_chains_are_written_in_letters_numbers_and_separators() -> None:
    task = EditDistance(2, 2, 3)
    (chain,) = task.solve([task.parse("ab b")])
    assert "".join(task.words(chain.tokens)) == "ab|b|3,2,|2"


words = st.text("abcd", min_size=1, max_size=9)
costs = st.tuples(*[st.integers(0, 6)] * 3)


@given(words, words, costs, st.integers(0, 10))
def test_any_strings_and_costs(
    one: str, other: str, prices: tuple[int, int, int], more: int
) -> None:
    task = EditDistance(*prices)
    given = task.parse(f"{one} {other}")
    chain = task.chain(given)
    assert chain.answer == by_recursion(task, one, other)
    w = abs(len(one) - len(other)) + more
    banded = BandedEditDistance(*prices, w=w)
    within = banded.chain(given)
    assert within.answer == by_shortest_path(banded, one, other, w)
    assert within.answer >= chain.answer
    assert len(within) == banded._length(len(one), len(other))
    if w >= max(len(one), len(other)):
        assert np.array_equal(within.tokens, chain.tokens)
        assert within.needs == chain.needs


def test_every_value_of_the_table() -> None:
    task = EditDistance()
    for chain in task.generate(5, seed=3, count=20):
        letters = "".join(
            "|" if part == BAR else ascii_lowercase[part - 1]
            for part in chain.tokens[: chain.given, 0].tolist()
        )
        one, other, _ = letters.split("|")
        for sign, i, j, value, _ in chain.tokens[chain.given : -2].tolist():
            assert (sign == COMMA) == (j == len(other) + 1)
            expected = 0 if sign == COMMA else by_recursion(task, one[:i], other[:j])
            assert value == expected


def test_lengths_and_shapes_of_the_paper_s_sizes() -> None:
    task = EditDistance()
    for n, length in zip(task.sizes, (72, 210, 342, 506), strict=True):
        answers = set()
        for chain in task.generate(n, seed=0, count=10):
            assert len(chain) == length == (n + 2) * (n + 3) == task.longest(n)
            bars = np.flatnonzero(chain.tokens[:, 0] == BAR).tolist()
            assert bars == [n, 2 * n + 3, length - 2]
            answers.add(chain.answer)
        assert len(answers) > 3


@pytest.mark.parametrize("w", [0, 1, 2, 3, 7, 40])
def test_the_number_of_states_of_a_band(w: int) -> None:
    task = BandedEditDistance(w=w)
    for a, b in product(range(1, 9), range(1, 9)):
        inside = [(i, j) for i in range(1, a + 1) for j in range(1, b + 1) if abs(i - j) <= w]
        assert [state for state in task.states(a, b) if state[1] <= b] == inside
        assert task.count_entries(a, b) == len(inside)


def reach(task: EditDistance, size: int) -> int:
    """Return the greatest distance over which a generated token other than the answer needs one."""
    [chain] = task.generate(size)
    needs = chain.needs
    inner = (needs.indices >= chain.given) & (needs.queries < len(chain) - 1)
    return int((needs.queries - needs.indices)[inner].max())


def test_the_band_makes_the_task_local() -> None:
    """Yang et al. define their ED_Local nowhere; in ours the reach does not depend on the size."""
    for size in (6, 12, 16, 20):
        assert reach(EditDistance(), size) == size + 4
        for w in (1, 2):
            assert reach(BandedEditDistance(w=w), size) == 2 * w + 2


def test_letters_are_those_of_the_parameter() -> None:
    seen = set()
    for chain in EditDistance(letters=3).generate(9, seed=0, count=20):
        seen |= set(chain.tokens[: chain.given, 0].tolist())
    assert seen == {BAR, 1, 2, 3}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("abc", "give two strings with a space between them, such as 'kitten sitting', not 1"),
        ("a b c", "not 3"),
        ("ab aB", "letter 1 of the second string must be in a..z, not 'B'"),
        ("a\u00e9 b", "letter 1 of the first string must be in a..z"),
        ("a" * 3000 + " " + "b" * 3000, "the chain has up to 9009004 tokens; at most 4194304"),
    ],
)
def test_bad_input(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        EditDistance().parse(text)
    assert message in str(caught.value)


def test_bad_input_parts() -> None:
    task = EditDistance()
    for parts, message in [
        ([BAR, 1, BAR], "the first string is empty"),
        ([1, BAR, BAR], "the second string is empty"),
        ([1, BAR, 27, BAR], "token 2: a letter must be in 1..26, not 27"),
        ([1, BAR, 0, BAR], "token 2: a letter must be in 1..26, not 0"),
        ([1, BAR, 2, BAR, BAR], "the input must be two strings"),
    ]:
        with pytest.raises(InputError, match=message):
            task.chain(parts)
