"""Proofs within proofs."""

from __future__ import annotations

from typing import Any

from samapprox.errors import InputError
from samapprox.proofs.base import Witness
from samapprox.proofs.documents import Part
from samapprox.proofs.known_kinds import read_proof
from samapprox.proofs.members import Member, Schema

__all__ = ["Nested"]


class Nested(Member):
    """A member that is a proof of YES for a smaller pattern.

    Parameters
    ----------
    name : str

    Examples
    --------
    >>> from samapprox.proofs import Radon
    >>> Nested("proof").validate(Radon([0, 1, 2], [0, 1, 2]))
    Traceback (most recent call last):
    ...
    samapprox.errors.InputError: proof must be a proof of YES
    """

    def read(self, part: Part) -> Any:
        return read_proof(part.proof(self.name))

    def validate(self, value: Any) -> Witness:
        if not isinstance(value, Witness):
            raise InputError(f"{self.name} must be a proof of YES")
        return value

    def write(self, value: Witness) -> Any:
        return value.to_json()

    def schema(self) -> Schema:
        return {"$ref": "urn:samapprox:proof:1"}
