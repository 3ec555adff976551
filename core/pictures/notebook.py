"""Answers as HTML, for notebooks: the sentence, the picture, and the proof in words."""

from __future__ import annotations

import base64
from html import escape
from typing import TYPE_CHECKING

from samapprox.errors import InputError
from samapprox.pictures.headline import dimension_headline, headline
from samapprox.proofs.words import explain
from samapprox.verdict import Verdict
from samapprox.weak_dimension import WeakDimension

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["dimension_html", "image", "verdict_html"]


def verdict_html(verdict: Verdict) -> str:
    """A verdict as a piece of a page that needs nothing else.

    Parameters
    ----------
    verdict : Verdict

    Returns
    -------
    str
        Names of rows and columns are escaped; without a picture where there can be none.

    Notes
    -----
    The cost of `samapprox.pictures.draw`.

    Examples
    --------
    >>> from samapprox import decide
    >>> verdict_html(decide([[1, 0], [0, 1]])).count("<img ")
    1
    """
    from samapprox.pictures import draw

    title = f"{verdict.status.value} for {verdict.problem}"
    try:
        figure = draw(verdict.problem.pattern, verdict.proof, title=title)
    except InputError:
        figure = None
    return _piece(headline(verdict), figure, _words(verdict))


def dimension_html(found: WeakDimension) -> str:
    """A weak dimension as a piece of a page; as `verdict_html`.

    Examples
    --------
    >>> from samapprox import weak_dimension
    >>> "no less can." in dimension_html(weak_dimension([[1, 0, 0], [0, 1, 0], [0, 0, 1]]))
    True
    """
    from samapprox.pictures import draw_dimension

    try:
        figure = draw_dimension(found)
    except InputError:
        figure = None
    words = []
    for side in (found.no, found.yes):
        if side is not None:
            words += [f"{side.status.value} for {side.problem}:"]
            words += [f"  {line}" for line in _words(side)]
    return _piece(dimension_headline(found), figure, words)


def image(figure: Figure, text: str) -> str:
    """A figure as an HTML image that carries its SVG, so that pictures of a page share no names.

    Parameters
    ----------
    figure : matplotlib Figure
    text : str
        For those who do not see it.

    Examples
    --------
    >>> from samapprox import Pattern
    >>> from samapprox.pictures import draw
    >>> image(draw(Pattern.from_text("10")), "a row")[:44]
    '<img alt="a row" src="data:image/svg+xml;bas'
    """
    from samapprox.pictures import svg

    content = base64.b64encode(svg(figure).encode()).decode()
    return (
        f'<img alt="{escape(text)}" src="data:image/svg+xml;base64,{content}" '
        'style="max-width: 100%; height: auto; background: white">'
    )


def _words(verdict: Verdict) -> list[str]:
    """The proof, or what the strategies said."""
    if verdict.proof is None:
        return [f"{attempt.strategy}: {attempt.outcome}" for attempt in verdict.trail]
    return explain(verdict.problem, verdict.proof)


def _piece(sentence: str, figure: Figure | None, words: list[str]) -> str:
    picture = "" if figure is None else image(figure, sentence)
    told = f"<pre>{escape(chr(10).join(words))}</pre>" if words else ""
    summary = f"<details><summary>The reason in words</summary>{told}</details>" if told else ""
    return f"<p><strong>{escape(sentence)}</strong></p>{picture}{summary}"
