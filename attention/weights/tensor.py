"""Tensors in files, whatever the format: shapes first, numbers on demand."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.errors import InputError

__all__ = ["NotWeights", "Position", "Tensor", "TensorFile", "require_weights"]

Position = tuple[int, ...]

_MOST_AXES = 32  # the most axes of an array of numpy before version 2


class NotWeights(InputError):
    """A tensor that cannot hold attention weights: too few axes, or another type of entries."""


@dataclass(frozen=True, slots=True)
class Tensor:
    """Attention weights of shape (.., queries, keys) in a file; nothing is in memory yet."""

    shape: tuple[int, ...]
    roundoff: float  # relative rounding error of the stored numbers; 0 for whole numbers
    read_part: Callable[[Position], NDArray[Any]]
    # Where files are read from their start: all matrices of a part in one pass.
    read_in_order: Callable[[Position], Iterator[NDArray[Any]]] | None = None

    def require_matrices(self) -> None:
        """Refuse a tensor without entries, or with more axes than an array has."""
        if len(self.shape) > _MOST_AXES:
            raise NotWeights(f"a tensor of {len(self.shape)} axes holds no attention weights")
        if 0 in self.shape:
            raise NotWeights(f"a tensor of shape {self.shape} holds no matrix")

    def read(self, select: Position) -> NDArray[Any]:
        """Read the part at these positions on the first leading axes."""
        self._require(select)
        return self.read_part(select)

    def matrices(self, select: Position) -> Iterator[NDArray[Any]]:
        """Read the matrices of that part in order, one in memory at a time."""
        self._require(select)
        if self.read_in_order is not None:
            yield from self.read_in_order(select)
            return
        for index in np.ndindex(self.shape[len(select) : -2]):
            yield self.read_part((*select, *index))

    def matrices_at(self, positions: Sequence[Position]) -> Iterator[NDArray[Any]]:
        """Read the matrices at these positions, which are in order, one in memory at a time."""
        if self.read_in_order is None:
            yield from map(self.read_part, positions)
            return
        wanted, pairs = set(positions), zip(positions[0], positions[-1], strict=True)
        prefix = tuple(first for first, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        indices = np.ndindex(self.shape[len(prefix) : -2])
        for index, matrix in zip(indices, self.read_in_order(prefix), strict=True):
            if (*prefix, *index) in wanted:
                yield matrix

    def _require(self, select: Position) -> None:
        """Refuse positions that the tensor does not have."""
        leading = self.shape[:-2]
        if len(select) > len(leading):
            raise InputError(
                f"a tensor of shape {self.shape} has {len(leading)} leading axes, and "
                f"{list(select)} names {len(select)} positions"
            )
        for axis, (position, size) in enumerate(zip(select, leading, strict=False)):
            if not 0 <= position < size:
                raise InputError(
                    f"a tensor of shape {self.shape} has no position {position} on axis {axis}; "
                    f"choose 0 to {size - 1}"
                )


@dataclass(frozen=True, slots=True)
class TensorFile:
    """The tensors of a file by name; the name of a lone tensor without a name is empty."""

    names: list[str]  # as stored; those of nested lists and dicts are joined by dots
    tensor: Callable[[str], Tensor]

    def __post_init__(self) -> None:
        if not self.names:
            raise InputError("the file holds no tensor")


def require_weights(kind: str, shape: tuple[int, ...], kinds: Collection[str]) -> None:
    """Refuse a tensor of another type of numbers, or without queries and keys."""
    if kind not in kinds or len(shape) < 2:
        raise NotWeights(
            f"the tensor holds {kind} of shape {shape}; attention weights are {', '.join(kinds)} "
            "of shape (.., queries, keys)"
        )
