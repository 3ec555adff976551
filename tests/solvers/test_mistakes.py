"""If a strategy fails, the others continue."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np
import pytest
from helpers.solvers.new_strategies import add_strategy

from samapprox import CertificateError, Embedding, Problem, Status, decide, weak_dimension
from samapprox.proofs import Radon
from samapprox.reductions.families import generate
from samapprox.results.verdict import Attempt
from samapprox.solvers.engine.confined import _check
from samapprox.solvers.engine.portfolio import StrategyRecord
from samapprox.solvers.engine.search import Search

NEEDS_TWO = generate("random", rows=8, columns=8).pattern
NEEDS_THREE = generate("all-subsets", n=5, k=2).pattern
UNDECIDED = generate("random", rows=30, columns=30).pattern  # by `rank`, for d = 5


def wrong_embedding(problem: Problem, _search: Search) -> Embedding:
    m, n = problem.pattern.shape
    nothing = np.zeros((m, problem.d), dtype=int), np.zeros((n, problem.d), dtype=int)
    return Embedding(*nothing, np.zeros(m, dtype=int))


def wrong_refutation(problem: Problem, _search: Search) -> Radon:
    return Radon(range(problem.d), range(problem.d + 2))


def no_such_rows(_problem: Problem, _search: Search) -> Radon:
    return Radon([997, 998, 999], [0, 1, 2])


def crash(_problem: Problem, _search: Search) -> NoReturn:
    raise ZeroDivisionError("division\nby zero")


def exhaust(_problem: Problem, _search: Search) -> NoReturn:
    raise MemoryError


def forget_to_return(_problem: Problem, _search: Search) -> Any:
    return None


class MuteError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no message")


def fail_without_words(_problem: Problem, _search: Search) -> NoReturn:
    raise MuteError


MISTAKES: list[tuple[Callable[..., Any], Status, str]] = [
    (wrong_embedding, Status.YES, "please report it: the Embedding for d = 2 fails the checker: "),
    (wrong_refutation, Status.NO, "please report it: the Radon for d = 2 fails the checker: "),
    (no_such_rows, Status.NO, "failed, please report it: IndexError: "),
    (crash, Status.NO, "failed, please report it: ZeroDivisionError: division by zero"),
    (exhaust, Status.YES, "not enough memory"),
    (forget_to_return, Status.NO, "failed, please report it: "),
    (fail_without_words, Status.NO, "failed, please report it: MuteError: (its message cannot be"),
]


@pytest.fixture(params=MISTAKES, ids=lambda mistake: mistake[0].__name__)
def mistake(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """A strategy that makes a mistake comes first; its outcome."""
    find_proof, side, outcome = request.param
    monkeypatch.delenv("SAMAPPROX_TRACEBACK")
    add_strategy(monkeypatch, find_proof, side)
    return str(outcome)


def test_a_mistake_costs_the_strategy_and_not_the_answer(mistake: str) -> None:
    verdict = decide(NEEDS_THREE, 2)
    assert verdict.status is Status.NO
    assert verdict.trail[0].strategy == "new"
    assert verdict.trail[0].outcome.startswith(mistake)
    alone = decide(NEEDS_THREE, 2, only=["new"])
    assert alone.status is Status.UNKNOWN
    assert len(alone.trail[0].outcome.splitlines()) == 1


def test_what_is_no_proof_ends_no_decision(monkeypatch: pytest.MonkeyPatch) -> None:
    """A strategy that sees the pattern as it is: nothing lifts what it returns."""
    monkeypatch.delenv("SAMAPPROX_TRACEBACK")
    add_strategy(monkeypatch, forget_to_return, Status.NO, simplified=False)
    verdict = decide(NEEDS_THREE, 2)
    assert verdict.status is Status.NO
    assert verdict.trail[0].outcome == (
        "failed, please report it: TypeError: it must return a proof or a reason, not NoneType"
    )


def test_outcomes_are_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    add_strategy(monkeypatch, lambda _problem, _search: "nothing\nfound\r\n", Status.NO)
    assert decide(NEEDS_THREE, 2).trail[0].outcome == "nothing found"


def test_a_mistake_in_another_process_costs_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """A new interpreter cannot even import this strategy; a forked one sees it fail."""
    monkeypatch.delenv("SAMAPPROX_TRACEBACK")
    add_strategy(monkeypatch, crash, Status.NO)
    verdict = decide(NEEDS_THREE, 2, memory_limit=1 << 31)
    assert verdict.status is Status.NO
    assert verdict.trail[0].outcome.startswith("failed, please report it: ")


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.usefixtures("mistake")
def test_a_mistake_costs_no_bound(threads: int) -> None:
    found = weak_dimension(NEEDS_THREE, threads=threads)
    assert (found.lower, found.upper) == (3, 3)


def test_a_strategy_in_turns_is_out_after_a_mistake(monkeypatch: pytest.MonkeyPatch) -> None:
    turns = []

    def find_proof(problem: Problem, search: Search) -> Embedding:
        turns.append(problem.d)
        return wrong_embedding(problem, search)

    monkeypatch.delenv("SAMAPPROX_TRACEBACK")
    shortest = 1e-4  # seconds: the first turn of all
    add_strategy(monkeypatch, find_proof, Status.YES, in_turns=True, first_turn=shortest)
    verdict = decide(UNDECIDED, 5, only=["new", "gradient"], time_limit=0.5)
    outcomes = {step.strategy: step.outcome for step in verdict.trail}
    assert outcomes["new"].startswith("please report it: ")
    assert turns == [5]


def test_a_strategy_that_cannot_be_imported_is_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SAMAPPROX_TRACEBACK")
    for first_turn in (None, 0.01):
        missing = StrategyRecord(
            "missing", "samapprox.solvers.nothing", ("dot",), (Status.NO,), first_turn
        )
        monkeypatch.setattr("samapprox.solvers.engine.portfolio.STRATEGIES", (missing,))
        verdict = decide(UNDECIDED, 1)
        assert "ModuleNotFoundError" in verdict.trail[0].outcome


def test_mistakes_can_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in all other tests: there, the environment variable is set."""
    with monkeypatch.context() as patch:
        add_strategy(patch, wrong_embedding, Status.YES)
        with pytest.raises(CertificateError, match="fails the checker"):
            decide(NEEDS_TWO, 2)
    add_strategy(monkeypatch, crash, Status.YES, name="crash")
    with pytest.raises(ZeroDivisionError):
        weak_dimension(NEEDS_THREE)


def test_a_first_turn_may_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    def first_turn(problem: Problem) -> float:
        return 1 / (problem.d - 2)

    monkeypatch.delenv("SAMAPPROX_TRACEBACK")
    add_strategy(monkeypatch, crash, Status.NO, in_turns=True, first_turn=first_turn)
    verdict = decide(NEEDS_THREE, 2, only=["new", "chirotope"])
    assert verdict.status is Status.NO
    assert "ZeroDivisionError" in verdict.trail[0].outcome


def test_a_wrong_proof_of_another_process_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = Problem(NEEDS_THREE, 2)
    trail = (Attempt("line", 0.1, "no line"), Attempt("new", 0.2, "YES"), Attempt("other", 0.1, ""))
    proof = wrong_embedding(problem, Search())
    with pytest.raises(CertificateError):
        _check(problem, proof, trail)
    monkeypatch.delenv("SAMAPPROX_TRACEBACK")
    verdict = _check(problem, proof, trail)
    assert verdict.status is Status.UNKNOWN
    assert [step.strategy for step in verdict.trail] == ["line", "new", "other"]
    assert verdict.trail[1].outcome.startswith("please report it: the Embedding for d = 2 fails")
