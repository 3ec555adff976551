"""Curves and bars as SVG within a page, in the page's own colours."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from html import escape

from samapprox.batch.report.aggregates import Cactus

__all__ = ["bars_chart", "cactus_chart"]

_WIDTH, _HEIGHT = 640, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 80, 16, 12, 52
_INNER = _WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM
_FLOOR = 1e-4  # seconds; shorter times look the same
_DASHES = ("", "7 4", "2 3", "10 3 2 3", "1 5", "14 4")
_MOST_BARS = 16


def cactus_chart(curves: Sequence[Cactus]) -> str:
    """Seconds (logarithmic) against the number of instances that are decided in no more.

    Examples
    --------
    >>> cactus_chart([Cactus("all", ((1, 0.01), (2, 10.0)))]).count("<polyline")
    1
    """
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
    parts.append(_label(_LEFT + _INNER[0] / 2, _HEIGHT - 6, "instances decided"))
    for k, curve in enumerate(curves):
        line = " ".join("{:.1f},{:.1f}".format(*at(*point)) for point in curve.points)
        dash = f' stroke-dasharray="{_DASHES[k % len(_DASHES)]}"' if k else ""
        parts.append(
            f'<polyline class="curve c{k % 7}" points="{line}"{dash}>'
            f"<title>{escape(curve.name)}</title></polyline>"
        )
    words = "; ".join(
        f"{curve.name}: {curve.points[-1][0]:,} decided, the slowest in "
        f"{_seconds(curve.points[-1][1])}"
        for curve in curves
    )
    return _svg(parts, f"Decided instances against seconds. {words}.") + _legend(
        (f"c{k % 7}", _DASHES[k % len(_DASHES)] if k else "", curve.name)
        for k, curve in enumerate(curves)
    )


def bars_chart(pairs: dict[tuple[int, int], int]) -> str:
    """How many results have each lower and each upper bound on the weak dimension.

    Examples
    --------
    >>> bars_chart({(1, 1): 5, (2, 3): 1}).count("<rect")
    4
    """
    if not pairs:
        return ""
    end = max(min(max(upper for _, upper in pairs), _MOST_BARS), 2)
    counts = {"lower": [0] * (end + 1), "upper": [0] * (end + 1)}
    for (lower, upper), count in pairs.items():
        counts["lower"][min(lower, end)] += count
        counts["upper"][min(upper, end)] += count
    highest = max(map(max, counts.values()))
    cut = any(upper > end for _, upper in pairs)
    step = _INNER[0] / end
    parts = [
        _level(_TOP + _INNER[1] * (1 - tick / highest), f"{tick:,}") for tick in _ticks(highest)
    ]
    words = []
    for d in range(1, end + 1):
        x = _LEFT + (d - 1) * step
        name = f"{d} or more" if cut and d == end else str(d)
        for k, (side, values) in enumerate(counts.items()):
            height = _INNER[1] * values[d] / highest
            if not height:
                continue
            parts.append(
                f'<rect class="bar {side}" x="{x + step * (0.12 + 0.38 * k):.1f}" '
                f'y="{_TOP + _INNER[1] - height:.1f}" width="{step * 0.36:.1f}" '
                f'height="{height:.1f}"><title>{side} bound {name}: {values[d]:,}</title></rect>'
            )
            words.append(f"{values[d]:,} with {side} bound {name}")
        if end <= _MOST_BARS / 2 or (end - d) % 2 == 0:
            short = f"{d}+" if cut and d == end else str(d)
            parts.append(_label(x + step / 2, _HEIGHT - _BOTTOM + 20, short))
    parts.append(_label(_LEFT + _INNER[0] / 2, _HEIGHT - 6, "dimension d"))
    return _svg(parts, f"Bounds on the weak dimension: {'; '.join(words)}.") + _legend(
        [("lower", "", "lower bound"), ("upper", "", "upper bound")]
    )


# ---------------------------------------------------------------- pieces


def _svg(parts: Iterable[str], words: str) -> str:
    return (
        f'<svg class="chart" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        f'aria-label="{escape(words)}">{"".join(parts)}</svg>'
    )


def _legend(entries: Iterable[tuple[str, str, str]]) -> str:
    items = "".join(
        f'<li><svg viewBox="0 0 28 10" aria-hidden="true"><line class="curve {escape(kind)}" '
        f'x1="1" y1="5" x2="27" y2="5" stroke-dasharray="{dash}"/></svg>{escape(name)}</li>'
        for kind, dash, name in entries
    )
    return f'<ul class="legend">{items}</ul>'


def _level(y: float, text: str) -> str:
    """A line across, and what it means."""
    return (
        f'<line class="level" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
        f'<text class="end" x="{_LEFT - 6}" y="{y + 4:.1f}">{escape(text)}</text>'
    )


def _label(x: float, y: float, text: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}">{escape(text)}</text>'


def _ticks(most: int) -> list[int]:
    """Three to six round numbers up to a greatest one."""
    power = 10 ** max(0, math.floor(math.log10(most)))
    step = next(s for s in (power // 5, power // 2, power, 2 * power) if s >= 1 and most / s <= 6)
    return list(range(0, most + 1, step))


def _seconds(value: float) -> str:
    """Short; in milliseconds what is less than one."""
    if value < 1:
        return f"{1000 * value:.3g} ms"
    return f"{value:,.0f} s" if value >= 10 else f"{value:.2g} s"
