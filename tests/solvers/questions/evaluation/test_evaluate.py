"""Evaluation of embeddings against fractions: near ties, extreme numbers, all similarities."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cmp_to_key
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samapprox import Evaluation, Pattern, evaluate
from samapprox.similarities import SIMILARITIES
from samapprox.solvers.questions.evaluation import evaluate as evaluation
from samapprox.solvers.questions.evaluation import passes as single_scores
from samapprox.solvers.questions.evaluation.evaluate import evaluate_all
from samapprox.solvers.questions.evaluation.passes import SingleKeys, ZerosAbove, stream_chunks
from samapprox.solvers.questions.evaluation.scores import (
    ExactComparisons,
    ExactScores,
    Formula,
    QueryBlock,
    ScaledVectors,
    make_formula,
)
from samapprox.vectors import as_vectors

Vector = list[Fraction]

# ---------------------------------------------------------------- the truth


def dot(left: Vector, right: Vector) -> Fraction:
    return sum((a * b for a, b in zip(left, right, strict=True)), Fraction(0))


def compare(query: Vector, left: Vector, right: Vector, similarity: str) -> int:
    """Return the sign of the similarity of the left key minus that of the right one."""
    if similarity == "dot":
        a, b = dot(query, left), dot(query, right)
    elif similarity == "l2":
        b, a = (
            dot(gap, gap)
            for gap in ([q - k for q, k in zip(query, key, strict=True)] for key in (left, right))
        )
    else:
        x, y = dot(query, left), dot(query, right)
        if (x >= 0) != (y >= 0):
            return 1 if x >= 0 else -1
        sign = 1 if x >= 0 else -1
        a = sign * x * x * dot(right, right)
        b = sign * y * y * dot(left, left)
    return (a > b) - (a < b)


def fractions(vectors: Any) -> list[Vector]:
    return [[Fraction(entry) for entry in row] for row in np.asarray(vectors).tolist()]


def check(pattern: Pattern, queries: Any, keys: Any, found: Evaluation) -> None:
    """Compare every part of an evaluation with the truth."""
    left, right = fractions(queries), fractions(keys)
    entries = pattern.to_array()
    pairs = {}
    for row, query in enumerate(left):
        order = cmp_to_key(lambda a, b: compare(query, right[a], right[b], found.similarity.name))  # noqa: B023
        one = min(np.flatnonzero(entries[row] == 1).tolist(), key=order)
        zeros = np.flatnonzero(entries[row] == 0).tolist()
        above = [zero for zero in zeros if order(zero) >= order(one)]
        assert found.zeros_above[row] == len(above)
        if above:
            pairs[row] = (one, max(above, key=order))
    assert found.wrong.tolist() == list(pairs)
    assert list(zip(found.ones.tolist(), found.zeros.tolist(), strict=True)) == list(pairs.values())
    for (row, (one, zero)), gap in zip(pairs.items(), found.gaps.tolist(), strict=True):
        compared = left[row], right[one], right[zero], found.similarity.name
        exact = measure(*compared)
        assert (gap == 0) == (compare(*compared) == 0)
        assert gap >= 0
        bounded = min(exact, mpmath.mpf(np.finfo(float).max))
        assert abs(gap - bounded) <= 1e-6 * bounded + math.ulp(0.0)


def measure(query: Vector, one: Vector, zero: Vector, similarity: str) -> Any:
    """Return the similarity of the zero minus that of the one, to hundreds of digits."""
    with mpmath.workdps(3000 if similarity != "dot" else 100):
        number = lambda value: mpmath.mpf(value.numerator) / value.denominator  # noqa: E731
        if similarity == "dot":
            return number(dot(query, zero) - dot(query, one))
        if similarity == "l2":
            a, b = ([q - k for q, k in zip(query, key, strict=True)] for key in (one, zero))
            return mpmath.sqrt(number(dot(a, a))) - mpmath.sqrt(number(dot(b, b)))
        a, b = (
            number(dot(query, key)) / mpmath.sqrt(number(dot(query, query) * dot(key, key)))
            for key in (one, zero)
        )
        return b - a


# ---------------------------------------------------------------- strategies

EXTREME = {
    np.float16: [0.0, -0.0, 1.0, 1 + 2.0**-10, 2.0**-24, -(2.0**-24), 65504.0, -65504.0, 1 / 3],
    np.float32: [0.0, -0.0, 1.0, 1 + 2.0**-23, 2.0**-149, -1e-38, 1e30, -1e30, 3.4e38, 0.1, 1 / 3],
    np.float64: [
        *(0.0, -0.0, 1.0, 1 + 2.0**-52, -1 - 2.0**-52, 2.0**-1074, -1e-300, 1e300),
        *(-1.7e308, 1e16, 0.1, 1 / 3, 2.0**-537),
    ],
    np.int64: [0, 1, -1, 2, 3, 2**53, -(2**53), 2**53 - 1, 2**26 + 1],
}


@st.composite
def embeddings(draw: st.DrawFn) -> tuple[Pattern, Any, Any]:
    """Draw a pattern and vectors with many ties, near ties and extreme entries."""
    kind = draw(st.sampled_from(list(EXTREME)))
    rows, columns, d = (draw(st.integers(1, most)) for most in (4, 6, 4))
    if draw(st.booleans()):
        entry = st.sampled_from(EXTREME[kind])
    elif kind is np.int64:
        entry = st.integers(-(2**53), 2**53)
    else:
        width = 8 * np.dtype(kind).itemsize
        entry = st.floats(allow_nan=False, allow_infinity=False, width=width)  # type: ignore[arg-type]
    vectors = st.lists(entry, min_size=d, max_size=d)
    queries = np.array([draw(vectors) for _ in range(rows)], dtype=kind)
    keys = np.array([draw(vectors) for _ in range(columns)], dtype=kind)
    for key in range(1, columns):  # equal keys, parallel ones, and ones that differ in the last bit
        change = draw(st.sampled_from(["none", "copy", "half", "negate", "bit", "permute"]))
        earlier = keys[draw(st.integers(0, key - 1))]
        if change == "copy":
            keys[key] = earlier
        elif change == "half":
            keys[key] = earlier // 2 if kind is np.int64 else earlier / 2
        elif change == "negate":
            keys[key] = -earlier
        elif change == "permute":
            keys[key] = earlier[::-1]
        elif change == "bit":
            keys[key] = earlier
            place = draw(st.integers(0, d - 1))
            toward = keys.dtype.type(0)
            keys[key, place] = (
                earlier[place] - np.sign(earlier[place])
                if kind is np.int64
                else np.nextafter(earlier[place], toward)
            )
    entries = draw(
        st.lists(
            st.lists(st.sampled_from("001*"), min_size=columns, max_size=columns),
            min_size=rows,
            max_size=rows,
        )
    )
    for row in entries:
        row[draw(st.integers(0, columns - 1))] = "1"
    return Pattern.from_text("\n".join("".join(row) for row in entries)), queries, keys


@given(embeddings())
def test_small_embeddings_against_fractions(case: tuple[Pattern, Any, Any]) -> None:
    pattern, queries, keys = case
    similarities: list[str] = ["dot", "l2"]
    if queries.any(axis=1).all() and keys.any(axis=1).all():
        similarities.append("cosine")
    for similarity, found in evaluate_all(pattern, queries, keys, similarities).items():
        assert found.similarity is SIMILARITIES[similarity]
        check(pattern, queries, keys, found)


@settings(max_examples=25)
@given(embeddings(), st.sampled_from([(1, 1), (2, 1), (1, 2), (3, 2)]))
def test_blocks_change_nothing(case: tuple[Pattern, Any, Any], sizes: tuple[int, int]) -> None:
    pattern, queries, keys = case
    whole = evaluate_all(pattern, queries, keys, ["dot", "l2"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(evaluation, "_HEIGHT", sizes[0])
        patch.setattr(single_scores, "_WIDTH", sizes[1])
        patch.setattr(single_scores, "_KEPT", 0)
        blocks = evaluate_all(pattern, queries, keys, ["dot", "l2"])
    for similarity in whole:
        left, right = whole[similarity], blocks[similarity]
        for name in ("zeros_above", "wrong", "ones", "zeros"):
            assert np.array_equal(getattr(left, name), getattr(right, name))
        assert np.allclose(left.gaps, right.gaps, rtol=2e-6, atol=0)
        assert np.array_equal(left.gaps == 0, right.gaps == 0)


# ---------------------------------------------------------------- bounds


@given(embeddings())
def test_bounds_on_errors_hold(case: tuple[Pattern, Any, Any]) -> None:
    """Every computed score is as near to the true one as its bound says."""
    _, queries, keys = case
    left, right = ScaledVectors(as_vectors(queries)), ScaledVectors(as_vectors(keys))
    block = QueryBlock(left, right, 0, len(queries))
    similarities = SIMILARITIES if keys.any(axis=1).all() else ("dot", "l2")
    formulas = [make_formula(SIMILARITIES[name], right, block.exponent) for name in similarities]
    nothing = np.empty(0, dtype=np.int64)
    chunks = stream_chunks(block, SingleKeys(right, uses=100), formulas, (nothing, nothing))
    rows, columns = (axis.ravel() for axis in np.indices((len(queries), len(keys))))
    for place, chunk in chunks:
        formula = formulas[place]
        single, bounds = chunk.scores.astype(float), block.error_in_single(formula)
        double, double_bounds = block.scores(formula, rows, columns)
        for i, j, near, bound in zip(rows, columns, double, double_bounds, strict=True):
            true = true_score(queries[i], keys[j], formula, block.exponent)
            assert abs(mpmath.mpf(single[i, j]) - true) <= bounds[i]
            assert abs(mpmath.mpf(near) - true) <= bound


def true_score(query: Any, key: Any, formula: Formula, query_exponent: int) -> Any:
    """Return the score that the formula computes, to thousands of digits."""
    left, right = fractions([query])[0], fractions([key])[0]
    with mpmath.workdps(3000):
        product, square = (
            mpmath.mpf(value.numerator) / value.denominator
            for value in (dot(left, right), dot(right, right))
        )
        if formula.similarity.name == "cosine":
            return product / mpmath.sqrt(square) / mpmath.mpf(2) ** query_exponent
        if formula.similarity.name == "l2":
            product -= square / 2
        return product / mpmath.mpf(2) ** formula.exponent


# ---------------------------------------------------------------- larger ones


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_larger_embeddings_against_whole_numbers(kind: type) -> None:
    """Entries with 22 bits: too many for sums in float32, few enough for exact ones in int64."""
    rng = np.random.default_rng(7)
    rows, columns, d = 15, 5000, 24
    keys = rng.integers(-(2**21), 2**21, (columns, d))
    keys[1000:2000] = keys[:1000]  # ties
    keys[2000:3000] = keys[:1000]
    keys[2000:3000, 0] += 1  # near ties, which float32 cannot tell apart
    keys[3000:3500] = 2 * (keys[:500] // 4)
    keys[3500:4000] = keys[3000:3500] // 2  # parallel ones
    ones = [np.unique(rng.integers(0, columns, rng.integers(1, 4))) for _ in range(rows)]
    queries = np.array(
        [keys[own].sum(axis=0) // len(own) + rng.integers(-9, 9, d) * 2**16 for own in ones]
    )
    queries = np.clip(queries, -(2**21), 2**21)
    starts = np.cumsum([0, *map(len, ones)])
    pattern = Pattern.from_csr(starts, np.concatenate(ones), None, (rows, columns))
    unit = 2.0**-24  # entries of ordinary sizes; exact
    found = evaluate_all(
        pattern, (queries * unit).astype(kind), (keys * unit).astype(kind), SIMILARITIES
    )
    products, squares = queries @ keys.T, (keys**2).sum(axis=1)
    for similarity, result in found.items():
        for row, own in enumerate(ones):
            ranks = rank_exactly(products[row], squares, similarity)
            lowest = min(own.tolist(), key=lambda key: ranks[key])
            zeros = np.setdiff1d(np.arange(columns), own).tolist()
            above = sum(ranks[zero] >= ranks[lowest] for zero in zeros)
            assert result.zeros_above[row] == above
            if above:
                place = result.wrong.tolist().index(row)
                highest = max(zeros, key=lambda key: ranks[key])
                assert (result.ones[place], result.zeros[place]) == (lowest, highest)
    assert 0 < found["dot"].count < rows


def rank_exactly(products: Any, squares: Any, similarity: str) -> list[Any]:
    """Return numbers in the order of the similarities of all keys with one query."""
    pairs = zip(products.tolist(), squares.tolist(), strict=True)
    if similarity == "dot":
        return products.tolist()
    if similarity == "l2":
        return [2 * product - square for product, square in pairs]
    return [Fraction(product * abs(product), square) for product, square in pairs]


def test_every_arithmetic_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """Far scores are decided in float32, near ones in float64, and ties in fractions."""
    calls = {"single": 0, "double": 0, "exact": 0}

    def count(owner: Any, name: str, level: str, amount: Any) -> None:
        original = getattr(owner, name)

        def counted(self: Any, *args: Any) -> Any:
            calls[level] += amount(args)
            return original(self, *args)

        monkeypatch.setattr(owner, name, counted)

    count(ZerosAbove, "take", "single", lambda args: args[0].scores.size)
    count(ExactComparisons, "reaches", "double", lambda args: len(args[0]))
    count(ExactScores, "score", "exact", lambda _: 1)
    rng = np.random.default_rng(3)
    keys = rng.standard_normal((300, 64))
    keys[1] = keys[0][::-1]  # the palindrome's equal scores
    keys[2] = keys[0] * (1 + 1e-9)  # equal in float32
    query = rng.standard_normal(64)
    query += query[::-1]
    query *= np.sign(query @ keys[0])
    pattern = Pattern.from_csr(np.array([0, 1]), np.array([0]), None, (1, 300))
    found = evaluate(pattern, [query], keys)
    scores = [dot(*fractions([query, key])) for key in keys]
    mark = dot(*fractions([query, keys[0]]))
    assert found.zeros_above[0] == sum(score >= mark for score in scores) - 1 > 2
    assert calls["single"] == 300
    assert 2 <= calls["double"] < 50
    assert 2 <= calls["exact"] < 20


def test_factors_of_converted_keys_do_not_underflow() -> None:
    """A power of two times a small factor may underflow, although entries make up for it."""
    keys = np.array([[3.0, -1.0], [1.5, 2.0]], dtype=np.float32)
    keys *= np.float32(2.0) ** np.array([[100], [-100]], dtype=np.float32)
    vectors = ScaledVectors(keys)
    for factors in ([2.0**-60, 1.0], [1.0, 0.0], [0.75, 2.0**-126]):
        single = np.array(factors, dtype=np.float32)
        found = vectors.take_single(slice(0, 2), np.empty((2, 2), np.float32), single)
        expected = vectors.take(slice(0, 2)) * single.astype(np.float64)[:, None]
        assert np.abs(found - expected).max() <= 2.0**-126
        assert np.allclose(found, expected, rtol=1e-6, atol=2.0**-126)
