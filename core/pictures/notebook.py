"""Answers as HTML, for notebooks: the sentence, the picture, and the proof in words."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from html import escape

__all__ = ["answer_html"]


def answer_html(sentence: str, picture: str | None, words: Sequence[str]) -> str:
    """An answer as a piece of a page that needs nothing else.

    Parameters
    ----------
    sentence : str
        What is proven.
    picture : str or None
        As SVG.
    words : sequence of str
        The reason, line by line.

    Returns
    -------
    str
        Names of rows and columns are escaped.

    Examples
    --------
    >>> answer_html("YES: it can.", None, [])
    '<p><strong>YES: it can.</strong></p>'
    """
    shown = "" if picture is None else _image(picture, sentence)
    text = f"<pre>{escape(chr(10).join(words))}</pre>" if words else ""
    summary = f"<details><summary>The reason in words</summary>{text}</details>" if text else ""
    return f"<p><strong>{escape(sentence)}</strong></p>{shown}{summary}"


def _image(picture: str, text: str) -> str:
    """An HTML image that carries its SVG, so that pictures of a page share no names."""
    content = base64.b64encode(picture.encode()).decode()
    return (
        f'<img alt="{escape(text)}" src="data:image/svg+xml;base64,{content}" '
        'style="max-width: 100%; height: auto; background: white">'
    )
