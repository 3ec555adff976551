"""Vectors and the ids that name them: from dicts, DataFrames, and arrays with ids."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samapprox.errors import InputError
from samapprox.storage.entries import FrameLike, names_of_labels
from samapprox.vectors import as_vectors, require_ids

__all__ = ["NamedVectors", "VectorsLike", "name_vectors"]

VectorsLike: TypeAlias = "ArrayLike | Mapping[Any, ArrayLike] | FrameLike"
"""Types of given vectors: arrays, dicts from ids to vectors, DataFrames with ids as their index."""


@dataclass(frozen=True, slots=True, eq=False)
class NamedVectors:
    """Vectors, one a row, and their ids; None where they have none."""

    array: NDArray[Any]
    ids: tuple[str, ...] | None


def name_vectors(values: VectorsLike, ids: Sequence[object] | None, what: str) -> NamedVectors:
    """Convert vectors to an array, and find their ids, which are theirs alone or given beside.

    A default index of a DataFrame counts rows and gives no ids.

    >>> name_vectors({"q7": [1.0, 0.0], "q3": [0.0, 1.0]}, None, "queries").ids
    ('q7', 'q3')
    """
    own: Sequence[object] | None = None
    rows: Any = values
    if isinstance(values, Mapping):
        own, rows = list(values), list(values.values())
        if not own:
            raise InputError(f"the dict of {what} is empty")
    elif isinstance(values, FrameLike):
        own, rows = names_of_labels(values.index), values.to_numpy()
    if own is not None and ids is not None:
        raise InputError(f"the {what} have ids of their own; give no others")
    array = _as_floats(rows, what)
    chosen = ids if own is None else own
    return NamedVectors(array, None if chosen is None else require_ids(chosen, len(array), what))


def _as_floats(values: ArrayLike, what: str) -> NDArray[Any]:
    """Convert input to float32 or float64 without loss; bfloat16 becomes float32."""
    if isinstance(values, list) and values and hasattr(values[0], "dtype"):
        values = _stack(values, what)
    if getattr(getattr(values, "dtype", None), "name", "") == "bfloat16":
        values = np.asarray(values).astype(np.float32)
    return as_vectors(values, what, writable=False)


def _stack(vectors: list[Any], what: str) -> NDArray[Any]:
    """Return a list of vectors as one array of their type."""
    try:
        return np.stack([np.asarray(vector) for vector in vectors])
    except ValueError:
        raise InputError(f"{what} are ragged: every vector needs the same dimension") from None
