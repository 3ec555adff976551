"""Deciding many small patterns at once."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samapprox.certificate import Certificate
from samapprox.checker import Proof
from samapprox.embedding import Embedding
from samapprox.errors import CertificateError, InputError
from samapprox.obstruction import Radon, Shattering
from samapprox.pattern import Pattern, as_pattern
from samapprox.problem import Problem
from samapprox.solvers.decide import decide
from samapprox.stack_checker import check_cores, check_embeddings
from samapprox.verdict import Attempt, Status, Verdict

__all__ = ["Verdicts", "decide_many"]

_KERNEL = "samapprox.solvers.line_kernel"
_WORTH_COMPILING = 20_000
"""So many patterns take the plain path about as long as importing and compiling the kernel."""

_CHUNK_BYTES = 1 << 19  # one step of a thread: a chunk and its proofs stay within the cache


class Verdicts(Sequence[Verdict]):
    """The verdicts of a batch; each `Verdict` is put together when it is asked for.

    Attributes
    ----------
    yes, no : ndarray of bool, shape (N,)
        The answers, each certified; neither where the answer is UNKNOWN.
    """

    def __init__(
        self,
        yes: NDArray[np.bool_],
        no: NDArray[np.bool_],
        verdict: Callable[[int], Verdict],
        certificate: Callable[[int], Certificate | None],
    ) -> None:
        self.yes = yes
        self.no = no
        self._verdict = verdict
        self._certificate = certificate

    def __len__(self) -> int:
        return len(self.yes)

    @overload
    def __getitem__(self, index: int) -> Verdict: ...
    @overload
    def __getitem__(self, index: slice) -> list[Verdict]: ...
    def __getitem__(self, index: int | slice) -> Verdict | list[Verdict]:
        chosen = range(len(self))[index]
        if isinstance(chosen, range):
            return [self._verdict(at) for at in chosen]
        return self._verdict(chosen)

    def certificate(self, index: int) -> Certificate | None:
        """The certificate of one; faster than by its `Verdict`, which would check it once more."""
        return self._certificate(index)

    def __repr__(self) -> str:
        yes, no = int(self.yes.sum()), int(self.no.sum())
        return f"<Verdicts: {yes} YES, {no} NO, {len(self) - yes - no} UNKNOWN>"


def decide_many(
    patterns: NDArray[np.generic] | Iterable[ArrayLike | Pattern],
    d: int = 1,
    d_hid: int | None = None,
    *,
    causal: bool = False,
) -> Verdicts:
    """Decide many small patterns, every answer certified.

    Parameters
    ----------
    patterns : ndarray, shape (N, m, n), or iterable of Pattern or array_like
    d, d_hid, causal
        As in `samapprox.decide`.

    Returns
    -------
    Verdicts

    Raises
    ------
    InputError
        Names the pattern (by its place in the batch), the row and the column.
    CertificateError
        A proof failed the checker (a bug here).

    Notes
    -----
    Large batches of one shape, free and with d = 1, run through a compiled kernel on all cores:
    O(m n) a pattern, well under a microsecond for 8 x 8. All else is decided one by one.

    Examples
    --------
    >>> verdicts = decide_many(np.array([np.eye(2), np.ones((2, 2))]))
    >>> verdicts
    <Verdicts: 2 YES, 0 NO, 0 UNKNOWN>
    >>> verdicts[0].certificate.answer
    'YES'
    """
    items = patterns if isinstance(patterns, np.ndarray) else list(patterns)
    if isinstance(items, np.ndarray) and items.ndim != 3:
        raise InputError(
            f"a batch of patterns has shape (N, m, n), not {items.shape}; for one, use decide"
        )
    if isinstance(items, np.ndarray) and items.dtype.kind not in "biuf":
        items = list(items)  # decided, or refused, one by one
    free_line = (
        type(d) is int
        and type(d_hid) in (int, type(None))
        and d == 1
        and (d_hid is None or d_hid >= 2)
        and not causal
    )
    if free_line and len(items) and (len(items) >= _WORTH_COMPILING or _KERNEL in sys.modules):
        found = _as_stack(items)
        if found is not None:
            return _decide_stack(*found, d_hid)
    verdicts = [_decide_one(items, at, d, d_hid, causal) for at in range(len(items))]
    status = [verdict.status for verdict in verdicts]
    return Verdicts(
        np.array([answer is Status.YES for answer in status], dtype=np.bool_),
        np.array([answer is Status.NO for answer in status], dtype=np.bool_),
        verdicts.__getitem__,
        lambda at: verdicts[at].certificate,
    )


def _decide_one(
    items: NDArray[np.generic] | Sequence[ArrayLike | Pattern],
    at: int,
    d: int,
    d_hid: int | None,
    causal: bool,
) -> Verdict:
    try:
        return decide(items[at], d, d_hid, causal=causal)
    except InputError as error:
        raise error.within(f"pattern {at}") from None


# ---------------------------------------------------------------- stacks


def _as_stack(
    items: NDArray[np.generic] | Sequence[ArrayLike | Pattern],
) -> tuple[NDArray[np.uint8], list[Pattern]] | None:
    """All patterns as one array of zeros and ones, and those that there are as such.

    None where shapes differ or entries are free.
    """
    if isinstance(items, np.ndarray):
        return _zeros_and_ones(items), []
    patterns: list[Pattern] = []
    for at, item in enumerate(items):
        try:
            pattern = as_pattern(item)
        except InputError as error:
            raise error.within(f"pattern {at}") from None
        if not pattern.is_specified or (patterns and patterns[0].shape != pattern.shape):
            return None
        patterns.append(pattern)
    if not patterns:
        return None
    stack = np.stack([pattern.to_array() for pattern in patterns]).view(np.uint8)
    return stack, patterns


def _zeros_and_ones(stack: NDArray[np.generic]) -> NDArray[np.uint8]:
    """A stack of valid patterns as bytes; the first invalid pattern is an error that names it."""
    if stack.size and stack.dtype.kind in "biuf":
        ones = stack == 1
        valid = (ones | (stack == 0)).all(axis=(1, 2)) & ones.any(axis=2).all(axis=1)
        if valid.all():
            return np.asarray(ones).view(np.uint8)
        first = int(valid.argmin())
    else:
        first = 0
    try:
        Pattern.from_array(stack[first])
    except InputError as error:
        raise error.within(f"pattern {first}") from None
    raise AssertionError("a pattern that the stack rejects is rejected alone, too")


@dataclass(frozen=True, slots=True, eq=False)
class _Proofs:
    """Proofs for a stack; core_rows[i, 0] is -1 where pattern i has an embedding."""

    keys: NDArray[np.int32]
    queries: NDArray[np.int32]
    thresholds: NDArray[np.int32]
    core_rows: NDArray[np.int32]
    core_columns: NDArray[np.int32]

    @classmethod
    def room_for(cls, count: int, rows: int, columns: int) -> _Proofs:
        shapes = (columns, rows, rows, 3, 4)
        return cls(*(np.empty((count, size), dtype=np.int32) for size in shapes))

    def slice(self, part: slice) -> _Proofs:
        return _Proofs(
            self.keys[part],
            self.queries[part],
            self.thresholds[part],
            self.core_rows[part],
            self.core_columns[part],
        )

    def proof(self, at: int) -> Proof:
        rows = self.core_rows[at].tolist()
        if rows[0] < 0:
            return Embedding(self.queries[at][:, None], self.keys[at][:, None], self.thresholds[at])
        columns = self.core_columns[at].tolist()
        return Shattering(rows[:2], columns) if rows[2] < 0 else Radon(rows, columns[:3])


def _decide_stack(stack: NDArray[np.uint8], patterns: list[Pattern], d_hid: int | None) -> Verdicts:
    """Solve and check chunk by chunk on all cores; the kernel holds no interpreter lock."""
    from samapprox.solvers.line_kernel import find_proofs

    count, rows, columns = stack.shape
    proofs = _Proofs.room_for(count, rows, columns)

    def work(part: slice) -> None:
        mine = proofs.slice(part)
        find_proofs(
            stack[part],
            mine.keys,
            mine.queries,
            mine.thresholds,
            mine.core_rows,
            mine.core_columns,
        )
        _require_valid(stack[part], mine, part.start)

    step = max(1, _CHUNK_BYTES // (rows * columns))
    parts = [slice(start, start + step) for start in range(0, count, step)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(work, parts))

    def problem(at: int) -> Problem:
        return Problem(patterns[at] if patterns else Pattern.from_array(stack[at]), 1, d_hid)

    def verdict(at: int) -> Verdict:
        proof = proofs.proof(at)
        outcome = "YES" if isinstance(proof, Embedding) else "NO"
        return Verdict(problem(at), proof, (Attempt("line", 0.0, outcome),))

    no = proofs.core_rows[:, 0] >= 0
    return Verdicts(~no, no, verdict, lambda at: Certificate.of(problem(at), proofs.proof(at)))


def _require_valid(stack: NDArray[np.uint8], proofs: _Proofs, first: int) -> None:
    """Every proof of the chunk passes the exact checker."""
    no = proofs.core_rows[:, 0] >= 0
    holds = np.empty(len(stack), dtype=np.bool_)
    holds[no] = check_cores(stack[no], proofs.core_rows[no], proofs.core_columns[no])
    holds[~no] = check_embeddings(
        stack[~no], proofs.keys[~no], proofs.queries[~no], proofs.thresholds[~no]
    )
    if not holds.all():
        at = first + int(holds.argmin())
        raise CertificateError(f"the proof for pattern {at} of the batch fails the checker")
