"""The part of a report about one question."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from samapprox.batch.report.aggregates import (
    Cactus,
    Family,
    LayerMeans,
    Spans,
    Totals,
    bounds,
    cactus,
    families,
    layer_means,
    measure_means,
    recall_means,
    spans,
    totals,
)
from samapprox.batch.report.charts import bars_chart, cactus_chart, layers_chart, spans_chart
from samapprox.batch.report.heads import HeadMap, Interval, head_maps, unanswered_heads
from samapprox.batch.report.selection import DECIDED, Selection
from samapprox.batch.results.known_tasks import EVERY_VERDICT, KNOWN_TASKS
from samapprox.batch.results.question import Question
from samapprox.batch.results.store import Store
from samapprox.support.text import plural
from samapprox.version import __version__

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
    cells += [_number(seconds, _format_seconds(seconds)) for seconds in (row.median, row.slowest)]
    data = "" if row.name is None else f' data-family="{escape(name)}"'
    link = f'<button type="button" class="pick"{data}>{escape(name)}</button>'
    return f'<tr><th scope="row" data-value="{escape(name)}">{link}</th>{"".join(cells)}</tr>'


def _number(value: float, text: str) -> str:
    return f'<td class="number" data-value="{value:g}">{escape(text)}</td>'


def _format_seconds(value: float) -> str:
    """Format seconds with about three digits."""
    return f"{value:.4f}" if value < 0.1 else f"{value:.2f}" if value < 10 else f"{value:.1f}"


def _head_table(shown: HeadMap) -> str:
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


def _head_legend(maps: Sequence[HeadMap]) -> str:
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


_MOST_FAMILIES = 200
_MOST_CURVES = 6
_MOST_MAPS = 12
_DIMENSION = KNOWN_TASKS["dim"].measure


@dataclass(frozen=True, slots=True)
class Section:
    """The part of the page about one question: everything but the list of its results."""

    number: int  # the number of the question in the file
    question: Question
    totals: Totals
    families: tuple[Family, ...]  # the largest families
    curves: tuple[Cactus, ...]
    bounds: dict[Interval, int]  # for dimensions and ranks; empty otherwise
    spans: Spans | None  # for other numbers
    measures: dict[str, float]  # means of retrieval measures, for runs; empty otherwise
    recall: Interval | None  # means of the bounds on recall, for fits at K
    layers: tuple[LayerMeans, ...]  # of this mask and of the others in the file; empty otherwise
    maps: tuple[HeadMap, ...]  # for dimensions; empty otherwise
    unanswered: dict[str | None, int]  # results of heads without bounds, by family
    head_size: int | None  # the dimension that the model gives its heads, if it is known

    def html(self) -> str:
        """Return the section as HTML."""
        name = f"question-{self.number}"
        parts = [
            f'<section data-question="{self.number}" aria-labelledby="{name}">',
            f'<h2 id="{name}">{escape(str(self.question))}</h2>',
        ]
        if self.maps:
            parts.append(self._heads())
        parts.append(_tiles(self._counts()))
        if self.families:
            parts.append("<h3>Families</h3>")
            left = self.totals.families - len(self.families)
            if left > 0:
                parts.append(
                    f"<p>Only the largest families: {left:,} smaller ones are left out.</p>"
                )
            short = KNOWN_TASKS[self.question.task].short
            parts.append(families_table(self.families, self._verdicts(), self.number, short))
        parts += [
            '<div class="charts">',
            _figure("Instances decided within a given time each", cactus_chart(self.curves)),
            self._intervals(),
            _figure("Mean share of furthest vectors found by layer", layers_chart(self.layers)),
            "</div>",
            "<h3>Run</h3>",
            _tiles(self._run()),
            "</section>",
        ]
        return "\n".join(parts)

    def _intervals(self) -> str:
        """The chart of the bounds."""
        if self.spans is None:
            measure = self.question.measure
            return _figure(f"Bounds on {measure}", bars_chart(self.bounds, measure))
        title = f"{self.spans.quantity.title.capitalize()}: the proven interval of each result"
        return _figure(title, spans_chart(self.spans))

    def _verdicts(self) -> list[str]:
        return [verdict for verdict in EVERY_VERDICT if verdict in self.totals.verdicts]

    def _counts(self) -> list[tuple[str, str]]:
        """Names and values that summarise the results."""
        found = self.totals
        decided = sum(found.verdicts.get(verdict, 0) for verdict in DECIDED)
        tiles = [("results", f"{found.results:,}")]
        tiles += [(verdict, f"{found.verdicts[verdict]:,}") for verdict in self._verdicts()]
        tiles.append(("decided", f"{100 * decided / found.results:.1f} %"))
        if self.spans is not None:
            tiles.append((self.spans.quantity.total, self.spans.total_in_words))
        tiles += [(f"mean {name}", f"{mean:.4f}") for name, mean in self.measures.items()]
        if self.recall is not None:
            name = f"greatest mean recall at {self.question.at}, on average"
            tiles.append((name, self.recall.in_percent()))
        return tiles

    def _run(self) -> list[tuple[str, str]]:
        """Names and values about times, memory and machines of the results."""
        found = self.totals
        tiles = [
            ("seconds in total", f"{found.seconds:,.1f}"),
            ("slowest, s", _format_seconds(found.slowest)),
        ]
        if found.memory is not None:
            tiles.append(("peak memory", f"{found.memory / (1 << 20):,.0f} MiB"))
        if found.hosts:
            more = f" and {found.hosts - 1:,} more" if found.hosts > 1 else ""
            tiles.append(("machine", f"{found.host}{more}"))
        tiles.append(("samapprox, which made this page", __version__))
        return tiles

    def _heads(self) -> str:
        return "\n".join(
            [
                "<h3>Least dimension by layer and head</h3>",
                '<p class="quiet">Each cell shows the least dimension d that represents every '
                "pattern of the head, or both proven bounds (in italics) if d is not known "
                "exactly. Choose a cell to list its results below.</p>",
                _head_legend(self.maps),
                *(f"{self._claim(shown)}\n{_head_table(shown)}" for shown in self.maps),
            ]
        )

    def _claim(self, shown: HeadMap) -> str:
        """The claim of a map about its heads, beside the size that the model gives them."""
        lacking = self.unanswered.get(shown.family, 0)
        left_out = f" (left out: {plural(lacking, 'pattern')} without an answer)" if lacking else ""
        every = "every measured head" if lacking else "every head"
        claim = escape(shown.claim(every, left_out, self.head_size))
        name = escape(shown.family or "all patterns")
        return f'<p class="claim"><strong>{name}.</strong> {claim}</p>'


def section_of(
    store: Store,
    number: int,
    question: Question,
    selection: Selection,
    head_size: int | None = None,
) -> Section | None:
    """Summarise the results for one question; None if none of them is selected.

    About ten passes of SQL over the table of results, four of them with a sort.
    """
    found = totals(store, number, selection)
    if not found.results:
        return None
    largest = families(store, number, selection, _MOST_FAMILIES)
    shown = spans(store, number, question, selection)
    names = [family.name for family in largest] if 1 < len(largest) <= _MOST_CURVES else []
    return Section(
        number,
        question,
        found,
        tuple(largest),
        tuple(cactus(store, number, selection, names)),
        bounds(store, number, question, selection) if shown is None else {},
        shown,
        measure_means(store, number, question, selection),
        recall_means(store, number, question, selection),
        _layers(store, number, question, selection),
        tuple(_maps(store, number, question, selection)),
        unanswered_heads(store, number, selection),
        head_size,
    )


def _layers(
    store: Store, number: int, question: Question, selection: Selection
) -> tuple[LayerMeans, ...]:
    """Return the curve of the question's mask, then those of other masks for a comparison."""
    own = layer_means(store, number, question, selection)
    if own is None:
        return ()
    others = (
        layer_means(store, other, asked, selection)
        for other, asked in store.questions().items()
        if other != number
    )
    return (own, *[curve for curve in others if curve is not None][: _MOST_CURVES - 1])


def _maps(store: Store, number: int, question: Question, selection: Selection) -> list[HeadMap]:
    """Return the maps of heads, if their cells are dimensions."""
    if KNOWN_TASKS[question.task].measure != _DIMENSION:
        return []
    return head_maps(store, number, question, selection, _MOST_MAPS)


def _tiles(tiles: Iterable[tuple[str, str]]) -> str:
    items = "".join(f"<li><b>{escape(value)}</b>{escape(name)}</li>" for name, value in tiles)
    return f'<ul class="tiles">{items}</ul>'


def _figure(title: str, chart: str) -> str:
    if not chart:
        return ""
    return f"<figure><figcaption>{escape(title)}</figcaption>{chart}</figure>"
