"""Measures of LIS and edit distance: hand-computed instances, and the formulas of the docs."""

from __future__ import annotations

import pytest
from helpers.attention.dependencies import edges_of

from samapprox.attention.reasoning import Chain, parse_task
from samapprox.attention.reasoning.base import BAR
from samapprox.attention.reasoning.locality.dependencies import live_width, locality
from samapprox.attention.reasoning.locality.order import best_order


def lis(n: int) -> Chain:
    return parse_task("lis").chain([*range(1, n + 1), BAR])


def edit_distance(a: int, b: int) -> Chain:
    return parse_task("edit-distance").chain([*[1] * a, BAR, *[1] * b, BAR])


def test_lis_of_two_numbers_by_hand() -> None:
    # 0: s_1, 1: s_2, 2: |, 3: dp(1), 4: dp(2), 5: |, 6: the answer
    chain = lis(2)
    assert edges_of(chain.needs) == [(3, 0), (4, 0), (4, 1), (4, 3), (6, 3), (6, 4)]
    assert live_width(chain.needs).widths.tolist() == [0, 1, 2, 2, 3, 2, 2]
    assert locality(chain.needs, chain.given).generated_edge == (6, 3)
    assert locality(chain.needs, chain.given).everything_edge == (4, 0)


def test_edit_distance_of_one_letter_and_two_by_hand() -> None:
    # 0: a_1, 1: |, 2: b_1, 3: b_2, 4: |, 5: dp(1,1), 6: dp(1,2), 7: a comma, 8: |, 9: the answer
    chain = edit_distance(1, 2)
    assert edges_of(chain.needs) == [(5, 0), (5, 2), (6, 0), (6, 3), (6, 5), (9, 6)]
    assert live_width(chain.needs).widths.tolist() == [0, 1, 1, 2, 3, 3, 3, 1, 1, 1]
    assert locality(chain.needs, chain.given).generated_edge == (9, 6)
    assert locality(chain.needs, chain.given).everything_edge == (6, 0)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 9, 40])
def test_lis_follows_its_formulas(n: int) -> None:
    chain = lis(n)
    found, live = locality(chain.needs, chain.given), live_width(chain.needs)
    assert (found.generated, found.everything) == (n + 1, 2 * n)
    assert live.greatest == live.widths[2 * n] == 2 * n - 1  # before dp(n)
    best = best_order(chain.needs, chain.given)
    assert best.width == best.lower == 2 * n - 1


@pytest.mark.parametrize("a", range(3, 8))
@pytest.mark.parametrize("b", range(3, 8))
def test_edit_distance_follows_its_formulas(a: int, b: int) -> None:
    chain = edit_distance(a, b)
    found = locality(chain.needs, chain.given)
    assert len(chain) == (a + 1) * (b + 2) + 2
    assert (found.generated, found.everything) == (b + 2, (a + 1) * (b + 1))
    assert live_width(chain.needs).greatest == a + 2 * b
    best = best_order(chain.needs, chain.given)
    assert best.width == best.lower == a + b + min(a, b)


def test_the_largest_sizes_of_the_paper() -> None:
    [chain] = parse_task("edit-distance").generate(20)
    assert (live_width(chain.needs).greatest, len(chain)) == (64, 506)
    best = best_order(chain.needs, chain.given)
    assert (best.width, best.lower) == (62, 62)
    [chain] = parse_task("lis").generate(250)
    assert (live_width(chain.needs).greatest, len(chain)) == (499, 503)


def test_edit_distance_is_local_only_without_its_input() -> None:
    """The paper counts it among the local problems, by a definition that includes the input."""
    [chain] = parse_task("edit-distance").generate(20)
    found = locality(chain.needs, chain.given)
    assert (found.generated, found.everything, len(chain)) == (24, 483, 506)
    assert found.everything > 0.95 * len(chain)
