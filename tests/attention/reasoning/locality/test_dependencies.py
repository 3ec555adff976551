"""Needs of tokens: what is read, and what is refused."""

from __future__ import annotations

import pytest
from helpers.attention.dependencies import any_needs, edges_of, needs_of
from hypothesis import given
from hypothesis import strategies as st

from samapprox import InputError
from samapprox.attention.graphs import AttentionGraph
from samapprox.attention.reasoning.locality.dependencies import (
    Locality,
    leading_tokens,
    live_width,
    locality,
    parse_needs,
    reorder,
    require_needs,
)


@given(any_needs())
def test_needs_come_back_from_text(drawn: tuple[AttentionGraph, int]) -> None:
    needs, _ = drawn
    edges = edges_of(needs)
    text = "# needs\n\n" + "".join(f"{i}\t{j}  # \n" for i, j in [*edges, *edges[:2]])
    if edges:
        assert edges_of(parse_needs(text)) == edges
    else:
        with pytest.raises(InputError, match="there are no edges"):
            parse_needs(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 0\n2 x\n", "line 2: write two numbers `i j`, not '2 x'"),
        ("1 0 3", "line 1: write two numbers"),
        ("1 -0", "line 1: write two numbers"),
        ("1 ²", "line 1: write two numbers"),
        ("1 0\n\n9999999999 0", "line 3: 9999999999 is too large for a token"),
        ("999999999 0", "the number of tokens n must be in"),
        ("1 0\n1 1", "the needs have a cycle: token 1 needs token 1; remove one of them"),
        ("0 1\n1 2\n2 0", "token 0 needs token 1, token 1 needs token 2, token 2 needs token 0;"),
        (
            "".join(f"{i} {(i + 1) % 5000}\n" for i in range(5000)),
            "token 6 needs token 7, .., token 4999 needs token 0; remove one of them",
        ),
        ("2 0\n0 1", "token 0 needs token 1, which comes later; number the tokens"),
    ],
)
def test_bad_needs_are_refused_in_one_line(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_needs(text)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_given_tokens_need_none() -> None:
    needs = needs_of(4, [(2, 0), (3, 1)])
    assert leading_tokens(needs) == 2
    require_needs(needs, 2)
    with pytest.raises(InputError, match="token 2 is given, but needs token 0; give at most 2"):
        require_needs(needs, 3)
    with pytest.raises(InputError, match=r"given tokens must be in 0\.\.4, not 5"):
        require_needs(needs, 5)


def test_tokens_without_needs_are_all_given() -> None:
    assert leading_tokens(needs_of(3, [])) == 3


def widths(edges: list[tuple[int, int]], n: int) -> list[int]:
    """The definition, place by place."""
    return [len({j for i, j in edges if j < place <= i}) for place in range(n)]


@given(any_needs(9))
def test_live_width_is_its_definition(drawn: tuple[AttentionGraph, int]) -> None:
    needs, _ = drawn
    found = live_width(needs)
    expected = widths(edges_of(needs), needs.n)
    assert found.widths.tolist() == expected
    assert found.greatest == max(expected)
    assert found.place == expected.index(max(expected))


@given(any_needs(7), st.randoms(use_true_random=False))
def test_an_order_renames_the_tokens(drawn: tuple[AttentionGraph, int], chance: object) -> None:
    needs, _ = drawn
    order = list(range(needs.n))
    chance.shuffle(order)  # type: ignore[attr-defined]
    place = {token: at for at, token in enumerate(order)}
    moved = sorted((place[i], place[j]) for i, j in edges_of(needs))
    assert sorted(edges_of(reorder(needs, order))) == moved
    if all(j < i for i, j in moved):
        assert live_width(needs, order).widths.tolist() == widths(moved, needs.n)
    else:
        with pytest.raises(InputError, match="needs token"):
            live_width(needs, order)


@pytest.mark.parametrize("order", [[0, 1], [0, 1, 1], [0, 1, 3], [0, 1, 2, 2]])
def test_an_order_names_every_token_once(order: list[int]) -> None:
    with pytest.raises(InputError, match="the order must name each of the tokens"):
        live_width(needs_of(3, [(2, 0)]), order)


@given(any_needs(9))
def test_m_is_the_least_of_its_definition(drawn: tuple[AttentionGraph, int]) -> None:
    needs, given_tokens = drawn
    edges = edges_of(needs)
    found = locality(needs, given_tokens)
    for first, m, edge in (
        (given_tokens, found.generated, found.generated_edge),
        (0, found.everything, found.everything_edge),
    ):
        among = [(i, j) for i, j in edges if j >= first]
        assert all(i - m <= j < i for i, j in among)
        assert (edge is None) == (m == 0) == (not among)
        if edge is not None:
            assert edge == min((i, j) for i, j in among if i - j == m)


def test_m_without_and_with_the_input() -> None:
    needs = needs_of(6, [(2, 0), (3, 1), (3, 2), (5, 3), (5, 0)])
    assert locality(needs, given=2) == Locality(2, (5, 3), 5, (5, 0))
    with pytest.raises(InputError, match="token 2 is given"):
        locality(needs, given=3)
