"""Tables of reports: one row a family, which the page sorts by the numbers of its cells."""

from __future__ import annotations

import re

from samapprox.batch.report.aggregates import Family
from samapprox.batch.report.section import families_table


def cells(row: str) -> list[tuple[str, str]]:
    return re.findall(r'<td class="number" data-value="([^"]*)">([^<]*)</td>', row)


def test_families_have_counts_bounds_and_times() -> None:
    bounded = Family("a<b", 1200, {"EXACT": 1000, "INTERVAL": 200}, 2, 5, 0.5, 12.0)
    exact = Family("c", 1, {"EXACT": 1}, 3, 3, 0.25, 0.25)
    without = Family(None, 3, {"ERROR": 3}, None, None, 0.125, 0.25)
    table = families_table([bounded, exact, without], ["EXACT", "INTERVAL"], 1)
    first, second, third = re.findall(r"<tr><th scope=\"row\".*?</tr>", table)
    assert cells(first)[:4] == [("1200", "1,200"), ("1000", "1,000"), ("200", "200"), ("5", "2..5")]
    assert cells(second)[:4] == [("1", "1"), ("1", "1"), ("0", "0"), ("3", "3")]
    assert cells(third)[:4] == [("3", "3"), ("0", "0"), ("0", "0"), ("-1", "-")]
    assert [float(seconds) for seconds, _ in cells(first)[4:]] == [0.5, 12]
    assert 'data-value="a&lt;b"><button type="button" class="pick" data-family="a&lt;b">' in first
    assert "data-family" not in third
