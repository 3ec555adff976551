"""Files and folders of attention tensors as sets of instances, one matrix in memory at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from samapprox.attention.binarization import Rule
from samapprox.attention.rows import RowCount
from samapprox.attention.set_entries import SetEntry, binarize_matrix
from samapprox.attention.weights.causality import is_causal
from samapprox.attention.weights.sources import FoundTensor, find_tensors
from samapprox.attention.weights.tensor import NotWeights, Tensor
from samapprox.attention.weights.unique_places import UniquePlaces
from samapprox.errors import InputError

__all__ = ["binarize_set"]


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
    places = UniquePlaces()
    for found in find_tensors(Path(source), key):
        try:
            tensor = found.open()
        except NotWeights as error:
            count.skip(str(error.within(found.describe())))
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
                where=found.describe(at.name),
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


def _recognise(
    found: FoundTensor, tensor: Tensor, select: tuple[int, ...], logits: bool, count: RowCount
) -> bool:
    """Whether a tensor is causal, which is counted; cross-attention never is."""
    if found.label.part == "cross":
        return False
    try:
        causal = is_causal(tensor.matrices(select), logits=logits)
    except InputError as error:
        raise found.locate(error) from None
    count.causal += causal
    return causal
