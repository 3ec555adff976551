"""Searches that run out of time, or are interrupted, give what they have found and say so."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import replace

import click
import pytest
from click.testing import CliRunner
from helpers.schemas import schema

from samapprox import InputError, Interrupted
from samapprox.attention.approximation import Approximation, Request, approximate, sample
from samapprox.attention.approximation.frontier import Frontier, frontier
from samapprox.cli.main import cli
from samapprox.support.progress import OnProgress, Progress


class Clock:
    """Stands still until so many reports have come, then says that time is up."""

    def __init__(self, after: float) -> None:
        self.left = after
        self.reports: list[str] = []

    def report(self, report: Progress) -> None:
        self.reports.append(report.what)
        self.left -= 1

    def now(self) -> float:
        return 0.0 if self.left > 0 else 10.0


def stopped_after(
    monkeypatch: pytest.MonkeyPatch, asked: Request, method: str
) -> Iterator[tuple[Approximation | None, list[str]]]:
    """The results of a method whose time is up after 1, 2, .. reports, and these reports."""
    after = 1
    while True:
        clock = Clock(after)
        for module in ("request", "methods.optimised"):
            monkeypatch.setattr(f"samapprox.attention.approximation.{module}.search_clock", clock)
        try:
            found = approximate(replace(asked, progress=clock.report, deadline=5.0), method)
        except InputError as error:
            found = None if "in time" in str(error) else pytest.fail(str(error))
        yield found, clock.reports
        if clock.left > 0:
            return
        after += 1


@pytest.mark.parametrize(
    ("method", "choices"),
    [
        ("optimised", {}),
        ("optimised", {"spread": 9.0}),
        ("optimised", {"d": 4}),
        ("optimised", {"arithmetic": "int4"}),
        ("random-keys", {}),
    ],
    ids=str,
)
def test_more_time_finds_no_worse(
    monkeypatch: pytest.MonkeyPatch, method: str, choices: dict[str, float]
) -> None:
    asked = Request(target=sample(6, 1, 1.0), eps1=0.1, eps2=1.0, **choices)  # type: ignore[arg-type]
    least = (math.inf, math.inf)
    whole = approximate(asked, method)
    results = list(stopped_after(monkeypatch, asked, method))
    assert len(results) > 2
    for found, _ in results:
        if found is None:
            assert least == (math.inf, math.inf)
            continue
        assert found.report.holds
        reached = found.layer.rank, found.report.spread if "d" in choices else 0.0
        assert reached <= least
        least = reached
    last = results[-1][0]
    assert last is not None
    assert "stopped" not in last.facts
    assert all(found.facts["stopped"] == "out of time" for found, _ in results[:-2] if found)
    assert (last.layer.rank, last.report.spread) == (whole.layer.rank, whole.report.spread)


@pytest.mark.parametrize("method", ["projection", "plain-projection"])
def test_no_draw_held_in_time(monkeypatch: pytest.MonkeyPatch, method: str) -> None:
    asked = Request(target=sample(48, 1, 1.0), eps1=0.5, eps2=1.0, least=True, step=16)
    whole = approximate(asked, method)
    tried = list(whole.facts["draws"])
    assert len(tried) > 2
    for found, told in stopped_after(monkeypatch, asked, method):
        assert found is not None
        seen = list(found.facts["draws"])
        assert (
            seen
            == tried[: len(seen)]
            == list(
                dict.fromkeys(
                    text.removeprefix("d = ").partition(":")[0]
                    for text in told
                    if text != "checking"
                )
            )
        )
        assert found.report.holds == ("stopped" not in found.facts)
        assert seen == tried or not found.report.holds
        assert found.layer.d == int(seen[-1])


def test_a_search_that_is_over_was_not_stopped() -> None:
    asked = Request(target=sample(48, 1, 1.0), eps1=0.5, eps2=1.0, d=4, redraws=1e-6)
    found = approximate(asked, "projection", time_limit=1e-9)
    assert not found.report.holds
    assert found.facts["draws"] == {"4": 1}
    assert "stopped" not in found.facts


@pytest.mark.parametrize("limit", [0, -1, math.nan])
def test_limits_that_are_none(limit: float) -> None:
    asked = Request(target=sample(9, 1, 1.0), eps1=0.5, eps2=1.0)
    for run in (
        lambda: approximate(asked, "line", time_limit=limit),
        lambda: frontier(asked, time_limit=limit),
    ):
        with pytest.raises(InputError, match="time limit must be above 0"):
            run()


# ---------------------------------------------------------------- the frontier


def test_a_frontier_out_of_time_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Request(target=sample(12, 1, 1.0), eps1=0.1, eps2=1.0)
    methods = ["circle", "rings", "hypercube"]
    whole = frontier(asked, methods=methods, ranks=[])
    for after in range(7):  # each reports its name, and that it is being checked
        clock = Clock(after)
        monkeypatch.setattr("samapprox.attention.approximation.request.search_clock", clock)
        found = frontier(
            replace(asked, progress=clock.report, deadline=5.0), methods=methods, ranks=[]
        )
        done = (after + 1) // 2
        assert [point.rank for point in found.points] == [
            point.rank for point in whole.points[:done]
        ]
        assert found.left_out == dict.fromkeys(methods[done:], "out of time")
        assert found.bounds == whole.bounds


def interrupting(what: str) -> OnProgress:
    def report(report: Progress) -> None:
        if report.what == what:
            raise KeyboardInterrupt

    return report


@pytest.mark.parametrize("where", ["rings", "checking"])
def test_an_interrupted_frontier_has_its_layers(where: str) -> None:
    asked = Request(target=sample(12, 1, 1.0), eps1=0.1, eps2=1.0)
    with pytest.raises(Interrupted) as caught:
        frontier(
            replace(asked, progress=interrupting(where)),
            methods=["circle", "rings", "hypercube"],
        )
    found = caught.value.so_far
    assert isinstance(found, Frontier)
    missing = "rings" if where == "rings" else "circle"
    assert [point.method for point in found.points] == ["circle"][: where == "rings"]
    assert found.left_out == {missing: "interrupted"}


def test_an_interrupted_command_prints_what_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(request: Request, method: str) -> Approximation:
        if method == "rings":
            raise KeyboardInterrupt
        return approximate(request, method)

    monkeypatch.setattr("samapprox.attention.approximation.frontier.approximate", interrupted)
    arguments = ["approximate", "--sample", "12,1,1", "--eps1", "0.1", "--frontier"]
    done = CliRunner().invoke(cli, arguments, standalone_mode=False)
    assert isinstance(done.exception, click.Abort)
    assert "\ncircle " in done.stdout
    assert "\nrings: left out: interrupted\n" in done.stdout
    done = CliRunner().invoke(cli, [*arguments, "--json"], standalone_mode=False)
    assert isinstance(done.exception, click.Abort)
    schema("frontier").validate(json.loads(done.stdout))
