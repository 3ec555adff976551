"""Arguments of wrong types and values: an answer, or one line that names what is wrong."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import samapprox
from samapprox import Pattern, SamapproxError
from samapprox.attention import FurthestLayer, TopK, binarize, load_attention
from samapprox.formats import as_pattern, save
from samapprox.reductions import Arrangement

PATTERN = samapprox.load([[1, 0, 0], [0, 1, 0], [0, 1, 1]])
WEIGHTS = np.array([[0.7, 0.2, 0.1], [0.2, 0.7, 0.1], [0.1, 0.2, 0.7]])
LIMIT = {"time_limit": 0.05}
HUGE = 10**5000
"""Python refuses to write so many digits."""

VALUES: list[Any] = [
    *(None, True, False, 0, -1, 3, 2**64, HUGE, 2.5, math.nan, math.inf, Fraction(1, 2), 1j),
    *("", "no", "a\nb", "a\0b", "x" * 9999, b"", b"x"),
    *(
        (),
        [],
        {},
        set(),
        [None],
        ["x"],
        [[]],
        {"a": 1},
        range(3),
        iter([1]),
        slice(1),
        object(),
        int,
    ),
    *(np.int64(2), np.uint8(3), np.bool_(1), np.float32("nan"), np.datetime64("2020"), np.array(3)),
    *(np.zeros((0, 2)), np.ones((2, 2, 2)), np.array(["x"]), np.array([None, 1], dtype=object)),
    np.zeros(2, dtype=[("a", int)]),
]

EMBEDDING = samapprox.Embedding([[1], [2]], [[1], [2]], [0, 0])

Call = tuple[Callable[..., Any], dict[str, Any], tuple[str, ...]]

CALLS: dict[str, Call] = {
    "decide": (
        samapprox.decide,
        {"entries": PATTERN, "d": 2, **LIMIT},
        (
            *("entries", "d", "d_hid", "similarity", "causal", "time_limit", "seed"),
            *("only", "without", "memory_limit", "progress"),
        ),
    ),
    "decide_many": (samapprox.decide_many, {"patterns": [PATTERN]}, ("d", "d_hid", "causal")),
    "weak_dimension": (
        samapprox.weak_dimension,
        {"entries": PATTERN, **LIMIT},
        ("entries", "similarity", "causal", "time_limit", "seed", "only", "threads", "progress"),
    ),
    "fit": (
        samapprox.fit,
        {"entries": PATTERN, **LIMIT},
        ("entries", "d", "unit", "similarity", "at", "causal", "time_limit", "seed", "progress"),
    ),
    "fit_curve": (
        samapprox.fit_curve,
        {"entries": PATTERN, **LIMIT},
        ("unit", "similarity", "at", "largest_d", "causal", "time_limit", "seed", "progress"),
    ),
    "margin": (
        samapprox.margin,
        {"entries": PATTERN, **LIMIT},
        ("entries", "causal", "dimensions", "bits", "time_limit", "seed", "progress"),
    ),
    "dimension_for_margin": (
        samapprox.dimension_for_margin,
        {"entries": PATTERN, "margin": 0.1, **LIMIT},
        ("margin", "causal", "time_limit", "seed", "progress"),
    ),
    "dimension_in_arithmetic": (
        samapprox.dimension_in_arithmetic,
        {"entries": PATTERN, "arithmetic": "float16", **LIMIT},
        ("entries", "arithmetic", "causal", "weak", "time_limit", "seed", "progress"),
    ),
    "hidden_dimensions": (
        samapprox.hidden_dimensions,
        {"entries": PATTERN, **LIMIT},
        ("entries", "dimensions", "causal", "time_limit", "seed"),
    ),
    "rank": (
        samapprox.rank,
        {"entries": PATTERN, **LIMIT},
        ("entries", "kind", "at_most", "time_limit", "seed", "only", "threads", "progress"),
    ),
    "evaluate": (
        samapprox.evaluate,
        {"entries": PATTERN, "queries": np.eye(3), "keys": np.eye(3)},
        (
            *("entries", "queries", "keys", "similarity", "query_ids", "document_ids"),
            *("by_position", "skip_missing", "unjudged", "progress"),
        ),
    ),
    "load": (samapprox.load, {"source": PATTERN}, ("source", "format", "key", "relevant")),
    "as_pattern": (as_pattern, {"entries": PATTERN}, ("entries", "causal")),
    "save": (save, {"instance": PATTERN, "path": "x.npz"}, ("instance", "path")),
    "verify": (
        samapprox.verify,
        {"entries": PATTERN, "certificate": samapprox.decide(PATTERN).certificate},
        ("entries", "certificate", "causal"),
    ),
    "Pattern.from_text": (Pattern.from_text, {"text": "10"}, ("text", "row_names")),
    "Pattern.from_array": (Pattern.from_array, {"entries": [[1, 0]]}, ("care", "column_names")),
    "Pattern.from_sparse": (Pattern.from_sparse, {}, ("matrix",)),
    "Pattern.from_csr": (
        Pattern.from_csr,
        {"indptr": np.array([0, 1]), "indices": np.array([0]), "data": None, "shape": (1, 2)},
        ("indptr", "indices", "data", "shape"),
    ),
    "Certificate.load": (samapprox.Certificate.load, {}, ("path",)),
    "Certificate.from_bytes": (samapprox.Certificate.from_bytes, {}, ("content",)),
    "Certificate.from_json": (samapprox.Certificate.from_json, {}, ("document",)),
    "binarize": (
        binarize,
        {"attention": WEIGHTS, "rule": TopK(1)},
        ("attention", "rule", "causal", "logits", "ties", "rows"),
    ),
    "load_attention": (load_attention, {"source": WEIGHTS}, ("source", "key", "select")),
    "TopK": (TopK, {}, ("k",)),
    "FurthestLayer": (FurthestLayer, {}, ("d",)),
    "Problem": (samapprox.Problem, {"pattern": PATTERN, "d": 1}, ("pattern", "d", "d_hid")),
    "Certificate.verify": (samapprox.decide(PATTERN).certificate.verify, {}, ("pattern",)),
    "Embedding.self_attention": (EMBEDDING.self_attention, {}, ("d_hid",)),
    "Verdict.draw": (samapprox.decide(PATTERN).draw, {}, ("rows", "path")),
    "Arrangement.from_wiring": (Arrangement.from_wiring, {"swaps": [0, 1, 0]}, ("lines",)),
    "MatrixRank.at_most": (samapprox.rank(PATTERN, time_limit=1).at_most, {}, ("rank",)),
}


PAIRS = [(name, argument) for name, (_, _, arguments) in CALLS.items() for argument in arguments]


def message(function: Callable[..., Any], given: dict[str, Any]) -> str:
    """Return the message of a refusal; empty for an answer. Other errors pass through."""
    try:
        function(**given)
    except SamapproxError as error:
        return str(error)
    return ""


@pytest.mark.parametrize(("name", "argument"), PAIRS)
def test_every_value_is_answered_or_refused_in_one_line(
    name: str, argument: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    function, given, _ = CALLS[name]
    for value in VALUES:
        if argument != "progress" or not callable(value):
            assert "\n" not in message(function, {**given, argument: value}), value


@pytest.mark.parametrize("name", [name for name, argument in PAIRS if argument == "causal"])
@pytest.mark.parametrize("value", ["no", "False", 2, [], None, 0.0])
def test_a_flag_is_never_guessed(name: str, value: object) -> None:
    function, given, _ = CALLS[name]
    with pytest.raises(SamapproxError, match=r"^causal must be True or False, not "):
        function(**{**given, "causal": value})
    function(**{**given, "causal": np.bool_(0)})


@pytest.mark.parametrize("name", [name for name, argument in PAIRS if argument == "progress"])
def test_progress_is_refused_before_any_work(name: str) -> None:
    function, given, _ = CALLS[name]
    with pytest.raises(SamapproxError, match=r"^progress must be a function or None, not 3$"):
        function(**{**given, "progress": 3})
