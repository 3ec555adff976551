"""Pictures of patterns and proofs, and their files."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from html import escape
from os import PathLike
from pathlib import Path
from typing import IO, TYPE_CHECKING

from samapprox.errors import InputError
from samapprox.pattern import Pattern
from samapprox.pictures.caps import has_round_picture, paint_round, round_size
from samapprox.pictures.embedding import DRAWN_DIMENSIONS, EMBEDDING_SIZE, paint_embedding
from samapprox.pictures.line import LineView, line_size, paint_line
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


__all__ = [
    "answer_html",
    "draw",
    "draw_sides",
    "has_picture",
    "picture_kind",
    "save_picture",
    "svg",
]


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
    are points, and chosen queries are planes. An obstruction is marked in the pattern: its rows and
    columns, and a ring around each entry that the argument uses. Caps are arcs of a circle (d = 2)
    or circles on a sphere (d = 3), and balls are intervals (d = 1) or circles (d = 2). Embeddings
    of higher dimension leave the pattern as it is. Names that would overlap are left out, and a
    note says how many.

    Parameters
    ----------
    pattern : Pattern
        At most 2^30 entries; beyond 1000 rows or columns, dots show the share of ones.
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
    figure = Figure(figsize=_size(pattern, proof, rows), layout="constrained")
    _paint(figure, pattern, proof, title, rows)
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
    sizes = [_size(pattern, proof, rows) for proof, _ in sides]
    widths = [width for width, _ in sizes]
    size = sum(widths), max(height for _, height in sizes)
    figure = Figure(figsize=size, layout="constrained")
    parts = figure.subfigures(1, len(sides), squeeze=False, width_ratios=widths)[0]
    for part, (proof, title) in zip(parts, sides, strict=True):
        _paint(part, pattern, proof, title, rows)
    return figure


def save_picture(figure: Figure, path: str | PathLike[str]) -> None:
    """Write a figure to a file; the ending of its name chooses one of `ENDINGS`.

    Raises
    ------
    InputError
        The ending is unknown, or the file cannot be written.
    """
    kind = picture_kind(path)
    with replacing(Path(path)) as stream:
        _write(figure, stream, kind)


def picture_kind(path: str | PathLike[str]) -> str:
    """Return the one of `ENDINGS` that a file's name has.

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
    kind = Path(path).suffix[1:].lower()
    if kind not in ENDINGS:
        raise InputError(f"{path}: pictures are written as {', '.join(ENDINGS)}")
    return kind


def has_picture(proof: Proof | None) -> bool:
    """Return whether a proof can be drawn: embeddings up to dimension 3, and all obstructions.

    Examples
    --------
    >>> from samapprox import Embedding
    >>> has_picture(Embedding([[1, 0, 0, 0]], [[1, 0, 0, 0]], [0])), has_picture(None)
    (False, False)
    """
    if has_round_picture(proof):
        return True
    if isinstance(proof, Witness) and not isinstance(proof, Caps | Balls):
        return proof.dimension == 1 or proof.dimension in DRAWN_DIMENSIONS
    return isinstance(proof, Obstruction)


def svg(figure: Figure) -> str:
    """Return a figure as SVG, for notebooks.

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
        figure.draw_without_rendering()  # names beyond the axes need the layout twice
        figure.savefig(stream, format=kind, dpi=120, metadata=metadata[kind])


# ---------------------------------------------------------------- which picture


def _size(pattern: Pattern, proof: Proof | None, rows: Sequence[int] | None) -> tuple[float, float]:
    least = below = 0.0
    if has_round_picture(proof):
        return round_size(pattern, proof)
    if isinstance(proof, Witness) and not isinstance(proof, Caps | Balls):
        if proof.dimension in DRAWN_DIMENSIONS:
            return EMBEDDING_SIZE
        line = LineView.fitting(proof.embedding(pattern), rows)
        least, below = (0.0, 0.0) if line is None else line_size(pattern, line)
    core = proof if isinstance(proof, Obstruction) else None
    (width, height), (beside, under) = pattern_size(pattern, core), names_size(pattern)
    return max(width + _MARGIN + beside, least), height + _MARGIN + under + below


def _describe_size(pattern: Pattern) -> str:
    rows, columns = pattern.shape
    if isinstance(pattern, SignMatrix):
        return f"{rows} rows x {columns} columns"
    return f"{rows} queries x {columns} keys"


def _paint(
    figure: Figure | SubFigure,
    pattern: Pattern,
    proof: Proof | None,
    title: str | None,
    rows: Sequence[int] | None,
) -> None:
    """Draw a pattern and its proof on a figure or a part of one."""
    heading = title or _describe_size(pattern)
    if has_round_picture(proof):
        put_heading(figure, heading)
        paint_round(figure, pattern, proof, rows)
        return
    if isinstance(proof, Witness) and not isinstance(proof, Caps | Balls):
        shown = proof.embedding(pattern)
        put_heading(figure, heading)
        line = LineView.fitting(shown, rows)
        if shown.dimension in DRAWN_DIMENSIONS:
            paint_embedding(figure, pattern, shown, rows)
        elif line is not None:
            own = pattern_size(pattern)[1] + names_size(pattern)[1] + _MARGIN / 2
            heights = own, line_size(pattern, line)[1]
            above, below = figure.subfigures(2, 1, squeeze=False, height_ratios=heights)[:, 0]
            paint_pattern(above, pattern, orders=staircase(pattern, shown))
            paint_line(below.add_subplot(), pattern, line)
        else:
            orders = staircase(pattern, shown) if shown.dimension == 1 else None
            paint_pattern(figure, pattern, orders=orders)
        return
    core = proof if isinstance(proof, Obstruction) else None
    if core is not None:
        heading = f"{heading}\n{core.caption}"
    put_heading(figure, heading)
    paint_pattern(figure, pattern, obstruction=core)


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
