"""Numpy's npy and npz files, opened without trusting their content.

Headers are parsed by numpy, sizes are compared with what the file really holds before anything is
allocated, and arrays of Python objects (pickles) are refused unread.
"""

from __future__ import annotations

import io
import lzma
import math
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from samapprox.errors import InputError
from samapprox.storage import PackedMatrix, block_height
from samapprox.storage.entries import WEIGHTS_RULE, check_size, zero_one_bytes

if TYPE_CHECKING:
    from samapprox.storage.sparse import SparseMatrix


_BYTES_READ = 1 << 20
_LARGEST_EXPANDED = 1 << 30
_LARGEST_RATIO = 20
_LONGEST_HEADER = 1 << 16


@dataclass(frozen=True, slots=True)
class Key:
    """The array to take, and the matrix of a stack: ``S``, ``S[3]``, ``[0,8]``.

    `name`: empty: whatever there is. `index`: positions on the leading axes.

    >>> Key.parse("A[0, 8]")
    Key(name='A', index=(0, 8))
    """

    name: str
    index: tuple[int, ...]

    @classmethod
    def parse(cls, text: str | None) -> Key:
        """Read a key as it is written on the command line."""
        match = re.fullmatch(r"([^\[\]]*)(?:\[([\d\s,]+)\])?", text or "")
        if match is None:
            raise InputError(f"the key {text!r} must look like S, S[3] or A[0,8]")
        try:
            index = tuple(int(part) for part in (match[2] or "").split(",") if part.strip())
        except ValueError:
            raise InputError(f"the key {text!r} must look like S, S[3] or A[0,8]") from None
        return cls(match[1].strip(), index)


class NotNumbers(InputError):
    """An array of objects, complex numbers, or bytes without a meaning to numpy."""


def _mend(dtype: np.dtype[Any]) -> str:
    """Advise how to save an array whose type no `StoredArray` has."""
    if dtype.kind == "c":
        return "save real numbers or booleans"
    if dtype == "V2":  # how numpy writes the types of ml_dtypes
        return "save numbers or booleans, and bfloat16 as float32"
    return "pickled objects are never loaded; save numbers or booleans"


class StoredArray:
    """An array in a file, whose header fits its size; its content is read on demand.

    `dtype`: numbers, booleans or text; never objects.
    """

    def __init__(self, stream: IO[bytes], size: int, name: str, ratio_base: int) -> None:
        self.name = name
        self._stream = stream
        self._ratio_base = ratio_base
        self.shape, self._fortran_order, self.dtype = _read_header(stream, name)
        if self.dtype.hasobject or self.dtype.kind not in "biufUS":
            raise NotNumbers(f"{name}: holds {self.dtype} values; {_mend(self.dtype)}")
        body = size - stream.tell()
        claimed = self.dtype.itemsize * math.prod(self.shape)
        if claimed != body or min(self.shape, default=0) < 0 or not self.dtype.itemsize:
            shape = "x".join(str(length) if length < 1 << 63 else ".." for length in self.shape)
            raise InputError(
                f"{name}: damaged: its header claims {shape} {self.dtype}, but the file holds "
                f"{body} bytes"
            )
        self._nbytes = claimed

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    def read(self) -> NDArray[Any]:
        """Return the whole array.

        Raises InputError: it would unfold to far more than the file's own size.
        """
        self.require_reasonable_size()
        flat = np.frombuffer(self._take(self._nbytes), dtype=self.dtype)
        if self._fortran_order:
            return flat.reshape(self.shape[::-1]).T
        return flat.reshape(self.shape)

    def require_reasonable_size(self) -> None:
        """Refuse an array that must be held in memory but is far larger than its file."""
        if self._nbytes > max(_LARGEST_EXPANDED, _LARGEST_RATIO * self._ratio_base):
            raise InputError(
                f"{self.name}: would unfold to {self._nbytes} bytes from {self._ratio_base}; "
                "refused"
            )

    @contextmanager
    def matrix(self, index: tuple[int, ...]) -> Iterator[Callable[[int, int], NDArray[Any]]]:
        """Return one matrix of a stack, as a function that gives rows start..stop.

        The function must be called in ascending order, without gaps; the matrix never stands in
        memory whole (but for Fortran order).

        `index`: positions on all axes but the last two. Raises InputError: no such matrix, or none
        chosen of a stack.
        """
        self._require_matrix(index)
        rows, columns = self.shape[-2:]
        if self._fortran_order:
            whole = self.read()[index]
            yield lambda start, stop: whole[start:stop]
            return
        row_bytes = columns * self.dtype.itemsize

        def read(start: int, stop: int) -> NDArray[Any]:
            block = np.frombuffer(self._take((stop - start) * row_bytes), dtype=self.dtype)
            return block.reshape(stop - start, columns)

        stack = self.shape[:-2]
        before = int(np.ravel_multi_index(index, stack)) if index else 0
        self._skip(before * rows * row_bytes)
        yield read
        self._skip((math.prod(stack) - before - 1) * rows * row_bytes)  # the checksum is at the end

    def matrices(self, step: int) -> Iterator[NDArray[Any]]:
        """Yield all matrices of a stack in order, at most `step` of them at a time in memory.

        `step`: matrices in a block of shape (<= step, m, n); Fortran order is read whole. Raises
        InputError: no stack, or the file is damaged.
        """
        if self.ndim < 3:
            raise InputError(f"{self.name} has {self.ndim} dimensions {self.shape}: no stack")
        if 0 in self.shape:
            raise InputError(f"{self.name} of shape {self.shape} holds no pattern")
        yield from self.blocks(step)

    def blocks(self, step: int, index: tuple[int, ...] = ()) -> Iterator[NDArray[Any]]:
        """Yield the matrices below a position on the first leading axes, some at a time.

        `step`: as for `matrices`. `index`: one position for each of some leading axes; none takes
        all matrices. Raises InputError: the file is damaged.
        """
        stack, shape = self.shape[:-2], self.shape[-2:]
        count = math.prod(stack[len(index) :])
        if self._fortran_order:
            whole = self.read()[index].reshape(count, *shape)
            yield from (whole[start : start + step] for start in range(0, count, step))
            return
        size = math.prod(shape) * self.dtype.itemsize
        before = int(np.ravel_multi_index(index, stack[: len(index)])) * count if index else 0
        self._skip(before * size)
        for start in range(0, count, step):
            block = np.frombuffer(self._take(min(step, count - start) * size), dtype=self.dtype)
            yield block.reshape(-1, *shape)
        self._skip((math.prod(stack) - before - count) * size)
        self._stream.read(1)  # the checksum is compared at the end

    def _require_matrix(self, index: tuple[int, ...]) -> None:
        if self.ndim < 2:
            raise InputError(
                f"{self.name} has {self.ndim} dimension{'s' * (self.ndim != 1)} {self.shape}; "
                "a pattern is a matrix (queries x keys)"
            )
        stack = self.shape[:-2]
        if len(index) < len(stack):
            zeros = ",".join("0" * len(stack))
            named = self.name.startswith("array ")
            name = self.name.removeprefix("array ").strip("'\"") if named else ""
            weights = f"{WEIGHTS_RULE}; " if self.dtype.kind == "f" else ""
            raise InputError(
                f"{self.name} has {self.ndim} dimensions {self.shape}, and a pattern is a matrix; "
                f"{weights}of a stack of patterns, --key '{name}[{zeros}]' selects the first, and "
                "`samapprox batch` answers for all"
            )
        if len(index) > len(stack) or any(
            position >= size for position, size in zip(index, stack, strict=True)
        ):
            raise InputError(f"{self.name} of shape {self.shape} has no matrix {list(index)}")

    def _take(self, count: int) -> bytearray:
        """Read exactly so many bytes; memory grows with the data, not with the claimed size."""
        taken = bytearray()
        while len(taken) < count:
            part = self._stream.read(min(_BYTES_READ, count - len(taken)))
            if not part:
                raise InputError(f"{self.name}: the file is cut short")
            taken += part
        return taken

    def _skip(self, count: int) -> None:
        while count > 0:
            part = self._stream.read(min(_BYTES_READ, count))
            if not part:
                raise InputError(f"{self.name}: the file is cut short")
            count -= len(part)


def _read_header(stream: IO[bytes], name: str) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Read shape, order and type with numpy's own parser, within the size of a header."""
    start = stream.read(8)
    version = tuple(start[6:8])
    if start[:6] != b"\x93NUMPY" or len(version) < 2:
        raise InputError(f"{name}: damaged: its npy header cannot be read")
    if version not in ((1, 0), (2, 0)):
        raise InputError(f"{name}: npy format {version[0]}.{version[1]} is not readable")
    size = stream.read(2 if version == (1, 0) else 4)
    length = int.from_bytes(size, "little")
    if length > _LONGEST_HEADER:
        raise InputError(f"{name}: damaged: its npy header has {length} bytes")
    rest = io.BytesIO(size + stream.read(length))
    try:
        if version == (1, 0):
            shape, fortran_order, dtype = np.lib.format.read_array_header_1_0(rest)
        else:
            shape, fortran_order, dtype = np.lib.format.read_array_header_2_0(rest)
    except Exception:  # numpy evaluates the header: hostile text may raise nearly anything
        raise InputError(f"{name}: damaged: its npy header cannot be read") from None
    if any(type(axis) is not int for axis in shape):
        raise InputError(f"{name}: damaged: its npy header cannot be read")
    return shape, fortran_order, dtype


class Archive:
    """The arrays of an npz file, opened one at a time."""

    def __init__(self, file: zipfile.ZipFile) -> None:
        self._file = file
        self._members = {
            info.filename.removesuffix(".npy"): info
            for info in file.infolist()
            if info.filename.endswith(".npy")
        }

    @property
    def names(self) -> list[str]:
        """Names of the arrays, as stored."""
        return list(self._members)

    def __contains__(self, name: str) -> bool:
        return name in self._members

    @contextmanager
    def open(self, name: str) -> Iterator[StoredArray]:
        """Open one array, to be read within the context."""
        info = self._members[name]
        with _zip_errors(), self._file.open(info) as stream:
            yield StoredArray(stream, info.file_size, f"array {name!r}", info.compress_size)

    def read(self, name: str) -> NDArray[Any]:
        """Read one array, whole."""
        with self.open(name) as stored:
            return stored.read()


@contextmanager
def open_archive(stream: BinaryIO) -> Iterator[Archive]:
    """Open an npz file.

    Raises InputError: not a zip file, damaged, or without arrays.
    """
    with _zip_errors():
        file = zipfile.ZipFile(stream)
    with file:
        archive = Archive(file)
        if not archive.names:
            raise InputError("the zip file holds no numpy array (.npy)")
        yield archive


@contextmanager
def open_array(stream: BinaryIO) -> Iterator[StoredArray]:
    """Open an npy file."""
    size = stream.seek(0, 2)
    stream.seek(0)
    yield StoredArray(stream, size, "the array", size)


def write_matrix(matrix: PackedMatrix | SparseMatrix, stream: IO[bytes]) -> None:
    """Write a 0/1 matrix as an npy of uint8, block by block."""
    header = {"descr": "|u1", "fortran_order": False, "shape": matrix.shape}
    np.lib.format.write_array_header_1_0(stream, header)
    step = block_height(matrix.shape[1])
    for start in range(0, matrix.shape[0], step):
        stream.write(matrix.dense(start, start + step).tobytes())


def pack(stored: StoredArray, index: tuple[int, ...], what: str = "entry") -> PackedMatrix:
    """Pack a stored matrix of 0 and 1 while it is read.

    `index`: the matrix of a stack. `what`: the name of an entry in messages.
    """
    with stored.matrix(index) as rows:
        height, width = stored.shape[-2:]
        check_size(height, width)
        return PackedMatrix.from_blocks(
            height,
            width,
            lambda start, stop: zero_one_bytes(rows(start, stop), start, what),
        )


_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    OSError,  # of a seek before the beginning of a file
    OverflowError,
    ValueError,
)
"""The exceptions that the library raises for a damaged zip file."""


@contextmanager
def _zip_errors() -> Iterator[None]:
    """Turn any error of a damaged zip file into one line."""
    try:
        yield
    except InputError:
        raise
    except _DAMAGE as error:
        raise InputError(f"not a readable npz (zip) file: {error}") from None
    except (NotImplementedError, RuntimeError) as error:  # encrypted, or an unknown compression
        raise InputError(f"this zip file cannot be read: {error}") from None
