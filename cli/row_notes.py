"""Notes on rows of attention weights that a command did not use as they stand."""

from __future__ import annotations

from samapprox.attention.rows import RowCount
from samapprox.cli.terminal import echo

__all__ = ["echo_rows"]


def echo_rows(rows: RowCount, ties: str | None = None) -> None:
    """Print to standard error what was masked, tied or skipped; nothing where nothing was.

    Parameters
    ----------
    rows : RowCount
    ties : str, optional
        The tie rule that the user named.
    """
    for line in rows.lines(ties):
        echo(f"samapprox: note: {line}", err=True)
