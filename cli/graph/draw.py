"""`samapprox graph draw`: a picture of a mask."""

from __future__ import annotations

import click

from samapprox.cli.options import picture_option
from samapprox.cli.options.masks import mask_argument, read_mask
from samapprox.cli.progress import show_activity
from samapprox.cli.terminal import echo
from samapprox.support.plural import plural

__all__ = ["draw"]


@click.command()
@mask_argument
@picture_option
def draw(mask: str, n: int | None, file_format: str | None, key: str | None, output: str) -> None:
    """Draw MASK; a small one also as a circle of tokens."""
    from samapprox.attention.graphs.picture import draw_graph
    from samapprox.pictures import save_picture

    attention = read_mask(mask, n, file_format, key)
    with show_activity("drawing"):
        save_picture(draw_graph(attention, title=f"{mask}, {plural(attention.n, 'token')}"), output)
    echo(output)
