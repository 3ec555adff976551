"""Judgements in lines of text: blocks of lines, grades, fields, and the pairs that they give."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import BinaryIO, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from samapprox.errors import InputError, abridge
from samapprox.formats.judgements import Judgements
from samapprox.support.text import plural

_BLOCK = 1 << 20  # bytes: some 30,000 lines of judgements


class Lines(NamedTuple):
    """Consecutive lines of a text file.

    `first`: number of the first line, from 1. `text`: the lines, with a line feed between every
    two.
    """

    first: int
    text: str


def read_lines(stream: BinaryIO) -> Iterator[Lines]:
    r"""Yield the lines of a file in UTF-8; they end with \n, \r\n or \r.

    Raises InputError: names the line and the byte that is not UTF-8.

    Memory for some megabytes of the file, however large it is.

    >>> import io
    >>> list(read_lines(io.BytesIO(b"q1 0 a 1\r\nq1 0 b 1\n")))
    [Lines(first=1, text='q1 0 a 1\nq1 0 b 1')]
    """
    first, offset, encoding = 1, 0, "utf-8-sig"
    parts: list[bytes] = []  # of a line that goes on
    while content := stream.read(_BLOCK):
        end = content.rfind(b"\n") + 1
        if not end:
            parts.append(content)
            continue
        block = b"".join([*parts, content[:end]])
        parts = [content[end:]]
        text = _decode(block, encoding, first, offset)
        yield Lines(first, text)
        first, offset, encoding = first + text.count("\n") + 1, offset + len(block), "utf-8"
    if block := b"".join(parts):
        yield Lines(first, _decode(block, encoding, first, offset))


def _decode(block: bytes, encoding: str, first: int, offset: int) -> str:
    try:
        text = block.decode(encoding)
    except UnicodeDecodeError as error:
        line = first + block.count(b"\n", 0, error.start)
        raise InputError(
            f"line {line}: byte {offset + error.start} is not UTF-8 text; save the file as UTF-8"
        ) from None
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.removesuffix("\n")


_GRADE = re.compile(r"[+-]?[0-9]{1,18}")
_HIGHEST = 10**18


def _parse_grades(texts: Sequence[str], lines: Sequence[int]) -> list[int]:
    """Parse grades as TREC and BEIR write them.

    `lines`: the number of each text's line. Raises InputError: A text is not a whole number, such
    as 0.5, nan or 1e3; names its line.

    >>> _parse_grades(["2", "-1"], lines=[1, 2])
    [2, -1]
    """
    grades = {text: int(text) for text in dict.fromkeys(texts) if _GRADE.fullmatch(text)}
    try:
        return [grades[text] for text in texts]
    except KeyError as error:
        raise _error(error.args[0], lines[texts.index(error.args[0])]) from None


def check_grades(values: Sequence[object], lines: Sequence[int]) -> list[int]:
    """Check grades as JSON has them.

    `lines`: the number of each value's line. Raises InputError: A value is not a whole number, such
    as 0.5, "1" or true; names its line.

    >>> check_grades([2, -1], lines=[1, 2])
    [2, -1]
    """
    grades = [value for value in values if type(value) is int and -_HIGHEST < value < _HIGHEST]
    if len(grades) < len(values):
        # The first value that is left out stands where the two lists part.
        at = next((at for at, one in enumerate(grades) if values[at] is not one), len(grades))
        raise _error(values[at], lines[at])
    return grades


def _error(grade: object, line: int) -> InputError:
    return InputError(
        f"line {line}: the grade {abridge(grade)} is not a whole number of at most 18 digits; "
        "write 0, 1, 2, .. (0 and negative grades mean not relevant)"
    )


class _Pairs(NamedTuple):
    rows: NDArray[np.integer]
    columns: NDArray[np.integer]
    grades: NDArray[np.integer]
    lines: NDArray[np.integer]


class Collector:
    """Judgements in the order of their lines.

    24 bytes a judgement, besides the names.

    >>> collector = Collector()
    >>> collector.extend(["q1", "q1"], ["doc3", "doc5"], [1, 0], lines=[1, 2])
    >>> collector.judgements().documents
    ('doc3', 'doc5')
    """

    def __init__(self) -> None:
        # A new name gets the next number.
        self._queries: dict[str, int] = defaultdict(count().__next__)
        self._documents: dict[str, int] = defaultdict(count().__next__)
        self._parts: list[_Pairs] = []

    def extend(
        self,
        queries: Sequence[str],
        documents: Sequence[str],
        grades: Sequence[int],
        lines: Sequence[int],
    ) -> None:
        """Add judgements.

        `lines`: the number of each judgement's line. Raises InputError: an empty name; names the
        line.
        """
        for kind, names in (("query", queries), ("document", documents)):
            if "" in names:
                raise InputError(f"line {lines[names.index('')]}: the id of the {kind} is empty")
        self._parts.append(
            _Pairs(
                _number(queries, self._queries),
                _number(documents, self._documents),
                np.array(grades, dtype=np.int64),
                np.array(lines, dtype=np.int64),
            )
        )

    def mention(self, queries: Iterable[str]) -> None:
        """Add queries that may have no judgement."""
        for query in queries:
            self._queries[query]

    def judgements(self) -> Judgements:
        """Return all judgements, each pair once; a note counts those that come twice.

        Raises InputError: the same pair has several grades; names both lines.
        """
        empty = np.empty(0, dtype=np.int64)
        rows, columns, grades, lines = (
            map(np.concatenate, zip(*self._parts, strict=True)) if self._parts else (empty,) * 4
        )
        pairs = _Pairs(rows, columns, grades, lines)
        keys = pairs.rows * np.int64(len(self._documents)) + pairs.columns
        order = np.argsort(keys, kind="stable")  # the lines of a pair keep their order
        again = np.diff(keys[order], prepend=-1) == 0
        notes = []
        if again.any():
            notes = [self._repetitions(pairs, order[np.flatnonzero(again) - 1], order[again])]
        order = order[~again]
        return Judgements(
            tuple(self._queries),
            tuple(self._documents),
            pairs.rows[order].astype(np.int64),
            pairs.columns[order].astype(np.int64),
            pairs.grades[order].astype(np.int64),
            notes=tuple(notes),
        )

    def _repetitions(
        self, pairs: _Pairs, earlier: NDArray[np.int64], later: NDArray[np.int64]
    ) -> str:
        """Refuse a pair with several grades; count the judgements that come twice."""
        conflicts = np.flatnonzero(pairs.grades[later] != pairs.grades[earlier])
        if conflicts.size:
            first = conflicts[np.argmin(later[conflicts])]
            self._refuse(pairs, int(earlier[first]), int(later[first]))
        line = pairs.lines[later.min()]
        if len(later) == 1:
            return f"1 judgement repeats an earlier one (line {line}) and counts once"
        return f"{len(later)} judgements repeat earlier ones (line {line} first) and count once"

    def _refuse(self, pairs: _Pairs, earlier: int, later: int) -> NoReturn:
        query = list(self._queries)[pairs.rows[later]]
        document = list(self._documents)[pairs.columns[later]]
        raise InputError(
            f"line {pairs.lines[later]}: document {document!r} has grade {pairs.grades[later]} for "
            f"query {query!r}, but grade {pairs.grades[earlier]} in line {pairs.lines[earlier]}; "
            "keep one of them"
        )


def _number(names: Sequence[str], numbers: dict[str, int]) -> NDArray[np.int32]:
    """Return the numbers of names."""
    return np.fromiter(map(numbers.__getitem__, names), np.int32, len(names))


_END = "\0"  # a field of its own at the end of every line


@dataclass(frozen=True, slots=True)
class Layout:
    """The fields of a line.

    `separator`: the separator of fields; None: blanks and tabs. `count`: number of fields. `rule`:
    the message for lines with another number of fields. `query`, `document`, `grade`: the meaning
    of the fields. `head`: the first field of a head line, which a file may have.
    """

    separator: str | None
    count: int
    rule: str
    query: int
    document: int
    grade: int
    head: str | None = None


class _Table(NamedTuple):
    """The fields of some lines, column by column, and the numbers of these lines."""

    columns: Sequence[Sequence[str]]
    lines: Sequence[int]


def collect_fields(stream: BinaryIO, layout: Layout) -> Judgements:
    """Collect the judgements that the fields of lines state; blank lines state nothing.

    Raises InputError: names the line.

    >>> import io
    >>> layout = Layout(",", 3, "lines have 3: query, document, grade", 0, 1, 2)
    >>> collect_fields(io.BytesIO(b"q1,doc3,1"), layout).grades.tolist()
    [1]
    """
    collector = Collector()
    for first, text in read_lines(stream):
        if first == 1 and layout.head is not None:
            head, _, rest = text.partition("\n")
            if head.split(layout.separator)[0].strip() == layout.head:
                first, text = 2, rest
        table = _split_at_once(first, text, layout) or _split_by_line(first, text, layout)
        grades = _parse_grades(table.columns[layout.grade], table.lines)
        queries, documents = table.columns[layout.query], table.columns[layout.document]
        collector.extend(queries, documents, grades, table.lines)
    return collector.judgements()


def _split_at_once(first: int, text: str, layout: Layout) -> _Table | None:
    """Return the fields of lines that all have the right number; None where one has not.

    One list of all fields takes a third of the time of a list for each line.
    """
    between = layout.separator or " "
    fields = f"{text}\n".replace("\n", f"{between}{_END}{between}").split(layout.separator)
    if layout.separator:
        fields.pop()  # after the last end
        fields = list(map(str.strip, fields))
    width, ends = layout.count + 1, fields.count(_END)
    if len(fields) != width * ends or fields[layout.count :: width].count(_END) != ends:
        return None
    columns = [fields[place::width] for place in range(layout.count)]
    return _Table(columns, range(first, first + ends))


def _split_by_line(first: int, text: str, layout: Layout) -> _Table:
    """Return the fields of the lines that are not blank.

    Raises InputError: A line has another number of fields.
    """
    rows, lines = [], []
    for line, content in enumerate(text.split("\n"), start=first):
        if not content.strip():
            continue
        fields = list(map(str.strip, content.split(layout.separator)))
        if len(fields) != layout.count:
            raise InputError(f"line {line} has {plural(len(fields), 'field')}; {layout.rule}")
        rows.append(fields)
        lines.append(line)
    columns = list(zip(*rows, strict=True)) or [()] * layout.count
    return _Table(columns, lines)
