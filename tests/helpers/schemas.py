"""The published JSON Schemas."""

from __future__ import annotations

from jsonschema import Draft202012Validator

from samapprox import schemas

__all__ = ["schema"]


def schema(name: str) -> Draft202012Validator:
    """A validator of the documents of this name."""
    document = schemas.load(name)
    Draft202012Validator.check_schema(document)
    return Draft202012Validator(document)
