"""The picture of needs: squares that fit the tokens, and the curves."""

from __future__ import annotations

import pytest
from helpers.attention.dependencies import needs_of

from samapprox import InputError
from samapprox.attention.reasoning.locality.order import best_order
from samapprox.attention.reasoning.locality.report import draw_needs


@pytest.mark.parametrize("n", [1, 5, 600, 601, 1801])
def test_squares_cover_the_tokens(n: int) -> None:
    needs = needs_of(n, [(i, i - 1) for i in range(1, n)])
    above, below = draw_needs(needs, 1).get_axes()
    [image] = above.get_images()
    left, right, bottom, top = image.get_extent()
    squares = image.get_array().shape[0]
    size = -(-n // 600)
    assert (left, right, bottom, top) == (-0.5, squares * size - 0.5, squares * size - 0.5, -0.5)
    assert (squares - 1) * size < n <= squares * size
    assert below.get_lines()[0].get_ydata().tolist() == [0, *[1] * (n - 1)]


def test_the_best_order_is_a_second_curve() -> None:
    needs = needs_of(6, [(3, 0), (4, 1), (5, 2)])
    figure = draw_needs(needs, best=best_order(needs), title="three copies")
    below = figure.get_axes()[1]
    curves = [line.get_ydata().tolist() for line in below.get_lines()[:2]]
    assert curves[0] == [0, 1, 2, 3, 2, 1]
    assert max(curves[1]) == 1
    assert [text.get_text() for text in below.get_legend().get_texts()] == [
        "this order",
        "best order",
    ]


def test_given_tokens_are_checked() -> None:
    with pytest.raises(InputError, match="token 3 is given"):
        draw_needs(needs_of(6, [(3, 0)]), 4)
