"""How turns divide the time between strategies."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from samapprox import Pattern, Problem, Status
from samapprox.solvers.engine.portfolio import StrategyRecord, choose
from samapprox.solvers.engine.search import Search
from samapprox.solvers.engine.turns import SHARES, Turns, find_shares


class Clockless(Turns):
    """Turns that take no time, and end without a proof."""

    def _attempt(self, record: StrategyRecord, search: Search) -> bool:
        return record.in_turns and not search.out_of_time


def divide_time(
    d: int, seconds: float, without: tuple[str, ...] = (), side: Status = Status.NO, size: int = 60
) -> Counter[str]:
    """Return the seconds that each strategy of a side gets of the first `seconds` of turns."""
    pattern = Pattern(np.eye(size, dtype=np.int64))
    records = [one for one in choose(without=without) if one.side is side and one.in_turns]
    turns = Clockless(Problem(pattern, d), records, Search(), lambda _proof: True)
    spent: Counter[str] = Counter()
    while spent.total() < seconds:
        name, length = turns.next_name, turns.next_seconds
        turns.take()
        spent[name] += length
    return spent


@pytest.mark.parametrize("seconds", [30, 60, 300])
def test_topological_gets_most_of_what_is_left_where_refutations_are_large(seconds: int) -> None:
    spent = divide_time(5, seconds)
    assert spent["topological"] > 0.6 * spent.total()
    assert all(spent[name] > 0.2 for name in ("chirotope", "forster", "hard-part"))


def test_topological_gets_somewhat_more_for_three_dimensions() -> None:
    spent = divide_time(3, 60)
    assert 0.25 * spent.total() < spent["topological"] < 0.6 * spent.total()


def test_all_refutations_get_as_much_in_small_dimensions() -> None:
    spent = divide_time(2, 60)
    assert spent["topological"] < 0.25 * spent.total()


@pytest.mark.parametrize("d", [3, 8])
def test_projections_get_most_of_what_is_left_for_embeddings(d: int) -> None:
    spent = divide_time(d, 30, side=Status.YES)
    assert spent["projections"] > 0.4 * spent.total()
    assert all(spent[name] > 0.2 for name in ("gradient", "hinge", "annealing", "best-order"))
    assert divide_time(2, 30, side=Status.YES)["projections"] < 0.25 * 30
    assert divide_time(d, 30, side=Status.YES, size=150)["projections"] < 0.25 * 30


def test_strategies_that_find_both_answers_keep_their_time() -> None:
    share = next(share for share in SHARES if share.answer is Status.YES)
    both = [one for one in choose() if len(one.finds) == 2]
    assert {one.name for one in both} >= {"candidates", "padded"}
    assert all(share.weigh(one, 60.0, first=0.1) == 60.0 for one in both)


def test_a_share_is_void_where_its_strategy_has_no_turns() -> None:
    spent = divide_time(5, 60, without=("topological",))
    assert max(spent.values()) < 0.4 * spent.total()


def test_quick_turns_count_as_they_are() -> None:
    for share in SHARES:
        for record in choose():
            assert share.weigh(record, share.open_after, first=0.1) == share.open_after


def test_a_long_first_turn_counts_as_it_is() -> None:
    """Of a large pattern, elimination takes its first steps after a search for an embedding."""
    large = Problem(Pattern(np.eye(1_500, dtype=np.int64)), 8)
    assert find_shares(large)[Status.NO].strategy == "topological"
    turns = Turns(large, choose(["topological", "hinge"]), Search(), lambda _proof: True)
    assert turns.next_name == "hinge"


def test_shares_depend_on_shape_and_dimension() -> None:
    small = Pattern(np.eye(20, dtype=np.int64))
    assert set(find_shares(Problem(small, 5))) == {Status.YES, Status.NO}
    assert not find_shares(Problem(small, 2))
    assert not find_shares(Problem(Pattern(np.eye(2_500, dtype=np.int64)), 5))
