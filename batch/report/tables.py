"""Tables of a report page: families, and heads by layer."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from samapprox.batch.report.aggregates import Family
from samapprox.batch.report.heads import HeadMap

__all__ = ["families_table", "format_seconds", "head_table"]

_SHADES = 7
"""Classes of colour; greater dimensions share the last."""


def families_table(rows: Sequence[Family], verdicts: Sequence[str], number: int) -> str:
    """A table of families, to be sorted and filtered in the page.

    Parameters
    ----------
    rows : sequence of Family
    verdicts : sequence of str
        Those that occur, a column each.
    number : int
        Of the question, for identifiers.

    Examples
    --------
    >>> row = Family("line", 2, {"YES": 2}, 1, 1, 0.01, 0.02)
    >>> html = families_table([row], ["YES"], number=1)
    >>> html.count("<tr"), 'data-family="line"' in html
    (2, True)
    """
    heads = [
        ("family", "text"),
        ("results", "number"),
        *((verdict, "number") for verdict in verdicts),
        ("least d", "number"),
        ("median s", "number"),
        ("slowest s", "number"),
    ]
    head = "".join(
        f'<th scope="col" class="{kind}" aria-sort="none"><button type="button" class="sort" '
        f'data-kind="{kind}">{escape(name)}</button></th>'
        for name, kind in heads
    )
    body = "".join(_family(row, verdicts) for row in rows)
    return (
        f'<div class="filter"><label for="family-filter-{number}">Families with </label>'
        f'<input id="family-filter-{number}" type="search" class="filter-rows" autocomplete="off">'
        '<output class="count" aria-live="polite"></output></div>'
        '<div class="scroll" tabindex="0" role="region" aria-label="Table of families">'
        f'<table class="families sortable"><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _family(row: Family, verdicts: Sequence[str]) -> str:
    name = "none" if row.name is None else row.name
    cells = [_number(row.results, f"{row.results:,}")]
    cells += [_number(row.verdicts.get(v, 0), f"{row.verdicts.get(v, 0):,}") for v in verdicts]
    if row.lower is None or row.upper is None:
        cells.append(_number(-1, "-"))
    else:
        exact = row.lower == row.upper
        cells.append(_number(row.upper, str(row.upper) if exact else f"{row.lower}..{row.upper}"))
    cells += [_number(seconds, format_seconds(seconds)) for seconds in (row.median, row.slowest)]
    data = "" if row.name is None else f' data-family="{escape(name)}"'
    link = f'<button type="button" class="pick"{data}>{escape(name)}</button>'
    return f'<tr><th scope="row" data-value="{escape(name)}">{link}</th>{"".join(cells)}</tr>'


def _number(value: float, text: str) -> str:
    return f'<td class="number" data-value="{value:g}">{escape(text)}</td>'


def format_seconds(value: float) -> str:
    """Three digits.

    Examples
    --------
    >>> format_seconds(0.00123), format_seconds(12.3456)
    ('0.0012', '12.3')
    """
    return f"{value:.4f}" if value < 0.1 else f"{value:.2f}" if value < 10 else f"{value:.1f}"


def head_table(shown: HeadMap) -> str:
    """The heads of a model as a map: layers down, heads across, the least dimension in each cell.

    Examples
    --------
    >>> from samapprox.batch.report.heads import Cell
    >>> head_table(HeadMap("top1", {(0, 3): Cell(2, 4, 1)})).count(">2..4<")
    1
    """
    name = "all patterns" if shown.family is None else shown.family
    heads = shown.heads
    head = "".join(f'<th scope="col">{h}</th>' for h in heads)
    body = "".join(
        f'<tr><th scope="row">{layer}</th>'
        + "".join(_cell(shown, layer, h) for h in heads)
        + "</tr>"
        for layer in shown.layers
    )
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="Map of {escape(name)}">'
        f'<table class="heads"><caption>{escape(name)}</caption><thead><tr><td>layer \\ head</td>'
        f"{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _cell(shown: HeadMap, layer: int, head: int) -> str:
    cell = shown.cells.get((layer, head))
    if cell is None:
        return "<td></td>"
    shade = min(cell.upper, _SHADES)
    open_ = " open" if cell.lower < cell.upper else ""
    bounds = escape(str(cell))
    words = f"layer {layer}, head {head}: d = {bounds}, {cell.count:,} pattern"
    data = "" if shown.family is None else f' data-family="{escape(shown.family)}"'
    return (
        f'<td class="d{shade}{open_}"><button type="button" class="pick"{data} '
        f'data-layer="{layer}" data-head="{head}" aria-label="{words}{"s" * (cell.count != 1)}">'
        f"{bounds}</button></td>"
    )
