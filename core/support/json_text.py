"""JSON documents: their head, and their text within Python's limit on the digits of integers."""

from __future__ import annotations

import json
import sys
from typing import Any

from samapprox.errors import InputError
from samapprox.version import __version__

__all__ = [
    "document_head",
    "dump_json",
    "parse_json",
]


def document_head(kind: str, version: int = 1) -> dict[str, Any]:
    """Return the members that name the kind and the writer: see `samapprox schema KIND`.

    `kind`: without the leading ``samapprox-``. `version`: of the schema.

    >>> sorted(document_head("frontier"))
    ['format', 'samapprox', 'version']
    """
    return {"format": f"samapprox-{kind}", "version": version, "samapprox": __version__}


def dump_json(document: object) -> str:
    """Write a document as one line of JSON.

    Raises InputError: an integer has more digits than Python writes and reads, by default 4,300.
    """
    try:
        return json.dumps(document)
    except ValueError:
        raise _too_long() from None


def parse_json(text: str) -> Any:
    """Parse a JSON text.

    Raises InputError: an integer has more digits than Python reads, by default 4,300: the time that
    it takes grows with their square. Or an object repeats a member, so that readers which keep the
    first one and readers which keep the last one would read different documents. Raises
    json.JSONDecodeError: the text is not JSON.

    >>> parse_json('{"d": 2}')
    {'d': 2}
    """
    try:
        return json.loads(text, object_pairs_hook=_object_of)
    except (json.JSONDecodeError, InputError):
        raise
    except ValueError:
        raise _too_long() from None


def _object_of(members: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object that has these members, which must have different names."""
    found: dict[str, Any] = {}
    for name, value in members:
        if name in found:
            raise InputError(f"an object has the member {name[:40]!r} more than once")
        found[name] = value
    return found


def _too_long() -> InputError:
    return InputError(
        f"a number has more than {sys.get_int_max_str_digits()} digits, the most that Python reads "
        "and writes; the environment variable PYTHONINTMAXSTRDIGITS raises the limit"
    )
