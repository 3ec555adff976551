"""Patterns with pictures, and what their pictures show."""

from __future__ import annotations

from typing import Any

import numpy as np

from samapprox import Pattern, data, load

REAL = load(data.path("minilm/s04_L2_H08_top1_n17.npz"))
TOPES = load(data.path("oriented-matroids/rank3_n8_0001.npz"))
SPACE = load(data.path("oriented-matroids/rank4_n8_0001.npz"))
CLASH = Pattern.from_text("011\n110\n001")


def shown(figure: Any) -> np.ndarray:
    """The entries as they are shown."""
    return np.asarray(figure.get_axes()[0].get_images()[0].get_array())


def marked(figure: Any) -> set[tuple[int, int]]:
    """The entries with a ring, as (row, column)."""
    rings = figure.get_axes()[0].collections[-1].get_offsets()
    return {(int(row), int(column)) for column, row in np.asarray(rings)}
