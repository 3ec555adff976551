"""Answers as HTML for notebooks: the sentence, the picture, and the proof in words."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from html import escape

__all__ = ["answer_html"]


def answer_html(sentence: str, picture: str | None, words: Sequence[str]) -> str:
    """Return an answer as a self-contained piece of HTML.

    Parameters
    ----------
    sentence : str
        The answer.
    picture : str or None
        The picture as SVG.
    words : sequence of str
        The lines of the proof in words.

    Returns
    -------
    str
        All texts, including names of rows and columns, are escaped.

    Examples
    --------
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
