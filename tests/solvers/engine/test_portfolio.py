"""The table of strategies: one record each, from which all else follows."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from helpers.durations import processor_time
from helpers.solvers.new_strategies import add_strategy

from samapprox import InputError, Status, decide, weak_dimension
from samapprox.similarities import SIMILARITIES, VALUE_SETS
from samapprox.solvers.embeddings import orders
from samapprox.solvers.engine.portfolio import STRATEGIES, StrategyRecord, choose
from samapprox.solvers.refutations import counting

FIND = {Status.YES: orders.find_proof, Status.NO: counting.find_proof}


def test_a_choice_keeps_its_order_and_names_each_once() -> None:
    chosen = choose(["gradient", "rank", "gradient", "line"], without=["line"])
    assert [record.name for record in chosen] == ["gradient", "rank"]
    default = [record.name for record in choose()]
    assert default == [
        record.name for record in STRATEGIES if record.default and "dot" in record.similarities
    ]
    with pytest.raises(InputError, match="unknown strategy 'guess'; there are: line, algorithm1, "):
        choose(without=["guess"])


@pytest.mark.parametrize("names", ["rank", 5, None, iter(["rank"]), [None], [["rank"]]])
def test_strategies_are_lists_of_names(names: Any) -> None:
    """Letters of a text are no names, and an iterator would be empty when it is read again."""
    with pytest.raises(InputError, match=r"strategies must be a list of names|must be text"):
        choose(names)
    with pytest.raises(InputError, match=r"strategies must be a list of names|must be text"):
        choose(without=names)


@pytest.mark.parametrize("in_turns", [False, True])
@pytest.mark.parametrize("side", [Status.YES, Status.NO], ids=lambda side: side.value)
def test_a_new_strategy_needs_one_module_and_one_record(
    monkeypatch: pytest.MonkeyPatch, side: Status, in_turns: bool
) -> None:
    add_strategy(monkeypatch, FIND[side], side, in_turns=in_turns)
    pattern = np.eye(6)  # of weak dimension 2
    d = {Status.YES: 2, Status.NO: 1}[side]

    alone = decide(pattern, d, only=["new"])
    assert alone.status is side
    assert [step.strategy for step in alone.trail] == ["new"]
    assert choose()[0].name == "new"
    if not in_turns:
        assert decide(pattern, d).trail[0].outcome == side.value
    assert "new" not in {step.strategy for step in decide(pattern, d, without=["new"]).trail}

    with processor_time():
        found = weak_dimension(pattern, only=["new"], time_limit=0.3)
    assert {step.strategy for _, step in found.trail} == {"new"}
    if side is Status.YES:
        assert (found.lower, found.upper, found.no) == (1, 2, None)
    else:
        assert (found.lower, found.upper, found.yes) == (2, 5, None)


LOADED = """
import sys
from samapprox import decide
from samapprox.solvers.engine.portfolio import STRATEGIES
decide([[1, 0, 0], [0, 1, 0], [0, 0, 1]], {d})
print(*(record.name for record in STRATEGIES if record.module in sys.modules))
"""


@pytest.mark.parametrize(("d", "loaded"), [(1, "line"), (2, "line periodic rank")])
def test_a_decision_imports_no_strategy_before_its_turn(d: int, loaded: str) -> None:
    command = [sys.executable, "-c", LOADED.format(d=d)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert done.stdout.split() == loaded.split()


def test_every_record_names_its_similarities() -> None:
    """None is a default: a proof that is right for one may be wrong for another."""
    with pytest.raises(TypeError, match="similarities"):
        StrategyRecord(name="new", module="new", finds=(Status.YES,))  # type: ignore[call-arg]
    assert {name for record in STRATEGIES for name in record.similarities} == {
        *SIMILARITIES,
        *VALUE_SETS,
    }
