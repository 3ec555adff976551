"""Docstrings of the API reference: numpydoc finds no parameter without a text, and no other gap.

numpydoc comes with the extra `docs`; where it is missing, these tests are skipped, and `.ci/run`
runs them once it has installed the extra.
"""

from __future__ import annotations

import sys
from importlib import import_module
from inspect import isfunction

import pytest
from helpers.paths import ROOT

validate = pytest.importorskip("numpydoc.validate")

sys.path.append(str(ROOT / "docs" / "_extensions"))
from public_names import PACKAGES, public_modules, public_names  # noqa: E402

NAMES = [
    name
    for package in PACKAGES
    for module in public_modules(package)
    for name in public_names(module)
]

ASKED = {
    "GL08": "there is no docstring",
    "SS01": "there is no summary",
    "PR07": "a parameter has no text",
}
"""The checks of numpydoc that every public docstring passes."""

ASKED_OF_FUNCTIONS = {
    "PR01": "a parameter is missing",
    "RT01": "the result is missing, whose type signatures on the site leave out",
    "RT03": "the result has no text",
    "YD01": "what is yielded is missing",
    "YD03": "what is yielded has no text",
}
"""The further checks that docstrings of functions pass: classes describe attributes instead."""


def test_there_are_names() -> None:
    assert len(NAMES) > 150


@pytest.mark.parametrize("name", NAMES)
def test_a_public_docstring_is_complete(name: str) -> None:
    parent, _, last = name.rpartition(".")
    thing = getattr(import_module(parent), last)
    if not (isinstance(thing, type) or callable(thing)):
        return  # a table or a number, which numpydoc cannot look at
    home = f"{thing.__module__}.{thing.__qualname__}"
    errors = validate.validate(home)["errors"]
    asked = ASKED | ASKED_OF_FUNCTIONS if isfunction(thing) else ASKED
    assert [text for code, text in errors if code in asked] == []
