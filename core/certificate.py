"""Certificates: a proof bound to the pattern and the question it answers, as a JSON document."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from samapprox.atomic import replacing
from samapprox.checker import Proof, check, proves_yes
from samapprox.embedding import Embedding, SelfAttention
from samapprox.errors import InputError
from samapprox.final_polynomial import FinalPolynomial, Step
from samapprox.obstruction import (
    Chirotope,
    Counting,
    Radon,
    SharedSplit,
    Shattering,
    SignClash,
)
from samapprox.pattern import Pattern, as_pattern
from samapprox.problem import Problem

__all__ = ["FORMAT", "VERSION", "Certificate", "Check", "proof_to_json", "verify"]

FORMAT = "samapprox-certificate"
VERSION = 1

_LARGEST = 1 << 40
"""Shapes and dimensions beyond this are nonsense; entries of proofs may be of any size."""


@dataclass(frozen=True, slots=True)
class Check:
    """Whether a certificate proves what it claims; true in a boolean context when it does.

    Attributes
    ----------
    valid : bool
    reason : str
        What is proven, or where the proof fails.
    """

    valid: bool
    reason: str

    def __bool__(self) -> bool:
        return self.valid


@dataclass(frozen=True, slots=True)
class Certificate:
    """A proof of YES or NO for one pattern (by its fingerprint) in dimension d.

    Attributes
    ----------
    sha256 : str
        `Pattern.sha256` of the pattern it is about.
    shape : (m, n)
    d : int
    d_hid : int or None
    proof : Proof

    Examples
    --------
    >>> from samapprox import decide
    >>> certificate = decide([[1, 0], [0, 1]], d=1).certificate
    >>> certificate.answer
    'YES'
    >>> certificate.verify(Pattern.from_array([[1, 0], [0, 1]])).reason
    'YES for d = 1'
    >>> certificate.verify(Pattern.from_array([[1, 0], [1, 1]])).valid
    False
    """

    sha256: str
    shape: tuple[int, int]
    d: int
    d_hid: int | None
    proof: Proof

    @classmethod
    def of(cls, problem: Problem, proof: Proof) -> Certificate:
        """Bind a proof to its problem."""
        pattern = problem.pattern
        return cls(pattern.sha256, pattern.shape, problem.d, problem.d_hid, proof)

    @property
    def answer(self) -> str:
        """YES or NO, as text."""
        return "YES" if proves_yes(self.proof) else "NO"

    def verify(self, pattern: Pattern) -> Check:
        """Check in exact arithmetic that it proves its answer for this very pattern.

        Parameters
        ----------
        pattern : Pattern

        Returns
        -------
        Check
        """
        if pattern.shape != self.shape or pattern.sha256 != self.sha256:
            return Check(
                False,
                f"it is about another pattern ({self.shape[0]} x {self.shape[1]}, "
                f"sha256 {self.sha256[:12]}..), not this one ({pattern.shape[0]} x "
                f"{pattern.shape[1]}, sha256 {pattern.sha256[:12]}..)",
            )
        try:
            problem = Problem(pattern, self.d, self.d_hid)
        except InputError as error:
            return Check(False, f"its question makes no sense: {error}")
        reason = check(problem, self.proof)
        if reason is not None:
            return Check(False, f"it does not prove {self.answer} for {problem}: {reason}")
        return Check(True, f"{self.answer} for {problem}")

    def to_json(self) -> dict[str, Any]:
        """The document described by `schemas/certificate.schema.json`."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "pattern": {
                "rows": self.shape[0],
                "columns": self.shape[1],
                "sha256": self.sha256,
            },
            "problem": {"d": self.d, "d_hid": self.d_hid},
            "answer": self.answer,
            "proof": proof_to_json(self.proof),
        }

    @classmethod
    def from_json(cls, document: object) -> Certificate:
        """Read a document.

        Raises
        ------
        InputError
            Not a certificate of this format and version, or a part that is missing or of a wrong
            kind (named).
        """
        root = _Part(document, "the certificate")
        if root.get("format", str) != FORMAT or root.get("version", int) != VERSION:
            raise InputError(f"not a {FORMAT} of version {VERSION}")
        pattern, problem = root.part("pattern"), root.part("problem")
        d_hid = problem.get("d_hid", (int, type(None)))
        certificate = cls(
            pattern.get("sha256", str),
            (pattern.get("rows", int), pattern.get("columns", int)),
            problem.get("d", int),
            d_hid,
            _proof_from_json(root.part("proof")),
        )
        if re.fullmatch(r"[0-9a-f]{64}", certificate.sha256) is None:
            raise InputError("'sha256' must be 64 hexadecimal digits")
        if root.get("answer", str) != certificate.answer:
            raise InputError(
                f"the certificate claims {root.get('answer', str)!r} but its proof is one of "
                f"{certificate.answer}"
            )
        if certificate.to_json() != document:
            raise InputError("the certificate has members that do not belong there")
        return certificate

    def save(self, path: str | Path) -> None:
        """Write the document to a file, whole or not at all.

        Raises
        ------
        InputError
            The place cannot be written.
        """
        with replacing(Path(path)) as stream:
            stream.write(json.dumps(self.to_json()).encode() + b"\n")

    @classmethod
    def load(cls, path: str | Path) -> Certificate:
        """Read a document from a file.

        Raises
        ------
        InputError
            The file cannot be read or is not a certificate.
        """
        try:
            text = Path(path).read_text(encoding="utf-8")
            return cls.from_json(json.loads(text))
        except InputError as error:
            raise error.within(str(path)) from None
        except OSError as error:
            raise InputError(f"{path}: {error.strerror or error}") from None
        except (ValueError, RecursionError) as error:  # not JSON, not UTF-8, absurd numbers
            raise InputError(f"{path}: not a JSON certificate: {error}") from None


def verify(
    entries: ArrayLike | Pattern,
    certificate: Certificate | str | Path,
    *,
    causal: bool = False,
) -> Check:
    """Check in exact arithmetic that a certificate proves its answer for this very pattern.

    Parameters
    ----------
    entries : Pattern, array_like or scipy sparse matrix, shape (m, n)
    certificate : Certificate, or path of one
    causal : bool
        Take the causal view of the pattern first.

    Returns
    -------
    Check
        True in a boolean context when the certificate holds; `reason` says what or why not.

    Raises
    ------
    InputError
        The pattern is unusable, or the file is not a certificate.

    Examples
    --------
    >>> from samapprox import decide
    >>> certificate = decide([[1, 0], [0, 1]]).certificate
    >>> bool(verify([[1, 0], [0, 1]], certificate))
    True
    """
    if not isinstance(certificate, Certificate):
        certificate = Certificate.load(certificate)
    return certificate.verify(as_pattern(entries, causal=causal))


# ---------------------------------------------------------------- proofs


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
        case Chirotope():
            return {
                "kind": "chirotope",
                "d": proof.d,
                "rows": list(proof.rows),
                "columns": list(proof.columns),
                "elements": proof.elements,
                "relations": proof.relations,
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


def _proof_from_json(part: _Part) -> Proof:
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
        case "chirotope":
            return Chirotope(
                part.get("d", int),
                part.get("rows", list),
                part.get("columns", list),
                part.get("elements", str),
                part.flag("relations"),
                [_list(lemma) for lemma in part.get("lemmas", list)],
                [_polynomial(_Part(p, "a polynomial")) for p in part.get("polynomials", list)],
            )
        case "sign-clash":
            splits = [_Part(split, "a split") for split in part.get("splits", list)]
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


def _polynomial(part: _Part) -> FinalPolynomial:
    steps = [_Part(step, "a step") for step in part.get("steps", list)]
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


class _Part:
    """A JSON object whose members are asked for by name and type."""

    def __init__(self, value: object, name: str) -> None:
        if not isinstance(value, dict):
            raise InputError(f"{name} must be a JSON object")
        self._value = value
        self._name = name

    def part(self, key: str) -> _Part:
        return _Part(self._member(key), f"{key!r}")

    def flag(self, key: str) -> bool:
        value = self._member(key)
        if not isinstance(value, bool):
            raise InputError(f"{key!r} in {self._name} must be true or false")
        return value

    def get(self, key: str, kind: type | tuple[type, ...]) -> Any:
        value = self._member(key)
        if not isinstance(value, kind) or isinstance(value, bool):
            raise InputError(f"{key!r} in {self._name} has the wrong type")
        if isinstance(value, int) and abs(value) > _LARGEST:
            raise InputError(f"{key!r} in {self._name} is beyond {_LARGEST}")
        if isinstance(value, list) and _holds_truth(value):
            raise InputError(f"{key!r} in {self._name} holds true or false, not numbers")
        return value

    def _member(self, key: str) -> object:
        if key not in self._value:
            raise InputError(f"{self._name} has no {key!r}")
        return self._value[key]
