"""The places of matrices in a model: leading axes, and names of tensors and files."""

from __future__ import annotations

import pytest

from samapprox import InputError
from samapprox.attention.weights.layouts import (
    Label,
    axes_of,
    parse_axes,
    place,
    read_label,
    require_axes,
)


@pytest.mark.parametrize(
    ("leading", "without", "with_layer"),
    [
        ((), [], []),
        ((12,), ["head"], ["head"]),
        ((1,), ["head"], ["head"]),
        ((6, 12), ["layer", "head"], ["text", "head"]),
        ((1, 12), [None, "head"], [None, "head"]),
        ((6, 1), ["layer", "head"], ["text", "head"]),
        ((6, 1, 12), ["layer", None, "head"], ["text", None, "head"]),
        ((1, 6, 12), [None, "layer", "head"], [None, "text", "head"]),
        ((6, 2, 12), ["layer", "text", "head"], None),
        ((6, 1, 1), ["layer", None, "head"], ["text", None, "head"]),
        ((1, 6, 1, 2, 12), [None, "layer", None, "text", "head"], None),
        ((2, 3, 4, 5), None, None),
    ],
)
def test_guesses(
    leading: tuple[int, ...],
    without: list[str | None] | None,
    with_layer: list[str | None] | None,
) -> None:
    shape = (*leading, 9, 7)
    for has_layer, expected in ((False, without), (True, with_layer)):
        if expected is not None:
            assert axes_of(shape, None, has_layer=has_layer) == expected
            continue
        with pytest.raises(InputError, match=r"leading axes: name them by --axes, as in --axes "):
            axes_of(shape, None, has_layer=has_layer)


def test_named_axes() -> None:
    assert axes_of((2, 1, 3, 5, 5), ("layer", "text", "head"), has_layer=True) == [
        "layer",
        "text",
        "head",
    ]
    with pytest.raises(InputError, match="has 2 leading axes, not 1"):
        axes_of((3, 4, 5, 5), ("head",), has_layer=False)
    for text in ("layer,layer", "Layer", "a,,b", "layer;head", ","):
        with pytest.raises(InputError, match="different lower-case words"):
            parse_axes(text)
    assert parse_axes("") == ()
    for names in ("layer,head", 3, ("layer", "layer"), ("layer", None), ([], "head"), {"layer": 1}):
        with pytest.raises(InputError, match=r"^axes must be a tuple of different .*, not [^\n]+$"):
            require_axes(names)
    assert require_axes(None) is None


@pytest.mark.parametrize(
    ("tensor", "shape", "position", "named", "name", "coordinates"),
    [
        ("A", (6, 12, 3, 3), (4, 8), None, "L4_H08", {"layer": 4, "head": 8}),
        ("A", (12, 3, 3), (11,), None, "H11", {"head": 11}),
        ("A", (3, 3), (), None, "", {}),
        ("A", (1, 12, 3, 3), (0, 8), None, "H08", {"head": 8}),
        ("A", (6, 1, 12, 3, 3), (4, 0, 8), None, "L4_H08", {"layer": 4, "head": 8}),
        ("layers.10.attn", (12, 3, 3), (1,), None, "L10_H01", {"layer": 10, "head": 1}),
        ("layer_3", (2, 4, 3, 3), (1, 2), None, "L3_text1_H2", {"layer": 3, "text": 1, "head": 2}),
        ("layer_3", (1, 4, 3, 3), (0, 2), None, "L3_H2", {"layer": 3, "head": 2}),
        ("arr_3", (1, 4, 3, 3), (0, 2), None, "L3_H2", {"layer": 3, "head": 2}),
        (
            "arr_3",
            (6, 4, 3, 3),
            (5, 2),
            ("layer", "head"),
            "text3_L5_H2",
            {"text": 3, "layer": 5, "head": 2},
        ),
        ("A", (10, 3, 3), (9,), None, "H9", {"head": 9}),
        (
            "text_7.3",
            (6, 4, 3, 3),
            (5, 2),
            ("layer", "head"),
            "text7_L5_H2",
            {"text": 7, "layer": 5, "head": 2},
        ),
        ("block2/head5", (3, 3), (), None, "L2_H5", {"layer": 2, "head": 5}),
        (
            "layer9",
            (2, 3, 4, 3, 3),
            (1, 2, 3),
            ("text", "layer", "head"),
            "text1_L2_H3",
            {"text": 1, "layer": 2, "head": 3},
        ),
    ],
)
def test_places(
    tensor: str,
    shape: tuple[int, ...],
    position: tuple[int, ...],
    named: tuple[str, ...] | None,
    name: str,
    coordinates: dict[str, int],
) -> None:
    at = place(read_label(tensor), shape, position, named)
    assert (at.name, at.coordinates) == (name, coordinates)


def test_different_positions_have_different_names() -> None:
    shape = (11, 2, 12, 4, 4)
    names = {
        place(Label(), shape, (layer, text, head), None).name
        for layer in range(11)
        for text in range(2)
        for head in range(12)
    }
    assert len(names) == 11 * 2 * 12
    assert "L03_text1_H07" in names


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
