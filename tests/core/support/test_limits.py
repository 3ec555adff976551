"""One time limit for all: functions that take one refuse the same numbers in the same words."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from samapprox import InputError, decide
from samapprox.attention.approximation.request import Request
from samapprox.attention.approximation.target import Target
from samapprox.attention.graphs import build
from samapprox.attention.graphs.universality import universality
from samapprox.batch.results.question import Question
from samapprox.cli.main import cli
from samapprox.reductions.encodings import decode
from samapprox.solvers.engine.search import Search
from samapprox.support.child import Child
from samapprox.support.limits import Limits, deadline_in, require_memory_limit

REQUEST = Request(target=Target.from_array([[1.0]]), eps1=0.5, eps2=1.0)
TAKERS: dict[str, Callable[[float], object]] = {
    "deadline": deadline_in,
    "search": lambda seconds: Search.within(seconds, 0),
    "decide": lambda seconds: decide([[1, 0]], 1, time_limit=seconds),
    "request": REQUEST.within,
    "question": lambda seconds: Question("dim", time_limit=seconds),
    "graph": lambda seconds: universality(build("star", 5), time_limit=seconds),
    "decode": lambda seconds: decode(decide([[1, 0]]).problem.pattern, "", "", time_limit=seconds),
}


@pytest.mark.parametrize("taker", TAKERS)
@pytest.mark.parametrize("seconds", [0, -1.0, math.nan, math.inf, 2e9, "5", [1]])
def test_what_is_no_time_limit(taker: str, seconds: float) -> None:
    with pytest.raises(InputError) as caught:
        TAKERS[taker](seconds)
    told = f"the time limit must be above 0 and at most 1e9 seconds, not {seconds!r}"
    assert str(caught.value) == told


@pytest.mark.parametrize("taker", sorted(TAKERS.keys() - {"decode"}))
def test_the_longest_time_limit(taker: str) -> None:
    TAKERS[taker](1e9)


MEGABYTE = 1 << 20


class Idle:
    """A process that holds some memory."""

    def __init__(self, bytes_held: int) -> None:
        self._bytes = bytes_held

    def resident(self) -> int:
        return self._bytes


def of_size(bytes_held: int) -> Child:
    return cast("Child", Idle(bytes_held))


@given(
    limit=st.floats(0.01, 1e9),
    seconds=st.floats(0.0, 2e9),
    memory=st.none() | st.integers(100 * MEGABYTE, 1 << 40),
    held=st.integers(0, 1 << 41),
)
def test_a_limit_is_exceeded_beyond_it_alone(
    limit: float, seconds: float, memory: int | None, held: int
) -> None:
    excess = Limits(limit, memory).excess(of_size(held), seconds)
    late = seconds > limit + 2.0
    large = memory is not None and held > memory
    assert (excess is not None) == (late or large)
    assert excess is None or excess.limit == ("time" if late else "memory")


def test_the_reasons() -> None:
    limits = Limits(1.5, 150 * MEGABYTE)
    late = limits.excess(of_size(0), 3.6)
    large = limits.excess(of_size(151 * MEGABYTE), 0.1)
    assert late is not None
    assert large is not None
    assert late.reason == "stopped: exceeded the time limit of 1.5 s"
    assert large.reason == "stopped: exceeded the memory limit of 150 MB"


@pytest.mark.parametrize(
    ("seconds", "memory"),
    [(0.0, None), (math.nan, None), (1.0, 1 << 20), (1.0, "1G"), (1.0, math.nan)],
)
def test_limits_that_nobody_can_keep(seconds: float, memory: int | None) -> None:
    with pytest.raises(InputError):
        Limits(seconds, memory)
    require_memory_limit(100 * MEGABYTE)


@pytest.mark.parametrize(("size", "status"), [("99M", 2), ("100M", 0), ("150M", 0)])
def test_the_same_for_one_decision_and_for_many(
    size: str, status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("p.txt").write_text("110\n011\n001\n")
    for command in (["decide", "p.txt"], ["batch", "p.txt", "--jobs", "1"]):
        result = CliRunner().invoke(cli, [*command, "--memory-limit", size])
        assert result.exit_code == status, result.output
        assert status or "YES" in result.stdout
        if status:
            said = "the memory limit must be at least 100 MB, not 99 MB\n"
            assert result.stderr.endswith(said)
            assert result.stderr.count("\n") == 1
