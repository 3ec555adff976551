"""Files and folders of attention tensors as sets of instances, one matrix in memory at a time."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from samapprox.attention.binarization import NoUsableRow, Rule, binarize
from samapprox.attention.rows import RowCount
from samapprox.attention.weights.causality import is_causal
from samapprox.attention.weights.layouts import Place
from samapprox.attention.weights.sources import FoundTensor, find_tensors
from samapprox.attention.weights.tensor import NotWeights, Tensor
from samapprox.errors import InputError
from samapprox.instance import Instance
from samapprox.pattern import Pattern

__all__ = ["SetEntry", "binarize_matrix", "binarize_set"]

Origin = Mapping[str, int | float | str]


@dataclass(frozen=True, slots=True)
class SetEntry:
    """One instance of a set and its place there.

    Attributes
    ----------
    path : str
        Within the set's folder: the tensor file's name, then layer, head and rule.
    instance : Instance
        Its origin has the file, the rule, ``layer``, ``head`` and ``text`` as whole numbers where
        they are known, ``causal`` and ``logits`` where they hold, and as ``family`` the part of
        the model and the rule, by which results are put together.
    """

    path: str
    instance: Instance


def binarize_set(
    source: str | Path,
    rules: Sequence[Rule],
    *,
    axes: tuple[str, ...] | None = None,
    key: str | None = None,
    select: tuple[int, ...] = (),
    causal: bool | None = None,
    logits: bool = False,
    ties: str | None = None,
    rows: RowCount | None = None,
) -> Iterator[SetEntry]:
    """Yield the patterns of all attention weights in a folder or a file, under every rule.

    Parameters
    ----------
    source : path
        A folder of npy, npz, safetensors and torch.save files, at any depth, or one such file.
    rules : sequence of Rule
    axes : tuple of str, optional
        Names of the leading axes; see `samapprox.attention.weights.layouts.axes_of`.
    key : str, optional
        Only tensors whose name fits this pattern of the shell, as ``*attn*``.
    select : tuple of int
        Only this position on the first leading axes.
    causal : bool, optional
        As for `binarize`; by default, a tensor is causal if nothing stands above the diagonal of
        any of its matrices. Of an encoder-decoder model, it is about the decoder's own attention.
    logits, ties
        As for `binarize`; all tied keys are kept by default.
    rows : RowCount, optional
        A tally, which counts the rows that are masked and the matrices that are skipped because
        none of their rows can be used.

    Yields
    ------
    SetEntry
        In the order of files, tensors, positions and rules.

    Raises
    ------
    InputError
        A file cannot be read, two tensors are the same layer, or there is no pattern at all; one
        line that names the file and the matrix.

    Notes
    -----
    Memory for one matrix and its copies in float64, however large the files are. Causal tensors
    are read twice.

    Examples
    --------
    >>> from samapprox import data
    >>> from samapprox.attention import TopK, Uniform
    >>> source = data.path("attention/att_s02_n11.npz")
    >>> entries = binarize_set(source, [TopK(1), Uniform()])
    >>> next(entries).path, next(entries).instance.origin["layer"]
    ('att_s02_n11/L0_H00_top1.npz', 0)
    """
    count = RowCount() if rows is None else rows
    made = count.patterns
    places = _Places()
    for found in find_tensors(Path(source), key):
        try:
            tensor = found.open()
        except NotWeights as error:
            count.skip(str(error.within(found.named())))
            continue
        if causal is None:
            masked = _recognise(found, tensor, select, logits, count)
        else:
            masked = causal and found.label.part in (None, "decoder")
        places.require_one_length(found, tensor.shape, axes)
        for at, weights in found.matrices(tensor, axes, select):
            entries = binarize_matrix(
                weights,
                at,
                rules,
                folder=found.folder,
                origin=found.origin,
                rows=count,
                where=found.named(at.name),
                roundoff=tensor.roundoff,
                causal=masked,
                logits=logits,
                ties=ties,
            )
            for entry in entries:  # a matrix that is skipped has no place
                places.add(found, at)
                yield entry
    if count.patterns == made:
        raise count.nothing_left()


def binarize_matrix(
    weights: NDArray[Any],
    at: Place,
    rules: Sequence[Rule],
    *,
    folder: str,
    origin: Origin,
    rows: RowCount,
    where: str,
    causal: bool = False,
    logits: bool = False,
    ties: str | None = None,
    roundoff: float | None = None,
    names: tuple[Sequence[str], Sequence[str]] | None = None,
) -> Iterator[SetEntry]:
    """Yield the patterns of one matrix of weights, under every rule.

    Parameters
    ----------
    weights : ndarray, shape (m, n)
    at : Place
        Its place in the model.
    rules : sequence of Rule
    folder : str
        The folder of its patterns within the set.
    origin : mapping
        Where it comes from; ``part`` goes into the family.
    rows : RowCount
        Counts the rows; the matrix is skipped under a rule that can use none of them.
    where : str
        Name of the matrix in messages; may be empty.
    causal, logits, ties, roundoff
        As for `binarize`.
    names : pair of sequences of str, optional
        Names of the rows and of the columns.

    Examples
    --------
    >>> import numpy as np
    >>> from samapprox.attention import TopK
    >>> at = Place("L0_H3", {"layer": 0, "head": 3})
    >>> given = {"folder": "text0", "origin": {}, "rows": RowCount(), "where": "text 0"}
    >>> [entry.path for entry in binarize_matrix(np.eye(3), at, [TopK(1)], **given)]
    ['text0/L0_H3_top1.npz']
    """
    given = {"causal": causal, "logits": logits, "ties": ties}
    options = {name: value for name, value in given.items() if value}
    prefix = f"{where}: " if where else ""
    part = f"{origin['part']} " if "part" in origin else ""
    for rule in rules:
        known = dict(rows.examples)
        try:
            pattern = binarize(
                weights,
                rule,
                causal=causal,
                logits=logits,
                ties=ties,
                rows=rows,
                roundoff=roundoff,
            )
        except NoUsableRow as error:
            rows.skip(prefix + str(error))
            continue
        except InputError as error:
            raise InputError(prefix + str(error)) from None
        for fault in rows.examples.keys() - known.keys():
            rows.examples[fault] = prefix + rows.examples[fault]
        if names is not None:
            pattern = Pattern(pattern, row_names=names[0], column_names=names[1])
        stem = "_".join(filter(None, (at.name, rule.name)))
        told = {
            "family": f"{part}attention {rule.name}",
            **origin,
            **at.coordinates,
            **options,
            "rule": rule.name,
        }
        yield SetEntry(f"{folder}/{stem}.npz", Instance(pattern, origin=told))


def _recognise(
    found: FoundTensor, tensor: Tensor, select: tuple[int, ...], logits: bool, count: RowCount
) -> bool:
    """Whether a tensor is causal, which is counted; cross-attention never is."""
    if found.label.part == "cross":
        return False
    try:
        causal = is_causal(tensor.matrices(select), logits=logits)
    except InputError as error:
        raise found.refused(error) from None
    count.causal += causal
    return causal


class _Places:
    """The places of all matrices, to refuse tensors whose places are not clear."""

    def __init__(self) -> None:
        self._tensors: dict[tuple[object, ...], tuple[Path, str]] = {}
        self._shapes: dict[tuple[Path, str], tuple[int, ...]] = {}

    def require_one_length(
        self, found: FoundTensor, shape: tuple[int, ...], axes: tuple[str, ...] | None
    ) -> None:
        """Refuse a list of tensors that may be layers of texts, but as well texts of layers.

        Raises
        ------
        InputError
            The texts of two layers differ in length, and nobody named the axes.
        """
        if not found.label.listed or axes is not None:
            return
        guess = found.axes(shape)
        if "layer" in guess:
            return
        other = self._shapes.setdefault((found.path.parent, found.label.rest), shape)
        if other[-2:] != shape[-2:]:
            mend = (
                "name the axes, by --axes layer,head if every tensor is a text, by --axes "
                "text,head if it is a layer"
                if "text" in guess
                else "layers of one text have one length; if every tensor is a text, save them as "
                "text_0, text_1, .."
            )
            raise InputError(f"{found.named()}: has shape {shape} beside {other}: {mend}")

    def add(self, found: FoundTensor, at: Place) -> None:
        """Refuse a place with a layer that another tensor of the same list has.

        Raises
        ------
        InputError
        """
        label = found.label
        if label.layer is None:
            return
        own = (found.path.parent, label.rest, label.part, *sorted(at.coordinates.items()))
        path, key = self._tensors.setdefault(own, (found.path, found.key))
        if (path, key) == (found.path, found.key):
            return
        if path == found.path:
            other, mend = key, f"take one by --key, as in --key {_choice(found.key, key)!r}"
        else:
            other, mend = path.name, "keep one of the files in another folder"
        coordinates = ", ".join(f"{axis} {at}" for axis, at in at.coordinates.items())
        raise InputError(f"{found.named()}: has {coordinates}, as {other} has; {mend}")


def _choice(key: str, other: str) -> str:
    """A pattern of the shell for tensors that are named as the first one, in every layer."""
    every = (re.sub(r"\d+", "*", key, count=count) for count in (0, 1))  # 0: all numbers
    fitting = (one for one in every if fnmatchcase(key, one) and not fnmatchcase(other, one))
    return next(fitting, key)
