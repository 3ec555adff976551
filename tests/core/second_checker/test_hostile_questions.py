"""Hostile proofs about similarities, fits and margins are refused soon."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from helpers.checkers.asked_cases import (
    PLANE,
    WALK,
    caps,
    case,
    code,
    dual,
    fit,
    form,
    hitting,
    margin,
    near,
    packing,
    sets,
    unit,
)
from helpers.checkers.second_checker import Case, answers
from helpers.durations import takes_less_than

SECONDS = 60


def long_tree(depth: int) -> Case:
    """A tree with one more leaf at each depth, and packings that show nothing."""
    text = "\n".join("".join("01"[i == j] for j in range(depth)) for i in range(depth))
    tree = [node for item in range(depth - 1) for node in (item, -1)]
    return hitting(fit(1, 1), [*tree, -1], *[([], [], 1)] * depth, text=text)


@pytest.mark.parametrize(
    "make",
    [
        lambda: sets(fit(2, 0), ([0], list(range(200_000))), text="1" * 200_000),
        lambda: sets(fit(3, 0, similarity="l2"), *[([0], [0])] * 50_000, text="1"),
        lambda: long_tree(1_500),
        lambda: dual(margin(1, 1), factor=[[1, -1, -1, 1]] * 60_000),
        lambda: form(margin(1, 1), factor=[[2**29 - 1, 0]] * 5),
        lambda: code(margin(2**40 - 1, 2**40, d=1024)),
        lambda: packing(margin(1, 2**40, d=1024), diagonal=[2**59] * 20),
        lambda: dual(margin(1, 1), factor=[[2**29 - 1, 0, 0, 0]] * 3),
        lambda: unit(margin(2**40 - 1, 2**40), 2**40, [[10**4000], [1]]),
        lambda: case(PLANE, near(1, "l2"), "odd-cycle", **{**WALK, "walk": [[1, 2, 0]] * 60_000}),
        lambda: caps([10**4000] * 4, [[10**4000, 1]] * 4, text=PLANE),
    ],
)
def test_hostile_proofs_are_refused_soon(make: Callable[[], Case]) -> None:
    asked = make()
    with takes_less_than(SECONDS):
        (found,) = answers([asked])
    assert found.status == 1
