"""Proofs as JSON, and JSON read member by member, each of the type it must have."""

from __future__ import annotations

from typing import Any

from samapprox.errors import InputError
from samapprox.proofs.checker import Proof
from samapprox.proofs.embedding import Embedding, SelfAttention
from samapprox.proofs.final_polynomial import FinalPolynomial, Step
from samapprox.proofs.obstruction import (
    Chirotope,
    Counting,
    Forster,
    Radon,
    SharedChirotope,
    SharedSplit,
    Shattering,
    SignClash,
)

__all__ = ["Part", "proof_from_json", "proof_to_json"]

_LARGEST = 1 << 40
"""Shapes and dimensions beyond this are nonsense; entries of proofs may be of any size."""


def proof_to_json(proof: Proof) -> dict[str, Any]:
    """A proof as JSON; its "kind" says which."""
    match proof:
        case Embedding():
            return {
                "kind": "embedding",
                "queries": proof.queries.tolist(),
                "keys": proof.keys.tolist(),
                "thresholds": proof.thresholds.tolist(),
            }
        case SelfAttention():
            return {
                "kind": "self-attention",
                "X": proof.X.tolist(),
                "W_Q": proof.W_Q.tolist(),
                "W_K": proof.W_K.tolist(),
                "thresholds": proof.thresholds.tolist(),
            }
        case Radon():
            return {"kind": "radon", "rows": list(proof.rows), "columns": list(proof.columns)}
        case Shattering():
            return {"kind": "shattering", "rows": list(proof.rows), "columns": list(proof.columns)}
        case Counting():
            return {
                "kind": "counting",
                "d": proof.d,
                "rows": list(proof.rows),
                "columns": list(proof.columns),
            }
        case Forster():
            return {
                "kind": "forster",
                "d": proof.d,
                "rows": list(proof.rows),
                "columns": list(proof.columns),
                "row_weights": proof.row_weights.tolist(),
                "column_weights": proof.column_weights.tolist(),
                "matrix": proof.matrix.tolist(),
                "padding": proof.padding.tolist(),
            }
        case Chirotope():
            return {
                "kind": "chirotope",
                "d": proof.d,
                "rows": list(proof.rows),
                "columns": list(proof.columns),
                "elements": proof.elements,
                "relations": _relations_to_json(proof.relations),
                "lemmas": [list(lemma) for lemma in proof.lemmas],
                "polynomials": [
                    {
                        "signs": list(polynomial.signs),
                        "steps": [
                            {
                                "power": step.power,
                                "larger": step.larger,
                                "smaller": step.smaller,
                                "fixed": list(step.fixed),
                                "four": list(step.four),
                            }
                            for step in polynomial.steps
                        ],
                    }
                    for polynomial in proof.polynomials
                ],
            }
        case SharedChirotope():
            return {
                "kind": "shared-chirotope",
                **({} if proof.d == proof.d_hid else {"d": proof.d}),
                "d_hid": proof.d_hid,
                "rows": list(proof.rows),
                "columns": list(proof.columns),
                "relations": proof.relations,
                "lemmas": [list(lemma) for lemma in proof.lemmas],
            }
        case SignClash():
            return {
                "kind": "sign-clash",
                "positive": list(proof.positive),
                "negative": list(proof.negative),
                "splits": [
                    {"rows": list(split.rows), "columns": list(split.columns)}
                    for split in proof.splits
                ],
            }


def _relations_to_json(relations: bool | tuple[int, ...]) -> bool | list[int]:
    return relations if isinstance(relations, bool) else list(relations)


def proof_from_json(part: Part) -> Proof:
    """Read a proof.

    Raises
    ------
    InputError
        An unknown kind, or a member that is missing or of a wrong type (named).
    """
    kind = part.get("kind", str)
    match kind:
        case "embedding":
            return Embedding(*(part.get(name, list) for name in ("queries", "keys", "thresholds")))
        case "self-attention":
            names = ("X", "W_Q", "W_K", "thresholds")
            return SelfAttention(*(part.get(name, list) for name in names))
        case "radon":
            return Radon(part.get("rows", list), part.get("columns", list))
        case "shattering":
            return Shattering(part.get("rows", list), part.get("columns", list))
        case "counting":
            return Counting(part.get("d", int), part.get("rows", list), part.get("columns", list))
        case "forster":
            return Forster(
                part.get("d", int),
                part.get("rows", list),
                part.get("columns", list),
                part.get("row_weights", list),
                part.get("column_weights", list),
                part.get("matrix", list),
                part.get("padding", list),
            )
        case "chirotope":
            return Chirotope(
                part.get("d", int),
                part.get("rows", list),
                part.get("columns", list),
                part.get("elements", str),
                part.flag_or_list("relations"),
                [_list(lemma) for lemma in part.get("lemmas", list)],
                [_polynomial(Part(p, "a polynomial")) for p in part.get("polynomials", list)],
            )
        case "shared-chirotope":
            d_hid = part.get("d_hid", int)
            return SharedChirotope(
                d_hid,
                part.get("rows", list),
                part.get("columns", list),
                part.flag("relations"),
                [_list(lemma) for lemma in part.get("lemmas", list)],
                part.get("d", int) if part.has("d") else d_hid,
            )
        case "sign-clash":
            splits = [Part(split, "a split") for split in part.get("splits", list)]
            return SignClash(
                part.get("positive", list),
                part.get("negative", list),
                [
                    SharedSplit(split.get("rows", list), split.get("columns", list))
                    for split in splits
                ],
            )
        case _:
            raise InputError(f"unknown kind of proof {kind[:40]!r}")


def _holds_truth(values: list[Any]) -> bool:
    """Whether true or false stands somewhere in a nested list: Python takes them for 1 and 0."""
    return any(_holds_truth(v) if isinstance(v, list) else isinstance(v, bool) for v in values)


def _polynomial(part: Part) -> FinalPolynomial:
    steps = [Part(step, "a step") for step in part.get("steps", list)]
    return FinalPolynomial(
        part.get("signs", list),
        [
            Step(
                step.get("power", int),
                step.get("larger", int),
                step.get("smaller", int),
                step.get("fixed", list),
                step.get("four", list),
            )
            for step in steps
        ],
    )


def _list(value: object) -> list[Any]:
    if not isinstance(value, list):
        raise InputError("a lemma must be a list of literals")
    return value


class Part:
    """A JSON object whose members are asked for by name and type."""

    def __init__(self, value: object, name: str) -> None:
        if not isinstance(value, dict):
            raise InputError(f"{name} must be a JSON object")
        self._value = value
        self._name = name

    def part(self, key: str) -> Part:
        """A member that is an object itself."""
        return Part(self._member(key), f"{key!r}")

    def flag(self, key: str) -> bool:
        """A member that is true or false."""
        value = self._member(key)
        if not isinstance(value, bool):
            raise InputError(f"{key!r} in {self._name} must be true or false")
        return value

    def flag_or_list(self, key: str) -> bool | list[Any]:
        """A member that is true, false or a list."""
        return self.flag(key) if isinstance(self._member(key), bool) else self.get(key, list)

    def get(self, key: str, kind: type | tuple[type, ...]) -> Any:
        """A member of a type; never true or false, nor a list that holds them."""
        value = self._member(key)
        if not isinstance(value, kind) or isinstance(value, bool):
            raise InputError(f"{key!r} in {self._name} has the wrong type")
        if isinstance(value, int) and abs(value) > _LARGEST:
            raise InputError(f"{key!r} in {self._name} is beyond {_LARGEST}")
        if isinstance(value, list) and _holds_truth(value):
            raise InputError(f"{key!r} in {self._name} holds true or false, not numbers")
        return value

    def has(self, key: str) -> bool:
        """Whether there is such a member."""
        return key in self._value

    def _member(self, key: str) -> object:
        if key not in self._value:
            raise InputError(f"{self._name} has no {key!r}")
        return self._value[key]
