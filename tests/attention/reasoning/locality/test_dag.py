"""Needs of tokens: what is read, and what is refused."""

from __future__ import annotations

import pytest
from helpers.dependencies import any_needs, edges_of, needs_of
from hypothesis import given

from samapprox import InputError
from samapprox.attention.graphs import AttentionGraph
from samapprox.attention.reasoning.locality.dag import (
    leading_tokens,
    parse_needs,
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
