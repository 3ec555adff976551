"""Leading axes of tensors: layer, text and head, guessed or named."""

from __future__ import annotations

import pytest

from samapprox import InputError
from samapprox.attention.weights.layouts import Label, axes_of, parse_axes, place, read_label


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
