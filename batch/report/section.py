"""The part of a report about one question."""

from __future__ import annotations

from collections.abc import Iterable
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
from samapprox.batch.report.selection import DECIDED, EVERY_VERDICT, Selection
from samapprox.batch.report.tables import families_table, format_seconds, head_legend, head_table
from samapprox.batch.results.question import KNOWN_TASKS, Question
from samapprox.batch.results.store import Store
from samapprox.support.text import plural
from samapprox.version import __version__

__all__ = ["Section", "section_of"]

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
            ("slowest, s", format_seconds(found.slowest)),
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
                head_legend(self.maps),
                *(f"{self._claim(shown)}\n{head_table(shown)}" for shown in self.maps),
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
