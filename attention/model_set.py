"""The attention of a language model on texts as a set of patterns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from samapprox.attention.models import LanguageModel, LayerAttention
from samapprox.attention.rows import RowCount
from samapprox.attention.rules import Rule
from samapprox.attention.set_entries import SetEntry, binarize_matrix
from samapprox.attention.weights.layouts import Place

__all__ = ["binarize_model"]


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
    texts : sequence of str
    rules : sequence of Rule
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
