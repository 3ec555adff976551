"""The evidence for a listed result: its pattern, and its proofs in words and as pictures."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from samapprox.batch.results.store import Evidence
from samapprox.errors import InputError
from samapprox.pattern import Pattern
from samapprox.proofs.base import Obstruction
from samapprox.proofs.certificate import Certificate
from samapprox.storage import PackedMatrix
from samapprox.storage.sparse import SparseMatrix

if TYPE_CHECKING:
    from matplotlib.figure import Figure


_MOST_STORED = 1 << 19  # rows, ones and don't-cares
_MOST_CHARACTERS = 1 << 20  # characters of the longest certificate that is shown


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
    return text if len(text) <= _MOST_CHARACTERS else None


_MOST_CELLS = 1 << 14  # cells of the largest pattern that the page draws itself
_MOST_STEPS = 12
_LONGEST = 4000  # letters of one proof in words


def detail(evidence: Evidence, *, pictures: bool) -> dict[str, Any]:
    """Return the details of a result as a JSON object.

    Its members: ``pattern``, with entries if it is small; ``source``, a larger pattern as JSON;
    ``proofs``, each with words, core, picture and certificate; ``trail``, lines of text. Whatever
    is too large is null. Every proof is checked again, exactly: a page shows no proof that fails.
    """
    pattern = evidence.pattern
    proofs = [
        _proof(pattern, certificate, pictures=pictures) for certificate in evidence.certificates
    ]
    entries = None if pattern is None else _entries(pattern)
    drawn = entries is None or entries["entries"] is not None
    return {
        "pattern": entries,
        "source": None if pattern is None or drawn else pattern_source(pattern),
        "proofs": proofs,
        "trail": _trail(evidence),
    }


def _entries(pattern: Pattern) -> dict[str, Any]:
    rows, columns = pattern.shape
    small = rows * columns <= _MOST_CELLS
    text = pattern.to_text().replace("\n", "") if small else None
    return {"rows": rows, "columns": columns, "entries": text}


def _proof(pattern: Pattern | None, certificate: Certificate, *, pictures: bool) -> dict[str, Any]:
    asked = ", ".join(f"{name} = {value}" for name, value in certificate.terms.items() if value)
    shown: dict[str, Any] = {
        "title": f"{certificate.answer} for {asked}",
        "words": f"The pattern was too large to store; the certificate ({asked}) is in the file.",
        "rows": [],
        "columns": [],
        "picture": None,
        "certificate": None,
    }
    if pattern is None:
        return shown
    shown["certificate"] = certificate_source(certificate)
    holds = certificate.verify(pattern)
    if not holds:
        return {**shown, "title": "NOT VALID", "words": holds.reason}
    proof, question = certificate.proof, certificate.ask(pattern)
    shown["title"] = question.claim(certificate.answer)
    words = "\n".join(proof.explain(question))
    cut = len(words) > _LONGEST
    shown["words"] = words[:_LONGEST] + ("\n.." if cut else "")
    if isinstance(proof, Obstruction):
        shown["rows"], shown["columns"] = list(proof.rows), list(proof.columns)
    if pictures:
        shown["picture"] = _picture(pattern, certificate, shown["title"])
    return shown


def _picture(pattern: Pattern, certificate: Certificate, title: str) -> str | None:
    """A data address of the picture; None if the proof has none."""
    from samapprox.pictures import draw, has_picture

    if not has_picture(certificate.proof):
        return None
    return picture_of(lambda: draw(pattern, certificate.proof, title=title))


def picture_of(make: Callable[[], Figure]) -> str | None:
    """Return the data address of a figure; None if it cannot be drawn."""
    from samapprox.pictures import svg

    try:
        drawn = svg(make())
    except InputError:
        return None
    return "data:image/svg+xml;base64," + base64.b64encode(drawn.encode()).decode()


def _trail(evidence: Evidence) -> list[str]:
    """The reports of the strategies; only the last ones if there are many."""
    lines = [
        f"{'' if d is None else f'd = {d}, '}{step.strategy} ({step.seconds:.2f} s): {step.outcome}"
        for d, step in evidence.trail
    ]
    left = len(lines) - _MOST_STEPS
    return lines if left <= 0 else [f"({left} earlier steps left out)", *lines[-_MOST_STEPS:]]
