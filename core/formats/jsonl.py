"""Judgements as JSON lines.

Three habits are read: one judgement a line ``{"query-id": .., "corpus-id": .., "score": 1}``, one
query a line with its documents ``{"query-id": .., "corpus-ids": [..]}``, and one query a line with
the query as key ``{"q1": ["doc3", "doc5"]}`` or ``{"q1": {"doc3": 1}}``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO, NamedTuple

from samapprox.errors import InputError, abridge
from samapprox.formats.judgement_lines import Collector, check_grades, read_lines
from samapprox.formats.judgements import Judgements
from samapprox.formats.text import refuse_key


class _Table(NamedTuple):
    """Judgements, column by column; grades are not checked yet."""

    queries: Sequence[str]
    documents: Sequence[str]
    grades: Sequence[object]
    lines: Sequence[int]


Judgement = tuple[str, str, object, int]
"""Query, document, grade, line."""

QUERY = ("query-id", "query_id", "qid", "query", "_id")
DOCUMENT = ("corpus-id", "corpus_id", "doc-id", "doc_id", "docid", "document")
DOCUMENTS = ("corpus-ids", "corpus_ids", "doc-ids", "doc_ids", "docs", "documents", "relevant")
SCORE = ("score", "relevance", "label")


def collect(stream: BinaryIO, key: str | None) -> Judgements:
    """Read JSON lines.

    Raises InputError: names the line.
    """
    refuse_key(key)
    collector = Collector()
    for first, text in read_lines(stream):
        texts = text.split("\n")
        lines = [line for line, one in enumerate(texts, start=first) if one.strip()]
        records = _decode_lines([one for one in texts if one.strip()], lines)
        table = _columns(records, lines) or _by_line(records, lines)
        grades = check_grades(table.grades, table.lines)
        collector.extend(table.queries, table.documents, grades, table.lines)
        collector.mention(_without_documents(records, lines))
    return collector.judgements()


def _decode_lines(texts: list[str], lines: list[int]) -> list[dict[str, Any]]:
    """Return the objects of lines.

    All at once takes a third of the time. No name can come twice in an object where there are no
    more colons than names.
    """
    joined = ",".join(texts)
    try:
        records: list[dict[str, Any]] = json.loads(f"[{joined}]")
    except (ValueError, RecursionError):
        records = []
    are_objects = len(records) == len(texts) and set(map(type, records)) <= {dict}
    if are_objects and joined.count(":") == sum(map(len, records)):
        return records
    return list(map(_record, texts, lines))


def _record(text: str, line: int) -> dict[str, Any]:
    try:
        record = _decode(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"line {line} is not JSON: {error}") from None
    if not isinstance(record, dict):
        raise InputError(f"line {line} must be a JSON object; each line holds one")
    return record


def _object(members: list[tuple[str, Any]]) -> dict[str, Any]:
    """Build an object, whose names must differ: JSON would let the last of two grades win."""
    record = dict(members)
    if len(record) < len(members):
        names = [name for name, _ in members]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the name {abridge(twice)} comes twice in one object")
    return record


_decode = json.JSONDecoder(object_pairs_hook=_object).decode


def _columns(records: list[dict[str, Any]], lines: list[int]) -> _Table | None:
    """Collect the judgements of objects with the same members; None for others."""
    members = set(map(tuple, records))
    if len(members) != 1:
        return None
    names = [
        name
        for known in (QUERY, DOCUMENT, SCORE)
        for name in [one for one in known if one in next(iter(members))][:1]
    ]
    if len(names) < 3:
        return None
    queries, documents, grades = ([record[name] for record in records] for name in names)
    plain = set(map(type, queries)) == set(map(type, documents)) == {str}
    return _Table(queries, documents, grades, lines) if plain and None not in grades else None


def _by_line(records: list[dict[str, Any]], lines: list[int]) -> _Table:
    """Collect the judgements of objects of any layout, one by one."""
    judgements = [
        judgement
        for record, line in zip(records, lines, strict=True)
        for judgement in _judgements(record, line)
    ]
    return _Table(*zip(*judgements, strict=True)) if judgements else _Table((), (), (), ())


def _judgements(record: dict[str, Any], line: int) -> Iterator[Judgement]:
    query = _first(record, QUERY)
    document, documents = _first(record, DOCUMENT), _first(record, DOCUMENTS)
    if query is not None and document is not None:
        score = _first(record, SCORE)
        yield _id(query, line), _id(document, line), 1 if score is None else score, line
    elif query is not None and documents is not None:
        yield from _scored(_id(query, line), documents, line)
    elif record.get("format") == "samapprox-certificate":
        raise InputError("this is a certificate, not a pattern; give the pattern first")
    elif query is None and document is None:
        for name, values in record.items():
            yield from _scored(name, values, line)
    else:
        raise InputError(
            f"line {line} names no query with a document; write "
            '{"query-id": .., "corpus-id": .., "score": 1} or {"query-id": .., "corpus-ids": [..]}'
        )


def _without_documents(records: list[dict[str, Any]], lines: list[int]) -> Iterator[str]:
    """Yield the queries of objects that list no document."""
    for record, line in zip(records, lines, strict=True):
        query, documents = _first(record, QUERY), _first(record, DOCUMENTS)
        listed = record.items() if query is None else [(query, documents)]
        yield from (_id(name, line) for name, held in listed if held in ([], {}))


def _scored(query: str, documents: object, line: int) -> Iterator[Judgement]:
    """Read documents from a list (all relevant) or an object from document to score."""
    if isinstance(documents, list):
        yield from ((query, _id(document, line), 1, line) for document in documents)
    elif isinstance(documents, dict):
        yield from ((query, name, score, line) for name, score in documents.items())
    else:
        raise InputError(f"line {line}: the documents of query {query!r} must be a list")


def _first(record: dict[str, Any], names: tuple[str, ...]) -> Any:
    return next((record[name] for name in names if name in record), None)


def _id(value: object, line: int) -> str:
    if not isinstance(value, str | int) or isinstance(value, bool):
        raise InputError(f"line {line}: {str(value)[:40]!r} is not an id (a text or an integer)")
    return str(value)
