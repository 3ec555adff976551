"""The published JSON Schemas."""

from __future__ import annotations

from functools import cache
from typing import Any

from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from samapprox import schemas

__all__ = ["assert_tight", "schema", "validator_of"]


@cache
def schema(name: str) -> Draft202012Validator:
    """A validator of documents of this name; tests/cli/exchange/test_schema.py checks them all."""
    return validator_of(schemas.load(name))


def validator_of(document: dict[str, Any]) -> Draft202012Validator:
    """A validator that knows where the parts of a schema are; else each reference seeks them."""
    parts = (Resource.from_contents(document) @ Registry[Any]()).crawl()
    return Draft202012Validator(document, registry=parts)


def assert_tight(validator: Draft202012Validator, document: dict[str, Any]) -> None:
    """Require that a document fits, and none with a member missing, added or of another type."""
    validator.validate(document)
    assert not validator.is_valid({**document, "more": 1})
    for name in document:
        assert not validator.is_valid({key: document[key] for key in document if key != name})
        assert not validator.is_valid({**document, name: {"not": "this"}})
