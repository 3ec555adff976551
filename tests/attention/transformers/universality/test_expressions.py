"""Expressions: only what is allowed, and intervals that contain every value."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import iv

from samapprox import InputError
from samapprox.attention.transformers.universality.expressions import (
    ELEMENTWISE,
    OVER_TOKENS,
    PAIRWISE,
    Expression,
    Intervals,
)

_ONLY_CALLS = "only calls of abs, .* may be used"
_ENTRIES = r"entries of X are written X\[i\] or X\[i, k\]"
_EXPONENTS = "exponents must be whole numbers from 0 to 64"
_NUMBERS = "is no number that can be used"
_NO_EXPRESSION = "this is no expression"

HOSTILE = {
    "__import__('os').system('true')": _ONLY_CALLS,
    "X.__class__": _ONLY_CALLS,
    "().__class__.__bases__": _ONLY_CALLS,
    "(lambda: 1)()": _ONLY_CALLS,
    "[X for X in (1,)]": _ONLY_CALLS,
    "X if X else X": _ONLY_CALLS,
    "X > 0": _ONLY_CALLS,
    "f'{X}'": _ONLY_CALLS,
    "sin(X, out=X)": _ONLY_CALLS,
    "sin(*X)": _ONLY_CALLS,
    "eval('1')": _ONLY_CALLS,
    "X[0:1]": _ENTRIES,
    "X[X]": _ENTRIES,
    "X[0, 0, 0]": _ENTRIES,
    "X[True]": _ENTRIES,
    "X @ X": _ONLY_CALLS,
    "X // 2": _ONLY_CALLS,
    "X % 2": _ONLY_CALLS,
    "X ** 0.5": _EXPONENTS,
    "X ** -1": _EXPONENTS,
    "X ** X": _EXPONENTS,
    "2 ** 100000": _EXPONENTS,
    "True": _NUMBERS,
    "1j": _NUMBERS,
    "'text'": _NUMBERS,
    "1e999": _NUMBERS,
    "10 ** 64 ** 64": _EXPONENTS,
    "sin": r"sin is a function: its arguments follow in brackets",
    "sin()": "sin takes 1 argument, not 0",
    "minimum(X)": "minimum takes 2 arguments, not 1",
    "roll(X, X)": r"roll\(A, k\) takes a whole number k",
    "roll(X)": "roll takes 2 arguments, not 1",
    "y": "unknown name 'y'; there are X, pi, e",
    "X := 1": _NO_EXPRESSION,
    "X; X": _NO_EXPRESSION,
    "": _NO_EXPRESSION,
    "\0": _NO_EXPRESSION,
    "(" * 300 + "X" + ")" * 300: _NO_EXPRESSION,
    "-" * 200 + "X": "more than 50 levels of brackets",
    "X" + "+X" * 600: "an expression has at most 1000 characters",
}


@pytest.mark.parametrize(("text", "message"), HOSTILE.items(), ids=lambda value: value[:40])
def test_nothing_but_arithmetic_is_evaluated(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Expression(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("X", [[0.25, 0.5, 1.0]]),
        ("-X + +1", [[0.75, 0.5, 0.0]]),
        ("2 * X ** 2 - 1", [[-0.875, -0.5, 1.0]]),
        ("X[0]", [[0.25, 0.5, 1.0]]),
        ("X[0, 2] / 2", [[0.5, 0.5, 0.5]]),
        ("max(X) - min(X)", [[0.75, 0.75, 0.75]]),
        ("sum(X) + sum(1)", [[4.75, 4.75, 4.75]]),
        ("mean(4 * X)", [[7 / 3, 7 / 3, 7 / 3]]),
        ("roll(X, 1)", [[1.0, 0.25, 0.5]]),
        ("roll(X, -1)", [[0.5, 1.0, 0.25]]),
        ("maximum(X, 0.5)", [[0.5, 0.5, 1.0]]),
        ("minimum(X, roll(X, 1))", [[0.25, 0.25, 0.5]]),
        ("abs(X - 0.5) + cos(pi) + log(e)", [[0.25, 0.0, 0.5]]),
        ("3", [[3.0, 3.0, 3.0]]),
    ],
)
def test_values(text: str, expected: list[list[float]]) -> None:
    inputs = np.array([[[0.25, 0.5, 1.0]]])
    assert Expression(text).on_floats(inputs)[0] == pytest.approx(np.array(expected))
    points = np.frompyfunc(iv.mpf, 1, 1)(inputs)
    for interval, value in zip(
        Expression(text).on_boxes(points).flat, np.ravel(expected), strict=True
    ):
        low, high = Intervals.ends(interval)
        assert low - 1e-12 <= value <= high + 1e-12
        assert high - low < 1e-12


def trees() -> st.SearchStrategy[str]:
    leaves = st.sampled_from(["X", "X[0]", "X[1]", "X[1, 0]", "0.5", "3", "pi", "e"])
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.tuples(inner, st.sampled_from("+-*/"), inner).map(
                lambda t: f"({t[0]} {t[1]} {t[2]})"
            ),
            st.tuples(st.sampled_from([*ELEMENTWISE, *OVER_TOKENS]), inner).map(
                lambda t: f"{t[0]}({t[1]})"
            ),
            st.tuples(st.sampled_from(PAIRWISE), inner, inner).map(
                lambda t: f"{t[0]}({t[1]}, {t[2]})"
            ),
            st.tuples(inner, st.integers(0, 5)).map(lambda t: f"({t[0]}) ** {t[1]}"),
            inner.map(lambda text: f"-roll({text}, 1)"),
        ),
        max_leaves=6,
    )


@given(trees(), st.lists(st.floats(0, 1), min_size=8, max_size=8), st.integers(0, 2**31))
def test_intervals_contain_the_values_of_all_points(
    text: str, ends: list[float], seed: int
) -> None:
    """A box of random sides: no random point of it has a value outside of the interval."""
    low, high = np.sort(np.array(ends).reshape(2, 1, 2, 2), axis=0)
    boxes = np.empty(low.shape, dtype=object)
    for place in np.ndindex(low.shape):
        boxes[place] = iv.mpf([low[place], high[place]])
    function = Expression(text)
    try:
        enclosed = function.on_boxes(boxes)
    except InputError:
        return
    rng = np.random.default_rng(seed)
    for share in (0.0, 1.0, *rng.random((6, 1, 2, 2))):
        try:
            values = function.on_floats(np.clip(low + share * (high - low), low, high))
        except InputError:  # floats overflow, numbers of intervals do not
            assert "exp" in text or "**" in text, text
            return
        for interval, value in zip(enclosed.flat, values.flat, strict=True):
            least, most = Intervals.ends(interval)
            slack = 1e-9 * max(1.0, abs(value))  # floats are rounded, intervals are not
            assert least - slack <= value <= most + slack, text


@pytest.mark.parametrize(
    "text", ["1 / X", "log(X)", "sqrt(X - 0.5)", "1 / (X - 0.5)", "exp(exp(exp(exp(X + 1))))"]
)
def test_functions_without_bounds_are_refused(text: str) -> None:
    box = np.empty((1, 1, 1), dtype=object)
    box[0, 0, 0] = iv.mpf([0, 1])
    with pytest.raises(InputError, match="not defined or not bounded"):
        Expression(text).on_boxes(box)


def test_entries_that_are_not_there() -> None:
    with pytest.raises(InputError, match=r"no row 1; rows are 0\.\.0"):
        Expression("X[1]").on_floats(np.zeros((1, 1, 2)))
    with pytest.raises(InputError, match=r"no token 2; tokens are 0\.\.1"):
        Expression("X[0, 2]").on_floats(np.zeros((1, 1, 2)))
    with pytest.raises(InputError, match=r"no row -1"):
        Expression("X[-1]").on_floats(np.zeros((1, 1, 2)))
