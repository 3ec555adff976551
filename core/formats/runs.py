"""Runs of retrieval systems as TREC writes them: query, Q0, document, rank, score, name."""

from __future__ import annotations

import math
from dataclasses import dataclass

from samapprox.errors import InputError, abridge
from samapprox.formats.files import Source, errors_of_file, open_source, source_name, unpack
from samapprox.formats.judgement_lines import read_lines
from samapprox.support.text import plural

_FIELDS = 6


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """The scores of documents for queries: query -> document -> score, and where they are from."""

    source: str
    scores: dict[str, dict[str, float]]


def load_run(source: Source) -> Run:
    r"""Read a run, which may be compressed with gzip. Ranks are ignored: scores give the order.

    Raises InputError: another number of fields, a score that is no finite number, or a document
    that a query has twice; names the line.

    >>> import io
    >>> load_run(io.BytesIO(b"q1 Q0 a 1 2.5 mine\nq1 Q0 b 2 1 mine\n")).scores
    {'q1': {'a': 2.5, 'b': 1.0}}
    """
    scores: dict[str, dict[str, float]] = {}
    with open_source(source) as raw, errors_of_file(name := source_name(source)):
        for first, text in read_lines(unpack(raw, name)):
            for number, line in enumerate(text.split("\n"), start=first):
                if fields := line.split():
                    query, document, score = _read_fields(fields, number)
                    found = scores.setdefault(query, {})
                    if document in found:
                        raise InputError(
                            f"line {number}: query {query!r} has the document {document!r} twice"
                        )
                    found[document] = score
        if not scores:
            raise InputError("the run is empty")
    return Run(name, scores)


def _read_fields(fields: list[str], number: int) -> tuple[str, str, float]:
    """Return query, document and score of a line."""
    if len(fields) != _FIELDS:
        raise InputError(
            f"line {number} has {plural(len(fields), 'field')}; TREC runs have 6: query, Q0, "
            "document, rank, score, name"
        )
    try:
        score = float(fields[4])
    except ValueError:
        score = math.nan
    if not math.isfinite(score):
        raise InputError(f"line {number}: the score {abridge(fields[4])} is not a finite number")
    return fields[0], fields[2], score
