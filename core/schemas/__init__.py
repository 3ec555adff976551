"""JSON Schemas of all written documents, each self-contained.

A schema may refer to another one by its ``urn``. The schemas of certificates and of proofs follow
from what the kinds of proof and the questions declare. The others describe results of commands,
whose members are declared nowhere else; they are files.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from importlib.resources import files
from typing import Any

from samapprox.support.lazy import lazy_modules
from samapprox.support.lookup import unknown_name

__all__ = ["load", "names"]

__getattr__, __dir__ = lazy_modules(__name__)

Schema = dict[str, Any]

_DRAFT = "https://json-schema.org/draft/2020-12/schema"
_ENDING = ".schema.json"
_PREFIX = "urn:samapprox:"


def names() -> list[str]:
    """Return the names of all schemas.

    Examples
    --------
    >>> names()[:3]
    ['approximation', 'batch', 'certificate']
    """
    found = (entry.name for entry in files(__name__).iterdir())
    return sorted(
        [*(name.removesuffix(_ENDING) for name in found if name.endswith(_ENDING)), *_ASSEMBLED]
    )


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
    if name not in names():
        raise unknown_name("schema", name, names())
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
    """Read one schema file."""
    if name in _ASSEMBLED:
        return _ASSEMBLED[name]()
    found: Schema = json.loads((files(__name__) / f"{name}{_ENDING}").read_text("utf-8"))
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
    from samapprox.proofs.known_kinds import load_kinds

    return {
        **_head("proof"),
        "description": "A proof of YES or NO. Indices are 0-based.",
        "oneOf": [kind.schema() for kind in load_kinds()],
    }


def _assemble_certificate() -> Schema:
    """Return the schema of a certificate: a proof, and one of the known questions."""
    from samapprox.proofs.questions import schema_of_questions

    sha256 = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
    sides: Schema = {name: {"type": "integer", "minimum": 1} for name in ("rows", "columns")}
    about = "A proof of YES or NO for one pattern, bound to it by its fingerprint."
    return {
        **_head("certificate"),
        "description": f"{about} Indices are 0-based.",
        **_object(
            format={"const": "samapprox-certificate"},
            version={"const": 1},
            pattern=_object(**sides, sha256=sha256),
            problem=schema_of_questions(),
            answer={"enum": ["YES", "NO"]},
            proof={"$ref": f"{_PREFIX}proof:1"},
        ),
    }


def _head(name: str) -> Schema:
    title = f"samapprox {name}, version 1"
    return {"$schema": _DRAFT, "$id": f"{_PREFIX}{name}:1", "title": title}


def _object(**properties: Schema) -> Schema:
    """Return the schema of an object with these members, and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


_ASSEMBLED: dict[str, Callable[[], Schema]] = {
    "certificate": _assemble_certificate,
    "proof": _assemble_proof,
}
"""Schemas that follow from the declarations of kinds of proof and of questions."""
