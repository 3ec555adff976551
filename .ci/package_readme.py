"""Write docs/package-index.md, the README for a package index.

A package index shows one file: a relative link leads nowhere there, and neither does a relative
picture. The file is README.md with such links replaced by their text, and such pictures dropped.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
TARGET = ROOT / "docs" / "package-index.md"

_CODE = re.compile(r"(^ *```.*?^ *```[^\n]*$|`[^`\n]+`)", flags=re.DOTALL | re.MULTILINE)
_ABSOLUTE = r"(?![a-z][a-z0-9+.-]*:)"
_TITLE = r"(?:\s+\"[^\"]*\")?"
_PICTURE = re.compile(rf"!\[[^\]]*\]\({_ABSOLUTE}[^)\s]*{_TITLE}\)", flags=re.IGNORECASE)
_LINK = re.compile(rf"\[((?:[^\[\]]|\[[^\]]*\])*)\]\({_ABSOLUTE}[^)\s]*{_TITLE}\)", re.IGNORECASE)
_DEFINITION = re.compile(rf"^ *\[([^\]]+)\]: *{_ABSOLUTE}\S+{_TITLE} *\n?", re.IGNORECASE | re.M)
_HTML_PICTURE = re.compile(r"<img\b(?![^>]*\bsrc=[\"']?[a-z]+:)[^>]*>", flags=re.IGNORECASE)
_HTML_LINK = re.compile(
    r"<a\b(?![^>]*\bhref=[\"']?[a-z]+:)[^>]*>(.*?)</a>", flags=re.IGNORECASE | re.DOTALL
)


def without_relative_links(text: str) -> str:
    """Return Markdown whose relative links are text and whose relative pictures are gone.

    Code, in blocks and in lines, stays as it is. Tables and paragraphs that held nothing but
    pictures are dropped as well.

    Examples
    --------
    >>> without_relative_links("See [the theory](docs/theory/line.md) and [cvxpy](https://cvxpy.org).")
    'See the theory and [cvxpy](https://cvxpy.org).'
    """
    kept: list[str] = []

    def put_aside(code: re.Match[str]) -> str:
        kept.append(code.group(0))
        return f"\0{len(kept) - 1}\0"

    text = _CODE.sub(put_aside, text)
    for name in _DEFINITION.findall(text):
        text = re.sub(rf"\[([^\[\]]+)\]\[{re.escape(name)}\]", r"\1", text)
        text = re.sub(rf"\[{re.escape(name)}\](?:\[\])?(?![(\[:])", name, text)
    text = _DEFINITION.sub("", text)
    text = _HTML_PICTURE.sub("", _PICTURE.sub("", text))
    text = _HTML_LINK.sub(r"\1", _LINK.sub(r"\1", text))
    text = _drop_empty_tables(text)
    text = re.sub(r"\n{3,}", "\n\n", text)
    return re.sub("\0(\\d+)\0", lambda place: kept[int(place.group(1))], text)


def _drop_empty_tables(text: str) -> str:
    """Drop tables whose cells below the head are all empty."""

    def keep(table: re.Match[str]) -> str:
        body = table.group(0).splitlines()[2:]
        return table.group(0) if any(row.strip(" |") for row in body) else ""

    return re.sub(r"(?:^\|.*\|[ ]*\n){3,}", keep, text, flags=re.MULTILINE)


def main() -> int:
    """Write the file; exit status 0."""
    text = without_relative_links(README.read_text(encoding="utf-8"))
    TARGET.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
