"""A second checker of certificates, in JavaScript, which shares no code with the first.

It is written from docs/theory/checks.md alone. ``node command.js PATTERN CERTIFICATE`` runs it, and
report pages contain it, so that the reader's browser checks their proofs again.
"""

from __future__ import annotations

from importlib.resources import files

__all__ = ["script"]

ROOMS = (
    "base",
    "orientations",
    "kinds",
    "kinds/similarities",
    "kinds/ranks",
    "kinds/fits",
    "kinds/margins",
    "kinds/values",
)


def script() -> str:
    """Return the checker as one plain script, which defines the function ``verify``.

    Returns
    -------
    str
        JavaScript for browsers and node: no modules, no network. ``verify(pattern, certificate)``
        takes two texts and returns an object with ``status`` (0 valid, 1 not valid, 2 unreadable),
        ``words``, and ``large`` (whether it is not valid only because it is too large to check).

    Examples
    --------
    >>> "function verify(" in script()
    True
    """
    sources = [
        path.read_text(encoding="utf-8")
        for room in ROOMS
        for path in sorted(files(__name__).joinpath(room).iterdir(), key=lambda path: path.name)
        if path.name.endswith(".js")
    ]
    return "\n".join(['"use strict";', *sources])
