"""The published JSON Schemas."""

from __future__ import annotations

import json
from importlib.resources import files

from jsonschema import Draft202012Validator

__all__ = ["schema"]


def schema(name: str) -> Draft202012Validator:
    """A validator of the documents of this name."""
    document = json.loads((files("samapprox") / "schemas" / f"{name}.schema.json").read_text())
    Draft202012Validator.check_schema(document)
    return Draft202012Validator(document)
