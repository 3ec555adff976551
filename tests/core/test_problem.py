"""Questions, verdicts and their bounds."""

from __future__ import annotations

import json

import numpy as np
import pytest

from samapprox import InputError, Pattern, Problem, Status, decide
from samapprox.proofs import SignClash

PATTERN = Pattern.from_text("100\n010")


@pytest.mark.parametrize(
    ("d", "d_hid", "message"),
    [
        (0, None, "d must be a whole number of at least 1, not 0"),
        (-1, None, "not -1"),
        (1.5, None, "not 1.5"),
        (True, None, "not True"),
        ("1", None, "not '1'"),
        (2, 1, "d_hid must be at least d, but d_hid = 1 and d = 2"),
        (1, 0, "d_hid must be a whole number of at least 1, not 0"),
        (1, 1, "needs a square pattern, not 2 x 3"),
        (2, 3, "needs a square pattern, not 2 x 3"),
    ],
)
def test_bad_questions(d: object, d_hid: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Problem(PATTERN, d, d_hid)


def test_numpy_integers_are_whole_numbers() -> None:
    assert not Problem(PATTERN, np.int64(1), np.int32(2)).coupled
    assert Problem(Pattern(np.eye(2)), np.uint8(200), np.uint8(250)).coupled  # 2 d is not 144
    json.dumps(decide(PATTERN, np.int64(1)).certificate.to_json())


def test_unknown_methods_are_named() -> None:
    with pytest.raises(InputError, match="unknown strategy 'magic'; there are: line"):
        decide(PATTERN, only=["magic"])


def test_bounds() -> None:
    yes, no = decide(np.eye(2)), decide(np.eye(4))
    assert (yes.lower, yes.upper) == (1, 1)
    assert (no.lower, no.upper) == (2, 3)
    line_only = decide([[0, 1, 1], [1, 1, 0], [0, 0, 1]], 1, 1)
    assert isinstance(line_only.proof, SignClash)
    assert line_only.lower == 1  # coupling forbids it, not the dimension
    assert decide([[1]], 5).upper == 1
    causal = decide(np.tril(np.ones((5, 5))), causal=True, only=["line"])
    assert causal.status is Status.UNKNOWN
    assert (causal.lower, causal.upper) == (1, 4)


def test_trail_and_time() -> None:
    verdict = decide(np.eye(3))
    assert [(step.strategy, step.outcome) for step in verdict.trail] == [("line", "NO")]
    assert verdict.seconds >= verdict.check_seconds > 0


def lines(text: str, d_hid: int | None = None, **names: list[str]) -> str:
    verdict = decide(Pattern.from_text(text, **names), 1, d_hid)
    return "\n".join(verdict.proof.explain(verdict.problem))


def test_words_for_yes() -> None:
    assert (
        lines("100\n110")
        == "In this order of the keys, each row has its ones at one end: 2 < 1 < 0"
    )
    assert "1 'b' = 2 'c' < 0 'a'" in lines("100", column_names=["a", "b", "c"])
    assert "X is 2 x 1; W_Q and W_K are 1 x 1." in lines("10\n01", 1)
    assert lines("1" * 100).endswith("5 = 6 = .. (100 keys at one point)")
    staircase = "\n".join("1" * i + "0" * (100 - i) for i in range(1, 100))
    assert lines(staircase).endswith("61 < 60 < .. and 60 more")


def test_words_for_no() -> None:
    radon = lines("100\n010\n001", row_names=["x", "y", "z"])
    assert "each of these keys is singled out" in radon
    assert "row 2 ('z')" in radon
    shattering = lines("1100\n1010")
    assert "at most 3 regions" in shattering
    clash = lines("011\n110\n001", 1)
    assert "c > 0" in clash
    assert "c < 0" in clash
    assert clash.count("agree on columns") == 2
    assert "\n  Contradiction.\n" in clash
