"""Judgements as TREC writes them: query, iteration, document, grade, between blanks."""

from __future__ import annotations

from typing import BinaryIO

from samapprox.formats.judgement_lines import Layout, collect_fields
from samapprox.formats.judgements import Judgements
from samapprox.formats.text import refuse_key

_LAYOUT = Layout(
    separator=None,
    count=4,
    rule="TREC qrels have 4: query, iteration, document, grade",
    query=0,
    document=2,
    grade=3,
)


def collect(stream: BinaryIO, key: str | None) -> Judgements:
    """Read TREC qrels; the iteration is ignored, as TREC does.

    Raises InputError: names the line.
    """
    refuse_key(key)
    return collect_fields(stream, _LAYOUT)
