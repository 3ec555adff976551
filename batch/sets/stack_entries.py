"""The matrices of a stack as entries of a set; the answering process creates them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, overload

from numpy.typing import NDArray

from samapprox.batch.sets.entry import Entry, Matrix
from samapprox.formats.stacks import Stack
from samapprox.instance import Fact

__all__ = ["StackEntries"]


@dataclass(frozen=True, slots=True, eq=False)
class StackEntries(Sequence[Entry]):
    """A part of a stack that passes through a pipe as one array.

    Attributes
    ----------
    name, stamp : str
        Name and stamp of the file within its set.
    stack : Stack
    numbers : sequence of int
        The indices of the matrices in the stack.
    entries : ndarray, shape (k, m, n)
    care : ndarray or None, shape (k, m, n)
    family : str or None
    facts : tuple of Fact
        The facts that the set states about the file.

    Examples
    --------
    >>> import numpy as np
    >>> from pathlib import Path
    >>> stack = Stack(Path("A.npz"), "A", (2, 1, 2))
    >>> entries = StackEntries("A.npz", "", stack, range(2), np.array([[[1, 0]], [[1, 1]]]), None)
    >>> [entry.name for entry in entries], entries[1].load().pattern.to_text()
    (['A.npz:A[0]', 'A.npz:A[1]'], '11')
    """

    name: str
    stamp: str
    stack: Stack
    numbers: Sequence[int]
    entries: NDArray[Any]
    care: NDArray[Any] | None
    family: str | None = None
    facts: tuple[Fact, ...] = ()

    def __len__(self) -> int:
        return len(self.numbers)

    @overload
    def __getitem__(self, index: int) -> Entry: ...
    @overload
    def __getitem__(self, index: slice) -> StackEntries: ...
    def __getitem__(self, index: int | slice) -> Entry | StackEntries:
        care = None if self.care is None else self.care[index]
        if isinstance(index, slice):
            part = self.entries[index]
            return replace(self, numbers=self.numbers[index], entries=part, care=care)
        number = self.numbers[index]
        name = f"{self.name}:{self.stack.key(number)}"
        origin = dict(self.stack.origin)
        if len(self.stack.shape) > 3:
            origin["position"] = ",".join(map(str, self.stack.position(number)))
        matrix = Matrix(self.entries[index], care, self.stack.facts, origin)
        return Entry(name, self.stamp, matrix, self.family, self.facts)

    @property
    def names(self) -> list[str]:
        """The names of all matrices."""
        if len(self.stack.shape) == 3:  # the same, for a million in a moment
            begin = f"{self.name}:{self.stack.name}["
            return [f"{begin}{number}]" for number in self.numbers]
        return [f"{self.name}:{self.stack.key(number)}" for number in self.numbers]

    def without(self, done: Sequence[bool]) -> StackEntries:
        """Return the matrices that are not done."""
        left = [at for at, over in enumerate(done) if not over]
        care = None if self.care is None else self.care[left]
        numbers = [self.numbers[at] for at in left]
        return replace(self, numbers=numbers, entries=self.entries[left], care=care)
