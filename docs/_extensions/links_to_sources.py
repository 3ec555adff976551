"""Links that lead out of docs in a checkout, and to a page of the site here."""

from __future__ import annotations

import re

from sphinx.application import Sphinx

__all__ = ["setup"]

PAGES = {
    "CHANGELOG.md": "/project/changelog.md",
    "CONTRIBUTING.md": "/project/contributing.md",
    "README.md": "/index.md",
    "benchmarks/RESULTS.md": "/project/results.md",
    "data/README.md": "/project/data.md",
}
"""File of the checkout -> the page that includes it."""

_LINK = re.compile(r"\]\((?:\.\./)+([\w./-]+)")


def _lead_to_pages(_app: Sphinx, _page: str, text: list[str]) -> None:
    text[0] = _LINK.sub(lambda link: _target(link.group(0), link.group(1)), text[0])


def _target(link: str, file: str) -> str:
    return f"]({PAGES[file]}" if file in PAGES else link


def setup(app: Sphinx) -> dict[str, bool]:
    """Rewrite the links of every page when it is read."""
    app.connect("source-read", _lead_to_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
