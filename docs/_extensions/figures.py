"""Figures of gallery scripts, which are made without pyplot."""

from __future__ import annotations

from typing import Any

from matplotlib.figure import Figure
from sphinx_gallery.scrapers import figure_rst

__all__ = ["scrape"]


def scrape(_block: Any, variables: dict[str, Any], settings: dict[str, Any]) -> str:
    """Save the figures that a block has assigned to a name, and return the text that shows them.

    The label of a figure is its alternative text. The ground is white, also on dark pages.
    """
    shown = variables.setdefault("shown", set())
    texts = []
    for value in list(variables["example_globals"].values()):
        if isinstance(value, Figure) and id(value) not in shown:
            shown.add(id(value))
            path = next(variables["image_path_iterator"])
            value.savefig(path, dpi=150, facecolor="white")
            if not value.get_label():
                raise ValueError(f"{path}: the figure has no label, which says what is seen")
            texts.append(figure_rst([path], settings["src_dir"], str(value.get_label())))
    return "".join(texts)
