"""Patterns as pictures: the entries, the staircase of a line, or the core of a refutation."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from samapprox.atomic import replacing
from samapprox.checker import Proof
from samapprox.embedding import Embedding, SelfAttention
from samapprox.errors import InputError
from samapprox.pattern import Pattern

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["CORE", "MOST_CELLS", "ONE", "STAR", "ZERO", "draw", "save_picture"]

MOST_CELLS = 4_000_000
"""Largest pattern that is drawn; a picture has no more dots than that to show it."""

ENDINGS = ("png", "svg", "pdf")
"""Kinds of pictures that are written."""

ZERO, ONE, STAR, CORE = "#f4f1ea", "#1f4e79", "#c9c3b4", "#d1495b"
"""Colours of the entries 0, 1 and *, and of what an argument marks."""

_MOST_NAMED = 40


def draw(pattern: Pattern, proof: Proof | None = None, *, title: str | None = None) -> Figure:
    """A picture of a pattern, with its proof where one is given.

    An embedding of dimension 1 sorts the keys along the line and the queries by side and
    threshold: the pattern becomes two staircases. An obstruction is marked: its rows and columns,
    and a ring around each entry that the argument uses. Embeddings of higher dimension leave the
    pattern as it is.

    Parameters
    ----------
    pattern : Pattern
        At most `MOST_CELLS` entries.
    proof : Proof, optional
        One that holds for the pattern.
    title : str, optional

    Returns
    -------
    matplotlib Figure
        Made without pyplot: nothing global changes.

    Raises
    ------
    InputError
        Too many entries.

    Notes
    -----
    O(m n) time and memory.

    Examples
    --------
    >>> from samapprox import decide
    >>> verdict = decide([[1, 0, 0], [1, 1, 0]])
    >>> draw(verdict.problem.pattern, verdict.proof).get_axes()[0].get_title()
    '2 queries x 3 keys'
    """
    from matplotlib.colors import ListedColormap
    from matplotlib.figure import Figure

    rows, columns = pattern.shape
    if rows * columns > MOST_CELLS:
        raise InputError(
            f"a {rows} x {columns} pattern has more than {MOST_CELLS} entries to draw; draw a part"
        )
    row_order, column_order = np.arange(rows), np.arange(columns)
    if isinstance(proof, Embedding | SelfAttention) and proof.dimension == 1:
        embedding = proof.embedding() if isinstance(proof, SelfAttention) else proof
        row_order, column_order = _staircase(pattern, embedding)
    scale = 7.0 / max(rows, columns)
    width, height = (max(1.5, size * scale) for size in (columns, rows))
    figure = Figure(figsize=(width + 1.6, height + 1.3), layout="constrained")
    axes = figure.add_subplot()
    entries = pattern.to_array()[np.ix_(row_order, column_order)]
    axes.imshow(
        entries,
        cmap=ListedColormap([STAR, ZERO, ONE]),
        vmin=-1,
        vmax=1,
        interpolation="nearest",
        aspect="equal",
    )
    axes.set_title(title or f"{rows} queries x {columns} keys", fontsize=11)
    _label(axes, pattern, row_order, column_order)
    if proof is not None and not isinstance(proof, Embedding | SelfAttention):
        _mark(axes, pattern, proof.rows, proof.columns)
    return figure


def save_picture(figure: Figure, path: str | Path) -> None:
    """Write a figure; the ending of the name chooses one of `ENDINGS`.

    Raises
    ------
    InputError
        An unknown ending, or a place that cannot be written.
    """
    path = Path(path)
    if path.suffix[1:].lower() not in ENDINGS:
        raise InputError(f"{path}: pictures are written as {', '.join(ENDINGS)}")
    # Without date and version the same pattern gives the same bytes.
    metadata = {"png": {"Software": None}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}
    kind = path.suffix[1:].lower()
    with replacing(path) as stream, warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")  # names of every script are drawn
        figure.savefig(stream, format=kind, dpi=120, metadata=metadata.get(kind))


def _staircase(
    pattern: Pattern, embedding: Embedding
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Keys along the line; queries that prefer the high end first, each by its number of ones."""
    column_order = np.argsort(embedding.keys[:, 0], kind="stable")
    ones = pattern.row_ones
    side = np.sign(embedding.queries[:, 0]).astype(np.int64)
    row_order = np.lexsort((-side * ones, -side))
    return row_order, column_order


def _label(
    axes: Axes, pattern: Pattern, rows: NDArray[np.int64], columns: NDArray[np.int64]
) -> None:
    """Names or numbers of rows and columns, where there is room for them."""
    axes.set_ylabel("queries")
    axes.set_xlabel("keys")
    for axis, order, names in (
        (axes.yaxis, rows, pattern.row_names),
        (axes.xaxis, columns, pattern.column_names),
    ):
        if len(order) > _MOST_NAMED:
            axis.set_ticks([])
            continue
        labels = [str(i) if names is None else f"{_plain(names[i])} {i}" for i in order.tolist()]
        axis.set_ticks(range(len(order)), labels, fontsize=8, parse_math=False)
    if len(columns) <= _MOST_NAMED and pattern.column_names is not None:
        axes.tick_params(axis="x", labelrotation=90)
    axes.tick_params(length=0)
    for edge in axes.spines.values():
        edge.set_color(STAR)


def _plain(name: str) -> str:
    """A name without what fonts cannot take: half characters and line ends."""
    return " ".join(name.encode("utf-8", "replace").decode().split())


def _mark(axes: Axes, pattern: Pattern, rows: tuple[int, ...], columns: tuple[int, ...]) -> None:
    """The rows and columns of a core, and its entries."""
    for row in rows:
        axes.axhspan(row - 0.5, row + 0.5, color=CORE, alpha=0.12, linewidth=0)
    for column in columns:
        axes.axvspan(column - 0.5, column + 0.5, color=CORE, alpha=0.12, linewidth=0)
    grid_rows, grid_columns = np.meshgrid(rows, columns, indexing="ij")
    size = min(300.0, 22_000 / max(pattern.shape) ** 1.5)
    axes.scatter(
        grid_columns.ravel(), grid_rows.ravel(), s=size, facecolors="none", edgecolors=CORE
    )
