"""The result of one instance: a row that a worker sends and a result file stores."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from samapprox.errors import InputError
from samapprox.pattern import Pattern
from samapprox.proofs.certificate import Certificate
from samapprox.results.verdict import Attempt

_MOST_ENTRIES = 1 << 20
"""The size of the largest pattern that result files store."""


class Outcome(NamedTuple):
    """The result of one instance.

    Attributes
    ----------
    name : str
        The name of the instance within its set.
    stamp : str
        A text that changes when the source of the instance does.
    family : str or None
        The origin of the instance, such as a family or a model.
    layer, head : int or None
        Layer and head of an attention pattern.
    sha256 : str or None
        The pattern's fingerprint; None, like all that follows, if the pattern cannot be read.
    rows, columns, ones : int or None
        Of the pattern; of a set of vectors, their number, dimension and, if Boolean, ones.
    verdict : str
        One of those of the task, or ERROR: see `samapprox.batch.results.question`.
    lower, upper : int, float or None
        Proven bounds on what the task measures: a dimension, a rank, the number of wrong rows or
        entries or of orthogonal pairs, or a margin or a share, which are no whole numbers.
    known : str or None
        The answer that the known facts imply, for ``decide``.
    known_lower, known_upper : int or None
        Bounds on the same number that the known facts imply.
    seconds : float
        Wall-clock time of reading and deciding.
    memory : int or None
        Peak resident bytes of the process meanwhile; a group of small instances shares one number.
    host : str
        The machine that answered.
    error : str or None
        The reason for ERROR or INVALID, or for the end of the process.
    pattern : bytes or None
        See `unpacked_pattern`; None for patterns of more than 2^20 entries.
    yes, no : bytes or None
        Certificates of the upper and the lower bound, see `unpacked_certificate`.
    trail : str or None
        JSON: a list of dimension (null for ``decide``), strategy, seconds, outcome.
    answer : str or None
        JSON: what tasks about vectors find, such as a pair, or the measures of a run
        (`samapprox.batch.workers.vectors`). For ``fit`` with K the proven bounds `least_recall` and
        `most_recall` on the greatest mean recall at K, rounded outwards, and whether they meet
        (`recall_exact`).
    recall_yes, recall_no : bytes or None
        Certificates of these two bounds.

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
    lower: float | None = None
    upper: float | None = None
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
    answer: str | None = None
    recall_yes: bytes | None = None
    recall_no: bytes | None = None


OnOutcome = Callable[[Outcome], None]
"""A callback for provisional results of an instance."""


def packed_pattern(pattern: Pattern) -> bytes | None:
    """Pack a pattern without its names: its lines of 0, 1 and *, compressed if long."""
    return None if pattern.size > _MOST_ENTRIES else _packed(pattern.to_text())


def unpacked_pattern(packed: bytes | None) -> Pattern | None:
    """Unpack a pattern; None if none was stored."""
    return None if packed is None else Pattern.from_text(_text(packed))


def packed_certificate(certificate: Certificate | None) -> bytes | None:
    """Pack a certificate: its JSON document, compressed if that saves space."""
    return None if certificate is None else _packed(_encode(certificate.to_json()))


def unpacked_certificate(packed: bytes | None) -> Certificate | None:
    """Unpack a certificate; None if none was stored."""
    if packed is None:
        return None
    with _read_stored("certificate"):
        return Certificate.from_json(json.loads(_text(packed)))


def packed_trail(trail: Iterable[tuple[int | None, Attempt]]) -> str:
    """Pack a trail of dimensions and attempts as JSON.

    >>> packed_trail([(None, Attempt("line", 0.5, "YES"))])
    '[[null,"line",0.5,"YES"]]'
    """
    steps = [
        (d, attempt.strategy, round(attempt.seconds, 6), attempt.outcome) for d, attempt in trail
    ]
    return _encode(steps)


def unpacked_trail(text: str | None) -> tuple[tuple[int | None, Attempt], ...]:
    """Unpack a trail: dimensions (None for ``decide``) and attempts.

    >>> unpacked_trail('[[2,"rank",0.5,"YES"]]')
    ((2, Attempt(strategy='rank', seconds=0.5, outcome='YES')),)
    """
    with _read_stored("trail"):
        steps = json.loads(text or "[]")
        return tuple((d, Attempt(name, seconds, said)) for d, name, seconds, said in steps)


def unpacked_answer(text: str | None) -> dict[str, Any] | None:
    """Unpack what a task found besides its bounds; None if nothing was stored.

    >>> unpacked_answer('{"pair": [0, 2]}')
    {'pair': [0, 2]}
    """
    with _read_stored("answer"):
        found = None if text is None else json.loads(text)
    if not isinstance(found, dict | None):
        raise InputError("the stored answer is damaged: it is no JSON object")
    return found


@contextmanager
def _read_stored(what: str) -> Iterator[None]:
    """Turn errors of a damaged entry into one line."""
    try:
        yield
    except InputError:
        raise
    except (ValueError, TypeError, RecursionError) as error:
        raise InputError(f"the stored {what} is damaged: {error}") from None


_encode = json.JSONEncoder(separators=(",", ":")).encode

_WORTH_COMPRESSING = 256
"""Bytes; shorter texts are stored as they are."""

_ZLIB = b"x"
"""The beginning of compressed bytes; neither patterns nor JSON begin so."""


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
