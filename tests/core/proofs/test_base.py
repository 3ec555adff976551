"""Records keep each value under the name of its own member."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator
from importlib import import_module

from samapprox.proofs import KNOWN_KINDS
from samapprox.proofs.base import Record


def records(parent: type[Record]) -> Iterator[type[Record]]:
    for child in parent.__subclasses__():
        yield child
        yield from records(child)


def filled(record: type[Record]) -> list[str]:
    """The values that the class's own constructor hands over, in their order; empty without any."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(record)))
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    found = [call for call in calls if ast.unparse(call.func) == "self._fill"]
    return [ast.unparse(value) for call in found for value in call.args]


def test_constructors_fill_the_members_in_their_order() -> None:
    for kind in KNOWN_KINDS.values():
        import_module(kind.module)
    own = [one for one in records(Record) if one.__module__.startswith("samapprox.")]
    given = {record: values for record in own if (values := filled(record))}
    for record, values in given.items():
        for member, value in zip(record.MEMBERS, values, strict=True):
            name = member.name
            assert re.match(rf"{name}\b|d_hid if {name} is None", value), (record, name)
    assert len(given) > 40
