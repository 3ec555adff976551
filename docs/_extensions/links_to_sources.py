"""Links between the files of a checkout, as links between pages of the site."""

from __future__ import annotations

import re

from sphinx.application import Sphinx

__all__ = ["rewrite_links", "setup"]

PAGES = {
    "CHANGELOG.md": "/project/changelog.md",
    "CONTRIBUTING.md": "/project/contributing.md",
    "README.md": "/index.md",
    "benchmarks/RESULTS.md": "/project/results.md",
    "data/README.md": "/project/data.md",
}
"""File of the checkout -> the page that includes it."""

_LINK = re.compile(r"\]\((?:\.\./)+([\w./-]+)")
_NAMED_AS_FILE = re.compile(r"(?<!!)\[[\w./-]+\.md\](?=\([\w./-]+\.md[)#])")


def _lead_to_pages(_app: Sphinx, _page: str, text: list[str]) -> None:
    text[0] = rewrite_links(text[0])


def rewrite_links(text: str) -> str:
    """Let links out of docs lead to pages, and let titles replace names of files.

    Examples
    --------
    >>> rewrite_links("[line.md](line.md#proof), [data](../../data/README.md)")
    '[](line.md#proof), [data](/project/data.md)'
    """
    text = _NAMED_AS_FILE.sub("[]", text)
    return _LINK.sub(lambda link: _target(link.group(0), link.group(1)), text)


def _target(link: str, file: str) -> str:
    return f"]({PAGES[file]}" if file in PAGES else link


def setup(app: Sphinx) -> dict[str, bool]:
    """Rewrite the links of every page when it is read."""
    app.connect("source-read", _lead_to_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
