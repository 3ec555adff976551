"""`samapprox graph verify`: an independent check of what `graph check` says."""

from __future__ import annotations

import json
import sys

import click

from samapprox import InputError
from samapprox.cli.completion import complete_files
from samapprox.cli.options import keep_apart
from samapprox.cli.options.masks import mask_argument, read_mask
from samapprox.cli.progress import show_activity
from samapprox.cli.reading import read_text
from samapprox.cli.terminal import echo_answer

__all__ = ["verify"]


@click.command(short_help="Verify DOCUMENT, the output of `graph check --json`.")
@mask_argument
@click.argument("document", type=click.Path(), shell_complete=complete_files([".json"]))
def verify(
    mask: str, n: int | None, file_format: str | None, key: str | None, document: str
) -> None:
    """Verify DOCUMENT, the output of `graph check --json`, against MASK.

    The check covers self-loops, the walk, the path or the proof that there is none, s, the star,
    and the conclusion. Exit status: 0 valid, 1 not valid.
    """
    from samapprox.attention.graphs.recheck import first_mistake

    keep_apart([mask, document], [])
    attention = read_mask(mask, n, file_format, key)
    text = read_text(document)
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        raise InputError(f"{document}: not JSON") from None
    if not isinstance(said, dict):
        raise InputError(f"{document}: not what `samapprox graph check --json` prints")
    try:
        with show_activity("checking the document"):
            mistake = first_mistake(attention, said)
    except InputError as error:
        raise error.within(document) from None
    if mistake is not None:
        echo_answer(f"NOT VALID: {mistake}")
        sys.exit(1)
    verdict = {True: "YES", False: "NO", None: "UNKNOWN"}[said["universal"]]
    echo_answer(f"VALID: universal: {verdict}")
