"""Patterns and certificates as texts, for the second checker in the page."""

from __future__ import annotations

import json
from itertools import accumulate, pairwise

import numpy as np

from samapprox.pattern import Pattern
from samapprox.proofs.certificate import Certificate
from samapprox.storage.packed import PackedMatrix
from samapprox.storage.sparse import SparseMatrix

__all__ = ["certificate_source", "pattern_source"]

_MOST_STORED = 1 << 19  # rows, ones and don't-cares
_LONGEST = 1 << 20  # characters of a certificate


def pattern_source(pattern: Pattern) -> str | None:
    """Return the pattern as JSON in the form of docs/theory/checks.md; None if it is large."""
    rows, columns = pattern.shape
    unspecified = rows * columns - int(pattern.row_ones.sum()) - int(pattern.row_zeros.sum())
    if rows + pattern.count + unspecified > _MOST_STORED:
        return None
    document = {"rows": rows, "columns": columns, "ones": _columns_of_rows(pattern.ones)}
    if pattern.unspecified is not None:
        document["unspecified"] = _columns_of_rows(pattern.unspecified)
    return json.dumps(document, separators=(",", ":"))


def _columns_of_rows(entries: PackedMatrix | SparseMatrix) -> list[list[int]]:
    indices = np.concatenate(list(entries.indices())).tolist()
    ends = accumulate(entries.row_counts.tolist(), initial=0)
    return [indices[start:stop] for start, stop in pairwise(ends)]


def certificate_source(certificate: Certificate) -> str | None:
    """Return the certificate as JSON; None if it is large."""
    text = json.dumps(certificate.to_json(), separators=(",", ":"))
    return text if len(text) <= _LONGEST else None
