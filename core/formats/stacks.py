"""Stacks: many patterns of one shape in one array of an npy or npz file, read block by block."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.errors import InputError, errors_within
from samapprox.formats import tensor_format
from samapprox.formats.arrays import Archive, StoredArray, open_archive, open_array
from samapprox.formats.files import open_source
from samapprox.formats.npz import BESIDE, read_facts, read_origin
from samapprox.instance import Fact
from samapprox.storage.entries import WEIGHTS_RULE

_BLOCK_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Stack:
    """An array of patterns in a file, read on demand.

    `name`: the name of the array; empty in an npy file. `shape`: (.., m, n) with one leading axis
    at least. `facts`: the facts that the file states about every pattern.
    """

    path: Path
    name: str
    shape: tuple[int, ...]
    facts: tuple[Fact, ...] = ()
    origin: Mapping[str, int | float | str] = field(default_factory=dict)

    def __len__(self) -> int:
        return math.prod(self.shape[:-2])

    def key(self, number: int) -> str:
        """Return the key by which `samapprox.load` finds the matrix with this number.

        >>> Stack(Path("A.npz"), "A", (6, 12, 8, 8)).key(20)
        'A[1,8]'
        """
        return f"{self.name}[{','.join(map(str, self.position(number)))}]"

    def position(self, number: int) -> tuple[int, ...]:
        """Return the position on the leading axes."""
        if len(self.shape) == 3:
            return (number,)
        return tuple(int(at) for at in np.unravel_index(number, self.shape[:-2]))


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Some matrices of a stack, one after another.

    `first`: number of the first one. `entries`: as stored: not looked at yet.
    """

    first: int
    entries: NDArray[Any]
    care: NDArray[Any] | None


def stacks_in(path: Path) -> list[Stack]:
    """Return the stacks of a file; none where it holds a single pattern or is no npy or npz file.

    Of an npz with an array S that one alone counts, as for `samapprox.load`.

    Raises InputError: the file cannot be read.
    """
    with open_source(path) as stream, errors_within(str(path)):
        kind = tensor_format(str(path), stream.read(256))
        stream.seek(0)
        if kind == "npz":
            with open_archive(stream) as archive:
                return _stacks_of(path, archive)
        if kind == "npy":
            with open_array(stream) as stored:
                return [Stack(path, "", _require_patterns(stored))] if stored.ndim > 2 else []
    return []


def _stacks_of(path: Path, archive: Archive) -> list[Stack]:
    names = ["S"] if "S" in archive else [name for name in archive.names if name not in BESIDE]
    found = []
    for name in names:
        with archive.open(name) as stored:
            if stored.ndim > 2:
                shape = _require_patterns(stored)
                found.append(Stack(path, name, shape, read_facts(archive), read_origin(archive)))
    return found


def _require_patterns(stored: StoredArray) -> tuple[int, ...]:
    """Return the shape of a stack, whose first matrix must not look like attention weights."""
    shape = stored.shape
    if stored.dtype.kind == "f" and 0 not in shape:
        first = next(stored.blocks(1, (0,) * (len(shape) - 2)))
        if ((first > 0) & (first < 1)).any():
            raise InputError(
                f"{stored.name} of shape {shape} holds weights, not patterns; {WEIGHTS_RULE}"
            )
    return shape


def blocks(stack: Stack) -> Iterator[Block]:
    """Yield the matrices of a stack, about a megabyte at a time.

    Raises InputError: the file is damaged; the blocks before the damage have been given by then.
    """
    step = max(1, _BLOCK_BYTES // max(1, math.prod(stack.shape[-2:])))
    with open_source(stack.path) as stream, errors_within(str(stack.path)):
        if not stack.name:
            with open_array(stream) as stored:
                yield from _blocks_of(stored, None, step)
            return
        with open_archive(stream) as archive, archive.open(stack.name) as stored:
            if "care" not in archive:
                yield from _blocks_of(stored, None, step)
                return
            with archive.open("care") as care:
                yield from _blocks_of(stored, care, step)


def _blocks_of(stored: StoredArray, care: StoredArray | None, step: int) -> Iterator[Block]:
    masks: Iterator[NDArray[Any] | None] = itertools.repeat(None)
    if care is not None and care.ndim == 2:
        every = care.read()
        masks = itertools.repeat(np.broadcast_to(every, (step, *every.shape)))
    elif care is not None:
        masks = iter(care.matrices(step))
    if care is not None and care.shape not in (stored.shape, stored.shape[-2:]):
        raise InputError(f"care has shape {care.shape} but {stored.name} has {stored.shape}")
    first = 0
    for entries, mask in zip(stored.matrices(step), masks, strict=False):
        yield Block(first, entries, None if mask is None else mask[: len(entries)])
        first += len(entries)
