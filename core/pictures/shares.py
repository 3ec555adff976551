"""A large pattern as blocks of entries, each as dark as its share of ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from samapprox.pattern import UNSPECIFIED, Pattern
from samapprox.pictures.style import ONE, STAR, ZERO

if TYPE_CHECKING:
    from matplotlib.axes import Axes


BAR_WIDTH = 1.0
"""Inches of a colour bar with its numbers."""

_MOST_LINES = 400  # rows or columns of which each is wide enough to be seen
_MOST_BLOCKS, _LEAST_BLOCKS = 200, 48  # along a side
_GAMMA = 0.5  # a share of 1 % has a tenth of the darkness: single ones are seen

Order = NDArray[np.int64]


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
