"""Charts as SVG in the colours of the page: curves and bars."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from html import escape

from samapprox.batch.report.aggregates import Cactus, LayerMeans, Spans
from samapprox.batch.report.heads import Interval

_WIDTH, _HEIGHT = 640, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 112, 16, 12, 52
_INNER = _WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM
_FLOOR = 1e-4  # seconds; shorter times are drawn here
_DASHES = ("", "7 4", "2 3", "10 3 2 3", "1 5", "14 4")
_MOST_BARS = 16


def cactus_chart(curves: Sequence[Cactus]) -> str:
    """Draw the time (logarithmic) within which each number of instances is decided."""
    if not curves:
        return ""
    most = max(curve.points[-1][0] for curve in curves)
    times = [max(_FLOOR, seconds) for curve in curves for _, seconds in curve.points]
    low = math.floor(math.log10(min(times)))
    high = max(low + 1, math.ceil(math.log10(max(times)) - 1e-9))

    def at(count: float, seconds: float) -> tuple[float, float]:
        x = _LEFT + _INNER[0] * count / most
        share = (math.log10(max(_FLOOR, seconds)) - low) / (high - low)
        return x, _TOP + _INNER[1] * (1 - share)

    parts = [_level(at(0, 10.0**power)[1], _seconds(10.0**power)) for power in range(low, high + 1)]
    below = _HEIGHT - _BOTTOM + 20
    parts += [_label(at(count, 1)[0], below, f"{count:,}") for count in _ticks(most)]
    parts += _titles("instances decided", "time for each")
    for k, curve in enumerate(curves):
        parts.append(_polyline(k, curve.name, [at(*point) for point in curve.points]))
    words = "; ".join(
        f"{curve.name}: {curve.points[-1][0]:,} decided, the slowest in "
        f"{_seconds(curve.points[-1][1])}"
        for curve in curves
    )
    return _svg(parts, f"Decided instances against seconds. {words}.") + _legend(curves)


def bars_chart(found: dict[Interval, int], measure: str = "the weak dimension") -> str:
    """Draw how many results have each lower and each upper bound on a dimension or a rank.

    Trivial bounds are drawn as hollow bars, on top of the bars of the others.
    """
    if not found:
        return ""
    end = int(max(min(max(bounds.upper for bounds in found), _MOST_BARS), 2))
    counts = Counter[tuple[str, float, bool]]()
    for bounds, count in found.items():
        counts["lower", min(bounds.lower, end), bounds.has_trivial_lower] += count
        counts["upper", min(bounds.upper, end), bounds.has_trivial_upper] += count
    sides, places = ("lower", "upper"), range(1, end + 1)
    highest = max(counts[side, d, False] + counts[side, d, True] for side in sides for d in places)
    if not highest:
        return ""
    cut = any(bounds.upper > end for bounds in found)
    step = _INNER[0] / end
    parts = [
        _level(_TOP + _INNER[1] * (1 - tick / highest), f"{tick:,}") for tick in _ticks(highest)
    ]
    words = []
    for d in places:
        x = _LEFT + (d - 1) * step
        name = f"{d} or more" if cut and d == end else str(d)
        for k, side in enumerate(sides):
            base = float(_TOP + _INNER[1])
            for trivial in (False, True):
                count = counts[side, d, trivial]
                if not count:
                    continue
                height = _INNER[1] * count / highest
                base -= height
                kind = f"trivial {side}" if trivial else side
                parts.append(
                    f'<rect class="bar {kind}" x="{x + step * (0.12 + 0.38 * k):.1f}" '
                    f'y="{base:.1f}" width="{step * 0.36:.1f}" height="{height:.1f}">'
                    f"<title>{kind} bound {name}: {count:,}</title></rect>"
                )
                words.append(f"{count:,} with {kind} bound {name}")
        if end <= _MOST_BARS / 2 or (end - d) % 2 == 0:
            short = f"{d}+" if cut and d == end else str(d)
            parts.append(_label(x + step / 2, _HEIGHT - _BOTTOM + 20, short))
    parts += _titles("rank" if "rank" in measure else "dimension d", "results")
    entries = [("lower", "lower bound"), ("upper", "upper bound")]
    if any(trivial for _, _, trivial in +counts):
        entries.append(("trivial", "trivial bound: nothing better is proven"))
    return _svg(parts, f"Bounds on {measure}: {'; '.join(words)}.") + _bar_legend(entries)


def layers_chart(curves: Sequence[LayerMeans]) -> str:
    """Draw the mean recall after each layer, one curve a mask."""
    if not curves:
        return ""
    most = max(len(curve.means) for curve in curves)

    def at(layer: float, share: float) -> tuple[float, float]:
        return _LEFT + _INNER[0] * layer / most, _TOP + _INNER[1] * (1 - share)

    parts = [_level(at(0, k / 4)[1], f"{25 * k} %") for k in range(5)]
    parts += [_label(at(tick, 0)[0], _HEIGHT - _BOTTOM + 20, str(tick)) for tick in _ticks(most)]
    parts += _titles("layers", "furthest vectors found")
    for k, curve in enumerate(curves):
        points = [at(layer, share) for layer, share in enumerate((0.0, *curve.means))]
        parts.append(_polyline(k, curve.name, points))
    words = "; ".join(
        f"{curve.name}: {100 * curve.means[-1]:.1f} % after {len(curve.means)}" for curve in curves
    )
    return _svg(parts, f"Mean share of furthest vectors found, by layer. {words}.") + _legend(
        curves
    )


def spans_chart(spans: Spans) -> str:
    """Draw the interval of each result as a line between its ends."""
    top = max(spans.quantity.end or 0.0, *(high for _, high in spans.ends)) or 1.0

    def level(value: float) -> float:
        return _TOP + _INNER[1] * (1 - value / top)

    parts = [_level(level(top * k / 4), f"{top * k / 4:.3g}") for k in range(5)]
    step = _INNER[0] / len(spans.ends)
    parts.append(f'<g stroke-width="{min(12, max(2, step / 2)):.1f}">')
    for at, (low, high) in enumerate(spans.ends):
        x = _LEFT + (at + 0.5) * step
        name = f"{low:.3g}" if low == high else f"{low:.3g} to {high:.3g}"
        parts.append(
            f'<line class="span{" exact" * (low == high)}" x1="{x:.1f}" x2="{x:.1f}" '
            f'y1="{level(low) + 1.5:.1f}" y2="{level(high) - 1.5:.1f}"><title>{name}</title></line>'
        )
    parts.append("</g>")
    parts += _titles("results", spans.quantity.title)
    lows, highs = zip(*spans.ends, strict=True)
    return _svg(
        parts,
        f"{spans.quantity.title}, an interval for each result: from {min(lows):.3g} to "
        f"{max(highs):.3g}; {sum(low == high for low, high in spans.ends):,} of "
        f"{len(spans.ends):,} shown are exact.",
    )


# ---------------------------------------------------------------- pieces


def _svg(parts: Iterable[str], words: str) -> str:
    return (
        f'<svg class="chart" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        f'aria-label="{escape(words)}">{"".join(parts)}</svg>'
    )


def _dashes(k: int) -> str:
    """The dashes of a curve; the first one is solid."""
    return _DASHES[k % len(_DASHES)] if k else ""


def _polyline(k: int, name: str, points: Iterable[tuple[float, float]]) -> str:
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    dash = f' stroke-dasharray="{_dashes(k)}"' if k else ""
    title = f"<title>{escape(name)}</title>"
    return f'<polyline class="curve c{k % 7}" points="{line}"{dash}>{title}</polyline>'


def _legend(curves: Iterable[Cactus | LayerMeans]) -> str:
    items = "".join(
        f'<li><svg viewBox="0 0 28 10" aria-hidden="true"><line class="curve c{k % 7}" '
        f'x1="1" y1="5" x2="27" y2="5" stroke-dasharray="{_dashes(k)}"/></svg>'
        f"{escape(curve.name)}</li>"
        for k, curve in enumerate(curves)
    )
    return f'<ul class="legend">{items}</ul>'


def _bar_legend(entries: Iterable[tuple[str, str]]) -> str:
    items = "".join(
        f'<li><svg viewBox="0 0 28 10" aria-hidden="true"><rect class="bar {kind}" '
        f'x="1" y="1" width="26" height="8"/></svg>{escape(name)}</li>'
        for kind, name in entries
    )
    return f'<ul class="legend">{items}</ul>'


def _titles(across: str, up: str) -> list[str]:
    """The titles of both axes."""
    x, y = _LEFT + _INNER[0] / 2, _TOP + _INNER[1] / 2
    return [
        _label(x, _HEIGHT - 6, across),
        f'<text transform="translate(18 {y:.1f}) rotate(-90)">{escape(up)}</text>',
    ]


def _level(y: float, text: str) -> str:
    """A line across the chart, and its value."""
    return (
        f'<line class="level" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
        f'<text class="end" x="{_LEFT - 6}" y="{y + 4:.1f}">{escape(text)}</text>'
    )


def _label(x: float, y: float, text: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}">{escape(text)}</text>'


def _ticks(most: int) -> list[int]:
    """Three to six round numbers up to a maximum."""
    power = 10 ** max(0, math.floor(math.log10(most)))
    step = next(s for s in (power // 5, power // 2, power, 2 * power) if s >= 1 and most / s <= 6)
    return list(range(0, most + 1, step))


def _seconds(value: float) -> str:
    """Format seconds briefly; below one in milliseconds."""
    if value < 1:
        return f"{1000 * value:.3g} ms"
    return f"{value:,.0f} s" if value >= 10 else f"{value:.2g} s"
