"""Judgements as fields of lines: the common part of TREC's and BEIR's files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import BinaryIO, NamedTuple

from samapprox.errors import InputError
from samapprox.formats.collector import Collector
from samapprox.formats.grades import parse_grades
from samapprox.formats.judgements import Judgements
from samapprox.formats.lines import read_lines
from samapprox.support.text import plural

__all__ = ["Layout", "collect_fields"]

_END = "\0"  # a field of its own at the end of every line


@dataclass(frozen=True, slots=True)
class Layout:
    """The fields of a line.

    Attributes
    ----------
    separator : str or None
        The separator of fields; None: blanks and tabs.
    count : int
        Number of fields.
    rule : str
        The message for lines with another number of fields.
    query, document, grade : int
        The meaning of the fields.
    head : str or None
        The first field of a head line, which a file may have.
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

    Parameters
    ----------
    stream : binary file
    layout : Layout

    Raises
    ------
    InputError
        Names the line.

    Examples
    --------
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
        grades = parse_grades(table.columns[layout.grade], table.lines)
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

    Raises
    ------
    InputError
        A line has another number of fields.
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
