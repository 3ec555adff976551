"""The result of one instance: a row that a worker sends and a result file keeps."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable
from typing import NamedTuple

from samapprox.errors import InputError
from samapprox.pattern import Pattern
from samapprox.proofs.certificate import Certificate
from samapprox.verdict import Attempt

__all__ = [
    "NOTHING_YET",
    "VERDICTS",
    "Outcome",
    "packed_certificate",
    "packed_pattern",
    "packed_trail",
    "unpacked_certificate",
    "unpacked_pattern",
    "unpacked_trail",
]

VERDICTS = {
    "decide": ("YES", "NO", "UNKNOWN"),
    "dim": ("EXACT", "INTERVAL"),
    "verify": ("VALID", "INVALID", "NONE"),
}
"""What each task may find (NONE: no certificate is there). Besides, ERROR: `error` says why."""

NOTHING_YET = {"decide": "UNKNOWN", "dim": "INTERVAL", "verify": "NONE"}
"""The verdict of each task before anything is proven."""

_MOST_ENTRIES = 1 << 20
"""Larger patterns are not kept in result files."""


class Outcome(NamedTuple):
    """One instance's result.

    Attributes
    ----------
    name : str
        Of the instance within its set.
    stamp : str
        Changes when the instance's source does.
    family : str or None
        Where it comes from: a family, a model.
    layer, head : int or None
        Of an attention pattern.
    sha256 : str or None
        The pattern's fingerprint; None, as all that follows from it, if it cannot be read.
    rows, columns, ones : int or None
    verdict : str
        One of `VERDICTS`, or ERROR.
    lower, upper : int or None
        Proven bounds on the weak dimension.
    known : str or None
        The answer that the instance's facts imply, for ``decide``.
    known_lower, known_upper : int or None
        Bounds on the weak dimension that its facts imply.
    seconds : float
        Wall-clock time of reading and deciding.
    memory : int or None
        Peak resident bytes of the process meanwhile; a group of small ones shares one number.
    host : str
        The machine that answered.
    error : str or None
        Why it is an ERROR, INVALID, or was ended.
    pattern : bytes or None
        See `unpacked_pattern`; None for patterns of more than 2^20 entries.
    yes, no : bytes or None
        Certificates of the upper and the lower bound, see `unpacked_certificate`.
    trail : str or None
        JSON: a list of dimension (null for ``decide``), strategy, seconds, outcome.

    Notes
    -----
    A tuple, because hundreds of thousands of results pass through pipes; in the order of the
    columns of a result file (see `samapprox.batch.results.schema`).

    Examples
    --------
    >>> outcome = Outcome("p.npz", "", verdict="NO", lower=2)
    >>> outcome.lower, outcome.upper
    (2, None)
    """

    name: str
    stamp: str
    family: str | None = None
    layer: int | None = None
    head: int | None = None
    sha256: str | None = None
    rows: int | None = None
    columns: int | None = None
    ones: int | None = None
    verdict: str = "ERROR"
    lower: int | None = None
    upper: int | None = None
    known: str | None = None
    known_lower: int | None = None
    known_upper: int | None = None
    seconds: float = 0.0
    memory: int | None = None
    host: str = ""
    error: str | None = None
    pattern: bytes | None = None
    yes: bytes | None = None
    no: bytes | None = None
    trail: str | None = None


def packed_pattern(pattern: Pattern) -> bytes | None:
    r"""Its lines of 0, 1 and *, compressed if that pays; names are left out.

    Examples
    --------
    >>> pattern = Pattern.from_text("10*\n011")
    >>> unpacked_pattern(packed_pattern(pattern)) == pattern
    True
    """
    rows, columns = pattern.shape
    if rows * columns > _MOST_ENTRIES:
        return None
    return _packed(pattern.to_text())


def unpacked_pattern(packed: bytes | None) -> Pattern | None:
    """The pattern; None where none was kept.

    Raises
    ------
    InputError
        The bytes are damaged.
    """
    return None if packed is None else Pattern.from_text(_text(packed))


def packed_certificate(certificate: Certificate | None) -> bytes | None:
    """Its JSON document, compressed if that pays.

    Examples
    --------
    >>> from samapprox import decide
    >>> certificate = decide([[1, 0], [0, 1]]).certificate
    >>> unpacked_certificate(packed_certificate(certificate)).to_json() == certificate.to_json()
    True
    """
    if certificate is None:
        return None
    return _packed(_encode(certificate.to_json()))


def unpacked_certificate(packed: bytes | None) -> Certificate | None:
    """The certificate; None where none was kept.

    Raises
    ------
    InputError
        The bytes are damaged, or no certificate.
    """
    if packed is None:
        return None
    try:
        return Certificate.from_json(json.loads(_text(packed)))
    except InputError:
        raise
    except (ValueError, RecursionError) as error:
        raise InputError(f"the stored certificate is damaged: {error}") from None


def packed_trail(trail: Iterable[tuple[int | None, Attempt]]) -> str:
    """Dimension and attempt, as JSON.

    Examples
    --------
    >>> packed_trail([(None, Attempt("line", 0.5, "YES"))])
    '[[null,"line",0.5,"YES"]]'
    """
    steps = [
        (d, attempt.strategy, round(attempt.seconds, 6), attempt.outcome) for d, attempt in trail
    ]
    return _encode(steps)


def unpacked_trail(text: str | None) -> tuple[tuple[int | None, Attempt], ...]:
    """Dimension (None for ``decide``) and attempt.

    Raises
    ------
    InputError
        The text is damaged.

    Examples
    --------
    >>> unpacked_trail('[[2,"rank",0.5,"YES"]]')
    ((2, Attempt(strategy='rank', seconds=0.5, outcome='YES')),)
    """
    try:
        steps = json.loads(text or "[]")
        return tuple((d, Attempt(name, seconds, said)) for d, name, seconds, said in steps)
    except (ValueError, TypeError, RecursionError) as error:
        raise InputError(f"the stored trail is damaged: {error}") from None


_encode = json.JSONEncoder(separators=(",", ":")).encode

_WORTH_COMPRESSING = 256
"""Bytes; less is kept as it is."""

_ZLIB = b"x"
"""How compressed bytes begin, and neither patterns nor JSON do."""


def _packed(text: str) -> bytes:
    raw = text.encode()
    return raw if len(raw) < _WORTH_COMPRESSING else zlib.compress(raw, 1)


def _text(packed: bytes) -> str:
    try:
        if not packed.startswith(_ZLIB):
            return packed.decode()
        return zlib.decompress(packed).decode()
    except (zlib.error, AttributeError, TypeError, ValueError) as error:
        raise InputError(f"the result file is damaged: {error}") from None
