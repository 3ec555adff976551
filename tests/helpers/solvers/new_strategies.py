"""A strategy that only a test has: one module and one record."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType

import pytest

from samapprox import Problem
from samapprox.proofs.base import Proof
from samapprox.results import Status
from samapprox.solvers.engine import portfolio
from samapprox.solvers.engine.portfolio import StrategyRecord
from samapprox.solvers.engine.search import Search

FindProof = Callable[[Problem, Search], Proof | str]


def add_strategy(
    monkeypatch: pytest.MonkeyPatch,
    find_proof: FindProof,
    finds: Status,
    *,
    name: str = "new",
    in_turns: bool = False,
    simplified: bool = True,
    applies: Callable[[Problem], str | None] = lambda _problem: None,
    first_turn: float | Callable[[Problem], float] = 0.01,
) -> StrategyRecord:
    """Put a strategy before all others, until the test ends."""
    module = ModuleType(f"strategies_of_tests.{name}")
    module.__dict__.update(applies=applies, find_proof=find_proof, NAME=name)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    if callable(first_turn):
        module.__dict__["first_turn"] = first_turn
        first_turn = f"{module.__name__}:first_turn"
    record = StrategyRecord(
        name,
        module.__name__,
        ("dot",),
        (finds,),
        first_turn if in_turns else None,
        simplified=simplified,
    )
    monkeypatch.setattr(portfolio, "STRATEGIES", (record, *portfolio.STRATEGIES))
    return record
