"""Judgements as JSON lines.

Three habits are read: one judgement a line ``{"query-id": .., "corpus-id": .., "score": 1}``, one
query a line with its documents ``{"query-id": .., "corpus-ids": [..]}``, and one query a line with
the query as key ``{"q1": ["doc3", "doc5"]}`` or ``{"q1": {"doc3": 1}}``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, BinaryIO

from samapprox.errors import InputError
from samapprox.formats.judgements import Judgements
from samapprox.formats.text import decode_text, refuse_key
from samapprox.instance import Instance

__all__ = ["collect", "read"]

QUERY = ("query-id", "query_id", "qid", "query", "_id")
DOCUMENT = ("corpus-id", "corpus_id", "doc-id", "doc_id", "docid", "document")
DOCUMENTS = ("corpus-ids", "corpus_ids", "doc-ids", "doc_ids", "docs", "documents", "relevant")
SCORE = ("score", "relevance", "label")


def collect(stream: BinaryIO, key: str | None) -> Judgements:
    """Read JSON lines.

    Raises
    ------
    InputError
        Names the line.
    """
    refuse_key(key)
    judgements = Judgements()
    for number, line in enumerate(decode_text(stream).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError(f"line {number} is not JSON: {error}") from None
        if not isinstance(record, dict):
            raise InputError(f"line {number} must be a JSON object, one a line")
        for query, document, score in _judgements(record, number):
            judgements.add(query, document, score, number)
    return judgements


def read(stream: BinaryIO, key: str | None) -> Instance:
    """The pattern of what `collect` reads."""
    return collect(stream, key).instance()


def _judgements(record: dict[str, Any], line: int) -> Iterator[tuple[str, str, float]]:
    query = _first(record, QUERY)
    document, documents = _first(record, DOCUMENT), _first(record, DOCUMENTS)
    if query is not None and document is not None:
        score = _first(record, SCORE)
        yield _id(query, line), _id(document, line), _score(1 if score is None else score, line)
    elif query is not None and documents is not None:
        yield from _scored(_id(query, line), documents, line)
    elif query is None and document is None:
        for name, values in record.items():
            yield from _scored(name, values, line)
    else:
        raise InputError(
            f"line {line} names no query with a document; write "
            '{"query-id": .., "corpus-id": .., "score": 1} or {"query-id": .., "corpus-ids": [..]}'
        )


def _scored(query: str, documents: object, line: int) -> Iterator[tuple[str, str, float]]:
    """Documents as a list (all relevant) or an object from document to score."""
    if isinstance(documents, list):
        yield from ((query, _id(document, line), 1.0) for document in documents)
    elif isinstance(documents, dict):
        yield from ((query, name, _score(score, line)) for name, score in documents.items())
    else:
        raise InputError(f"line {line}: the documents of query {query!r} must be a list")


def _first(record: dict[str, Any], names: tuple[str, ...]) -> Any:
    return next((record[name] for name in names if name in record), None)


def _id(value: object, line: int) -> str:
    if not isinstance(value, str | int) or isinstance(value, bool):
        raise InputError(f"line {line}: {str(value)[:40]!r} is not an id (a text or an integer)")
    return str(value)


def _score(value: object, line: int) -> float:
    if not isinstance(value, int | float):
        raise InputError(f"line {line}: the score {str(value)[:40]!r} is not a number")
    try:
        return float(value)
    except OverflowError:
        raise InputError(f"line {line}: the score is too large to be a number") from None
