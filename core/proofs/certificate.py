"""Certificates: a proof bound to the pattern and the question it answers, as a JSON document."""

from __future__ import annotations

import gzip
import io
import json
import re
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from samapprox.errors import InputError
from samapprox.pattern import Pattern, as_pattern
from samapprox.problem import Problem
from samapprox.proofs.base import Proof, proves_yes
from samapprox.proofs.checks import check
from samapprox.proofs.documents import Part
from samapprox.proofs.known_kinds import read_proof
from samapprox.support.atomic import replacing

__all__ = ["FORMAT", "VERSION", "Certificate", "Check", "verify"]

FORMAT = "samapprox-certificate"
VERSION = 1

_MOST_UNPACKED = 1 << 28  # bytes


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
            "proof": self.proof.to_json(),
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
        root = Part(document, "the certificate")
        if root.get("format", str) != FORMAT or root.get("version", int) != VERSION:
            raise InputError(f"not a {FORMAT} of version {VERSION}")
        pattern, problem = root.part("pattern"), root.part("problem")
        root.refuse_others(("format", "version", "pattern", "problem", "answer", "proof"))
        pattern.refuse_others(("rows", "columns", "sha256"))
        problem.refuse_others(("d", "d_hid"))
        d_hid = problem.get("d_hid", (int, type(None)))
        certificate = cls(
            pattern.get("sha256", str),
            (pattern.get("rows", int), pattern.get("columns", int)),
            problem.get("d", int),
            d_hid,
            read_proof(root.part("proof")),
        )
        if re.fullmatch(r"[0-9a-f]{64}", certificate.sha256) is None:
            raise InputError("'sha256' must be 64 hexadecimal digits")
        if root.get("answer", str) != certificate.answer:
            raise InputError(
                f"the certificate claims {root.get('answer', str)!r} but its proof is one of "
                f"{certificate.answer}"
            )
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
        """Read a document from a file, compressed by gzip or not.

        Raises
        ------
        InputError
            The file cannot be read or is not a certificate.
        """
        try:
            return cls.from_json(json.loads(_unpacked(Path(path).read_bytes()).decode("utf-8")))
        except InputError as error:
            raise error.within(str(path)) from None
        except OSError as error:
            raise InputError(f"{path}: {error.strerror or error}") from None
        except (
            ValueError,
            RecursionError,
            EOFError,
            zlib.error,
        ) as error:  # not JSON, not UTF-8, absurd numbers
            raise InputError(f"{path}: not a JSON certificate: {error}") from None


def _unpacked(content: bytes) -> bytes:
    """What a gzip file holds, up to a size that no certificate has; any other file as it is."""
    if not content.startswith(b"\x1f\x8b"):
        return content
    with gzip.open(io.BytesIO(content)) as stream:
        content = stream.read(_MOST_UNPACKED + 1)
    if len(content) > _MOST_UNPACKED:
        raise ValueError(f"it unpacks to more than {_MOST_UNPACKED >> 20} MB")
    return content


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
