"""Text of 0, 1 and *: one line per row."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samapprox.errors import EntryError, InputError, SignsError
from samapprox.storage.compressed import SIGNS_RULE
from samapprox.storage.entries import SIGNS, check_size

__all__ = ["read_text", "write_text"]


def read_text(text: str) -> tuple[NDArray[np.bool_], NDArray[np.bool_] | None]:
    r"""Read lines of ``0``, ``1`` and ``*``, optionally separated by commas or blanks.

    Parameters
    ----------
    text : str
        Empty lines, and lines that start with ``#``, are ignored.

    Returns
    -------
    ones, care : ndarray of bool, shape (m, n)
        `care` is None if there is no *.

    Raises
    ------
    InputError
        Names the line and the column of the first wrong character, or the ragged line.

    Examples
    --------
    >>> ones, care = read_text("1*0\n0 1 1")
    >>> ones.tolist(), care.tolist()
    ([[True, False, False], [False, True, True]], [[True, False, True], [True, True, True]])
    """
    rows: list[str] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        row = _row_characters(line, number)
        if rows and len(row) != len(rows[0]):
            entries = "1 entry" if len(row) == 1 else f"{len(row)} entries"
            raise InputError(
                f"line {number} has {entries} but the first row has {len(rows[0])}; "
                "every row needs the same number"
            )
        rows.append(row)
    if not rows:
        check_size(0, 0)
    characters = np.frombuffer("".join(rows).encode(), dtype=np.uint8)
    characters = characters.reshape(len(rows), -1)
    care = characters != ord("*")
    return characters == ord("1"), None if care.all() else care


def write_text(entries: NDArray[np.int8]) -> str:
    """Write lines of 0, 1 and *.

    Parameters
    ----------
    entries : ndarray of int8, shape (m, n)
        1, 0, and -1 for *.

    Examples
    --------
    >>> print(write_text(np.array([[1, -1], [0, 1]])))
    1*
    01
    """
    rows, columns = entries.shape
    lines = np.full((rows, columns + 1), b"\n", dtype="S1")
    lines[:, :-1] = np.array([b"0", b"1", b"*"])[entries]
    return lines.tobytes().decode()[:-1]


def _row_characters(line: str, number: int) -> str:
    """Read one line of a text file as a run of 0, 1 and *.

    Parameters
    ----------
    line : str
        With or without separators (commas, semicolons, white space).
    number : int
        The number of the line, counted from 1, for messages.

    Examples
    --------
    >>> _row_characters("1, 0.0, *", 1)
    '10*'
    """
    cells = line.replace(",", " ").replace(";", " ").split()
    row = "".join(cells)
    if len(cells) in (1, len(row)) and not row.strip("01*"):
        return row
    if len(cells) == 1 and _entry(cells[0]) is None:  # no separators: one character an entry
        cells = list(cells[0])
    entries = [_entry(cell) for cell in cells]
    if None in entries:
        column = entries.index(None)
        if all(cell in SIGNS for cell, entry in zip(cells, entries, strict=True) if entry is None):
            found = f"line {number}, column {column}: {cells[column]!r} is a sign"
            raise SignsError(found, f"; {SIGNS_RULE}")
        raise EntryError(
            f"line {number}, column {column}: {cells[column][:20]!r}",
            " is not 0, 1 or *; write one line per query, with one character or separated cell per "
            "key",
        )
    return "".join(map(str, entries))


def _entry(cell: str) -> str | None:
    """Convert a cell to 0, 1 or *, also from 1.0 or 0e+00; None for others."""
    if cell in ("0", "1", "*"):
        return cell
    try:
        value = float(cell)
    except ValueError:
        return None
    return str(int(value)) if value in (0.0, 1.0) and not cell.isdigit() else None
