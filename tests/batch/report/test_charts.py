"""Charts of report pages."""

from __future__ import annotations

import re
from pathlib import Path

from helpers.batch.result_files import DIM, outcome, stored

from samapprox.batch import Store
from samapprox.batch.report import Selection
from samapprox.batch.report.charts import bars_chart, cactus_chart
from samapprox.batch.report.heads import Interval
from samapprox.batch.report.section import section_of


def test_charts_of_little() -> None:
    from samapprox.batch.report.aggregates import Cactus

    assert cactus_chart([]) == ""
    assert bars_chart({}) == ""
    tiny = cactus_chart([Cactus("<b>", ((1, 0.0),))])
    assert "<b>" not in tiny
    for count in (1, 2, 5, 9, 10, 11, 99, 1_000_000):
        drawn = cactus_chart([Cactus("all", ((count, 1.0),))])
        labels = re.findall(r">([\d,]+)</text>", drawn)
        assert 2 <= len(labels) <= 7, (count, labels)
        assert "nan" not in drawn


def test_trivial_bounds_have_no_colour(tmp_path: Path) -> None:
    """Only the bounds 1 and 7 of 8 x 8 patterns need no proof; exact bounds are always known."""
    size = {"rows": 8, "columns": 8, "family": "top1", "layer": 0}
    bounds_of = {0: (1, 7), 1: (1, 1), 2: (7, 7), 3: (2, 7), 4: (1, 3), 5: (2, 3)}
    outcomes = [
        outcome(f"h{head}", head=head, lower=lower, upper=upper, verdict="INTERVAL", **size)
        for head, (lower, upper) in bounds_of.items()
    ]
    # The greatest upper bound of a head counts: here the proven 9, not the trivial 3.
    more = {"family": "top1", "layer": 0, "head": 6, "verdict": "INTERVAL"}
    outcomes.append(outcome("small", rows=4, columns=4, lower=1, upper=3, **more))
    outcomes.append(outcome("wide", rows=20, columns=20, lower=1, upper=9, **more))
    with Store(stored(tmp_path / "r.sqlite", outcomes)) as store:
        section = section_of(store, 1, DIM, Selection())
    assert section is not None
    html = section.html()
    cells = re.findall(r'<td class="([^"]*)"><button[^>]*data-head="(\d)"', html)
    assert {int(head): kind for kind, head in cells} == {
        0: "d0 interval",
        1: "d1",
        2: "d7",
        3: "open l2 u0 interval",
        4: "open l0 u3 interval",
        5: "open l2 u3 interval",
        6: "open l0 u7 interval",
    }
    (chart,) = re.findall(r'aria-label="Bounds on the weak dimension: ([^"]*)"', html)
    assert chart.split("; ") == [
        "1 with lower bound 1",
        "4 with trivial lower bound 1",
        "1 with upper bound 1",
        "2 with lower bound 2",
        "2 with upper bound 3",
        "1 with trivial upper bound 3",
        "1 with lower bound 7",
        "1 with upper bound 7",
        "2 with trivial upper bound 7",
        "1 with upper bound 9.",
    ]
    legend = re.sub(
        "<[^>]*>", " ", html[html.index("swatch") : html.index("</ul>", html.index("swatch"))]
    )
    for text in ("d = 1", "d = 7 or more", "stripes", "grey: a trivial bound"):
        assert text in legend


def test_far_bounds_share_a_bar() -> None:
    drawn = bars_chart({Interval(1, 1): 3, Interval(2, 500): 2})
    assert "upper bound 16 or more: 2" in drawn
    assert "lower bound 2: 2" in drawn
