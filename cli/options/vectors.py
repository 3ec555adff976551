"""The argument VECTORS with its options."""

from __future__ import annotations

import click

from samapprox.cli.completion import complete_files
from samapprox.cli.options.answers import json_option
from samapprox.cli.options.checked import together

__all__ = ["VECTOR_ENDINGS", "vectors_argument", "vectors_options"]

VECTOR_ENDINGS = (".npz", ".npy", ".txt", ".csv")
"""The endings of files with vectors."""

vectors_options = together(
    click.option("--key", help="Array of an npz file to read; two arrays as A,B."),
    click.option(
        "--threads", type=click.IntRange(1, 1024), help="Number of threads; all cores by default."
    ),
    json_option,
)
"""Options for reading and searching vectors: parameters `key`, `threads` and `as_json`."""

vectors_argument = together(
    click.argument("source", metavar="VECTORS", shell_complete=complete_files(VECTOR_ENDINGS)),
    vectors_options,
)
"""VECTORS, with `vectors_options`: parameters `source`, `key`, `threads` and `as_json`."""
