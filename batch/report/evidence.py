"""The evidence for a listed result: its pattern, and its proofs in words and as pictures."""

from __future__ import annotations

import base64
from typing import Any

from samapprox.batch.report.sources import certificate_source, pattern_source
from samapprox.batch.results.store import Evidence
from samapprox.errors import InputError
from samapprox.pattern import Pattern
from samapprox.proofs.base import Obstruction
from samapprox.proofs.certificate import Certificate

__all__ = ["detail"]

_MOST_CELLS = 1 << 14  # of patterns that the page draws itself
_MOST_STEPS = 12
_LONGEST = 4000  # letters of one proof in words


def detail(evidence: Evidence, *, pictures: bool) -> dict[str, Any]:
    """Return the details of a result as a JSON object.

    Parameters
    ----------
    evidence : Evidence
    pictures : bool
        Whether to draw the proofs, too.

    Returns
    -------
    dict
        ``pattern``: rows, columns and the entries as a text of 0, 1, *, or null where it is large;
        ``source``: such a pattern as JSON, or null if it is too large even for that, or small;
        ``proofs``: each with ``title``, ``words``, ``rows`` and ``columns`` of its core,
        ``picture`` (a data address or null) and ``certificate`` (JSON as a text, or null if it is
        large); ``trail``: lines of text.

    Notes
    -----
    Every proof is checked again, exactly: a page shows no proof that fails.
    """
    pattern = evidence.pattern
    proofs = [
        _proof(pattern, certificate, pictures=pictures)
        for certificate in (evidence.no, evidence.yes)
        if certificate is not None
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
    from samapprox.pictures import draw, has_picture, svg

    if not has_picture(certificate.proof):
        return None
    try:
        drawn = svg(draw(pattern, certificate.proof, title=title))
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
