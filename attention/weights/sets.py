"""Matrices of files, folders and language models as sets of instances, one in memory at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from samapprox.attention.weights.binarization import NoUsableRow, binarize, require_ties
from samapprox.attention.weights.layouts import Place, require_axes
from samapprox.attention.weights.models import LanguageModel, LayerAttention
from samapprox.attention.weights.rows import RowCount, is_causal
from samapprox.attention.weights.rules import Rule
from samapprox.attention.weights.sources import (
    Choice,
    FoundTensor,
    UniquePlaces,
    as_source,
    find_tensors,
)
from samapprox.attention.weights.tensors import NotWeights, Position, Tensor
from samapprox.errors import InputError, require_flag, require_type
from samapprox.instance import Instance
from samapprox.pattern import Pattern

Origin = Mapping[str, int | float | str]
"""The origin of a matrix, as instances keep it."""


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
    """Yield the patterns of one matrix of weights, under every rule."""
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
        full_origin = {
            "family": f"{part}attention {rule.name}",
            **origin,
            **at.coordinates,
            **options,
            "rule": rule.name,
        }
        if not pattern.row_zeros.any():
            rows.without_zeros[str(full_origin["family"])] += 1
        yield SetEntry(f"{folder}/{stem}.npz", Instance(pattern, origin=full_origin))


def binarize_set(
    source: object,
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
    source : path, array, or list or dict of arrays
        A folder of npy, npz, safetensors and torch.save files, at any depth, or one such file; or
        tensors in memory of any library whose tensors become arrays, such as
        ``outputs.attentions``.
    rules : sequence of Rule
        Each makes a pattern of every matrix.
    axes : tuple of str, optional
        Names of the leading axes; see `samapprox.attention.weights.layouts.axes_of`.
    key : str, optional
        Only tensors whose name fits this pattern of the shell, as ``*attn*``.
    select : tuple of int
        Only this layer, or this layer and head, by the numbers that names and axes state. Where
        they state none, the layer or the head is 0. Axes of size 1 do not count; all texts of a
        batch are read.
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
        A file cannot be read, two tensors are the same layer, there is no such layer or head, or
        there is no pattern at all; one line that names the file and the matrix.

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
    require_flag("logits", logits)
    require_ties(ties)
    if causal is not None:
        require_flag("causal", causal)
    if rows is not None:
        require_type("rows", rows, RowCount, "a RowCount")
    require_type("rules", rules, Sequence, "a list of rules")
    axes = require_axes(axes)
    count = RowCount() if rows is None else rows
    made = count.patterns
    unique, choice = UniquePlaces(), Choice(select)
    read = as_source(source)
    for found in find_tensors(read, key):
        try:
            tensor = found.open()
        except NotWeights as error:
            count.skip(str(error.within(found.describe())))
            continue
        unique.require_one_length(found, tensor.shape, axes)
        places = choice.keep(found.places(tensor.shape, axes))
        if not places:
            continue
        if axes is None and "layer" in (guessed := found.axes(tensor.shape)):
            count.guessed_axes[", ".join(axis for axis in guessed if axis is not None)] += 1
        if causal is None:
            masked = _recognise(found, tensor, places, logits, count)
        else:
            masked = causal and found.label.part in (None, "decoder")
        for at, weights in found.matrices(tensor, places):
            entries = binarize_matrix(
                weights,
                at,
                rules,
                folder=found.folder,
                origin=found.origin,
                rows=count,
                where=found.describe(at.name),
                roundoff=tensor.roundoff,
                causal=masked,
                logits=logits,
                ties=ties,
            )
            for entry in entries:  # a matrix that is skipped has no place
                unique.add(found, at)
                yield entry
    choice.require_found(read)
    if count.patterns == made:
        raise count.nothing_left()


def _recognise(
    found: FoundTensor,
    tensor: Tensor,
    places: Mapping[Position, Place],
    logits: bool,
    count: RowCount,
) -> bool:
    """Whether a tensor is causal, which is counted; cross-attention never is."""
    if found.label.part == "cross":
        return False
    causal = is_causal((weights for _, weights in found.matrices(tensor, places)), logits=logits)
    count.causal += causal
    return causal


def binarize_model(
    model: LanguageModel,
    texts: Sequence[str],
    rules: Sequence[Rule],
    *,
    causal: bool | None = None,
    ties: str | None = None,
    rows: RowCount | None = None,
) -> Iterator[SetEntry]:
    """Yield the patterns of all heads of a model on all texts, under every rule.

    Parameters
    ----------
    model : LanguageModel
        The model that is run.
    texts : sequence of str
        The texts, one after the other.
    rules : sequence of Rule
        Each makes a pattern of every head.
    causal : bool, optional
        Whether later tokens are don't-cares; by default they are where no head of the layer attends
        to one. Of an encoder-decoder model, it is about the decoder's own attention.
    ties
        As for `binarize_set`.
    rows : RowCount, optional
        A tally, as for `binarize_set`.

    Yields
    ------
    SetEntry
        Text by text, layer by layer, head by head, rule by rule. The tokens are the names of rows
        and columns. The origin has ``text``, ``layer`` and ``head``, and of an encoder-decoder
        model ``part``, which the family begins with: ``cross attention unif``.

    Raises
    ------
    InputError
        The model cannot be run on a text, or none of its weights can be used.
    """
    count = RowCount() if rows is None else rows
    made = count.patterns
    for number, text in enumerate(texts):
        for found in model.attentions(text, number):
            yield from _entries(model.name, found, rules, causal, ties, count)
    if count.patterns == made:
        raise count.nothing_left()


def _entries(
    name: str,
    found: LayerAttention,
    rules: Sequence[Rule],
    causal: bool | None,
    ties: str | None,
    rows: RowCount,
) -> Iterator[SetEntry]:
    """Yield the patterns of one layer on one text."""
    if causal is None:
        masked = found.is_causal
        rows.causal += masked
    else:
        masked = causal and found.part in ("", "decoder")
    origin: dict[str, int | float | str] = {"model": name, "text": found.text}
    origin |= {"part": found.part} if found.part else {}
    folder = "/".join(filter(None, (f"text{found.text}", found.part)))
    width = len(str(len(found.weights) - 1))
    for head, weights in enumerate(found.weights):
        at = Place(f"L{found.layer}_H{head:0{width}d}", {"layer": found.layer, "head": head})
        yield from binarize_matrix(
            weights,
            at,
            rules,
            folder=folder,
            origin=origin,
            rows=rows,
            where=f"{name}: {folder} {at.name}",
            causal=masked,
            ties=ties,
            names=(found.queries, found.keys),
        )
