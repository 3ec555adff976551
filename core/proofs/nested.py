"""Proofs within proofs."""

from __future__ import annotations

from typing import Any, Literal

from samapprox.errors import InputError
from samapprox.proofs.base import Obstruction, Proof, Witness
from samapprox.proofs.documents import Part
from samapprox.proofs.known_kinds import read_proof
from samapprox.proofs.members import Member, Schema

__all__ = ["Nested"]


class Nested(Member):
    """A member that is a proof for another pattern.

    Parameters
    ----------
    name : str
    answer : {"YES", "NO"}
        The answer that it must prove.

    Examples
    --------
    >>> from samapprox.proofs import Radon
    >>> Nested("proof").validate(Radon([0, 1, 2], [0, 1, 2]))
    Traceback (most recent call last):
    ...
    samapprox.errors.InputError: proof must be a proof of YES
    """

    def __init__(self, name: str, answer: Literal["YES", "NO"] = "YES") -> None:
        super().__init__(name)
        self.answer = answer

    def read(self, part: Part) -> Any:
        return read_proof(part.proof(self.name))

    def validate(self, value: Any) -> Proof:
        if not isinstance(value, Witness if self.answer == "YES" else Obstruction):
            raise InputError(f"{self.name} must be a proof of {self.answer}")
        return value

    def write(self, value: Proof) -> Any:
        return value.to_json()

    def schema(self) -> Schema:
        return {"$ref": "urn:samapprox:proof:1"}
