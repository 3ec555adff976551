"""The attention of a language model on texts as a set of patterns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from samapprox.attention.binarization import Rule, binarize
from samapprox.attention.models import LanguageModel, LayerAttention
from samapprox.attention.set_binarization import SetEntry
from samapprox.errors import InputError
from samapprox.instance import Instance
from samapprox.pattern import Pattern

__all__ = ["binarize_model"]


def binarize_model(
    model: LanguageModel,
    texts: Sequence[str],
    rules: Sequence[Rule],
    *,
    causal: bool | None = None,
    ties: str | None = None,
) -> Iterator[SetEntry]:
    """Patterns of all heads of a model on all texts, under every rule.

    Parameters
    ----------
    model : LanguageModel
    texts : sequence of str
    rules : sequence of Rule
    causal : bool, optional
        Whether later tokens are don't-cares; by default they are where no head of the layer attends
        to one. Of an encoder-decoder model it is about the decoder's own attention.
    ties
        As for `binarize`.

    Yields
    ------
    SetEntry
        Text by text, layer by layer, head by head, rule by rule. The tokens are the names of rows
        and columns. The origin has ``text``, ``layer`` and ``head``, and of an encoder-decoder
        model ``part``, which the family begins with: ``cross attention unif``.

    Raises
    ------
    InputError
        The model cannot be run on a text, or a rule does not fit its weights.
    """
    for number, text in enumerate(texts):
        for found in model.attentions(text, number):
            yield from _entries(model.name, found, rules, causal, ties)


def _entries(
    name: str,
    found: LayerAttention,
    rules: Sequence[Rule],
    causal: bool | None,
    ties: str | None,
) -> Iterator[SetEntry]:
    masked = found.is_causal if causal is None else causal and found.part in ("", "decoder")
    folder = "/".join(filter(None, (f"text{found.text}", found.part)))
    for head, weights in enumerate(found.weights):
        place = f"L{found.layer}_H{head:0{len(str(len(found.weights) - 1))}d}"
        origin: dict[str, int | float | str] = {
            "model": name,
            "text": found.text,
            "layer": found.layer,
            "head": head,
        }
        origin |= {"part": found.part} if found.part else {}
        origin |= {"causal": 1} if masked else {}
        for rule in rules:
            try:
                bare = binarize(weights, rule, causal=masked, ties=ties)
            except InputError as error:
                raise error.within(f"{name}: {folder}/{place}") from None
            pattern = Pattern(bare, row_names=found.queries, column_names=found.keys)
            family = f"{found.part} attention {rule.name}".lstrip()
            instance = Instance(pattern, origin={"family": family, **origin, "rule": rule.name})
            yield SetEntry(f"{folder}/{place}_{rule.name}.npz", instance)
