"""JSON read member by member, with checked types."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from samapprox.errors import InputError

LARGEST = 1 << 40
"""Shapes and dimensions beyond this are nonsense; entries of proofs may be of any size."""

_DEEPEST = 2
"""Lists in lists: rows of a matrix, or literals of a clause."""

_DEEPEST_PROOF = 8
"""Proofs in proofs: honest ones have four at most."""


class Part:
    """A JSON object whose members are read by name and type.

    `name`: the object in an error message. `depth`: in how many proofs it lies.
    """

    def __init__(self, value: object, name: str, depth: int = 0) -> None:
        if not isinstance(value, dict):
            raise InputError(f"{name} must be a JSON object")
        self._value = value
        self._name = name
        self._depth = depth

    def part(self, key: str) -> Part:
        """Return a member that is an object itself."""
        return Part(self._member(key), f"{key!r}", self._depth)

    def parts(self, key: str, name: str) -> list[Part]:
        """Return a member that is a list of objects, each of which messages call by the name."""
        return [Part(value, name, self._depth) for value in self.get(key, list)]

    def proof(self, key: str) -> Part:
        """Return a member that is a proof, one deeper than this object. Too many are refused."""
        if self._depth == _DEEPEST_PROOF:
            raise InputError(f"more than {_DEEPEST_PROOF} proofs lie in one another")
        return Part(self._member(key), f"{key!r}", self._depth + 1)

    def flag(self, key: str) -> bool:
        """Return a member that is true or false."""
        value = self._member(key)
        if not isinstance(value, bool):
            raise InputError(f"{key!r} in {self._name} must be true or false")
        return value

    def is_flag(self, key: str) -> bool:
        """Return whether a member is true or false."""
        return isinstance(self._member(key), bool)

    def numbers(self, key: str) -> list[Any]:
        """Return a member that is a list of numbers, or of lists of numbers.

        Text is refused at once: as an array it takes as much room for each entry as the longest
        one needs.
        """
        values: list[Any] = self.get(key, list)
        for value in values:
            for number in value if isinstance(value, list) else (value,):
                if not isinstance(number, int | float):
                    raise InputError(f"{key!r} in {self._name} holds other things than numbers")
        return values

    def get(self, key: str, kind: type | tuple[type, ...]) -> Any:
        """Return a member of a type; never true or false, nor a list that holds them."""
        value = self._member(key)
        if not isinstance(value, kind) or isinstance(value, bool):
            raise InputError(f"{key!r} in {self._name} has the wrong type")
        if isinstance(value, int) and abs(value) > LARGEST:
            raise InputError(f"{key!r} in {self._name} is beyond {LARGEST}")
        if isinstance(value, list):
            self._refuse_truth(key, value, _DEEPEST)
        return value

    def has(self, key: str) -> bool:
        """Return whether there is such a member."""
        return key in self._value

    def refuse_others(self, keys: Collection[str]) -> None:
        """Refuse members that have other names."""
        others = sorted(key for key in self._value if key not in keys)
        if others:
            raise InputError(
                f"{self._name} has members that do not belong there: {others[0][:40]!r}"
            )

    def _refuse_truth(self, key: str, values: list[Any], depth: int) -> None:
        """Refuse true and false, which Python takes for 1 and 0, and lists nested too deeply."""
        for value in values:
            if isinstance(value, bool):
                raise InputError(f"{key!r} in {self._name} holds true or false, not numbers")
            if isinstance(value, list):
                if depth == 1:
                    raise InputError(f"{key!r} in {self._name} holds lists nested too deeply")
                self._refuse_truth(key, value, depth - 1)

    def _member(self, key: str) -> object:
        if key not in self._value:
            raise InputError(f"{self._name} has no {key!r}")
        return self._value[key]
