"""Names of tensors and files: the place in a model that they state."""

from __future__ import annotations

import pytest

from samapprox import InputError
from samapprox.attention.weights.layouts import read_label


@pytest.mark.parametrize(
    ("key", "layer", "head", "part"),
    [
        ("A", None, None, None),
        ("layers.10.attn", 10, None, None),
        ("layer_3", 3, None, None),
        ("Layer07", 7, None, None),
        ("transformer.h.7.attn", 7, None, None),
        ("h.7", 7, None, None),
        ("block2/head5", 2, 5, None),
        ("encoder.layer.3.attention.self", 3, None, "encoder"),
        ("model.layers.31.self_attn", 31, None, None),
        ("decoder.block.3.layer.0.SelfAttention", 3, None, "decoder"),
        ("decoder.block.3.layer.1.EncDecAttention", 3, None, "cross"),
        ("model.decoder.layers.2.encoder_attn", 2, None, "cross"),
        ("bert.encoder.layer.2.crossattention.self", 2, None, "cross"),
        ("attentions.4", 4, None, None),
        ("attentions_4", 4, None, None),
        ("cross_attentions.2", 2, None, "cross"),
        ("encoder_attentions.0", 0, None, "encoder"),
        ("decoder_attentions.0", 0, None, "decoder"),
        ("arr_12", 12, None, None),
        ("12", 12, None, None),
        ("all-MiniLM-L6-v2", None, None, None),
        ("att_s02_n11", None, None, None),
        ("embeddings.word", None, None, None),
        ("context_3", None, None, None),
    ],
)
def test_names_of_tensors(key: str, layer: int | None, head: int | None, part: str | None) -> None:
    label = read_label(key)
    assert (label.layer, label.head, label.part) == (layer, head, part)


@pytest.mark.parametrize("key", ["arr_0", "0"])
def test_a_lone_tensor_is_no_list(key: str) -> None:
    assert read_label(key, several=False).layer is None
    assert read_label(key).listed


@pytest.mark.parametrize(
    ("stem", "alone", "beside"),
    [
        ("layer_0", 0, 0),
        ("layer_00", 0, 0),
        ("attn_3", None, 3),
        ("3", None, 3),
        ("attention_2024", None, 2024),
        ("att_s02_n11", None, None),
    ],
)
def test_names_of_files(stem: str, alone: int | None, beside: int | None) -> None:
    assert read_label("", stem).layer == alone
    assert read_label("", stem, beside=True).layer == beside


def test_the_tensor_goes_before_its_file() -> None:
    label = read_label("layers.2.attn", "layer_9_text_4")
    assert (label.layer, label.text) == (2, 4)
    assert read_label("arr_1", "layer_9").layer == 9


def test_lists_of_texts() -> None:
    label = read_label("text_4.3")
    assert (label.layer, label.text, label.listed) == (3, 4, True)
    with pytest.raises(InputError, match=r"'0\.3' is a position in a list of lists: save a dict"):
        read_label("0.3")


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("text_3", 3),
        ("prompt.4.attn", 4),
        ("context_3", None),
        ("subtext7", None),
        ("a-sample-2", 2),
    ],
)
def test_texts_are_whole_words(key: str, text: int | None) -> None:
    assert read_label(key).text == text


def test_the_file_states_the_part_where_the_tensor_does_not() -> None:
    assert read_label("layers.0.attn", "decoder").part == "decoder"
    assert read_label("cross_attentions.0", "decoder").part == "cross"
