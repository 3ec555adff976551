"""Vectors that a command searches, and how far the search is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from samapprox.cli.options.answers import json_option
from samapprox.cli.options.checked import together

__all__ = ["progress_bar", "vectors_argument", "vectors_options"]

vectors_options = together(
    click.option("--key", help="Which array of an npz to take; two as in A,B."),
    click.option("--threads", type=click.IntRange(1, 1024), help="By default all cores."),
    json_option,
)
"""How to read and search vectors: parameters `key`, `threads` and `as_json`."""

vectors_argument = together(click.argument("source", metavar="VECTORS"), vectors_options)
"""VECTORS and how to search them: parameters `source`, `key`, `threads` and `as_json`."""


@contextmanager
def progress_bar() -> Iterator[Callable[[int, int], None]]:
    """Tells people at a terminal how far a search is, once it has taken two seconds."""
    from samapprox.cli.bars import tqdm

    with tqdm(delay=2, disable=None, leave=False, unit="part") as bar:

        def show(done: int, count: int) -> None:
            bar.total = count
            bar.update(done - bar.n)

        yield show
