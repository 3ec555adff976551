"""Docstrings and help texts as people write them: their bars and stars are no markup."""

from __future__ import annotations

import re
from typing import Any

from sphinx.application import Sphinx

__all__ = ["escape_line", "setup"]

_CODE = re.compile(r"(`+[^`]*`+)")
_STARRED_PARAMETER = re.compile(r"\s*\*{1,2}\w+( :|$)")


def escape_line(line: str) -> str:
    r"""Escape the bars and stars of a line outside of backticks.

    Examples
    --------
    >>> escape_line("|E| <= n * d, see `a|b`")
    '\\|E\\| <= n \\* d, see `a|b`'
    """
    if _STARRED_PARAMETER.match(line):  # numpydoc knows these
        return line
    parts = _CODE.split(line)
    parts[::2] = [re.sub(r"([|*])", r"\\\1", part) for part in parts[::2]]
    return "".join(parts)


def _escape(
    _app: Sphinx, _what: str, _name: str, _thing: Any, _options: Any, lines: list[str]
) -> None:
    in_example = False
    for number, line in enumerate(lines):
        in_example = line.lstrip().startswith(">>>") or (in_example and bool(line.strip()))
        if not in_example:
            lines[number] = escape_line(line)


def _escape_help(_app: Sphinx, _context: Any, lines: list[str]) -> None:
    lines[:] = [line if line.lstrip().startswith("..") else escape_line(line) for line in lines]


def setup(app: Sphinx) -> dict[str, bool]:
    """Escape before numpydoc makes reStructuredText of a docstring."""
    app.connect("autodoc-process-docstring", _escape, priority=100)
    for part in ("description", "options", "arguments", "epilog"):
        app.connect(f"sphinx-click-process-{part}", _escape_help)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
