"""The attention of a language model as a set of instances."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from helpers.attention.saved_attentions import attention

from samapprox import InputError
from samapprox.attention import (
    LayerAttention,
    RowCount,
    TopK,
    Uniform,
    binarize,
    binarize_model,
)

QUERIES, KEYS = ("a", "b", "c"), ("x", "y", "z")


class Recorded:
    """Attentions of an encoder-decoder model, as a language model yields them."""

    name = "recorded"

    def attentions(self, text: str, number: int) -> Iterator[LayerAttention]:
        assert text == f"text {number}"
        for part in ("encoder", "decoder", "cross"):
            weights = attention(2, 3, 3, causal=part != "encoder", seed=number)
            keys = KEYS if part == "cross" else QUERIES
            yield LayerAttention(part, 0, number, QUERIES, keys, weights.astype(np.float32))


def entries(causal: bool | None, rows: RowCount | None = None, texts: int = 1) -> dict[str, Any]:
    given = [f"text {number}" for number in range(texts)]
    model: Any = Recorded()
    found = binarize_model(model, given, [Uniform()], causal=causal, rows=rows)
    return {entry.path: entry.instance for entry in found}


@pytest.mark.parametrize("causal", [None, True, False])
def test_only_the_decoder_itself_is_causal(causal: bool | None) -> None:
    rows = RowCount()
    for path, instance in entries(causal, rows).items():
        masked = causal is not False and "/decoder/" in path
        assert instance.pattern.is_specified != masked
        assert instance.origin.get("causal", False) == masked
    assert rows.causal == (causal is None)


def test_entries_name_their_place_and_their_tokens() -> None:
    found = entries(False, texts=2)
    assert list(found) == [
        f"text{text}/{part}/L0_H{head}_unif.npz"
        for text in range(2)
        for part in ("encoder", "decoder", "cross")
        for head in range(2)
    ]
    instance = found["text1/cross/L0_H1_unif.npz"]
    assert instance.origin == {
        "family": "cross attention unif",
        "model": "recorded",
        "text": 1,
        "part": "cross",
        "layer": 0,
        "head": 1,
        "rule": "unif",
    }
    assert (instance.pattern.row_names, instance.pattern.column_names) == (QUERIES, KEYS)
    weights = attention(2, 3, 3, causal=True, seed=1)[1].astype(np.float32)
    expected = binarize(weights, Uniform(), rows=RowCount()).to_array()
    assert np.array_equal(instance.pattern.to_array(), expected)


def test_a_model_without_any_usable_row_is_an_error() -> None:
    class Empty(Recorded):
        def attentions(self, *_text: object) -> Iterator[LayerAttention]:
            yield LayerAttention("", 0, 0, QUERIES, QUERIES, np.zeros((1, 3, 3), np.float32))

    model: Any = Empty()
    with pytest.raises(InputError, match=r"recorded: text0 L0_H0: no row can be used"):
        list(binarize_model(model, ["text 0"], [TopK(1)]))
