"""Figures of gallery scripts, which are made without pyplot."""

from __future__ import annotations

from typing import Any

from matplotlib.figure import Figure
from sphinx_gallery.scrapers import figure_rst

__all__ = ["scrape"]


def scrape(_block: Any, variables: dict[str, Any], settings: dict[str, Any]) -> str:
    """Save the figures that a block has assigned to a name, and return the text that shows them."""
    shown = variables.setdefault("shown", set())
    paths = []
    for value in list(variables["example_globals"].values()):
        if isinstance(value, Figure) and id(value) not in shown:
            shown.add(id(value))
            path = next(variables["image_path_iterator"])
            value.savefig(path, dpi=150, facecolor="white")
            paths.append(path)
    return str(figure_rst(paths, settings["src_dir"]))
