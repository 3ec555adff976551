"""Tables of a report page: the families, and the heads of a model."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from samapprox.batch.report.aggregates import Family
from samapprox.batch.report.heads import HeadMap, Interval

__all__ = ["families_table", "format_seconds", "head_legend", "head_table"]

_SHADES = 7
"""Classes of colour; greater dimensions share the last one."""


def families_table(
    rows: Sequence[Family], verdicts: Sequence[str], number: int, bound: str = "least d"
) -> str:
    """Return a table of families that the page can sort and filter."""
    heads = [
        ("family", "text"),
        ("results", "number"),
        *((verdict, "number") for verdict in verdicts),
        (bound, "number"),
        ("median, s", "number"),
        ("slowest, s", "number"),
    ]
    head = "".join(
        f'<th scope="col" class="{kind}" aria-sort="none"><button type="button" class="sort" '
        f'data-kind="{kind}">{escape(name)}</button></th>'
        for name, kind in heads
    )
    body = "".join(_family(row, verdicts) for row in rows)
    return (
        f'<div class="filter"><label for="family-filter-{number}">Family name contains </label>'
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
        cells.append(_number(row.upper, str(Interval(row.lower, row.upper))))
    cells += [_number(seconds, format_seconds(seconds)) for seconds in (row.median, row.slowest)]
    data = "" if row.name is None else f' data-family="{escape(name)}"'
    link = f'<button type="button" class="pick"{data}>{escape(name)}</button>'
    return f'<tr><th scope="row" data-value="{escape(name)}">{link}</th>{"".join(cells)}</tr>'


def _number(value: float, text: str) -> str:
    return f'<td class="number" data-value="{value:g}">{escape(text)}</td>'


def format_seconds(value: float) -> str:
    """Format seconds with about three digits."""
    return f"{value:.4f}" if value < 0.1 else f"{value:.2f}" if value < 10 else f"{value:.1f}"


def head_table(shown: HeadMap) -> str:
    """Return the heads of a model as a map: layers down, heads across, dimensions in the cells."""
    name = "all patterns" if shown.family is None else shown.family
    heads = shown.heads
    numbers = "".join(f'<th scope="col">{h}</th>' for h in heads)
    body = "".join(
        f'<tr><th scope="row">{layer}</th>'
        + "".join(_cell(shown, layer, h) for h in heads)
        + "</tr>"
        for layer in shown.layers
    )
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="Map of {escape(name)}">'
        f'<table class="heads"><caption>{escape(name)}</caption><thead>'
        f'<tr><td></td><th class="axis" scope="colgroup" colspan="{len(heads)}"><span>head</span>'
        f'</th></tr><tr><th class="axis" scope="col">layer</th>{numbers}</tr>'
        f"</thead><tbody>{body}</tbody></table></div>"
    )


def head_legend(maps: Sequence[HeadMap]) -> str:
    """Return the meaning of the colours in some maps of heads, as a list."""
    found = {cell.bounds for shown in maps for cell in shown.cells.values()}
    shades = {shade for bounds in found for shade in _shades(bounds)}
    entries = [
        (f"d{d}", f"d = {d}" if d < _SHADES else f"d = {d} or more") for d in sorted(shades - {0})
    ]
    if any(not bounds.is_exact for bounds in found):
        entries.append(("open l2 u5", "not known exactly: stripes in the colours of both bounds"))
    if 0 in shades:
        entries.append(("d0", "grey: a trivial bound, which holds for every pattern of this size"))
    items = "".join(
        f'<li><span class="swatch {kind}"></span>{escape(text)}</li>' for kind, text in entries
    )
    return f'<ul class="legend">{items}</ul>'


def _shades(bounds: Interval) -> tuple[float, float]:
    """The classes of colour of both bounds; 0 for a trivial one."""
    return (
        0 if bounds.has_trivial_lower else min(bounds.lower, _SHADES),
        0 if bounds.has_trivial_upper else min(bounds.upper, _SHADES),
    )


def _cell(shown: HeadMap, layer: int, head: int) -> str:
    cell = shown.cells.get((layer, head))
    if cell is None:
        return "<td></td>"
    low, high = _shades(cell.bounds)
    colour = f"d{low}" if low == high else f"open l{low} u{high}"
    open_ = "" if cell.bounds.is_exact else " interval"
    bounds = escape(str(cell.bounds))
    words = f"layer {layer}, head {head}: d = {bounds}, {cell.count:,} pattern"
    data = "" if shown.family is None else f' data-family="{escape(shown.family)}"'
    return (
        f'<td class="{colour}{open_}"><button type="button" class="pick"{data} '
        f'data-layer="{layer}" data-head="{head}" aria-label="{words}{"s" * (cell.count != 1)}">'
        f"<span>{bounds}</span></button></td>"
    )
