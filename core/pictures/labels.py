"""Text in pictures: fonts, widths, and places of labels without overlaps."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import product
from typing import Any
from unicodedata import east_asian_width

import numpy as np
from numpy.typing import NDArray

_FALLBACKS = (
    *(f"Noto Sans CJK {region}" for region in ("JP", "SC", "TC", "HK", "KR")),
    *(f"Noto Sans {region}" for region in ("JP", "SC", "TC", "HK", "KR")),
    *("Source Han Sans", "Source Han Sans SC", "Source Han Sans TC", "Source Han Sans K"),
    *("WenQuanYi Micro Hei", "WenQuanYi Zen Hei", "Droid Sans Fallback"),
    *("IPAexGothic", "IPAGothic", "TakaoGothic", "VL Gothic", "NanumGothic", "UnDotum"),
    *("PingFang SC", "PingFang TC", "PingFang HK", "Hiragino Sans", "Hiragino Sans GB"),
    *("Heiti TC", "STHeiti", "Apple SD Gothic Neo", "AppleGothic"),
    *("Microsoft YaHei", "Microsoft JhengHei", "Yu Gothic", "Meiryo", "MS Gothic"),
    *("Malgun Gothic", "SimHei", "SimSun"),
    *("Noto Sans", "Noto Sans Symbols 2", "Noto Sans Symbols2", "Noto Emoji", "Symbola"),
    *("Arial Unicode MS", "Unifont"),
)
"""Fonts of Linux, macOS and Windows with the letters that matplotlib's own font lacks.

After these come all other installed fonts of the Noto Sans family, one for each script."""


def verbatim(*texts: str) -> dict[str, Any]:
    """Return text properties that draw texts as they stand: no formulas, and every letter.

    `texts`: all texts that share the properties, as `printable` returns them.

    >>> verbatim("head $0")["parse_math"]
    False
    """
    return {"parse_math": False, "fontfamily": families_for("".join(texts))}


def families_for(text: str) -> list[str]:
    """Return the default families and, after them, those that add letters of the text.

    >>> families_for("plain") == families_for("")
    True
    """
    families = _default_families()
    missing = _missing(text, families)
    for family in _installed_fallbacks() if missing else ():
        found = missing & _letters(family)
        if found:
            families = [*families, family]
            missing -= found
    return families


def printable(text: str) -> str:
    r"""Replace each letter that no font can draw by its code point, such as U+4F60.

    Control characters other than line ends are replaced, too. The first letter without a font
    leads to one note on standard error (logger ``samapprox.pictures.labels``), which says what to
    install.

    >>> printable("a$b"), printable("a\x1b[0m")
    ('a$b', 'aU+001B[0m')
    """
    plain = text.encode("utf-8", "replace").decode()
    controls = {letter for letter in plain if not letter.isprintable() and letter != "\n"}
    strange = _missing("".join(set(plain) - controls), _default_families())
    if strange:
        strange = _missing("".join(strange), _installed_fallbacks())
    if strange:
        _advise()
    return "".join(
        f"U+{ord(letter):04X}" if letter in strange or letter in controls else letter
        for letter in plain
    )


def _missing(text: str, families: Iterable[str]) -> set[str]:
    """Letters of a text that none of the families has."""
    left = set(text) - {"\n"}
    for family in families:
        if not left:
            break
        left -= _letters(family)
    return left


def _default_families() -> list[str]:
    from matplotlib import rcParams

    return list(rcParams["font.family"])


def _letters(family: str) -> frozenset[str]:
    from matplotlib.font_manager import FontProperties, findfont

    return _letters_in(
        findfont(FontProperties(family=[family]))
    )  # which settings may change, so by file


@cache  # by file, since settings may give a family another one
def _letters_in(path: str) -> frozenset[str]:
    from matplotlib.font_manager import get_font

    return frozenset(map(chr, get_font(path).get_charmap()))


@cache
def _installed_fallbacks() -> tuple[str, ...]:
    """The fallbacks that this machine has, also those installed since matplotlib looked."""
    from matplotlib.font_manager import findSystemFonts, fontManager

    known = {font.fname for font in fontManager.ttflist}
    for path in sorted(set(findSystemFonts()) - known):
        try:
            fontManager.addfont(path)
        except (OSError, RuntimeError):  # a file that FreeType cannot read
            continue
    names = {font.name for font in fontManager.ttflist}
    scripts = sorted(name for name in names if name.startswith("Noto Sans "))
    return tuple(family for family in dict.fromkeys((*_FALLBACKS, *scripts)) if family in names)


@cache
def _advise() -> None:
    """Say what to install: once, however many letters lack a font."""
    logging.getLogger(__name__).warning(
        "samapprox: some names have letters that no installed font can draw; the picture shows "
        "their code points, such as U+4F60. Install a font that has them: Noto Sans CJK for "
        "Chinese, Japanese and Korean (Debian and Ubuntu: apt install fonts-noto-cjk), or another "
        "of the Noto Sans family."
    )


Boxes = NDArray[np.float64]

_EVERYWHERE = (-1e9, -1e9, 1e9, 1e9)
"""A box without a narrow end."""

_LETTER = 0.62  # width of a letter in sizes of the font, on average
_SIDES = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1))
_AWAY = (5.0, 11.0, 20.0, 34.0)  # distances from the point, in its units
_UP = 0.75  # factor of these distances above and below the point
_RADIUS = 3.6  # radius of a point's mark, in points
_CLEAR = 1.0  # between a text and a line


def inches_of(texts: Iterable[str], size: float) -> float:
    """Return about how wide the longest of some texts is, in inches.

    `size`: of the font, in points.

    >>> inches_of([], 8), inches_of(["ab", "\u6f22\u5b57"], 8) > inches_of(["abc"], 8)
    (0.0, True)
    """
    return max(map(width_of, texts), default=0) * _LETTER * size / 72


def width_of(text: str) -> int:
    """Return the width of a text in letters; wide ones, such as Chinese, count twice.

    >>> width_of("ab"), width_of("\u6f22\u5b57")
    (2, 4)
    """
    return sum(1 + (east_asian_width(letter) in "WF") for letter in text)


def spread(values: Sequence[float], gap: float, low: float, high: float) -> Boxes:
    """Move values apart until neighbours differ by `gap`, each as little as possible in turn.

    `gap`: reduced where low..high has no room for it. Returned: in the order of the values.

    >>> spread([0.5, 0.5, 0.9], 0.1, 0.0, 1.0).round(2).tolist()
    [0.5, 0.6, 0.9]
    """
    order = np.argsort(values, kind="stable")
    placed = np.clip(np.asarray(values, dtype=np.float64)[order], low, high)
    if len(placed) > 1:
        gap = min(gap, (high - low) / (len(placed) - 1))
    for k in range(1, len(placed)):
        placed[k] = max(placed[k], placed[k - 1] + gap)
    limit = high
    for k in reversed(range(len(placed))):
        placed[k] = min(placed[k], limit)
        limit = placed[k] - gap
    result = np.empty_like(placed)
    result[order] = placed
    return result


def beside(
    points: Boxes,
    sizes: Boxes,
    frame: Sequence[float] = _EVERYWHERE,
    limits: Sequence[float] = _EVERYWHERE,
    taken: Sequence[Sequence[float]] = (),
    segments: Boxes | None = None,
) -> list[tuple[float, float] | None]:
    """Find a place for each text next to its point, off texts, points and lines.

    `points`, `sizes`: the points, and the width and height of their texts; in typographic points.
    `frame`, `limits`: texts should lie in the frame and must lie within the limits. `taken`: boxes
    that must stay free. `segments`: parts of lines, as pairs of ends. Returned: from each point to
    the middle of its text; None where no place is free.

    Greedy, first come, first served: the nearest free place within the frame. Lines are crossed
    only by texts that have no place between them, which come last. O(n^2) time.

    >>> beside(np.zeros((2, 2)), np.full((2, 2), 10.0))
    [(10.0, 0.0), (-10.0, 0.0)]
    >>> beside(np.zeros((1, 2)), np.full((1, 2), 10.0), taken=[(-99, -99, 99, 99)])
    [None]
    """
    window, bounds = (np.array(box, dtype=np.float64)[None] for box in (frame, limits))
    dots = np.concatenate([points - _RADIUS, points + _RADIUS], axis=1)
    occupied = np.vstack([np.array(taken, dtype=np.float64).reshape(-1, 4), dots])
    found: list[tuple[float, float] | None] = [None] * len(points)
    for lines in [np.zeros((0, 2, 2))] if segments is None else [segments, segments[:0]]:
        for k in range(len(points)):
            if found[k] is not None:
                continue
            offset = _nearest_place(points[k], sizes[k], window, bounds, occupied, lines)
            if offset is not None:
                found[k] = float(offset[0]), float(offset[1])
                middle, half = points[k] + offset, sizes[k] / 2
                occupied = np.vstack([occupied, np.concatenate([middle - half, middle + half])])
    return found


def _nearest_place(
    point: Boxes, size: Boxes, window: Boxes, bounds: Boxes, occupied: Boxes, lines: Boxes
) -> Boxes | None:
    """Return the offset of a text, off all that is occupied, off lines, and within the bounds."""
    best, place = np.inf, None
    for away, (x, y) in product(_AWAY, _SIDES):
        offset = np.array([x * (size[0] / 2 + away), y * (size[1] / 2 + _UP * away)])
        box = np.concatenate([point + offset - size / 2, point + offset + size / 2])
        if overlap(box, occupied) > 0 or overlap(box, bounds) < size.prod() * (1 - 1e-9):
            continue
        cost = size.prod() - overlap(box, window) + 0.5 * away
        if cost < best - 1e-6 and not crosses(box, lines):
            best, place = cost, offset
    return place


def without_overlaps(boxes: Boxes) -> list[bool]:
    """Choose boxes, first come, first served, so that no two of them overlap.

    `boxes`: each as left, bottom, right, top.

    >>> without_overlaps(np.array([[0, 0, 2, 2], [1, 1, 3, 3], [2, 0, 4, 2]]))
    [True, False, True]
    """
    kept: list[bool] = []
    for k, box in enumerate(boxes):
        kept.append(overlap(box, boxes[:k][kept]) == 0)
    return kept


def crosses(box: Boxes, segments: Boxes) -> bool:
    """Return whether a box (left, bottom, right, top) is met by a segment, or nearly.

    `segments`: pairs of ends.

    >>> diagonal = np.array([[[0.0, 0.0], [9.0, 9.0]]])
    >>> crosses(np.array([4, 4, 6, 5]), diagonal), crosses(np.array([6, 0, 9, 3]), diagonal)
    (True, False)
    """
    low, high = box[:2] - _CLEAR, box[2:] + _CLEAR
    starts, stops = segments[:, 0], segments[:, 1]
    near = (np.minimum(starts, stops) < high) & (np.maximum(starts, stops) > low)
    starts, stops = starts[near.all(axis=1)], stops[near.all(axis=1)]
    corners = np.array([low, [low[0], high[1]], high, [high[0], low[1]]])
    across, up = np.moveaxis((stops - starts)[:, None], 2, 0)
    right, above = np.moveaxis(corners - starts[:, None], 2, 0)
    sides = across * above - up * right
    return bool(((sides.min(axis=1) < 0) & (sides.max(axis=1) > 0)).any())


def overlap(box: Boxes, others: Boxes) -> float:
    """Return the area that a box (left, bottom, right, top) has in common with others."""
    sides = np.minimum(box[2:], others[:, 2:]) - np.maximum(box[:2], others[:, :2])
    return float(np.clip(sides, 0, None).prod(axis=1).sum())
