"""Judgements as BEIR writes them: query-id, corpus-id and score between tabs, with a head line."""

from __future__ import annotations

from typing import BinaryIO

from samapprox.errors import InputError
from samapprox.formats.judgements import Judgements
from samapprox.formats.text import decode_text, refuse_key
from samapprox.instance import Instance

__all__ = ["collect", "read"]


def collect(stream: BinaryIO, key: str | None) -> Judgements:
    """Read BEIR's tsv; its head line may be missing.

    Raises
    ------
    InputError
        Names the line.
    """
    refuse_key(key)
    judgements = Judgements()
    for number, line in enumerate(decode_text(stream).splitlines(), start=1):
        fields = [field.strip() for field in line.split("\t")]
        if not line.strip() or (number == 1 and fields[0] == "query-id"):
            continue
        if len(fields) != 3:
            raise InputError(
                f"line {number} has {len(fields)} fields between tabs; judgements of BEIR have 3: "
                "query-id, corpus-id, score"
            )
        query, document, relevance = fields
        try:
            score = float(relevance)
        except ValueError:
            raise InputError(f"line {number}: score {relevance!r} is not a number") from None
        judgements.add(query, document, score, number)
    return judgements


def read(stream: BinaryIO, key: str | None) -> Instance:
    """The pattern of what `collect` reads."""
    return collect(stream, key).instance()
