"""Rows that cannot be used are masked and counted; causal attention is recognised."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.attention.saved_attentions import attention
from hypothesis import given
from hypothesis import strategies as st

from samapprox import InputError, weak_dimension
from samapprox.attention import Mass, RowCount, Rule, Threshold, TopK, Uniform, binarize
from samapprox.attention.weights import binarization
from samapprox.attention.weights.rows import Fault, is_causal, sum_tolerance

FAULTS = {
    Fault.PADDING: [0.0, np.nan],
    Fault.NOT_FINITE: [np.inf],
    Fault.NEGATIVE: [-0.5],
    Fault.SUM: [0.3, 2.0],
}
RULES: list[Rule] = [TopK(1), TopK(3), Uniform(), Mass(0.9)]


@given(
    st.integers(2, 7),
    st.integers(0, 2**31),
    st.booleans(),
    st.sampled_from(RULES),
    st.data(),
)
def test_masked_rows_are_counted_and_leave_the_others_alone(
    n: int, seed: int, causal: bool, rule: Rule, data: st.DataObject
) -> None:
    weights = attention(n, n, causal=causal, seed=seed)
    expected = binarize(weights, rule, causal=causal, ties="all").to_array()
    bad = data.draw(st.dictionaries(st.integers(0, n - 1), st.sampled_from(list(FAULTS))))
    for row, fault in bad.items():
        filler = data.draw(st.sampled_from(FAULTS[fault]))
        weights[row, : row + 1 if causal else n] = filler
        if fault is Fault.NOT_FINITE and (row or not causal):
            weights[row, 0] = 0.5
    rows = RowCount()
    if len(bad) == n:
        with pytest.raises(InputError, match="no row can be used"):
            binarize(weights, rule, causal=causal, rows=rows)
        assert not rows.patterns
        return
    pattern = binarize(weights, rule, causal=causal, rows=rows).to_array()
    usable = [row for row in range(n) if row not in bad]
    assert np.array_equal(pattern[usable], expected[usable])
    for row in bad:
        assert pattern[row].tolist() == [1] + [-1] * (n - 1)
    assert rows.masked.total() == len(bad)
    assert set(rows.masked) <= set(bad.values())
    assert (rows.patterns, rows.rows) == (1, n)
    assert bool(rows.lines()) == bool(bad or rows.tied)


@pytest.mark.parametrize("causal", [False, True])
def test_blocks_of_rows_are_read_as_the_whole(
    monkeypatch: pytest.MonkeyPatch, causal: bool
) -> None:
    """Rows keep their numbers and their reach, and each reason the first of its rows."""
    weights = attention(9, 9, causal=causal, seed=3)
    weights[[3, 7]] *= 2.0
    weights[5] = np.nan
    whole, parts = RowCount(), RowCount()
    expected = binarize(weights, TopK(2), causal=causal, rows=whole)
    monkeypatch.setattr(binarization, "_BLOCK_ENTRIES", 2 * 9)
    assert binarize(weights, TopK(2), causal=causal, rows=parts) == expected
    assert parts == whole
    assert "row 3 " in parts.examples[Fault.SUM]
    tied = np.eye(9)
    tied[5, :6] = 1 / 6
    with pytest.raises(InputError, match=r"^row 5 has 6 keys of equal weight"):
        binarize(tied, TopK(1), causal=causal)


def test_the_first_example_of_a_reason_stays() -> None:
    rows = RowCount()
    for weight in (0.25, 0.75):
        binarize([[weight, 0.0], [0.5, 0.5]], Uniform(), rows=rows)
    assert "sum to 0.25" in rows.examples[Fault.SUM]


def test_masked_rows_constrain_nothing() -> None:
    weights = np.vstack([np.eye(4), np.zeros((3, 4))])
    rows = RowCount()
    masked = binarize(weights, TopK(1), rows=rows)
    alone = binarize(weights[:4], TopK(1))
    assert weak_dimension(masked).upper == weak_dimension(alone).upper == 2


def test_padding_of_logits() -> None:
    scores = np.array([[0.0, 1.0], [-np.inf, -np.inf], [np.nan, np.nan]])
    rows = RowCount()
    assert binarize(scores, TopK(1), logits=True, rows=rows).to_text() == "01\n1*\n1*"
    assert rows.masked == {Fault.PADDING: 2}


def test_a_row_without_a_key_is_counted() -> None:
    rows = RowCount()
    pattern = binarize([[0.9, 0.1], [0.5, 0.5]], Threshold(0.8), rows=rows)
    assert pattern.to_text() == "10\n1*"
    assert rows.lines() == [
        "masked 1 of 2 rows: 1 that keep no key (row 1 keeps no key under min0.8; choose a milder "
        "rule)"
    ]


@given(st.integers(1, 30), st.integers(1, 10), st.integers(0, 2**31))
def test_tied_keys_are_preferred_to_all_others(n: int, k: int, seed: int) -> None:
    weights = attention(4, n, seed=seed).astype(np.float16)
    rows = RowCount()
    kept = binarize(weights, TopK(k), rows=rows).to_array() == 1
    for row, ones in zip(weights, kept, strict=True):
        least = row[ones].min()
        assert ones.sum() >= min(k, (row > 0).sum())
        assert (row[~ones] < least).all()
        assert (row > least).sum() < k
    assert rows.tied == (kept.sum(axis=1) > k).sum()


def test_keys_of_weight_0_are_never_kept() -> None:
    weights = [[0.5, 0.5, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]]
    assert binarize(weights, TopK(3)).to_text() == "1100\n1000"
    assert binarize(weights, Mass(1.0)).to_text() == "1100\n1000"


@pytest.mark.parametrize(("dtype", "n"), [(np.float16, 3000), (np.float32, 3000)])
def test_sums_may_be_off_by_what_the_type_loses(dtype: type, n: int) -> None:
    off = sum_tolerance(n, float(np.finfo(dtype).eps) / 2)
    assert off > 0.02 or dtype is np.float32
    row = np.full((1, n), 1 / n)
    row[0, 0] = 0.5
    row /= row.sum()
    near, far = row * (1 + 0.9 * off), row * (1 + 1.1 * off)
    roundoff = float(np.finfo(dtype).eps) / 2
    assert binarize(near, TopK(1), roundoff=roundoff).count == 1
    with pytest.raises(InputError, match="not 1"):
        binarize(far, TopK(1), roundoff=roundoff)


def test_half_precision_tells_its_tolerance_itself() -> None:
    n = 4000
    row = np.full((1, n), 1.02 / n)
    assert binarize(row.astype(np.float16), Uniform(), rows=RowCount()).count == n
    with pytest.raises(InputError, match="not 1"):
        binarize(row, Uniform())


def test_mass_that_a_row_does_not_reach_keeps_all_of_it() -> None:
    """Its weights may sum to a little less than 1."""
    assert binarize([[0.5, 0.495]], Mass(1.0)).to_text() == "11"
    assert Mass(1.0).counts(np.array([[0.5, 0.495]]), np.array([2])).tolist() == [2]


def test_sums_are_compared_up_to_rounding() -> None:
    assert 0.3 + 0.3 + 0.3 < 0.9
    assert binarize([[0.3, 0.3, 0.3, 0.1]], Mass(0.9)).to_text() == "1110"


@given(st.integers(2, 8), st.integers(1, 4), st.integers(0, 2**31), st.data())
def test_one_weight_above_the_diagonal_is_enough(
    n: int, count: int, seed: int, data: st.DataObject
) -> None:
    matrices = attention(count, n, n, causal=True, seed=seed)
    assert is_causal(matrices)
    at = data.draw(st.integers(0, count - 1))
    row = data.draw(st.integers(0, n - 2))
    column = data.draw(st.integers(row + 1, n - 1))
    matrices[at, row, column] = 1e-30
    assert not is_causal(matrices)


@given(st.integers(2, 8), st.integers(0, 2**31), st.sampled_from([0.0, np.nan, "uniform"]))
def test_padding_counts_neither_way(n: int, seed: int, filler: float | str) -> None:
    matrices = attention(2, n, n, causal=True, seed=seed)
    padding = np.random.RandomState(seed % 2**31).rand(2, n) < 0.5
    padding[0, 0] = False
    matrices[padding] = 1 / n if filler == "uniform" else filler
    assert is_causal(matrices)
    assert not is_causal(np.where(padding[..., None], matrices, 1 / n + attention(2, n, n)))


@pytest.mark.parametrize(
    "matrices",
    [
        np.ones((3, 1, 1)),  # prefixes of one token
        np.zeros((3, 4, 4)),  # padding alone
        np.full((1, 4, 4), 0.25),  # the same weight for every key
        np.full((1, 4, 4), np.nan),
        np.tril(np.ones((2, 3)))[None],  # cross attention
        np.zeros((0, 4, 4)),
    ],
)
def test_no_evidence_is_not_causal(matrices: np.ndarray) -> None:
    assert not is_causal(matrices)


def test_one_token_prefixes_beside_longer_texts() -> None:
    assert is_causal([np.ones((1, 1)), attention(4, 4, causal=True)])


def test_logits_are_masked_by_infinity() -> None:
    scores = np.zeros((3, 3)) + np.arange(3)
    assert not is_causal([np.tril(scores)], logits=True)
    scores[np.triu_indices(3, 1)] = -np.inf
    assert is_causal([scores], logits=True)
    scores[0] = -np.inf
    assert is_causal([scores], logits=True)
    scores[1, 2] = -1e4
    assert not is_causal([scores], logits=True)
