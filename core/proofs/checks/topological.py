"""The check of a topological refutation: counting the members that each face lies in."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samapprox.pattern import Pattern
from samapprox.problem import Problem
from samapprox.proofs.kinds.topological import Topological

__all__ = ["find_fault"]

_MOST_NUMBERS = 1 << 26
"""Elements, over all faces of all members, of the largest proof that is read: some ten seconds."""

Signs = NDArray[np.int8]
Signed = NDArray[np.int32]
"""Sign patterns up to a flip, one a row: 2e + 1 where element e has the sign of the first, or 2e"""


def find_fault(problem: Problem, proof: Topological) -> str | None:
    r"""Return the reason why the members need not contain a circuit, or None.

    Parameters
    ----------
    problem : Problem
    proof : Topological

    Notes
    -----
    O(members (d + 2)^2) numbers are sorted.

    Examples
    --------
    >>> from samapprox import Pattern
    >>> problem = Problem(Pattern.from_text("100\n010\n001"), 1)
    >>> members = [[0, 0, 1, 2], [1, 0, 1, 2], [2, 0, 1, 2], [3, 0, 1, 2]]
    >>> find_fault(problem, Topological(1, range(3), range(3), "columns", members)) is None
    True
    >>> find_fault(problem, Topological(1, range(3), range(3), "columns", members[1:]))
    'the face +0 +1 lies in 1 member, an odd number'
    """
    count, width = proof.members.shape
    size = proof.d + 2
    if width != 1 + size:
        return f"each member must be a covector and {size} elements, not {width} numbers"
    if count * size * (size - 1) > _MOST_NUMBERS:
        return f"it is too large to check: {count} members with {size} faces each"
    if (fault := _find_fault_of_names(proof)) is not None:
        return fault
    signs = _read_signs(problem.pattern, proof)
    if (unspecified := np.argwhere(signs == 0)).size:
        member, place = unspecified[0].tolist()
        row, column = (int(part[member, place]) for part in proof.places())
        return f"member {member} reads the don't-care entry at row {row} and column {column}"
    elements = proof.members[:, 1:].astype(np.int32)
    order, starts = _group(_signed(elements, signs))
    if len(starts) < count:
        first, second = _repeated(order, starts)
        return f"member {second} repeats member {first}"
    faces = np.concatenate(
        [_signed(np.delete(elements, x, 1), np.delete(signs, x, 1)) for x in range(size)]
    )
    order, starts = _group(faces)
    times = np.diff(starts, append=len(faces))
    if (odd := np.flatnonzero(times % 2)).size:
        shared = int(times[odd[0]])
        members = "member" if shared == 1 else "members"
        face = _write(faces[order[starts[odd[0]]]])
        return f"the face {face} lies in {shared} {members}, an odd number"
    alternating = int((signs[:, 1:] != signs[:, :-1]).all(axis=1).sum())
    if alternating % 2 == 0:
        return f"{alternating} of the members alternate, an even number"
    return None


def _find_fault_of_names(proof: Topological) -> str | None:
    """Return the first member that names covectors or elements that are not there, or None."""
    rows, columns = 1 + len(proof.rows), len(proof.columns)
    by_columns = proof.elements == "columns"
    covectors, elements = (rows, columns) if by_columns else (columns, rows)
    members = proof.members
    outside = (members < 0) | (members >= np.array([covectors] + [elements] * (proof.d + 2)))
    if outside.any():
        member, place = np.argwhere(outside)[0].tolist()
        what, most = ("an element", elements) if place else ("a covector", covectors)
        return f"member {member} names {what} beyond 0..{most - 1}"
    repeated = (members[:, 2:] <= members[:, 1:-1]).any(axis=1)
    if repeated.any():
        return f"the elements of member {int(repeated.argmax())} do not ascend"
    return None


def _read_signs(pattern: Pattern, proof: Topological) -> Signs:
    """Return the signs of each member's covector on its elements, 0 for a don't-care."""
    rows, columns = proof.places()
    extra = rows < 0
    rows = np.where(extra, 0, rows)
    signs = np.where(extra | pattern.ones.entries(rows, columns), 1, -1).astype(np.int8)
    if pattern.unspecified is not None:
        signs[~extra & pattern.unspecified.entries(rows, columns)] = 0
    return signs


def _signed(elements: NDArray[np.int32], signs: Signs) -> Signed:
    """Return sign patterns with the same code if they are equal up to a flip."""
    return np.asarray(2 * elements + (signs == signs[:, :1]), dtype=np.int32)


def _group(patterns: Signed) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Sort the patterns, and return their order and where in it each different one begins."""
    order = np.lexsort(patterns.T[::-1])
    ascending = patterns[order]
    fresh = np.ones(len(patterns), dtype=np.bool_)
    fresh[1:] = (ascending[1:] != ascending[:-1]).any(axis=1)
    return order, np.flatnonzero(fresh)


def _repeated(order: NDArray[np.int64], starts: NDArray[np.int64]) -> tuple[int, int]:
    """Return the first two equal patterns of the first pattern that occurs twice."""
    times = np.diff(starts, append=len(order))
    start = int(starts[np.flatnonzero(times > 1)[0]])
    return int(order[start]), int(order[start + 1])  # the sort keeps the order of equal ones


def _write(face: Signed) -> str:
    """Write a sign pattern with its elements, the first one as +."""
    return " ".join(f"{'+' if code % 2 else '-'}{code // 2}" for code in face.tolist())
