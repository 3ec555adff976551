"""The room that embeddings leave, and the arithmetics that show them."""

from __future__ import annotations

import tracemalloc
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from samapprox import InputError, Pattern, Problem, data, decide, dimension_in_arithmetic
from samapprox.cli.main import cli
from samapprox.cli.pattern.bounds import precision
from samapprox.precision import (
    ARITHMETICS,
    EMBEDDING_FORMATS,
    logit_margin,
    measure_precision,
    rows_lost,
)
from samapprox.proofs.embeddings.embedding import Embedding, SelfAttention
from samapprox.proofs.refutations.radon import Radon
from samapprox.reductions.families import generate


def shown(queries: np.ndarray, keys: np.ndarray) -> tuple[Pattern, Embedding]:
    """The pattern of keys above each row's median logit, and the embedding."""
    logits = queries.astype(object) @ keys.astype(object).T
    thresholds = [sorted(row)[len(row) // 2] for row in logits.tolist()]
    entries = np.array([[x > t for x in row] for row, t in zip(logits, thresholds, strict=True)])
    entries[~entries.any(axis=1)] = True  # rows of one logit alone
    thresholds = [
        t if not e.all() else min(r) - 1
        for t, e, r in zip(thresholds, entries, logits, strict=True)
    ]
    return Pattern.from_array(entries), Embedding(queries, keys, thresholds)


numbers = hnp.arrays(np.int64, (5, 2), elements=st.integers(-1000, 1000))


@settings(deadline=None)
@given(numbers, numbers, st.integers(1, 50), st.integers(-50, 50))
def test_the_margin_is_what_it_says(
    queries: np.ndarray, keys: np.ndarray, scale: int, shift: int
) -> None:
    pattern, embedding = shown(queries, keys)
    entries = pattern.to_array()
    shares = [Fraction(1)]
    logits = (queries @ keys.T).tolist()
    for row, marks in zip(logits, entries.tolist(), strict=True):
        ones = [x for x, mark in zip(row, marks, strict=True) if mark]
        zeros = [x for x, mark in zip(row, marks, strict=True) if not mark]
        if zeros:
            shares.append(Fraction(min(ones) - max(zeros), max(row) - min(row)))
    margin = logit_margin(pattern, embedding)
    assert margin.least == pytest.approx(float(min(shares)))
    flat = [x for row in logits for x in row]
    assert (margin.lowest, margin.highest) == (min(0, *flat), max(0, *flat))
    moved = Embedding(queries * scale, keys + shift, embedding.thresholds)
    assert logit_margin(pattern, moved).least == pytest.approx(margin.least)


@settings(deadline=None)
@given(numbers, numbers)
def test_small_numbers_are_safe_in_float64_and_float32(
    queries: np.ndarray, keys: np.ndarray
) -> None:
    pattern, embedding = shown(queries, keys)
    assert rows_lost(pattern, embedding, "float64") == []
    assert rows_lost(pattern, embedding, "float32") == []


@pytest.mark.parametrize(
    ("arithmetic", "bits"), list(zip(ARITHMETICS, (53, 24, 8, 11), strict=True))
)
def test_each_arithmetic_has_its_bits(arithmetic: str, bits: int) -> None:
    """Keys 0 and 2^b + 1 and its left neighbour: apart while the numbers have b + 1 bits."""
    pattern = Pattern.from_array([[1, 0, 0]])
    for size, lost in ((bits - 3, []), (bits + 1, [0])):
        keys = [[2**size + 1], [2**size], [0]]
        assert rows_lost(pattern, Embedding([[1]], keys, [2**size]), arithmetic) == lost


def test_an_unknown_arithmetic_is_refused() -> None:
    pattern, embedding = shown(np.eye(2, dtype=np.int64), np.eye(2, dtype=np.int64))
    with pytest.raises(InputError, match="there are: float64"):
        rows_lost(pattern, embedding, "float8")


def test_dimensions_beyond_the_range_of_float16_are_refused(tmp_path: Path) -> None:
    """The largest logit of d coordinates of at most 1 is d; float16 ends at 65504."""
    pattern = Pattern.from_text("10\n01")
    for d, refused in ((65504, False), (65505, True)):
        vectors = np.zeros((2, d), dtype=np.int64)
        vectors[:, 0] = 1, -1
        embedding = Embedding(vectors, vectors, [0, 0])
        assert not rows_lost(pattern, embedding, "bfloat16")
        if refused:
            with pytest.raises(InputError, match="float16 ends at 65504, so logits of d = 65505"):
                rows_lost(pattern, embedding, "float16")
        else:
            assert not rows_lost(pattern, embedding, "float16")
    source = tmp_path / "p.txt"
    source.write_text("10\n01\n")
    arguments = ["decide", str(source), "-d", "70000", "--arithmetic"]
    found = CliRunner().invoke(cli, [*arguments, "float16"])
    assert found.exit_code == 2
    assert found.output.count("\n") == 1
    assert "may overflow; use bfloat16 or float32, or a smaller d" in found.output
    assert CliRunner().invoke(cli, [*arguments, "bfloat16"]).exit_code == 0


@pytest.mark.parametrize("arithmetic", EMBEDDING_FORMATS)
def test_numbers_beyond_every_range_are_scaled(arithmetic: str) -> None:
    far = 1 << 70_000
    pattern = Pattern.from_text("10\n01")
    embedding = Embedding([[far], [-far]], [[far], [-far]], [0, 0])
    assert not rows_lost(pattern, embedding, arithmetic)


def test_the_moment_curve_needs_more_bits_than_a_float16_has() -> None:
    pattern = generate("sparse-rows", rows=60, columns=60, k=3).pattern
    verdict = decide(pattern, 6, only=["orders"])
    assert isinstance(verdict.proof, Embedding)
    assert rows_lost(verdict.problem.pattern, verdict.proof, "float16")


def test_the_numeric_search_leaves_room() -> None:
    for seed in range(5):
        rng = np.random.RandomState(seed)
        logits = rng.normal(size=(12, 2)) @ rng.normal(size=(12, 2)).T
        verdict = decide(logits >= np.sort(logits)[:, 8:9], 2, only=["gradient"])
        assert isinstance(verdict.proof, Embedding)
        assert rows_lost(verdict.problem.pattern, verdict.proof, "bfloat16") == []


def test_what_is_not_measured_is_not_multiplied_out() -> None:
    """A proof of 24,000 numbers whose queries and keys have 64 million each."""
    tokens = 8000
    column, row = np.ones((tokens, 1), dtype=int), np.ones((1, tokens), dtype=int)
    attention = SelfAttention(column, row, row, np.full(tokens, tokens - 1))
    pattern = Pattern.from_array(np.ones((tokens, tokens), dtype=np.uint8))
    tracemalloc.start()
    try:
        assert measure_precision(pattern, attention) is None
        assert precision(pattern, attention, []) is None
        assert tracemalloc.get_traced_memory()[1] < 1 << 28
    finally:
        tracemalloc.stop()


def test_the_command_says_so() -> None:
    source = str(data.path("minilm/s20_L3_H03_top2_n45.npz"))
    arguments = ["decide", source, "-d", "3", "--arithmetic", "float32", "--arithmetic", "float16"]
    output = CliRunner().invoke(cli, arguments).output.splitlines()
    assert output[2].startswith("Ones and zeros are separated by at least ")
    assert output[3] == "In float32, every row comes out right."
    assert output[4].startswith("In float16, ")


# ---------------------------------------------------------------- formats of 8 bits


def values_of_float8(exponent_bits: int, mantissa_bits: int) -> list[Fraction]:
    """The finite values that are not negative, by the definition of the format."""
    bias = 2 ** (exponent_bits - 1) - 1
    found = []
    for exponent in range(2**exponent_bits):
        for mantissa in range(2**mantissa_bits):
            if exponent_bits == 5 and exponent == 31:  # infinities and NaN
                continue
            if exponent_bits == 4 and (exponent, mantissa) == (15, 7):  # NaN
                continue
            share = Fraction(mantissa, 2**mantissa_bits) + (exponent > 0)
            found.append(share * Fraction(2) ** (max(exponent, 1) - bias))
    return found


def nearest(number: Fraction, values: list[Fraction]) -> Fraction:
    """The nearest value; of two, the one with the even last bit, whose index is even."""
    best = min(range(len(values)), key=lambda k: (abs(values[k] - abs(number)), k % 2))
    return values[best] if number >= 0 else -values[best]


def power_above(numbers: list[int]) -> int:
    return 1 << max(abs(number) for number in numbers).bit_length()


def in_eight_bits(embedding: Embedding, arithmetic: str) -> list[list[Fraction]]:
    """Exact logits of queries and keys that are rounded to the format."""
    keys = [[int(x) for x in row] for row in embedding.keys.tolist()]
    middles = [max(column) + min(column) for column in zip(*keys, strict=True)]
    keys = [[2 * x - middle for x, middle in zip(row, middles, strict=True)] for row in keys]
    queries = [[int(x) for x in row] for row in embedding.queries.tolist()]
    everything = [x for row in keys for x in row]

    def rounded(row: list[int], among: list[int]) -> list[Fraction]:
        if arithmetic == "int8":
            top = max(abs(x) for x in among) or 1
            return [Fraction(round(Fraction(127 * x, top))) for x in row]
        largest, values = (
            (256, values_of_float8(4, 3))
            if arithmetic == "float8_e4m3"
            else (32768, values_of_float8(5, 2))
        )
        return [nearest(Fraction(largest * x, power_above(among)), values) for x in row]

    short = [rounded(row, everything) for row in keys]
    return [
        [sum(q * k for q, k in zip(query, key, strict=True)) for key in short]  # type: ignore[misc]
        for query in (rounded(row, row) for row in queries)
    ]


@settings(deadline=None)
@given(numbers, numbers, st.sampled_from(["float8_e4m3", "float8_e5m2", "int8"]))
def test_eight_bits_by_their_definition(
    queries: np.ndarray, keys: np.ndarray, arithmetic: str
) -> None:
    """Products of 8 bits are exact in float32, and the sum of two is rounded once."""
    pattern, embedding = shown(queries, keys)
    logits = in_eight_bits(embedding, arithmetic)
    wrong = []
    for row, (values, marks) in enumerate(zip(logits, pattern.to_array().tolist(), strict=True)):
        values = [Fraction(float(np.float32(float(value)))) for value in values]
        ones = [x for x, mark in zip(values, marks, strict=True) if mark]
        zeros = [x for x, mark in zip(values, marks, strict=True) if not mark]
        if zeros and min(ones) <= max(zeros):
            wrong.append(row)
    assert rows_lost(pattern, embedding, arithmetic) == wrong


@pytest.mark.parametrize(
    ("arithmetic", "most"), [("float8_e4m3", 448), ("float8_e5m2", 57344), ("int8", 127)]
)
def test_the_scaled_numbers_stay_within_the_format(arithmetic: str, most: int) -> None:
    if arithmetic.startswith("float8"):
        bits = (4, 3) if arithmetic.endswith("e4m3") else (5, 2)
        assert max(values_of_float8(*bits)) == most
    pattern = Pattern.from_text("1000\n0100\n0010\n0001")
    identity = np.eye(4, dtype=np.int64).astype(object)
    for size in (1, 3, 127, 255, 10**30):
        embedding = Embedding(identity * size, identity * size, [0] * 4)
        assert rows_lost(pattern, embedding, arithmetic) == []


def test_rounded_sums_may_need_fewer_dimensions_than_exact_ones() -> None:
    """So lower bounds of exact arithmetic are not about a format alone: an example in docs/theory.

    In int8, whose sums are exact, they are.
    """
    keys = [[2048, 1, 2048], [-2048, 1, -2048], [4096, 1, 4096], [-4096, 1, -4096], [0, -1, 2048]]
    queries = {
        "10000": [8192, -3, -8192],
        "11000": [5120, 1, -5120],
        "10100": [1, 0, 0],
        "11100": [2, 1, -1],
        "10010": [32768, 5, -32768],
        "11010": [0, 1, -1],
        "10110": [8192, 3, -8192],
        "11110": [0, 1, 0],
        "10001": [-8192, 1, 8192],
        "11001": [-5120, 1, 5120],
        "10101": [0, 0, 1],
        "11101": [0, 0, 1],
        "10011": [-32768, 11, 32768],
        "11011": [0, 0, -1],
        "10111": [-8192, -1, 8192],
    }
    pattern = Pattern.from_text("\n".join(queries))
    embedding = Embedding(list(queries.values()), keys, [0] * len(queries))
    assert rows_lost(pattern, embedding, "float8_e4m3") == []
    assert rows_lost(pattern, embedding, "int8")
    assert Radon(range(15), range(5)).find_fault(Problem(pattern, 3)) is None
    assert not dimension_in_arithmetic(pattern, "float8_e4m3", time_limit=1).d < 4
