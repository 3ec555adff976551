"""Deciding many small patterns at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from os import PathLike
from typing import Any, Protocol, overload

import numpy as np
from numpy.typing import NDArray

from samapprox.errors import CertificateError, InputError
from samapprox.formats import PatternLike, as_pattern
from samapprox.pattern import Pattern
from samapprox.problem import Problem
from samapprox.proofs.base import Proof
from samapprox.proofs.certificate import Certificate
from samapprox.proofs.embeddings.embedding import Embedding
from samapprox.proofs.refutations.radon import Radon
from samapprox.proofs.refutations.shattering import Shattering
from samapprox.proofs.stack import check_cores, check_embeddings
from samapprox.results.verdict import Attempt, Status, Verdict
from samapprox.solvers.engine.turns import describe_fault
from samapprox.solvers.line.stack import MOST_SIDE, find_cores, find_embeddings, row_words
from samapprox.solvers.questions.decide import decide
from samapprox.storage.entries import require_unmasked
from samapprox.support.parallel import cores

__all__ = ["Verdicts", "decide_many"]

_AT_ONCE = 1 << 20
"""Pairs of rows, or of a row and a column, of the patterns that a thread takes at once."""


class Verdicts(Sequence[Verdict]):
    """The verdicts of a batch; each `Verdict` is built on access.

    Attributes
    ----------
    yes, no : ndarray of bool, shape (N,)
        The answers, each certified; neither where the answer is UNKNOWN.
    """

    def __init__(self, found: _Found) -> None:
        self.yes = found.yes
        self.no = found.no
        self._found = found

    def __len__(self) -> int:
        return len(self.yes)

    @overload
    def __getitem__(self, index: int) -> Verdict: ...
    @overload
    def __getitem__(self, index: slice) -> list[Verdict]: ...
    def __getitem__(self, index: int | slice) -> Verdict | list[Verdict]:
        chosen = range(len(self))[index]
        if isinstance(chosen, range):
            return [self._found.verdict(at) for at in chosen]
        return self._found.verdict(chosen)

    def certificate(self, index: int) -> Certificate | None:
        """Return the certificate of one pattern without building its `Verdict`."""
        return self._found.certificate(index)

    def __repr__(self) -> str:
        yes, no = int(self.yes.sum()), int(self.no.sum())
        return f"<Verdicts: {yes} YES, {no} NO, {len(self) - yes - no} UNKNOWN>"


def decide_many(
    patterns: NDArray[np.generic] | Iterable[PatternLike],
    d: int = 1,
    d_hid: int | None = None,
    *,
    causal: bool = False,
) -> Verdicts:
    """Decide many small patterns, every answer certified.

    Parameters
    ----------
    patterns : ndarray, shape (N, m, n), or iterable
        Its members are what `samapprox.decide` takes.
    d, d_hid, causal
        As in `samapprox.decide`.

    Returns
    -------
    Verdicts

    Raises
    ------
    InputError
        Names the pattern (by its place in the batch), the row and the column.

    Notes
    -----
    Small patterns of one shape, free and with d = 1, are decided together in array operations on
    all cores: half a microsecond for 8 x 8. All else is decided one by one, as are patterns whose
    proof fails the checker.

    Examples
    --------
    >>> verdicts = decide_many(np.array([np.eye(2), np.ones((2, 2))]))
    >>> verdicts
    <Verdicts: 2 YES, 0 NO, 0 UNKNOWN>
    >>> verdicts[0].certificate.answer
    'YES'
    """
    line = (
        type(d) is int
        and type(d_hid) in (int, type(None))
        and d == 1
        and (d_hid is None or d_hid >= 2)
        and not causal
    )
    if isinstance(patterns, np.ndarray):
        require_unmasked(patterns, "the stack")
        patterns = np.asarray(patterns)
        if patterns.ndim != 3:
            raise InputError(
                f"a batch of patterns has shape (N, m, n), not {patterns.shape}; "
                "for one, use decide"
            )
        if line and patterns.dtype.kind in "biuf" and _is_small(patterns.shape[1:]):
            return Verdicts(_decide_stack(_zeros_and_ones(patterns), None, d_hid))
    if isinstance(patterns, str | PathLike | Pattern) or not isinstance(patterns, Iterable):
        raise InputError(
            f"decide_many takes several patterns, not one {type(patterns).__name__}; "
            "for one, use decide"
        )
    items = list(patterns)
    if not line:
        one_by_one = (_decide_one(item, at, d, d_hid, causal) for at, item in enumerate(items))
        return Verdicts(_OneByOne(list(one_by_one)))
    return Verdicts(_by_shape([_pattern(item, at) for at, item in enumerate(items)], d_hid))


def _by_shape(patterns: list[Pattern], d_hid: int | None) -> _Found:
    """Stack the small patterns of each shape; leave the others and those with * alone."""
    alike: dict[tuple[int, int] | None, list[int]] = {}
    for at, pattern in enumerate(patterns):
        together = pattern.is_specified and _is_small(pattern.shape)
        alike.setdefault(pattern.shape if together else None, []).append(at)
    parts: list[_Found] = []
    for shape, places in alike.items():
        some = [patterns[at] for at in places]
        if shape is None:
            parts.append(_OneByOne([decide(one, 1, d_hid) for one in some]))
        else:
            stack = np.stack([one.to_array() for one in some]).view(np.uint8)
            parts.append(_decide_stack(stack, some, d_hid))
    return parts[0] if len(parts) == 1 else _Merged(parts, list(alike.values()))


def _is_small(shape: tuple[int, ...]) -> bool:
    return min(shape) > 0 and max(shape) <= MOST_SIDE


def _decide_one(item: PatternLike, at: int, d: int, d_hid: int | None, causal: bool) -> Verdict:
    try:
        return decide(item, d, d_hid, causal=causal)
    except InputError as error:
        raise error.within(f"pattern {at}") from None


def _pattern(item: PatternLike, at: int) -> Pattern:
    try:
        return as_pattern(item)
    except InputError as error:
        raise error.within(f"pattern {at}") from None


def _zeros_and_ones(stack: NDArray[np.generic]) -> NDArray[np.uint8]:
    """Return a stack of valid patterns as bytes; the error names the first invalid pattern."""
    ones = stack == 1
    known = ones | (stack == 0)
    as_bytes = np.asarray(ones).view(np.uint8)
    valid = row_words(as_bytes).all(axis=0)
    if valid.all() and known.all():
        return as_bytes
    first = int((valid & known.all(axis=(1, 2))).argmin())
    _pattern(stack[first], first)
    raise AssertionError("a pattern that the stack rejects is rejected alone, too")


# ---------------------------------------------------------------- what was found


class _Found(Protocol):
    """Answers to patterns, numbered as they came."""

    yes: NDArray[np.bool_]
    no: NDArray[np.bool_]

    def verdict(self, at: int) -> Verdict: ...

    def certificate(self, at: int) -> Certificate | None: ...


class _OneByOne:
    """Verdicts of patterns that were decided alone."""

    def __init__(self, verdicts: list[Verdict]) -> None:
        self._verdicts = verdicts
        self.yes, self.no = (
            np.array([one.status is answer for one in verdicts], dtype=np.bool_)
            for answer in (Status.YES, Status.NO)
        )

    def verdict(self, at: int) -> Verdict:
        return self._verdicts[at]

    def certificate(self, at: int) -> Certificate | None:
        return self._verdicts[at].certificate


class _Merged:
    """Verdicts of several lots, each with the places of its patterns."""

    def __init__(self, parts: list[_Found], places: list[list[int]]) -> None:
        self._where: dict[int, tuple[_Found, int]] = {}
        count = sum(map(len, places))
        self.yes, self.no = np.empty(count, dtype=np.bool_), np.empty(count, dtype=np.bool_)
        for part, own in zip(parts, places, strict=True):
            self.yes[own], self.no[own] = part.yes, part.no
            self._where.update({at: (part, number) for number, at in enumerate(own)})

    def verdict(self, at: int) -> Verdict:
        part, number = self._where[at]
        return part.verdict(number)

    def certificate(self, at: int) -> Certificate | None:
        part, number = self._where[at]
        return part.certificate(number)


class _Stack:
    """Verdicts of a stack for d = 1; verdicts and certificates are built on access.

    Parameters
    ----------
    stack : ndarray of uint8, shape (N, m, n)
    patterns : list of Pattern or None
        The same as patterns, where they are at hand.
    d_hid : int or None
    proofs : sequence of ndarray
        The result for the whole stack, see `_prove`.
    """

    def __init__(
        self,
        stack: NDArray[np.uint8],
        patterns: list[Pattern] | None,
        d_hid: int | None,
        proofs: Sequence[NDArray[Any]],
    ) -> None:
        self._stack, self._patterns, self._d_hid = stack, patterns, d_hid
        self.no, self._keys, self._queries, self._thresholds, self._rows, self._columns = proofs
        self.yes = ~self.no
        self._core = np.cumsum(self.no) - 1

    def verdict(self, at: int) -> Verdict:
        proof = self._proof(at)
        outcome = "YES" if isinstance(proof, Embedding) else "NO"
        return Verdict(self._problem(at), proof, (Attempt("line", 0.0, outcome),))

    def certificate(self, at: int) -> Certificate:
        return Certificate.of(self._problem(at), self._proof(at))

    def _problem(self, at: int) -> Problem:
        pattern = Pattern.from_array(self._stack[at]) if not self._patterns else self._patterns[at]
        return Problem(pattern, 1, self._d_hid)

    def _proof(self, at: int) -> Proof:
        if self.yes[at]:
            queries, keys, thresholds = (
                part[at].astype(np.int64) for part in (self._queries, self._keys, self._thresholds)
            )
            return Embedding(queries[:, None], keys[:, None], thresholds)
        core = self._core[at]
        rows, columns = (
            sorted(index for index in part[core].tolist() if index >= 0)
            for part in (self._rows, self._columns)
        )
        return Shattering(rows, columns) if len(rows) == 2 else Radon(rows, columns)


def _decide_stack(
    stack: NDArray[np.uint8], patterns: list[Pattern] | None, d_hid: int | None
) -> _Found:
    """Solve and check some at a time, on all cores: numpy lets other threads run."""
    count, rows, columns = stack.shape
    step = max(1, _AT_ONCE // (rows * max(rows, columns)))
    starts = range(0, max(1, count), step)
    prove = partial(_prove, stack, step)
    if len(starts) == 1:
        *proofs, hold = prove(0)
    else:
        with ThreadPoolExecutor(cores()) as pool:
            found = zip(*pool.map(prove, starts), strict=True)
            *proofs, hold = (np.concatenate(parts) for parts in found)
    if hold.all():
        return _Stack(stack, patterns, d_hid, proofs)
    return _replace_wrong(stack, patterns, d_hid, proofs, hold)


def _prove(stack: NDArray[np.uint8], step: int, start: int) -> Sequence[NDArray[Any]]:
    """Prove each answer NO by a core and all others by embeddings, and check them.

    An embedding that fails the checker is none, so that its pattern gets a core, which fails too.
    """
    some = stack[start : start + step]
    embeddings = find_embeddings(some)
    no = ~check_embeddings(some, *embeddings)
    cores = find_cores(some[no])
    return no, *embeddings, *cores, check_cores(some[no], *cores)


def _replace_wrong(
    stack: NDArray[np.uint8],
    patterns: list[Pattern] | None,
    d_hid: int | None,
    proofs: Sequence[NDArray[Any]],
    hold: NDArray[np.bool_],
) -> _Found:
    """Decide those patterns alone whose cores do not hold."""
    no, keys, queries, thresholds, *cores = proofs
    wrong = np.flatnonzero(no)[~hold]
    rest = np.delete(np.arange(len(stack)), wrong)
    kept = [part[rest] for part in (no, keys, queries, thresholds)] + [part[hold] for part in cores]
    given = None if patterns is None else [patterns[at] for at in rest]
    alone = []
    for at in wrong.tolist():
        error = CertificateError(f"the proof for pattern {at} of the batch fails the checker")
        mistake = Attempt("line", 0.0, describe_fault(error))
        verdict = decide(Pattern.from_array(stack[at]), 1, d_hid)
        alone.append(replace(verdict, trail=(mistake, *verdict.trail)))
    parts: list[_Found] = [_Stack(stack[rest], given, d_hid, kept), _OneByOne(alone)]
    return _Merged(parts, [rest.tolist(), wrong.tolist()])
