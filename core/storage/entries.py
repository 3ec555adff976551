"""Entries of a pattern from users: arrays of 0, 1 and *, checked; rows and columns by their names.

Nothing here allocates more than a copy of what it is given; sizes are refused before that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samapprox.errors import EntryError, InputError, SignsError, require_list, require_type

ENTRY_RULE = "entries must be 0 or 1 (don't-care entries: '*' in text, or a care mask)"
"""The rule in messages about a wrong entry."""

SIGNS_RULE = (
    "patterns hold 0, 1 and * (don't care); signs, + and - or 1 and -1, are for `samapprox rank`, "
    "`show` and `plot`"
)
"""The mend in messages about entries that are signs: + and -, or 1 and -1."""

WEIGHTS_RULE = (
    "for attention weights, `samapprox heads FILE` measures all heads, and "
    "`samapprox binarize FILE --uniform` makes patterns"
)
"""The mend in messages about numbers that look like attention weights and not like a pattern."""

MAX_ENTRIES = 1 << 34
"""Largest m x n that is stored densely (bit-packed: 2 GiB)."""

MAX_SIDE = 1 << 24
"""Most rows or columns: answers take some 60 bytes for each."""


SIGNS = frozenset(["+", "-", "+1", "-1", "+1.0", "-1.0"])
"""Cells and entries that only matrices of signs have."""


def check_size(rows: int, columns: int, *, stored_densely: bool = True) -> None:
    """Refuse a shape that is empty or too large to be stored, before anything is allocated.

    `stored_densely`: whether every entry takes a bit, not just every 1.

    >>> check_size(10**6, 10**6)
    Traceback (most recent call last):
    ...
    samapprox.errors.InputError: a 1000000 x 1000000 pattern has more than 17179869184 entries; ...
    """
    if rows < 1 or columns < 1:
        raise InputError(f"the pattern is empty ({rows} x {columns}); it needs a row and a column")
    if stored_densely and rows * columns > MAX_ENTRIES:
        raise InputError(
            f"a {rows} x {columns} pattern has more than {MAX_ENTRIES} entries; "
            "give it as a sparse matrix (scipy.sparse.save_npz)"
        )
    if max(rows, columns) > MAX_SIDE:
        raise InputError(f"a {rows} x {columns} pattern has a side of more than {MAX_SIDE}")


def require_unmasked(entries: object, what: str) -> None:
    """Refuse masked entries, which mean don't care to some and nothing to others.

    `what`: the name of the entries in messages. Raises InputError: an entry is masked.

    >>> require_unmasked(np.ma.masked_array([1, 0], mask=[0, 0]), "the pattern")
    """
    hidden = getattr(entries, "mask", None)  # numpy.ma is not imported to ask
    if isinstance(hidden, np.ndarray) and hidden.any():
        raise InputError(
            f"{what} has masked entries; for don't-care entries give the data and a care mask: "
            "Pattern(array.data, ~array.mask)"
        )


def as_matrix(
    entries: ArrayLike, what: str = "the pattern", *, kinds: str = "biufUS"
) -> NDArray[Any]:
    """Convert input to a two-dimensional array of booleans, numbers or strings.

    `what`: the name of the matrix in messages. `kinds`: the kinds of numpy's types that are taken.
    With "O" among them, nested lists of strings and other values become objects, and not strings
    all of them. Raises InputError: ragged, of other values, masked, or not two-dimensional.

    >>> as_matrix([[1, 0]]).shape
    (1, 2)
    """
    try:
        array = np.asarray(entries)
        if "O" in kinds and array.dtype.kind in "US" and not hasattr(entries, "dtype"):
            array = np.asarray(entries, dtype=object)
    except ValueError:
        raise InputError(f"{what} is ragged: every row needs the same number of entries") from None
    if array.ndim == 0:
        raise InputError(
            f"{what} must be a matrix (queries x keys) of 0 and 1: an array, nested lists, a scipy "
            f"sparse matrix or a DataFrame; not {_describe(entries)}"
        )
    require_unmasked(entries, what)
    if array.dtype.kind not in kinds:
        raise EntryError(f"{what} holds {array.dtype} values", f"; {ENTRY_RULE}")
    if array.ndim != 2:
        raise InputError(
            f"{what} has {array.ndim} dimension{'s' * (array.ndim != 1)} {array.shape}; "
            "it must be a matrix (queries x keys)"
        )
    return array


def _describe(value: object) -> str:
    if value is None:
        return "None"
    if isinstance(value, str | bytes):
        return "a string (Pattern.from_text reads entries, samapprox.load reads a file)"
    return f"a value of type {type(value).__name__}"


def from_characters(array: NDArray[Any]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return ones and care mask of a matrix of one-character strings, or of objects.

    `array`: objects may be strings, booleans or numbers. Raises InputError: an entry other than 0,
    1 and *.

    >>> ones, care = from_characters(np.array([["1", "*"]]))
    >>> ones.tolist(), care.tolist()
    ([[True, False]], [[True, False]])
    """
    is_text = array.dtype.kind in "US"
    text = array.astype(str) if is_text else _characters(array)
    ones, stars = text == "1", text == "*"
    wrong = ~(ones | stars | (text == "0"))
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        entry = repr(str(text[row, column])) if is_text else _shorten(array[row, column])
        if all(_is_sign(value) for value in array[wrong]):
            raise SignsError(f"entry at row {row}, column {column} is {entry}", f": {SIGNS_RULE}")
        raise EntryError(f"entry at row {row}, column {column} is {entry}", f"; {ENTRY_RULE}")
    return ones, ~stars


def _is_sign(value: object) -> bool:
    """Return whether an entry is one that only matrices of signs have."""
    if isinstance(value, str):
        return value in SIGNS
    return isinstance(value, int | float | np.number) and bool(value == -1)


def _characters(array: NDArray[np.object_]) -> NDArray[np.str_]:
    """Convert objects to 0, 1 and *; other objects to empty strings."""
    characters = [_character(value) for value in array.flat]
    return np.array(characters, dtype="U1").reshape(array.shape)


def _character(value: object) -> str:
    if isinstance(value, bytes):
        value = value.decode("latin-1")
    if isinstance(value, str):
        return value if value in ("0", "1", "*") else ""
    is_number = isinstance(value, bool | int | float | np.bool_ | np.number)
    return str(int(value == 1)) if is_number and value in (0, 1) else ""


def _shorten(value: object) -> str:
    try:
        text = repr(value)
    except ValueError:  # an integer of more digits than Python prints
        return f"a value of type {type(value).__name__}"
    return text if len(text) <= 40 else f"{text[:40]}.."


def zero_one_bytes(block: NDArray[Any], first_row: int, what: str = "entry") -> NDArray[np.uint8]:
    """Convert a block of numbers or booleans to 0/1 bytes.

    Raises InputError: an entry that is neither; `first_row` is where the block starts in the whole
    matrix.

    >>> zero_one_bytes(np.array([[0.0, 1.0]]), 0)
    array([[0, 1]], dtype=uint8)
    """
    if block.dtype.itemsize == 1:
        unsigned = np.ascontiguousarray(block).view(np.uint8)
        if unsigned.max(initial=0) <= 1:
            return unsigned
    ones = block == 1
    wrong = ~(ones | (block == 0))
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        found = f"{what} at row {first_row + row}, column {column} is {block[row, column]}"
        if what == "entry" and (block[wrong] == -1).all():
            raise SignsError(found, f": {SIGNS_RULE}")
        rule = f"{ENTRY_RULE}; {WEIGHTS_RULE}" if block.dtype.kind == "f" else ENTRY_RULE
        if what == "entry":
            raise EntryError(found, f"; {rule}")
        raise InputError(f"{found}; {rule}")
    return np.asarray(ones).view(np.uint8)


@runtime_checkable
class SparseLike(Protocol):
    """A scipy sparse matrix or array."""

    def tocsr(self) -> Any:
        """Return the matrix as compressed sparse rows."""


@runtime_checkable
class FrameLike(Protocol):
    """A pandas DataFrame."""

    index: Any
    columns: Any

    def to_numpy(self) -> Any:
        """Return the values as an array."""


def names_of_labels(index: Iterable[object]) -> list[str] | None:
    """Return labels of a DataFrame as names; None if they are default counters.

    >>> names_of_labels(["q1", "q2"]), names_of_labels(range(3))
    (['q1', 'q2'], None)
    """
    labels = list(index)
    return None if labels == list(range(len(labels))) else [str(label) for label in labels]


def read_text(text: str) -> tuple[NDArray[np.bool_], NDArray[np.bool_] | None]:
    r"""Read lines of ``0``, ``1`` and ``*``, optionally separated by commas or blanks.

    `text`: empty lines, and lines that start with ``#``, are ignored. `ones, care`: `care` is None
    if there is no *. Raises InputError: names the line and the column of the first wrong character,
    or the ragged line.

    >>> ones, care = read_text("1*0\n0 1 1")
    >>> ones.tolist(), care.tolist()
    ([[True, False, False], [False, True, True]], [[True, False, True], [True, True, True]])
    """
    require_type("text", text, str, "a text of 0, 1 and *")
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

    `entries`: 1, 0, and -1 for *.

    >>> print(write_text(np.array([[1, -1], [0, 1]])))
    1*
    01
    """
    rows, columns = entries.shape
    lines = np.full((rows, columns + 1), b"\n", dtype="S1")
    lines[:, :-1] = np.array([b"0", b"1", b"*"])[entries]
    return lines.tobytes().decode()[:-1]


_MISSING = re.compile(r"^\s*,|,\s*,")


def split_cells(line: str, number: int) -> list[str]:
    """Split a line of a text file at commas, semicolons and white space.

    `number`: the number of the line, counted from 1, for messages. Raises InputError: a cell is
    empty, as spreadsheets write missing entries: the next one would move up. A separator may follow
    the last cell.

    >>> split_cells("1, 0;*,", 1)
    ['1', '0', '*']
    """
    line = line.replace(";", ",")
    compact = "".join(line.split()) if "," in line else ""  # quicker than the regular expression
    if (",," in compact or compact.startswith(",")) and (missing := _MISSING.search(line)):
        column = len(line[: missing.start() + 1].replace(",", " ").split())
        raise InputError(f"line {number}, column {column} is empty")
    return line.replace(",", " ").split()


def _row_characters(line: str, number: int) -> str:
    """Read one line of a text file as a run of 0, 1 and *.

    `line`: with or without separators; see `split_cells`. `number`: the number of the line, counted
    from 1, for messages.

    >>> _row_characters("1, 0.0, *", 1)
    '10*'
    """
    cells = split_cells(line, number)
    row = "".join(cells)
    if len(cells) in (1, len(row)) and not row.strip("01*"):
        return row
    if len(cells) == 1 and _entry(cells[0]) is None:  # no separators: one character an entry
        cells = list(cells[0])
    known = {cell: _entry(cell) for cell in set(cells)}
    entries = [known[cell] for cell in cells]
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


def as_lines(
    chosen: Sequence[int] | NDArray[np.integer], size: int, kind: str
) -> NDArray[np.int64]:
    """Return chosen rows or columns as an array.

    `size`: the number of rows or columns of the matrix. Raises IndexError: A number outside 0..size
    - 1.

    >>> as_lines([2, 0], 3, "row").tolist()
    [2, 0]
    """
    lines = np.asarray(chosen, dtype=np.int64)
    outside = lines[(lines < 0) | (lines >= size)]
    if outside.size:
        raise IndexError(f"{kind} {outside[0]} is outside a pattern of {size} {kind}s")
    return lines


def as_names(names: Sequence[str] | None, size: int, kind: str) -> tuple[str, ...] | None:
    """Return the names of all rows or columns.

    `size`: the number of rows or columns of the matrix. Raises InputError: too many or too few
    names.

    >>> as_names(["q1", "q2"], 2, "row")
    ('q1', 'q2')
    """
    if names is None:
        return None
    require_list(f"{kind} names", names, "texts")
    own = tuple(map(str, names))
    if len(own) != size:
        raise InputError(f"{len(own)} {kind} names for {size} {kind}s; give one each")
    return own


def choose_names(names: tuple[str, ...] | None, lines: NDArray[np.int64]) -> list[str] | None:
    """Return the names of chosen rows or columns.

    >>> choose_names(("a", "b", "c"), np.array([2, 0]))
    ['c', 'a']
    """
    return None if names is None else [names[line] for line in lines.tolist()]


def label(kind: str, index: int, names: tuple[str, ...] | None) -> str:
    """Return the number of a row or column, and its name if it has one, as messages show it.

    >>> label("row", 0, ("q7",)), label("column", 1, None)
    ("row 0 ('q7')", 'column 1')
    """
    return f"{kind} {index}" if names is None else f"{kind} {index} ({names[index]!r})"
