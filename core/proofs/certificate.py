"""Certificates: a proof bound to the pattern and the question it answers, as a JSON document.

Embeddings are also written as arrays of whole numbers.
"""

from __future__ import annotations

import io
import os
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from samapprox.errors import InputError, errors_within, require_path, require_type
from samapprox.pattern import Pattern
from samapprox.problem import Problem, Question
from samapprox.proofs import read_proof
from samapprox.proofs.base import Proof, Witness, proves_yes
from samapprox.proofs.checker import check
from samapprox.proofs.members import Part
from samapprox.similarities import ATTENTION
from samapprox.support.atomic import replacing

FORMAT = "samapprox-certificate"
VERSION = 1

_MOST_UNPACKED = 1 << 28  # bytes

_BITS_IN_ARRAYS = 63


@dataclass(frozen=True, slots=True)
class Check:
    """The result of checking a certificate; true in a boolean context if it is valid.

    Attributes
    ----------
    valid : bool
        Whether the certificate proves its answer.
    reason : str
        The proven statement, or the place where the proof fails.
    """

    valid: bool
    reason: str

    def __bool__(self) -> bool:
        return self.valid

    def to_json(self, *, precision: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Return the document of `verify --json`, whose schema is `samapprox schema verify`.

        Parameters
        ----------
        precision : mapping, optional
            As `samapprox.precision.measure_precision` gives it.

        Returns
        -------
        dict

        Examples
        --------
        >>> Check(True, "YES for d = 1").to_json()["valid"]
        True
        """
        from samapprox.support.documents import document_head

        return {
            **document_head("verify"),
            "valid": self.valid,
            "reason": self.reason,
            "precision": precision,
        }


@dataclass(frozen=True, slots=True)
class Certificate:
    """A proof of YES or NO for one pattern (by its fingerprint) and one question.

    Attributes
    ----------
    sha256 : str
        `Pattern.sha256` of the pattern it is about.
    shape : (m, n)
        The shape of that pattern.
    task : str
        The question, by its name in `samapprox.proofs.questions`.
    terms : mapping
        The arguments of the question besides the pattern.
    proof : Proof
        The proof of the answer.

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
    task: str
    terms: Mapping[str, Any] = field(hash=False)
    proof: Proof

    @classmethod
    def of(cls, question: Question, proof: Proof) -> Certificate:
        """Bind a proof to its question."""
        require_type("the question", question, Question, "a question, such as a Problem")
        require_type("the proof", proof, Proof, "a proof")
        pattern, terms = question.pattern, dict(question.terms)
        task = terms.pop("task", question.TASK)
        return cls(pattern.sha256, pattern.shape, task, terms, proof)

    def ask(self, pattern: Pattern) -> Question:
        """Return the question about a pattern.

        Raises
        ------
        InputError
            The question makes no sense for it.

        Examples
        --------
        >>> from samapprox import decide
        >>> certificate = decide([[1, 0], [0, 1]]).certificate
        >>> print(certificate.ask(Pattern.from_array([[1, 0], [0, 1]])))
        d = 1
        """
        from samapprox.proofs.questions import KNOWN_QUESTIONS

        return KNOWN_QUESTIONS[self.task].load(pattern, **self.terms)

    @property
    def is_about_dot_products(self) -> bool:
        """Whether the question is that of a dimension, with dot products of queries and keys."""
        return (
            self.task == Problem.TASK
            and self.terms.get("similarity", ATTENTION.name) == ATTENTION.name
        )

    @property
    def d(self) -> int:
        """The dimension of the question.

        Raises
        ------
        InputError
            The question has none.
        """
        d = self.terms.get("d")
        if not isinstance(d, int):
            raise InputError(f"a certificate of the task {self.task} is not about a dimension")
        return d

    @property
    def d_hid(self) -> int | None:
        """The hidden dimension of the question; None for the free case."""
        return self.terms.get("d_hid")

    @property
    def answer(self) -> str:
        """YES or NO, as text."""
        return "YES" if proves_yes(self.proof) else "NO"

    def verify(self, pattern: Pattern) -> Check:
        """Check in exact arithmetic that it proves its answer for this pattern.

        Parameters
        ----------
        pattern : Pattern
            The pattern that the certificate is about, as `sha256` shows.

        Returns
        -------
        Check
        """
        require_type("pattern", pattern, Pattern, "a Pattern")
        if pattern.shape != self.shape or pattern.sha256 != self.sha256:
            return Check(
                False,
                f"it is about another pattern ({self.shape[0]} x {self.shape[1]}, "
                f"sha256 {self.sha256[:12]}..), not this one ({pattern.shape[0]} x "
                f"{pattern.shape[1]}, sha256 {pattern.sha256[:12]}..)",
            )
        try:
            question = self.ask(pattern)
        except InputError as error:
            return Check(False, f"its question makes no sense: {error}")
        claim = question.claim(self.answer)
        reason = check(question, self.proof)
        if reason is not None:
            return Check(False, f"it does not prove {claim}: {reason}")
        return Check(True, claim)

    def to_json(self) -> dict[str, Any]:
        """Return the document that the schema "certificate" describes."""
        task = {} if self.task == Problem.TASK else {"task": self.task}
        return {
            "format": FORMAT,
            "version": VERSION,
            "pattern": {
                "rows": self.shape[0],
                "columns": self.shape[1],
                "sha256": self.sha256,
            },
            "problem": {**task, **self.terms},
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
        from samapprox.proofs.questions import read_question

        root = Part(document, "the certificate")
        if root.get("format", str) != FORMAT or root.get("version", int) != VERSION:
            raise InputError(f"not a {FORMAT} of version {VERSION}")
        pattern, problem = root.part("pattern"), root.part("problem")
        root.refuse_others(("format", "version", "pattern", "problem", "answer", "proof"))
        pattern.refuse_others(("rows", "columns", "sha256"))
        certificate = cls(
            pattern.get("sha256", str),
            (pattern.get("rows", int), pattern.get("columns", int)),
            *read_question(problem),
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

    def to_bytes(self) -> bytes:
        """Write the document as one line of JSON.

        Raises
        ------
        InputError
            One of its numbers has more digits than Python writes, or would read again.
        """
        from samapprox.support.documents import dump_json

        return dump_json(self.to_json()).encode() + b"\n"

    @classmethod
    def from_bytes(cls, content: bytes) -> Certificate:
        """Read what a file holds, compressed by gzip or not.

        Raises
        ------
        InputError
            It is not a certificate.

        Examples
        --------
        >>> from samapprox import decide
        >>> certificate = decide([[1, 0], [0, 1]]).certificate
        >>> Certificate.from_bytes(certificate.to_bytes()).answer
        'YES'
        """
        try:
            return cls.from_json(_parsed(content))
        except InputError:
            raise
        except (ValueError, RecursionError) as error:  # absurd numbers, absurdly nested
            raise InputError(f"not a JSON certificate: {error}") from None

    def save(self, path: str | Path) -> None:
        """Write the document to a file, whole or not at all.

        Raises
        ------
        InputError
            The place cannot be written, or one of the numbers is too long (see `to_bytes`).
        """
        from samapprox.support.atomic import replacing

        require_path("path", path)
        with replacing(Path(path)) as stream:
            stream.write(self.to_bytes())

    @classmethod
    def load(cls, path: str | Path) -> Certificate:
        """Read a document from a file, compressed by gzip or not.

        Raises
        ------
        InputError
            The file cannot be read or is not a certificate.
        """
        require_path("certificate", path)
        try:
            return cls.from_bytes(Path(path).read_bytes())
        except InputError as error:
            raise error.within(str(path)) from None
        except (OSError, ValueError) as error:  # the latter: a null byte in the name
            raise InputError(f"{path}: {getattr(error, 'strerror', None) or error}") from None


def _parsed(content: bytes) -> Any:
    """Return the JSON document that a file holds, compressed by gzip or not."""
    from samapprox.support.documents import parse_json

    try:
        return parse_json(_unpacked(content).decode("utf-8"))
    except UnicodeDecodeError as error:
        raise InputError(f"not a JSON certificate: byte {error.start} is not UTF-8 text") from None
    except (OSError, ValueError, EOFError, zlib.error) as error:  # not gzip, not UTF-8, not JSON
        raise InputError(f"not a JSON certificate: {error}") from None


def _unpacked(content: bytes) -> bytes:
    """Unpack a gzip file up to the largest size of a certificate; return other files unchanged."""
    require_type("a certificate", content, bytes, "of type bytes")
    if not content.startswith(b"\x1f\x8b"):
        return content
    import gzip

    with gzip.open(io.BytesIO(content)) as stream:
        content = stream.read(_MOST_UNPACKED + 1)
    if len(content) > _MOST_UNPACKED:
        raise ValueError(f"it unpacks to more than {_MOST_UNPACKED >> 20} MB")
    return content


def save_embedding(pattern: Pattern, proof: Proof, path: str | os.PathLike[str]) -> None:
    """Write queries, keys and thresholds as npz, or as a certificate of kind `embedding`.

    An npz holds the arrays `queries`, `keys` and `thresholds` in 64 bits; the numbers of a
    certificate may have up to 4,300 digits.

    The proof holds for the pattern, and the path ends in .npz or .json.

    Refutations, other endings and numbers that are too many or too long for the file are refused.

    (m + n) d numbers, computed by `Witness.embedding`.
    """
    path = Path(path)
    kind = embedding_kind(path)
    if not isinstance(proof, Witness):
        raise InputError(f"{path}: a refutation has no queries and keys to write")
    with errors_within(str(path)):
        embedding = proof.embedding(pattern)
    if kind == ".json":
        problem = Problem(pattern, max(embedding.dimension, 1))
        Certificate.of(problem, embedding).save(path)
        return
    arrays = {name: getattr(embedding, name) for name in ("queries", "keys", "thresholds")}
    extremes = [int(end) for array in arrays.values() for end in (array.min(), array.max())]
    bits = max(end.bit_length() for end in extremes)
    if bits > _BITS_IN_ARRAYS:
        raise InputError(
            f"{path}: the numbers have up to {bits} bits, arrays hold {_BITS_IN_ARRAYS}; "
            "write .json"
        )
    with replacing(path) as stream:
        np.savez(stream, **{name: array.astype(np.int64) for name, array in arrays.items()})


def embedding_kind(path: str | os.PathLike[str]) -> str:
    """Return the ending of a file's name; refuse one that embeddings are not written with."""
    ending = Path(path).suffix.lower()
    if ending not in (".npz", ".json"):
        raise InputError(f"{path}: embeddings are written as .npz or .json")
    return ending
