"""JSON Schemas of all written documents, each self-contained.

A schema may refer to another one by its ``urn``. All schemas follow from declarations: of kinds of
proof, of questions, of results beside their classes, and, in this folder, of other documents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from samapprox.support.documents import (
    Schema,
    choice,
    constant,
    head,
    record,
    reference,
    text,
    whole,
)
from samapprox.support.packages import lazy_modules, look_up, require_name

__all__ = ["load", "names"]

__getattr__, __dir__ = lazy_modules(__name__)

_PREFIX = "urn:samapprox:"


def names() -> list[str]:
    """Return the names of all schemas.

    Returns
    -------
    list of str
        In alphabetical order.

    Examples
    --------
    >>> names()[:3]
    ['approximation', 'batch', 'certificate']
    """
    return sorted([*_ASSEMBLED, *_DOCUMENTS])


def load(name: str) -> Schema:
    """Load a schema; its ``$defs`` include everything that it refers to.

    Parameters
    ----------
    name : str
        One of `names`.

    Returns
    -------
    dict
        A JSON Schema (draft 2020-12) that needs no other document.

    Raises
    ------
    InputError
        There is no such schema.

    Examples
    --------
    >>> schema = load("certificate")
    >>> schema["properties"]["proof"], list(schema["$defs"])
    ({'$ref': 'urn:samapprox:proof:1'}, ['proof'])
    """
    require_name("schema", name, names())
    schema = _read(name)
    others: dict[str, Schema] = {}
    waiting = [schema]
    while waiting:
        for other in _references(waiting.pop()):
            if other != name and other not in others:
                others[other] = _read(other)
                waiting.append(others[other])
    if not others:
        return schema
    return schema | {"$defs": schema.get("$defs", {}) | others}


def _read(name: str) -> Schema:
    """Make one schema, without those that it refers to."""
    if name in _ASSEMBLED:
        return _ASSEMBLED[name]()
    found: Schema = look_up(name, _DOCUMENTS, "document").schema()
    return found


def _references(value: object) -> Iterator[str]:
    """Yield the names of the schemas that a part of one refers to."""
    if isinstance(value, list):
        for part in value:
            yield from _references(part)
    elif isinstance(value, dict):
        target = value.get("$ref")
        if isinstance(target, str) and target.startswith(_PREFIX):
            yield target.removeprefix(_PREFIX).rpartition(":")[0]
        for part in value.values():
            yield from _references(part)


def _assemble_proof() -> Schema:
    """Return the schema of a proof: one of the known kinds."""
    from samapprox.proofs import load_kinds

    return {
        **head("proof"),
        "description": "A proof of YES or NO. Indices are 0-based.",
        "oneOf": [kind.schema() for kind in load_kinds()],
    }


def _assemble_certificate() -> Schema:
    """Return the schema of a certificate: a proof, and one of the known questions."""
    from samapprox.proofs.questions import schema_of_questions

    about = "A proof of YES or NO for one pattern, bound to it by its fingerprint."
    return {
        **head("certificate"),
        **record(
            f"{about} Indices are 0-based.",
            format=constant("samapprox-certificate"),
            version=constant(1),
            pattern=record(rows=whole(1), columns=whole(1), sha256=text(pattern="^[0-9a-f]{64}$")),
            problem=schema_of_questions(),
            answer=choice("YES", "NO"),
            proof=reference("proof"),
        ),
    }


_ASSEMBLED: dict[str, Callable[[], Schema]] = {
    "certificate": _assemble_certificate,
    "proof": _assemble_proof,
}
"""Schemas that follow from the declarations of kinds of proof and of questions."""

_HERE, _RESULTS = "samapprox.schemas", "samapprox.results"
_DOCUMENTS = {
    "approximation": f"{_HERE}.approximations:APPROXIMATION",
    "batch": "samapprox.batch.summary:DOCUMENT",
    "cot": f"{_HERE}.chains:COT",
    "cot-bound": f"{_HERE}.chains:COT_BOUND",
    "cot-cost": f"{_HERE}.chains:COT_COST",
    "cot-locality": f"{_HERE}.chains:COT_LOCALITY",
    "cot-replay": f"{_HERE}.chains:COT_REPLAY",
    "cot-run": f"{_HERE}.chains:COT_RUN",
    "dimension": f"{_RESULTS}.documents:DIMENSION",
    "evaluation": f"{_RESULTS}.evaluation:DOCUMENT",
    "evaluations": f"{_HERE}.commands:EVALUATIONS",
    "fit": f"{_RESULTS}.documents:FIT",
    "fit-curve": f"{_RESULTS}.documents:FIT_CURVE",
    "frontier": f"{_HERE}.approximations:FRONTIER",
    "furthest": f"{_HERE}.vectors:FURTHEST",
    "furthest-layers": f"{_HERE}.vectors:FURTHEST_LAYERS",
    "graph-build": f"{_HERE}.graphs:GRAPH_BUILD",
    "graph-check": f"{_HERE}.graphs:GRAPH_CHECK",
    "graph-copy": f"{_HERE}.graphs:GRAPH_COPY",
    "graph-copy-tables": f"{_HERE}.graphs:GRAPH_COPY_TABLES",
    "graph-info": f"{_HERE}.graphs:GRAPH_INFO",
    "heads": "samapprox.batch.heads.answer:DOCUMENT",
    "ids": f"{_HERE}.commands:IDS",
    "margin": f"{_RESULTS}.margins:DOCUMENT",
    "orthogonal": f"{_HERE}.vectors:ORTHOGONAL",
    "pattern_layer": f"{_HERE}.approximations:PATTERN_LAYER",
    "rank": f"{_RESULTS}.matrix_rank:DOCUMENT",
    "run-evaluation": f"{_RESULTS}.run_evaluation:DOCUMENT",
    "run-evaluations": f"{_HERE}.commands:RUN_EVALUATIONS",
    "show": f"{_HERE}.commands:SHOW",
    "truncation": f"{_RESULTS}.truncation:DOCUMENT",
    "verdict": f"{_RESULTS}.documents:VERDICT",
    "verify": f"{_HERE}.commands:VERIFY",
}
"""The declarations of documents that commands print."""
