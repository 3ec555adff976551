"""Folders of attention tensors to instance sets, one matrix in memory at a time."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.binarization import Rule, binarize
from samapprox.attention.weights.naming import Place, place
from samapprox.attention.weights.tensors import ENDINGS, Tensor, open_tensors
from samapprox.errors import InputError
from samapprox.instance import Instance

__all__ = ["SetEntry", "binarize_set", "safe_name", "tensor_files"]


@dataclass(frozen=True, slots=True)
class SetEntry:
    """One instance of a set and where it belongs.

    Attributes
    ----------
    path : str
        Within the set's folder: the tensor file's name, then layer, head and rule.
    instance : Instance
        Its origin has the file, the rule, ``layer`` and ``head`` as whole numbers, and as
        ``family`` the rule, by which results are put together.
    """

    path: str
    instance: Instance


def tensor_files(source: Path) -> list[Path]:
    """The files of a folder, and of its folders, that may hold tensors; a file is its own list.

    Raises
    ------
    InputError
        There are none.
    """
    if not source.is_dir():
        return [source]
    files = sorted(path for path in source.rglob("*") if path.suffix.lower() in ENDINGS)
    if not files:
        raise InputError(f"{source}: no {', '.join(ENDINGS)} file in this folder")
    return files


def binarize_set(
    source: str | Path,
    rules: Sequence[Rule],
    *,
    axes: tuple[str, ...] | None = None,
    key: str | None = None,
    select: tuple[int, ...] = (),
    causal: bool = False,
    logits: bool = False,
    ties: str | None = None,
) -> Iterator[SetEntry]:
    """Patterns of all attention weights in a folder (or a file), under every rule.

    Parameters
    ----------
    source : path
        A folder of npy, npz and safetensors files, at any depth, or one such file.
    rules : sequence of Rule
    axes : tuple of str, optional
        What the leading axes are; see `samapprox.attention.weights.naming.axes_of`.
    key : str, optional
        Only tensors whose name fits this pattern of the shell, as ``*attn*``.
    select : tuple of int
        Only this position on the first leading axes.
    causal, logits, ties
        As for `binarize`.

    Yields
    ------
    SetEntry
        In the order of files, tensors, positions and rules.

    Raises
    ------
    InputError
        One line that names the file and the matrix.

    Notes
    -----
    Memory for one matrix and its copies in float64, however large the files are.

    Examples
    --------
    >>> from samapprox import data
    >>> from samapprox.attention import TopK, Uniform
    >>> source = data.path("attention/att_s02_n11.npz")
    >>> entries = binarize_set(source, [TopK(1), Uniform()])
    >>> next(entries).path, next(entries).instance.origin["layer"]
    ('att_s02_n11/L0_H00_top1.npz', 0)
    """
    given = {"causal": causal, "logits": logits, "ties": ties}
    options = {name: value for name, value in given.items() if value}
    for found in _tensors(Path(source), key):
        for at, weights in found.matrices(axes, select):
            origin = {**found.origin, **at.coordinates, **options}
            for rule in rules:
                try:
                    pattern = binarize(weights, rule, causal=causal, logits=logits, ties=ties)
                except InputError as error:
                    raise found.refused(error, at.name) from None
                stem = "_".join(filter(None, (at.name, rule.name)))
                told = {"family": f"attention {rule.name}", **origin, "rule": rule.name}
                yield SetEntry(f"{found.folder}/{stem}.npz", Instance(pattern, origin=told))


@dataclass(frozen=True, slots=True)
class _Found:
    """A tensor, and where its patterns go."""

    tensor: Tensor
    path: Path
    key: str
    folder: str
    chosen: bool

    @property
    def origin(self) -> dict[str, int | float | str]:
        return {"attention": self.path.name, **({"key": self.key} if self.key else {})}

    def matrices(
        self, axes: tuple[str, ...] | None, select: tuple[int, ...]
    ) -> Iterator[tuple[Place, NDArray[Any]]]:
        shape = self.tensor.shape
        positions = np.ndindex(shape[len(select) : -2])
        try:
            for index, weights in zip(positions, self.tensor.matrices(select), strict=True):
                at = place(f"{self.key} {self.path.stem}", shape, (*select, *index), axes)
                yield at, weights
        except InputError as error:
            raise self.refused(error) from None

    def refused(self, error: InputError, at: str = "") -> InputError:
        """What is wrong with it, and how to do without it where nobody asked for it by name."""
        name = f"{self.path}: {self.key}" if self.key else str(self.path)
        mend = "" if self.chosen or not self.key else "; --key '*attn*' takes only such names"
        return InputError(f"{error.within(f'{name} {at}'.rstrip())}{mend}")


def _tensors(source: Path, key: str | None) -> Iterator[_Found]:
    files = tensor_files(source)
    stems = Counter(path.with_suffix("") for path in files)
    fitting = False
    for path in files:
        with open_tensors(path) as file:
            for name in file.names:
                if key is not None and not fnmatchcase(name, key):
                    continue
                fitting = True
                own = path.name if stems[path.with_suffix("")] > 1 else path.stem
                above = path.parent.relative_to(source).parts if path != source else ()
                below = [name] if len(file.names) > 1 else []
                folder = "/".join(map(safe_name, [*above, own, *below]))
                yield _Found(file.tensor(name), path, name, folder, key is not None)
    if not fitting:
        raise InputError(f"{source}: no tensor's name fits {key!r}")


def safe_name(name: str) -> str:
    """A name of files on every system.

    Examples
    --------
    >>> safe_name("model/layers.3: attn")
    'model-layers.3-attn'
    """
    return re.sub(r"[^\w.-]+", "-", name).lstrip(".") or "-"
