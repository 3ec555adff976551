"""The entries of a pattern as a picture: sorted along a line, or with a marked core."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from samapprox.errors import InputError, require_list, require_type
from samapprox.pattern import UNSPECIFIED, Pattern
from samapprox.pictures.labels import inches_of, verbatim
from samapprox.pictures.legend import legend_height, put_cells_legend
from samapprox.pictures.style import CORE, MOST_NAMED, ONE, STAR, WORDS, ZERO, name_of
from samapprox.problem import as_whole
from samapprox.proofs.base import Obstruction
from samapprox.proofs.embeddings.embedding import Embedding
from samapprox.sign_matrix import SignMatrix
from samapprox.support.arrays import Order

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure


BAR_WIDTH = 1.0
"""Inches of a colour bar with its numbers."""

_MOST_LINES = 400  # rows or columns of which each is wide enough to be seen
_MOST_BLOCKS, _LEAST_BLOCKS = 200, 48  # along a side
_GAMMA = 0.5  # a share of 1 % has a tenth of the darkness: single ones are seen


@dataclass(frozen=True, slots=True)
class Shares:
    """The shares of ones and of don't-cares in blocks.

    `block`: rows and columns of a block; the last ones may have fewer.
    """

    ones: NDArray[np.float64]
    stars: NDArray[np.float64]
    block: tuple[int, int]

    @classmethod
    def of(cls, pattern: Pattern, rows: Order, columns: Order) -> Shares:
        """Count the entries of a pattern in an order of its rows and columns.

        O(m n) time; O(n) memory besides the counts.
        """
        block = _find_block_shape(pattern)
        places, sides = [], []
        for order, lines in zip((rows, columns), block, strict=True):
            place = np.empty(len(order), dtype=np.int64)
            place[order] = np.arange(len(order)) // lines
            places.append(place)
            sides.append(int(place.max()) + 1)
        down, across = places
        counts = np.zeros((2, sides[0] * sides[1]), dtype=np.int64)
        step = max(1, (1 << 22) // len(columns))
        for start in range(0, len(rows), step):
            part = pattern.block(start, min(start + step, len(rows)))
            dots = down[start : start + step, None] * sides[1] + across
            for count, value in zip(counts, (1, UNSPECIFIED), strict=True):
                count += np.bincount(dots[part == value], minlength=len(count))
        sizes = np.outer(np.bincount(down), np.bincount(across))
        ones, stars = counts.reshape(2, *sides) / sizes
        return cls(ones, stars, block)


def is_large(pattern: Pattern) -> bool:
    """Return whether a pattern is drawn as shares, because single entries could not be seen.

    >>> is_large(Pattern.from_text("10"))
    False
    """
    return max(pattern.shape) > _MOST_LINES


def _find_block_shape(pattern: Pattern) -> tuple[int, int]:
    """Return the rows and columns of a block: as few as show shares, and not specks.

    Blocks have at least one 1 on average, as long as there are enough of them along the sides.

    >>> _find_block_shape(Pattern.from_array(np.eye(1000)))
    (21, 21)
    """
    block = [-(-lines // _MOST_BLOCKS) for lines in pattern.shape]
    while True:
        counts = [-(-lines // own) for lines, own in zip(pattern.shape, block, strict=True)]
        if max(counts) <= _LEAST_BLOCKS or counts[0] * counts[1] <= pattern.count:
            return block[0], block[1]
        block[int(np.argmax(counts))] += 1


def paint_shares(axes: Axes, pattern: Pattern, rows: Order, columns: Order) -> None:
    """Draw the blocks of a pattern, and a colour bar beside them."""
    from matplotlib.colors import LinearSegmentedColormap, PowerNorm, to_rgba
    from matplotlib.ticker import MaxNLocator, PercentFormatter

    shares = Shares.of(pattern, rows, columns)
    (down, across), (high, wide) = shares.block, shares.ones.shape
    style: dict[str, Any] = {
        "interpolation": "nearest",
        "extent": (-0.5, across * wide - 0.5, down * high - 0.5, -0.5),
    }
    clear_to_dark = LinearSegmentedColormap.from_list("ones", [to_rgba(ONE, 0), to_rgba(ONE, 1)])
    norm = PowerNorm(_GAMMA, vmin=0, vmax=max(float(shares.ones.max()), 1e-9))
    image = axes.imshow(shares.ones, cmap=clear_to_dark, norm=norm, zorder=1, **style)
    if shares.stars.any():
        clear_to_grey = LinearSegmentedColormap.from_list(
            "stars", [to_rgba(STAR, 0), to_rgba(STAR)]
        )
        axes.imshow(shares.stars, cmap=clear_to_grey, vmin=0, vmax=1, zorder=0.9, **style)
    bar = axes.figure.colorbar(
        image,
        ax=axes,
        shrink=0.6,
        aspect=22,
        ticks=MaxNLocator(4),
        format=PercentFormatter(1.0, decimals=1 if norm.vmax and norm.vmax < 0.05 else 0),
    )
    bar.set_label(f"share of ones in {down} x {across} entries", fontsize=8)
    bar.ax.set_facecolor(ZERO)
    bar.ax.tick_params(labelsize=8)


_MOST_CELLS = 1 << 30
"""The greatest number of entries that is drawn: reading more takes minutes."""

_SIDE, _LEAST = 6.4, 1.8  # inches of the longer and at least of the shorter side
_CELL, _SMALLEST = 0.4, 3.2  # inches of a cell, as long as the longer side is within limits
_CORE_SIDE = 4.2
_FONT, _NAME = 8.0, 0.16  # points of the letters of a name, inches from name to name


def paint_pattern(
    figure: Figure | SubFigure,
    pattern: Pattern,
    *,
    orders: tuple[Order, Order] | None = None,
    obstruction: Obstruction | None = None,
) -> Axes:
    """Draw the entries: ones dark, zeros light, don't-cares grey; for large patterns, shares.

    The entries of a small `SignMatrix` also carry + and -.

    `pattern`: at most `_MOST_CELLS` entries. `orders`: the order in which rows and columns are
    shown. `obstruction`: its rows and columns are marked, and each entry that it uses has a ring.
    If the pattern is too large for names, the core is drawn again beside it, with names. Returned:
    the axes of the whole pattern.

    O(m n) time; O(n) memory besides the picture.
    """
    rows, columns = pattern.shape
    beside = obstruction is not None and _needs_core(pattern, obstruction)
    own = pattern_size(pattern)[0]
    widths = [own, pattern_size(pattern, obstruction)[0] - own] if beside else [1]
    grid = figure.add_gridspec(1, len(widths), width_ratios=widths)
    axes = figure.add_subplot(grid[0])
    row_order, column_order = orders or (np.arange(rows), np.arange(columns))
    _image(axes, pattern, row_order, column_order)
    side = _longer_side(pattern)
    axes.set_aspect("auto" if max(rows, columns) * _LEAST > side * min(rows, columns) else "equal")
    is_signs = isinstance(pattern, SignMatrix)
    axes.set_ylabel("rows" if is_signs else "queries")
    axes.set_xlabel("columns" if is_signs else "keys")
    if is_signs and max(rows, columns) <= MOST_NAMED:
        _write_signs(axes, pattern.submatrix(row_order.tolist(), column_order.tolist()))
    _name(axes, pattern, row_order, column_order)
    if obstruction is not None:
        _mark(axes, pattern, obstruction)
        if beside:
            _core(figure.add_subplot(grid[1]), pattern, obstruction)
    put_cells_legend(figure, pattern, obstruction, shares=is_large(pattern))
    return axes


def require_drawable(pattern: Pattern, chosen: Sequence[int] | None = None) -> None:
    """Refuse a pattern that is too large to draw, and chosen rows that do not exist.

    `chosen`: rows that are to be drawn. Raises InputError: too many entries, or a row that is not
    there.

    >>> require_drawable(Pattern.from_text("10"), [1])
    Traceback (most recent call last):
    ...
    samapprox.errors.InputError: there is no row 1 to draw; rows are 0..0
    """
    require_type("the pattern", pattern, Pattern, "a Pattern")
    rows, columns = pattern.shape
    if rows * columns > _MOST_CELLS:
        raise InputError(
            f"a {rows} x {columns} pattern has more than {_MOST_CELLS} entries to draw; draw a part"
        )
    if chosen is not None:
        require_list("rows", chosen, "whole numbers")
        require_type("rows", chosen, Collection, "a list, which can be read twice")
    for row in () if chosen is None else chosen:
        if type(as_whole(row)) is not int or not 0 <= row < rows:
            raise InputError(f"there is no row {row} to draw; rows are 0..{rows - 1}")


def pattern_size(pattern: Pattern, obstruction: Obstruction | None = None) -> tuple[float, float]:
    """Return the width and height in inches of a pattern with its legend, and its core beside it.

    >>> pattern_size(Pattern.from_text("10"))
    (3.2, 2.08)
    """
    width, height = _entries_size(pattern)
    width += BAR_WIDTH * is_large(pattern)
    if obstruction is not None and _needs_core(pattern, obstruction):
        rows, columns = obstruction.rows, obstruction.columns
        side = max(_CORE_SIDE, _NAME * max(len(rows), len(columns)))
        beside = inches_of([name_of(pattern.row_names, row) for row in rows], _FONT)
        under = inches_of([name_of(pattern.column_names, column) for column in columns], _FONT)
        width, height = width + side + beside + 0.3, max(height, side + under)
    return width, height + legend_height(pattern, obstruction, width, shares=is_large(pattern))


def _entries_size(pattern: Pattern) -> tuple[float, float]:
    """Return the width and height in inches of the entries alone."""
    scale = _longer_side(pattern) / max(pattern.shape)
    height, width = (max(_LEAST, lines * scale) for lines in pattern.shape)
    return width, height


def _longer_side(pattern: Pattern) -> float:
    """Return the inches of the longer side of the entries: small patterns are small pictures."""
    return min(max(_CELL * max(pattern.shape), _SMALLEST), _SIDE)


def names_size(pattern: Pattern) -> tuple[float, float]:
    """Return the inches that the names of rows and columns take beside and under a pattern.

    >>> names_size(Pattern.from_text("10"))
    (0.0, 0.0)
    """
    sizes = [
        0.0
        if names is None or count > MOST_NAMED
        else inches_of([name_of(names, index) for index in range(count)], _FONT)
        for names, count in zip(
            (pattern.row_names, pattern.column_names), pattern.shape, strict=True
        )
    ]
    return sizes[0], sizes[1]


def staircase(pattern: Pattern, embedding: Embedding) -> tuple[Order, Order]:
    r"""Return an order of queries and keys in which the pattern becomes two staircases.

    Keys follow the line. Queries that prefer its high end come first, and each side is sorted by
    the number of ones.

    `embedding`: of dimension 1.

    >>> pattern = Pattern.from_text("01\n10\n11")
    >>> staircase(pattern, Embedding([[1], [-1], [0]], [[0], [1]], [0, -1, -1]))[0].tolist()
    [0, 2, 1]
    """
    column_order = np.argsort(embedding.keys[:, 0], kind="stable")
    ones = pattern.row_ones
    side = np.sign(embedding.queries[:, 0]).astype(np.int64)
    return np.lexsort((-side * ones, -side)), column_order


# ---------------------------------------------------------------- entries


def _image(axes: Axes, pattern: Pattern, rows: Order, columns: Order) -> None:
    """Draw ones and don't-cares; zeros stay clear, so that marks show through them."""
    from matplotlib.colors import ListedColormap

    axes.set_facecolor(ZERO)
    extent = (-0.5, len(columns) - 0.5, len(rows) - 0.5, -0.5)
    axes.set_xlim(*extent[:2])  # and what is marked later changes nothing about it
    axes.set_ylim(*extent[2:])
    if is_large(pattern):
        paint_shares(axes, pattern, rows, columns)
        axes.set(xlim=extent[:2], ylim=extent[2:])  # the last blocks may be cut
        return
    axes.imshow(
        pattern.to_array()[np.ix_(rows, columns)],
        cmap=ListedColormap([STAR, "none", ONE]),
        vmin=UNSPECIFIED,
        vmax=1,
        interpolation="nearest",
        extent=extent,
        zorder=1,
    )


def _write_signs(axes: Axes, entries: NDArray[np.int8]) -> None:
    """Write + and - into the cells of a sign matrix."""
    for value, sign, colour in ((1, "+", ZERO), (0, "\N{MINUS SIGN}", ONE)):
        for row, column in np.argwhere(entries == value).tolist():
            axes.text(column, row, sign, color=colour, ha="center", va="center", zorder=2)


# ---------------------------------------------------------------- names and marks


def _name(axes: Axes, pattern: Pattern, rows: Order, columns: Order) -> None:
    """Write names or numbers of rows and columns, as many as there is room for."""
    width, height = _entries_size(pattern)
    for axis, order, names, side in (
        (axes.yaxis, rows, pattern.row_names, height),
        (axes.xaxis, columns, pattern.column_names, width),
    ):
        step = math.ceil(0.95 * _FONT / 72 * len(order) / side)  # 1 where all have room
        places = range(0, len(order), step) if len(order) <= MOST_NAMED else ()
        labels = [name_of(names, int(order[place])) for place in places]
        axis.set_ticks(places, labels, fontsize=_FONT, **verbatim(*labels))
    numbers = len(columns) * inches_of([f"{len(columns)} "], _FONT)
    if len(columns) <= MOST_NAMED and (pattern.column_names is not None or numbers > width):
        axes.tick_params(axis="x", labelrotation=90)
    axes.tick_params(length=0)
    for edge in axes.spines.values():
        edge.set_color(STAR)


def _mark(axes: Axes, pattern: Pattern, obstruction: Obstruction) -> None:
    """Draw bands along the rows and columns of a core, arrowheads at their ends, and rings."""
    for lines, count, span in (
        (obstruction.rows, pattern.shape[0], axes.axhspan),
        (obstruction.columns, pattern.shape[1], axes.axvspan),
    ):
        half = max(1.0, count / 300) / 2  # a band is seen, however many lines there are
        for first, last in _runs(lines, 2 * half):
            span(first - half, last + half, color=CORE, alpha=0.22, linewidth=0, zorder=0.5)
    heads: dict[str, Any] = {"color": CORE, "markersize": 4, "clip_on": False, "linestyle": "none"}
    rows, columns = list(obstruction.rows), list(obstruction.columns)
    axes.plot([1.01] * len(rows), rows, "<", transform=axes.get_yaxis_transform(), **heads)
    axes.plot(columns, [1.01] * len(columns), "v", transform=axes.get_xaxis_transform(), **heads)
    _rings(axes, obstruction.entries_read(), _longer_side(pattern) * 72 / max(pattern.shape))


def _runs(lines: Sequence[int], width: float) -> list[tuple[int, int]]:
    """Return the first and last line of each run of lines whose bands overlap.

    A run is one band: a core may have thousands of lines, and every band takes milliseconds.

    >>> _runs([7, 2, 3, 4], 1.5), _runs([2, 3], 1)
    ([(2, 4), (7, 7)], [(2, 2), (3, 3)])
    """
    ascending = sorted(lines)
    ends = [i for i, (a, b) in enumerate(pairwise(ascending)) if b - a >= width]
    starts = [0, *(i + 1 for i in ends)]
    return [
        (ascending[start], ascending[end])
        for start, end in zip(starts, [*ends, len(ascending) - 1], strict=True)
        if ascending
    ]


def _rings(axes: Axes, entries: list[tuple[int, int]], cell: float) -> None:
    """Draw a ring around each (row, column); a cell is so many points wide."""
    axes.scatter(
        [column for _, column in entries],
        [row for row, _ in entries],
        s=min(220.0, max(4.0, (0.5 * cell) ** 2)),
        facecolors="none",
        edgecolors=CORE,
        linewidths=min(1.6, max(0.5, 0.13 * cell)),
        zorder=3,
    )


def _needs_core(pattern: Pattern, obstruction: Obstruction) -> bool:
    """Return whether names fit along the core, but not along the pattern."""
    core = len(obstruction.rows), len(obstruction.columns)
    return max(pattern.shape) > MOST_NAMED >= max(core)


def _core(axes: Axes, pattern: Pattern, obstruction: Obstruction) -> None:
    """Draw the core alone, with names."""
    rows, columns = sorted(obstruction.rows), sorted(obstruction.columns)
    part = type(pattern).from_array(
        (entries := pattern.submatrix(rows, columns)) == 1, entries != UNSPECIFIED
    )
    _image(axes, part, np.arange(len(rows)), np.arange(len(columns)))
    axes.set_aspect("equal" if max(part.shape) <= 2 * min(part.shape) else "auto", anchor="N")
    for axis, order, names in (
        (axes.yaxis, rows, pattern.row_names),
        (axes.xaxis, columns, pattern.column_names),
    ):
        labels = [name_of(names, i) for i in order]
        axis.set_ticks(range(len(labels)), labels, fontsize=_FONT, **verbatim(*labels))
    axes.tick_params(axis="x", labelrotation=90)
    axes.tick_params(length=0)
    axes.set_title("the marked rows and columns", fontsize=9, color=WORDS)
    axes.set_xticks(np.arange(len(columns) + 1) - 0.5, minor=True)
    axes.set_yticks(np.arange(len(rows) + 1) - 0.5, minor=True)
    axes.grid(which="minor", color="white", linewidth=1)
    axes.tick_params(which="minor", length=0)
    for edge in axes.spines.values():
        edge.set_color(CORE)
