"""JSON documents: their declarations, from which text and JSON Schema follow, and their reading.

The functions make JSON Schemas of values; `about` is the description that users read. Integers have
at most as many digits as Python reads and writes.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from samapprox.errors import InputError
from samapprox.version import __version__

Schema = dict[str, Any]
Members = Mapping[str, Schema]

_DRAFT = "https://json-schema.org/draft/2020-12/schema"


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


@dataclass(frozen=True, slots=True)
class Document:
    """The members of a document in order, those that every command's document begins with apart.

    `optional` members may be left out.

    >>> fruit = Document("fruit", "What a tree bears.", {"kind": text(), "count": whole(1)})
    >>> fruit.write(count=2, kind="pear")["format"], list(fruit.schema()["properties"])
    ('samapprox-fruit', ['format', 'version', 'samapprox', 'kind', 'count'])
    """

    name: str
    about: str
    members: Members
    optional: Sequence[str] = ()
    version: int = 1

    def schema(self) -> Schema:
        """Return the JSON Schema."""
        first = {
            "format": constant(f"samapprox-{self.name}"),
            "version": constant(self.version),
            "samapprox": text("The version that wrote it."),
        }
        return {
            **head(self.name, self.version),
            **record(self.about, self.optional, **first, **self.members),
        }

    def write(self, source: object = None, /, **given: Any) -> dict[str, Any]:
        """Return the document: see `write`."""
        return {
            **document_head(self.name, self.version),
            **write(self.members, source, self.optional, **given),
        }


def head(name: str, version: int = 1) -> Schema:
    """Return the keywords that name a schema and its dialect."""
    return {
        "$schema": _DRAFT,
        "$id": f"urn:samapprox:{name}:{version}",
        "title": f"samapprox {name.replace('-', ' ')}, version {version}",
    }


def write(
    members: Members, source: object = None, /, optional: Sequence[str] = (), **given: Any
) -> dict[str, Any]:
    """Return a JSON object with these members, each given or else an attribute of the source.

    Values with a method `to_json` are written by it. Optional members are left out unless given.

    >>> write({"real": number(), "imag": number(None)}, 2j, real=1.0)
    {'real': 1.0, 'imag': 2.0}
    """
    assert given.keys() <= members.keys(), given.keys() - members.keys()
    found: dict[str, Any] = {}
    for name in members:
        value = given.get(name) if name in given or name in optional else getattr(source, name)
        if value is not None or name not in optional:
            found[name] = _convert(value)
    return found


def _convert(value: Any) -> Any:
    """Convert a value to JSON; lists are ready, tuples hold results."""
    if isinstance(value, tuple):
        return [_convert(part) for part in value]
    return value.to_json() if hasattr(value, "to_json") else value


# ---------------------------------------------------------------- values


def whole(least: int | None = 0, about: str = "", *, most: int | None = None) -> Schema:
    """Describe a whole number; None means no limit.

    >>> whole(1)
    {'type': 'integer', 'minimum': 1}
    """
    return _describe(about, type="integer", minimum=least, maximum=most)


def number(
    least: float | None = 0,
    about: str = "",
    *,
    most: float | None = None,
    above: float | None = None,
    below: float | None = None,
) -> Schema:
    """Describe a number; `above` and `below` are limits that it does not reach.

    >>> number(), number(above=0)
    ({'type': 'number', 'minimum': 0}, {'type': 'number', 'exclusiveMinimum': 0})
    """
    if above is not None:
        least = None
    limits = {"minimum": least, "exclusiveMinimum": above}
    limits |= {"maximum": most, "exclusiveMaximum": below}
    return _describe(about, type="number", **limits)


def text(about: str = "", pattern: str | None = None) -> Schema:
    """Describe a string, which may have to match a pattern."""
    return _describe(about, type="string", pattern=pattern)


def flag(about: str = "") -> Schema:
    """Describe true or false."""
    return _describe(about, type="boolean")


def constant(value: str | int, about: str = "") -> Schema:
    """Describe a value that is always the same."""
    return _describe(about, const=value)


def choice(*values: str | int | None, about: str = "") -> Schema:
    """Describe one of a few values."""
    return _describe(about, enum=list(values))


def listed(
    items: Schema,
    about: str = "",
    *,
    least: int | None = None,
    most: int | None = None,
    count: int | None = None,
) -> Schema:
    """Describe a list, whose length has limits or is fixed.

    >>> listed(flag(), count=2)
    {'type': 'array', 'items': {'type': 'boolean'}, 'minItems': 2, 'maxItems': 2}
    """
    if count is not None:
        least = most = count
    return _describe(about, type="array", items=items, minItems=least, maxItems=most)


def indices(about: str = "", *, least: int | None = None, count: int | None = None) -> Schema:
    """Describe a list of whole numbers from 0 on, as those of tokens, rows and columns."""
    return listed(whole(0), about, least=least, count=count)


def mapping(values: Schema, about: str = "", *, names: Sequence[str] | None = None) -> Schema:
    """Describe an object whose members all have the same kind of value, and any names or some."""
    known = None if names is None else choice(*names)
    return _describe(about, type="object", propertyNames=known, additionalProperties=values)


def record(about: str = "", optional: Sequence[str] = (), /, **members: Schema) -> Schema:
    """Describe an object with these members and no others.

    >>> record("", ["b"], a=flag(), b=flag())["required"]
    ['a']
    """
    required = [name for name in members if name not in optional]
    closed = {"required": required, "additionalProperties": False}
    return _describe(about, type="object", properties=members, **closed)


def reference(name: str, about: str = "", *, part: str = "") -> Schema:
    """Refer to another document, or to a part of its schema."""
    return _describe(about) | {"$ref": f"urn:samapprox:{name}:1{part}"}


def one_of(*schemas: Schema, about: str = "") -> Schema:
    """Describe a value that has exactly one of several forms."""
    return _describe(about, oneOf=list(schemas))


def nullable(schema: Schema) -> Schema:
    """Describe null or a value.

    >>> nullable(text())
    {'type': ['string', 'null']}
    """
    if "enum" in schema:
        return schema | {"enum": [*schema["enum"], None]}
    if "type" in schema:
        return schema | {"type": [schema["type"], "null"]}
    forms = schema.get("oneOf") or [{"$ref": schema["$ref"]}]
    return one_of({"type": "null"}, *forms, about=schema.get("description", ""))


def _describe(about: str, **keywords: Any) -> Schema:
    """Put a description before the keywords that are not None."""
    described = {"description": about} if about else {}
    return described | {name: value for name, value in keywords.items() if value is not None}
