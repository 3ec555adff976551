"""Pictures of patterns and proofs, and their files."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Sequence
from html import escape
from os import PathLike
from pathlib import Path
from typing import IO, TYPE_CHECKING, TypeGuard

from samapprox.errors import InputError, require_path, require_type
from samapprox.pattern import Pattern
from samapprox.pictures.caps import has_round_picture, paint_round, round_size
from samapprox.pictures.embedding import DRAWN_DIMENSIONS, EMBEDDING_SIZE, paint_embedding
from samapprox.pictures.line import LineView, line_size, paint_line
from samapprox.pictures.names import lay_out
from samapprox.pictures.pattern import (
    names_size,
    paint_pattern,
    pattern_size,
    require_drawable,
    staircase,
)
from samapprox.pictures.style import put_heading
from samapprox.proofs.base import Obstruction, Proof, Witness
from samapprox.proofs.similarities.balls import Balls
from samapprox.proofs.similarities.caps import Caps
from samapprox.sign_matrix import SignMatrix
from samapprox.support.atomic import replacing

if TYPE_CHECKING:
    from matplotlib.figure import Figure, SubFigure


ENDINGS = ("png", "svg", "pdf")
"""The endings of picture files."""

_MARGIN = 0.9  # inches for titles and numbers


def draw(
    pattern: Pattern,
    proof: Proof | None = None,
    *,
    title: str | None = None,
    rows: Sequence[int] | None = None,
) -> Figure:
    """Draw a pattern, together with its proof if one is given.

    An embedding of dimension 1 sorts the keys along the line and the queries by side and threshold,
    so that the pattern becomes two staircases. If there are at most 40 kinds of queries, the keys
    also appear on their line, with the half-line of ones of each query. In dimension 2 the keys are
    points and the queries are lines, with arrows to the side of their ones; in dimension 3 the keys
    are points, and chosen queries are planes; maps that keep all keys on their sides move the keys
    apart. An obstruction is marked in the pattern: its rows and columns, and a ring around each
    entry that the argument uses. Caps are arcs of a circle (d = 2) or circles on a sphere (d = 3),
    and balls are intervals (d = 1) or circles (d = 2). Embeddings of higher dimension leave the
    pattern as it is. A legend or a caption says what cells, marks, dots and lines are. Names that
    would overlap are left out, and a note says how many.

    Parameters
    ----------
    pattern : Pattern
        At most 2^30 entries; beyond 400 rows or columns, blocks show the share of ones.
    proof : Proof, optional
        A proof that holds for the pattern.
    title : str, optional
        The line above the picture.
    rows : sequence of int, optional
        The queries whose half-lines, lines or planes are drawn; staircases and obstructions show
        all rows.

    Returns
    -------
    matplotlib Figure
        Created without pyplot, so no global state changes.

    Raises
    ------
    InputError
        The pattern has too many entries, or a chosen row does not exist.

    Notes
    -----
    O(m n) time; O(m n d) for embeddings.

    Examples
    --------
    >>> from samapprox import decide
    >>> verdict = decide([[1, 0, 0], [1, 1, 0]])
    >>> draw(verdict.problem.pattern, verdict.proof).get_suptitle()
    '2 queries x 3 keys'
    """
    from matplotlib.figure import Figure

    require_drawable(pattern, rows)
    size, paint = _plan(pattern, proof, rows)
    figure = Figure(figsize=size, layout="constrained")
    put_heading(figure, _heading(pattern, proof, title))
    paint(figure)
    return figure


def draw_sides(
    pattern: Pattern,
    sides: Sequence[tuple[Proof | None, str]],
    *,
    rows: Sequence[int] | None = None,
) -> Figure:
    """Draw several proofs about a pattern side by side, such as those of both bounds on d.

    Parameters
    ----------
    pattern : Pattern
        The pattern that all pictures are about.
    sides : sequence of (Proof or None, str)
        At least one proof with its title.
    rows : sequence of int, optional
        As for `draw`.

    Returns
    -------
    matplotlib Figure
        One figure with a part for each proof; created without pyplot.

    Raises
    ------
    InputError
        As for `draw`.

    Examples
    --------
    >>> figure = draw_sides(Pattern.from_text("10"), [(None, "a row"), (None, "again")])
    >>> [part.get_suptitle() for part in figure.subfigs]
    ['a row', 'again']
    """
    from matplotlib.figure import Figure

    require_drawable(pattern, rows)
    plans = [_plan(pattern, proof, rows) for proof, _ in sides]
    widths = [width for (width, _), _ in plans]
    size = sum(widths), max(height for (_, height), _ in plans)
    figure = Figure(figsize=size, layout="constrained")
    parts = figure.subfigures(1, len(sides), squeeze=False, width_ratios=widths)[0]
    for part, (proof, title), (_, paint) in zip(parts, sides, plans, strict=True):
        put_heading(part, _heading(pattern, proof, title))
        paint(part)
    return figure


def save_picture(figure: Figure, path: str | PathLike[str] | None) -> Figure:
    """Write a figure to a file, if there is one, and return the figure.

    The ending of the file's name chooses one of `ENDINGS`.

    Parameters
    ----------
    figure : matplotlib Figure
        What `draw` returns.
    path : path or None
        The file, which is replaced; None writes nothing.

    Returns
    -------
    matplotlib Figure
        The same figure.

    Raises
    ------
    InputError
        The ending is unknown, or the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     figure = save_picture(draw(Pattern.from_text("10")), folder + "/row.png")
    ...     Path(folder, "row.png").exists()
    True
    """
    if path is not None:
        require_path("path", path)
        kind = picture_kind(path)
        with replacing(Path(path)) as stream:
            _write(figure, stream, kind)
    return figure


def picture_kind(path: str | PathLike[str]) -> str:
    """Return the one of `ENDINGS` that a file's name has.

    Parameters
    ----------
    path : path
        A name with an ending in lower or upper case; the file need not exist.

    Returns
    -------
    str
        The ending in lower case, without its dot.

    Raises
    ------
    InputError
        The name has another ending.

    Examples
    --------
    >>> picture_kind("heads.PNG")
    'png'
    >>> picture_kind("heads.gif")
    Traceback (most recent call last):
    ...
    samapprox.errors.InputError: heads.gif: pictures are written as png, svg, pdf
    """
    require_path("path", path)
    kind = Path(path).suffix[1:].lower()
    if kind not in ENDINGS:
        raise InputError(f"{path}: pictures are written as {', '.join(ENDINGS)}")
    return kind


def has_picture(proof: Proof | None) -> bool:
    """Return whether a proof can be drawn: embeddings up to dimension 3, and all obstructions.

    Parameters
    ----------
    proof : Proof or None
        None has no picture.

    Returns
    -------
    bool
        Whether `draw` shows more than the pattern.

    Examples
    --------
    >>> from samapprox import Embedding
    >>> has_picture(Embedding([[1, 0, 0, 0]], [[1, 0, 0, 0]], [0])), has_picture(None)
    (False, False)
    """
    if has_round_picture(proof):
        return True
    if _is_embedding(proof):
        return proof.dimension == 1 or proof.dimension in DRAWN_DIMENSIONS
    return isinstance(proof, Obstruction)


def _is_embedding(proof: Proof | None) -> TypeGuard[Witness]:
    return isinstance(proof, Witness) and not isinstance(proof, Caps | Balls)


def svg(figure: Figure) -> str:
    """Return a figure as SVG, for notebooks.

    Parameters
    ----------
    figure : matplotlib Figure
        What `draw` returns.

    Returns
    -------
    str
        An XML document.

    Examples
    --------
    >>> svg(draw(Pattern.from_text("10"))).startswith("<?xml")
    True
    """
    stream = io.BytesIO()
    _write(figure, stream, "svg")
    return stream.getvalue().decode()


def _write(figure: Figure, stream: IO[bytes], kind: str) -> None:
    # Without date and version the same pattern gives the same bytes.
    metadata = {"png": {"Software": None}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}
    from matplotlib import rc_context

    with rc_context({"svg.hashsalt": "samapprox"}):
        lay_out(figure, times=1)  # names beyond the axes need the layout twice
        figure.savefig(stream, format=kind, dpi=120, metadata=metadata[kind])


# ---------------------------------------------------------------- which picture


Paint = Callable[["Figure | SubFigure"], object]


def _plan(
    pattern: Pattern, proof: Proof | None, rows: Sequence[int] | None
) -> tuple[tuple[float, float], Paint]:
    """Return the width and height of a picture, and the function that draws it."""
    if has_round_picture(proof):
        return round_size(pattern, proof), lambda figure: paint_round(figure, pattern, proof, rows)
    core = proof if isinstance(proof, Obstruction) else None
    (width, height), (beside, under) = pattern_size(pattern, core), names_size(pattern)
    width, height = width + _MARGIN + beside, height + _MARGIN + under
    if not _is_embedding(proof):
        return (width, height), lambda figure: paint_pattern(figure, pattern, obstruction=core)
    shown = proof.embedding(pattern)
    if shown.dimension in DRAWN_DIMENSIONS:
        return EMBEDDING_SIZE, lambda figure: paint_embedding(figure, pattern, shown, rows)
    orders = staircase(pattern, shown) if shown.dimension == 1 else None
    line = LineView.fitting(shown, rows)
    if line is None:
        return (width, height), lambda figure: paint_pattern(figure, pattern, orders=orders)
    least, below = line_size(pattern, line)

    def paint(figure: Figure | SubFigure) -> None:
        heights = height - _MARGIN / 2, below
        above, under = figure.subfigures(2, 1, squeeze=False, height_ratios=heights)[:, 0]
        paint_pattern(above, pattern, orders=orders)
        paint_line(under.add_subplot(), pattern, line)

    return (max(width, least), height + below), paint


def _heading(pattern: Pattern, proof: Proof | None, title: str | None) -> str:
    if title is not None:
        require_type("the title", title, str, "a text")
    heading = title or _describe_size(pattern)
    return f"{heading}\n{proof.caption}" if isinstance(proof, Obstruction) else heading


def _describe_size(pattern: Pattern) -> str:
    rows, columns = pattern.shape
    if isinstance(pattern, SignMatrix):
        return f"{rows} rows x {columns} columns"
    return f"{rows} queries x {columns} keys"


def answer_html(sentence: str, picture: str | None, words: Sequence[str]) -> str:
    """Return an answer as a self-contained piece of HTML.

    `sentence`: the answer. `picture`: the picture as SVG. `words`: the lines of the proof in words.
    Returned: all texts, including names of rows and columns, are escaped.

    >>> answer_html("YES for d = 1.", None, [])
    '<p><strong>YES for d = 1.</strong></p>'
    """
    shown = "" if picture is None else _image(picture, sentence)
    text = f"<pre>{escape(chr(10).join(words))}</pre>" if words else ""
    summary = f"<details><summary>The proof in words</summary>{text}</details>" if text else ""
    return f"<p><strong>{escape(sentence)}</strong></p>{shown}{summary}"


def _image(picture: str, text: str) -> str:
    """An HTML image that embeds its SVG, so that pictures on a page share no names."""
    content = base64.b64encode(picture.encode()).decode()
    return (
        f'<img alt="{escape(text)}" src="data:image/svg+xml;base64,{content}" '
        'style="max-width: 100%; height: auto; background: white">'
    )
