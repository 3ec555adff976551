"""Attention weights to patterns: against plain loops, real tensors, and every kind of tie."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from samapprox import InputError
from samapprox.attention import (
    Mass,
    RowCount,
    Rule,
    Threshold,
    TopK,
    Uniform,
    binarize,
    load_attention,
)

RULES: list[Rule] = [TopK(1), TopK(3), Threshold(0.25), Uniform(), Mass(0.5), Mass(0.9), Mass(1.0)]


def probabilities(rng: np.random.RandomState, rows: int, columns: int) -> np.ndarray:
    return rng.dirichlet(np.ones(columns), size=rows)


def kept_by_hand(weights: np.ndarray, rule: Rule) -> set[int]:
    """One row without ties, by the definition of each rule."""
    order = sorted(range(len(weights)), key=lambda j: -weights[j])
    match rule:
        case TopK(k):
            return set(order[:k])
        case Threshold(t):
            return {j for j in order if weights[j] >= t}
        case Uniform():
            return {j for j in order if weights[j] >= 1 / len(weights)}
        case Mass(p):
            total, kept = 0.0, set()
            for j in order:
                if total >= p:
                    break
                total += weights[j]
                kept.add(j)
            return kept
    raise AssertionError(rule)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("logits", [False, True])
def test_every_rule_against_its_definition(rule: Rule, causal: bool, logits: bool) -> None:
    rng = np.random.RandomState(1)
    for n in range(1, 9):
        weights = probabilities(rng, n, n)
        if causal:
            weights = np.tril(weights)
            weights /= weights.sum(axis=1, keepdims=True)
        given = weights
        if logits:
            with np.errstate(divide="ignore"):
                given = np.log(weights) + rng.normal(size=(n, 1))
        expected = [kept_by_hand(weights[i, : i + 1 if causal else n], rule) for i in range(n)]
        if not all(expected):
            with pytest.raises(InputError, match="keeps no key"):
                binarize(given, rule, causal=causal, logits=logits)
            continue
        entries = binarize(given, rule, causal=causal, logits=logits).to_array()
        assert [set(np.flatnonzero(row == 1).tolist()) for row in entries] == expected
        stars = np.triu(np.ones((n, n), dtype=bool), 1) if causal else np.zeros((n, n), dtype=bool)
        assert np.array_equal(entries == -1, stars)


TIED = [[0.3, 0.3, 0.1, 0.3]]


@pytest.mark.parametrize(
    ("ties", "expected"), [("first", "1100"), ("last", "0101"), ("all", "1101")]
)
def test_tie_rules(ties: str, expected: str) -> None:
    assert binarize(TIED, TopK(2), ties=ties).to_text() == expected


@pytest.mark.parametrize("share", [None, "0.5", [0.5], 0, 1.5, float("nan"), 1j])
def test_shares_that_are_none_are_refused_in_one_line(share: Any) -> None:
    for make, what in ((Threshold, "threshold"), (Mass, "mass")):
        with pytest.raises(
            InputError, match=rf"^the {what} must be above 0 and at most 1, not .+$"
        ):
            make(share)
    assert Mass(Fraction(1, 2)) == Mass(np.float32(0.5)) == Mass(0.5)


def test_ties_are_errors_unless_a_rule_is_named() -> None:
    message = r"row 0 has 3 keys of equal weight \(0.3, columns 0, 1, 3\) for 2 places; name a tie"
    with pytest.raises(InputError, match=message):
        binarize(TIED, TopK(2))
    with pytest.raises(InputError, match="row 0 keeps no key under top2"):
        binarize(TIED, TopK(2), ties="none")
    assert binarize([[0.4, 0.3, 0.3]], TopK(2), ties="none").to_text() == "100"
    with pytest.raises(InputError, match="must be one of first, last, all, none, not 'some'"):
        binarize(TIED, TopK(2), ties="some")


def test_equal_weights_that_compete_for_nothing_are_no_tie() -> None:
    assert binarize(TIED, TopK(3)).to_text() == "1101"
    assert binarize([[0.1, 0.1, 0.8]], TopK(1)).to_text() == "001"
    assert binarize([[0.5, 0.5]], TopK(7)).to_text() == "11"
    assert binarize([[0.5, 0.5]], Threshold(0.5)).to_text() == "11"


@pytest.mark.parametrize("k", [2.5, float("nan"), None, "2"])
def test_a_number_of_keys_is_whole(k: int) -> None:
    """A half key was cut off silently, though the rule was named by it."""
    with pytest.raises(InputError, match="top-k needs a whole number k, not"):
        TopK(k)


@given(
    hnp.arrays(np.float64, (4, 6), elements=st.integers(0, 3).map(float)),
    st.integers(1, 6),
    st.sampled_from(["first", "last"]),
)
def test_a_named_tie_rule_keeps_exactly_k(scores: np.ndarray, k: int, ties: str) -> None:
    pattern = binarize(scores, TopK(k), logits=True, ties=ties)
    assert (pattern.row_ones == k).all()
    every = binarize(scores, TopK(k), logits=True, ties="all").to_array()
    assert (pattern.to_array() <= every).all()


def test_masked_keys_are_out_of_reach() -> None:
    scores = [[0.0, -np.inf, -np.inf, 1.0]]
    assert binarize(scores, TopK(3), logits=True).to_text() == "1001"
    assert binarize(scores, Mass(1.0), logits=True).to_text() == "1001"
    assert binarize([[0.0, -np.inf], [0.0, 0.0]], Uniform(), logits=True).to_text() == "10\n11"


def test_logits_far_apart_do_not_tie() -> None:
    assert binarize([[0.0, -1000.0, -1001.0]], TopK(2), logits=True).to_text() == "110"


def test_rectangles_are_welcome_unless_causal() -> None:
    weights = [[0.5, 0.2, 0.3]]
    assert binarize(weights, TopK(1)).to_text() == "100"
    with pytest.raises(InputError, match="square matrix, not 1 x 3"):
        binarize(weights, TopK(1), causal=True)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([[0.5, np.nan]], "row 0, column 1 is nan"),
        ([[0.5, np.inf]], "row 0, column 1 is inf"),
        ([[0.5, 0.5], [0.5, 0.7]], "row 1 sum to 1.2, not 1; say so if"),
        ([[1.5, -0.5]], "row 0, column 1 is -0.5, not a probability"),
        ([0.5, 0.5], r"shape \(2,\)"),
        ([["a"]], "matrix of numbers"),
        ([[1.0], [0.5, 0.5]], "ragged"),
        (np.zeros((0, 2)), "empty"),
    ],
)
def test_weights_that_are_none(weights: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        binarize(weights, TopK(1))


def test_a_row_masked_entirely() -> None:
    with pytest.raises(InputError, match="row 1 is masked entirely"):
        binarize([[0.0, 1.0], [-np.inf, -np.inf]], TopK(1), logits=True)


def test_causal_probabilities_must_sum_to_one_below_the_diagonal() -> None:
    with pytest.raises(InputError, match=r"row 0 up to the diagonal sum to 0\.5"):
        binarize([[0.5, 0.5], [0.5, 0.5]], TopK(1), causal=True)


@pytest.mark.parametrize("make", [lambda: TopK(0), lambda: Threshold(0), lambda: Mass(1.5)])
def test_rules_that_make_no_sense(make: object) -> None:
    with pytest.raises(InputError, match="not"):
        make()


# ---------------------------------------------------------------- files

TENSOR = np.arange(2 * 3 * 4 * 5, dtype=np.float32).reshape(2, 3, 4, 5)


def saved(folder: Path, kind: str) -> Path:
    path = folder / f"a.{kind}"
    if kind == "npy":
        np.save(path, TENSOR)
    elif kind == "npz":
        np.savez_compressed(path, A=TENSOR)
    else:
        from safetensors.numpy import save_file

        save_file({"A": TENSOR}, path)
    return path


@pytest.mark.parametrize("kind", ["npy", "npz", "safetensors"])
@pytest.mark.parametrize("select", [(), (1,), (1, 2), (0, 0)])
def test_tensors_of_every_format(tmp_path: Path, kind: str, select: tuple[int, ...]) -> None:
    assert np.array_equal(load_attention(saved(tmp_path, kind), select=select), TENSOR[select])


@pytest.mark.parametrize("kind", ["npy", "npz", "safetensors"])
@pytest.mark.parametrize("select", [(2,), (0, 3), (0, 0, 0)])
def test_parts_that_are_not_there(tmp_path: Path, kind: str, select: tuple[int, ...]) -> None:
    path = saved(tmp_path, kind)
    with pytest.raises(InputError, match=rf"a\.{kind}: .*(has no position|leading axes)"):
        load_attention(path, select=select)


def test_several_tensors_need_a_key(tmp_path: Path) -> None:
    from safetensors.numpy import save_file

    np.savez(tmp_path / "a.npz", A=TENSOR, B=TENSOR)
    save_file({"A": TENSOR, "B": TENSOR}, tmp_path / "a.safetensors")
    for name in ("a.npz", "a.safetensors"):
        with pytest.raises(InputError, match=r"several arrays \(A, B\); choose one"):
            load_attention(tmp_path / name)
        with pytest.raises(InputError, match="no array 'C'"):
            load_attention(tmp_path / name, key="C")
        assert load_attention(tmp_path / name, key="B").shape == TENSOR.shape


def test_tensors_that_cannot_be_read(tmp_path: Path) -> None:
    from safetensors.numpy import save_file

    (tmp_path / "text").write_text("0.5 0.5")
    (tmp_path / "bad.safetensors").write_bytes(b"\xff" * 7 + b"\x00{" + b"x" * 50)
    (tmp_path / "cut.npz").write_bytes(saved(tmp_path, "npz").read_bytes()[:50])
    np.save(tmp_path / "one.npy", [1.0])
    np.save(tmp_path / "text.npy", [["a"]])
    save_file({"A": np.ones((2, 2), dtype=np.int8)}, tmp_path / "int.safetensors")
    for name, message in (
        ("text", "not an npy, npz, safetensors or torch.save file"),
        ("bad.safetensors", "not a readable safetensors file"),
        ("cut.npz", "not a readable npz"),
        ("one.npy", r"holds float64 of shape \(1,\), not attention weights"),
        ("text.npy", r"holds <U1 of shape \(1, 1\), not attention weights"),
        ("int.safetensors", r"holds I8 of shape \(2, 2\)"),
        ("missing", "No such file or directory"),
    ):
        with pytest.raises(InputError, match=rf"{name}: .*{message}"):
            load_attention(tmp_path / name)


def test_signalling_nan_is_masked_without_a_warning() -> None:
    weights = np.array([[0.5, 0.5], [0.5, 0.5]], dtype=np.float32)
    weights.view(np.uint32)[1, 0] = 0x7FA00000
    rows = RowCount()
    binarize(weights, TopK(1), rows=rows)
    assert rows.masked.total() == 1
