"""Judgements as TREC writes them: query, iteration, document, relevance, between blanks."""

from __future__ import annotations

from typing import BinaryIO

from samapprox.errors import InputError
from samapprox.formats.judgements import Judgements
from samapprox.formats.text import decode_text, refuse_key
from samapprox.instance import Instance

__all__ = ["collect", "read"]


def collect(stream: BinaryIO, key: str | None) -> Judgements:
    """Read TREC qrels; the iteration is ignored, as TREC does.

    Raises
    ------
    InputError
        Names the line.
    """
    refuse_key(key)
    judgements = Judgements()
    for number, line in enumerate(decode_text(stream).splitlines(), start=1):
        fields = line.split()
        if not fields:
            continue
        if len(fields) != 4:
            raise InputError(
                f"line {number} has {len(fields)} fields; TREC qrels have 4: query, iteration, "
                "document, relevance"
            )
        query, _, document, relevance = fields
        try:
            score = float(relevance)
        except ValueError:
            raise InputError(f"line {number}: relevance {relevance!r} is not a number") from None
        judgements.add(query, document, score, number)
    return judgements


def read(stream: BinaryIO, key: str | None) -> Instance:
    """The pattern of what `collect` reads."""
    return collect(stream, key).instance()
