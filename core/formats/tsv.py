"""Judgements as BEIR writes them: query-id, corpus-id and score between tabs, with a head line."""

from __future__ import annotations

from typing import BinaryIO

from samapprox.formats.judgement_lines import Layout, collect_fields
from samapprox.formats.judgements import Judgements
from samapprox.formats.text import refuse_key

_LAYOUT = Layout(
    separator="\t",
    count=3,
    rule="judgements of BEIR have 3 between tabs: query-id, corpus-id, score",
    query=0,
    document=1,
    grade=2,
    head="query-id",
)


def collect(stream: BinaryIO, key: str | None) -> Judgements:
    """Read BEIR's tsv; its head line may be missing.

    Raises InputError: names the line.
    """
    refuse_key(key)
    return collect_fields(stream, _LAYOUT)
