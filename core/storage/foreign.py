"""Matrices of other libraries, recognised by their methods, without importing scipy or pandas."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol, runtime_checkable

__all__ = ["FrameLike", "SparseLike", "names_of_labels"]


@runtime_checkable
class SparseLike(Protocol):
    """A scipy sparse matrix or array."""

    def tocsr(self) -> Any:
        """Return the matrix as compressed sparse rows."""


@runtime_checkable
class FrameLike(Protocol):
    """A pandas DataFrame."""

    index: Any
    columns: Any

    def to_numpy(self) -> Any:
        """Return the values as an array."""


def names_of_labels(index: Iterable[object]) -> list[str] | None:
    """Return labels of a DataFrame as names; None if they are default counters.

    Examples
    --------
    >>> names_of_labels(["q1", "q2"]), names_of_labels(range(3))
    (['q1', 'q2'], None)
    """
    labels = list(index)
    return None if labels == list(range(len(labels))) else [str(label) for label in labels]
