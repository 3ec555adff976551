"""Numbers of report pages against plain loops over the results."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.batch.result_files import DIM, many

from samapprox.batch import Store
from samapprox.batch.report import Selection
from samapprox.batch.report.aggregates import bounds, cactus, families, totals
from samapprox.batch.report.heads import head_maps
from samapprox.batch.report.selection import chosen_results


@pytest.mark.parametrize(
    "selection",
    [Selection(), Selection("a"), Selection(verdict="EXACT"), Selection("b", "INTERVAL", "i000*")],
    ids=str,
)
def test_aggregates_against_plain_loops(tmp_path: Path, selection: Selection) -> None:
    outcomes = many(tmp_path / "r.sqlite", 400)
    kept = [
        one
        for one in outcomes
        if selection.family in (None, one.family)
        and selection.verdict in (None, one.verdict)
        and (selection.name is None or one.name.startswith("i000"))
    ]
    with Store(tmp_path / "r.sqlite") as store:
        found = totals(store, 1, selection)
        assert found.results == len(kept)
        for verdict in ("EXACT", "INTERVAL", "ERROR"):
            assert found.verdicts.get(verdict, 0) == sum(one.verdict == verdict for one in kept)
        assert found.seconds == pytest.approx(sum(one.seconds for one in kept))
        assert found.slowest == max(one.seconds for one in kept)
        assert found.families == len({one.family for one in kept})
        pairs = bounds(store, 1, DIM, selection)
        for lower, upper in {(one.lower, one.upper) for one in kept} - {(None, None)}:
            count = sum((one.lower, one.upper) == (lower, upper) for one in kept)
            own = [n for pair, n in pairs.items() if (pair.lower, pair.upper) == (lower, upper)]
            assert own == [count]
        rows = families(store, 1, selection, 10)
        assert {row.name for row in rows} == {one.family for one in kept}
        for row in rows:
            own = sorted(one.seconds for one in kept if one.family == row.name)
            assert (row.results, row.median, row.slowest) == (
                len(own),
                own[(len(own) - 1) // 2],
                own[-1],
            )
            uppers = [one.upper for one in kept if one.family == row.name and one.upper]
            assert row.upper == max(uppers, default=None)
        for curve in cactus(store, 1, selection, ["a", None]):
            name = {"all": ..., "a": "a", "no family": None}[curve.name]
            own = sorted(
                one.seconds for one in kept if one.verdict == "EXACT" and name in (..., one.family)
            )
            assert curve.points[-1] == (len(own), own[-1])
            assert all(own[count - 1] == seconds for count, seconds in curve.points)
            assert len(curve.points) <= 301


def test_heads_need_the_greatest_of_their_patterns(tmp_path: Path) -> None:
    outcomes = many(tmp_path / "r.sqlite", 300)
    with Store(tmp_path / "r.sqlite") as store:
        maps = head_maps(store, 1, DIM, Selection(), 10)
        assert len(head_maps(store, 1, DIM, Selection(), 2)) == 2
    assert {shown.family for shown in maps} == {None, "a", "b", "c"}
    for shown in maps:
        for (layer, head), cell in shown.cells.items():
            own = [
                one
                for one in outcomes
                if (one.family, one.layer, one.head) == (shown.family, layer, head) and one.upper
            ]
            assert cell.count == len(own)
            assert cell.bounds.lower == max(one.lower for one in own)
            assert cell.bounds.upper == max(one.upper for one in own)


def test_listed_are_errors_then_what_is_open_then_the_slowest(tmp_path: Path) -> None:
    outcomes = many(tmp_path / "r.sqlite", 200)
    rank = {"ERROR": 0, "INTERVAL": 1, "EXACT": 2}
    with Store(tmp_path / "r.sqlite") as store:
        every = chosen_results(store, 1, Selection(), 1000)
        some = chosen_results(store, 1, Selection(), 24)
    assert sorted(one.name for one in every) == [one.name for one in outcomes]
    assert [one.name for one in some] == [one.name for one in every[:24]]
    for family in (None, "a", "b", "c"):
        own = [(rank[one.verdict], -one.seconds) for one in every if one.family == family]
        assert own == sorted(own)
        assert sum(one.family == family for one in some) == 6
