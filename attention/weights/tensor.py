"""The protocol of tensors in files, which every format implements."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from samapprox.errors import InputError

__all__ = [
    "NotWeights",
    "Tensor",
    "TensorFile",
    "TensorOfParts",
    "require_matrices",
    "require_selection",
]


_MOST_AXES = 32  # of an array of numpy before version 2


class NotWeights(InputError):
    """A tensor that cannot hold attention weights: too few axes, or another type of entries."""


class Tensor(Protocol):
    """Attention weights of shape (.., queries, keys) in a file; nothing is in memory yet."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Leading axes, queries, keys."""

    @property
    def roundoff(self) -> float:
        """Relative rounding error of the stored numbers; 0 for whole numbers."""

    def read(self, select: tuple[int, ...]) -> NDArray[Any]:
        """Read the part at these positions on the first leading axes."""

    def matrices(self, select: tuple[int, ...]) -> Iterator[NDArray[Any]]:
        """Read the matrices of that part in order, one in memory at a time."""


class TensorOfParts(ABC):
    """A tensor of which any part can be read."""

    shape: tuple[int, ...]

    @abstractmethod
    def read(self, select: tuple[int, ...]) -> NDArray[Any]:
        """Read the part at these positions on the first leading axes."""

    def matrices(self, select: tuple[int, ...]) -> Iterator[NDArray[Any]]:
        """Read the matrices of that part in order, one in memory at a time."""
        require_selection(self.shape, select)
        for index in np.ndindex(self.shape[len(select) : -2]):
            yield self.read((*select, *index))


class TensorFile(Protocol):
    """The tensors of a file by name; the name of a lone tensor without a name is empty."""

    @property
    def names(self) -> list[str]:
        """Names as stored; those of nested lists and dicts are joined by dots."""

    def tensor(self, name: str) -> Tensor:
        """Return one tensor."""


def require_matrices(shape: tuple[int, ...]) -> None:
    """Refuse a tensor without entries, or with more axes than an array has."""
    if len(shape) > _MOST_AXES:
        raise NotWeights(f"a tensor of {len(shape)} axes holds no attention weights")
    if 0 in shape:
        raise NotWeights(f"a tensor of shape {shape} holds no matrix")


def require_selection(shape: tuple[int, ...], select: tuple[int, ...]) -> None:
    """Refuse positions that a tensor does not have."""
    leading = shape[:-2]
    if len(select) > len(leading):
        raise InputError(
            f"a tensor of shape {shape} has {len(leading)} leading axes, and {list(select)} names "
            f"{len(select)} positions"
        )
    for axis, (position, size) in enumerate(zip(select, leading, strict=False)):
        if not 0 <= position < size:
            raise InputError(
                f"a tensor of shape {shape} has no position {position} on axis {axis}; choose 0 to "
                f"{size - 1}"
            )
