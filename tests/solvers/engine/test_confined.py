"""Decisions in a process of their own: the same answers, hard limits, nothing lost."""

from __future__ import annotations

import pytest
from click.testing import CliRunner
from helpers.durations import takes_less_than
from helpers.paths import ROOT

from samapprox import InputError, decide
from samapprox.cli.main import cli
from samapprox.problem import Problem
from samapprox.reductions.families import generate
from samapprox.results import Status
from samapprox.solvers.engine.confined import run_confined
from samapprox.solvers.engine.portfolio import StrategyRecord

LARGE = generate("random", rows=1500, columns=1500).pattern
NEVER = ["line", "gradient"]  # these two never decide it


@pytest.mark.parametrize(("rows", "columns", "d"), [(6, 6, 1), (12, 11, 2), (6, 6, 5)])
def test_the_answer_and_the_proof_are_the_same(rows: int, columns: int, d: int) -> None:
    pattern = generate("random", rows=rows, columns=columns, seed=3).pattern
    confined = decide(pattern, d, memory_limit=1 << 31, seed=1)
    assert confined.status is decide(pattern, d, seed=1).status is not Status.UNKNOWN
    assert confined.certificate is not None
    assert confined.certificate.verify(pattern)


def test_too_much_memory_is_unknown() -> None:
    verdict = decide(LARGE, 6, memory_limit=120 << 20, time_limit=100.0, only=NEVER)
    assert verdict.status is Status.UNKNOWN
    assert verdict.trail[-1].outcome == "stopped: exceeded the memory limit of 120 MB"
    attempts = [attempt for attempt in verdict.trail if attempt.strategy != "bounds"]
    assert [attempt.strategy for attempt in attempts] == NEVER
    assert attempts[0].outcome == "d = 1 is refuted, which proves nothing about d >= 2"


def test_the_time_limit_holds_in_native_code() -> None:
    with takes_less_than(30):  # generous: no timing on busy machines
        verdict = decide(LARGE, 6, memory_limit=1 << 32, time_limit=0.7, only=NEVER)
    assert verdict.status is Status.UNKNOWN


def test_compilation_costs_no_search_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "tests"))
    monkeypatch.setattr("samapprox.support.limits._GRACE", 0.0)
    problem = Problem(generate("random", rows=4, columns=4).pattern, 2)
    compiling = StrategyRecord(
        "compiling", "helpers.solvers.compiling_strategy", ("dot",), (Status.YES,)
    )
    verdict = run_confined(problem, [compiling], 3.0, 0, 1 << 31)
    assert [attempt.outcome for attempt in verdict.trail] == ["compiled"]


def test_errors_come_through() -> None:
    pattern = generate("random", rows=4, columns=4).pattern
    with pytest.raises(InputError, match="unknown strategy"):
        decide(pattern, 2, memory_limit=1 << 30, only=["magic"])
    with pytest.raises(InputError, match="at least 100 MB, not 1 MB"):
        decide(pattern, 2, memory_limit=1 << 20)


def test_progress_is_told() -> None:
    told: list[tuple[str, str | None]] = []
    pattern = generate("random", rows=12, columns=11, seed=3).pattern
    decide(
        pattern,
        2,
        memory_limit=1 << 31,
        progress=lambda moment: told.append((moment.what, moment.outcome)),
    )
    assert told[0] == ("line", None)
    assert told[-1][1] == "NO"
    assert all(begin[0] == end[0] for begin, end in zip(told[::2], told[1::2], strict=True))


@pytest.mark.parametrize(
    ("size", "status", "said"),
    [("200M", 0, "NO: "), ("1e99", 2, "not a size"), ("5K", 2, "at least 100 MB"), ("-1G", 2, "")],
)
def test_the_option(size: str, status: int, said: str) -> None:
    result = CliRunner().invoke(
        cli, ["decide", "-", "--memory-limit", size], input="100\n010\n001\n"
    )
    assert result.exit_code == status
    assert said in result.output
