"""Arguments of wrong types and values: an answer, or one line that names what is wrong."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import samapprox
from samapprox import Pattern, SamapproxError, attention, batch, proofs, reductions
from samapprox.attention import (
    FurthestLayer,
    TopK,
    approximation,
    binarize,
    load_attention,
    transformers,
    vectors,
)
from samapprox.attention.graphs import AttentionGraph, SparseAttention, build
from samapprox.attention.reasoning import parse_task
from samapprox.batch.report import Report, Selection
from samapprox.formats import as_pattern, load_vectors, save, save_vectors
from samapprox.pictures import draw, picture_kind
from samapprox.reductions import Arrangement
from samapprox.vectors import VectorSet

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

EYE = np.eye(3)
VERDICT = samapprox.decide(PATTERN)
TARGET = approximation.Target.from_weights(EYE)
LAYER = approximation.AttentionLayer(EYE, EYE, EYE)
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
        ("attention", "rule", "causal", "logits", "ties", "rows", "roundoff"),
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
    "Verdict": (
        samapprox.Verdict,
        {"problem": VERDICT.problem, "proof": VERDICT.proof},
        ("problem", "proof", "below", "above"),
    ),
    "Certificate.of": (
        samapprox.Certificate.of,
        {"question": VERDICT.problem, "proof": VERDICT.proof},
        ("question", "proof"),
    ),
    "Instance": (samapprox.Instance, {"pattern": PATTERN}, ("pattern", "facts", "origin")),
    "check": (
        proofs.check,
        {"question": VERDICT.problem, "proof": VERDICT.proof},
        ("question", "proof"),
    ),
    "heads": (
        samapprox.heads,
        {"attentions": WEIGHTS, "top_k": 1, **LIMIT},
        ("top_k", "threshold", "uniform", "mass", "ties"),
    ),
    "Chirotope": (
        proofs.Chirotope,
        {"d": 1, "rows": [0], "columns": [0], "elements": "rows", "relations": 1, "lemmas": []},
        ("d", "rows", "elements", "relations", "lemmas", "polynomials", "symmetry"),
    ),
    "SharedChirotope": (
        proofs.SharedChirotope,
        {"d_hid": 2, "rows": [0], "columns": [0], "relations": True, "lemmas": []},
        ("d_hid", "relations", "lemmas", "d"),
    ),
    "Forster": (
        proofs.Forster,
        {
            "d": 1,
            "rows": [0],
            "columns": [0, 1],
            "row_weights": [1, 1],
            "column_weights": [1, 1],
            "matrix": [[1, 1], [1, 1]],
        },
        ("d", "rows", "columns", "row_weights", "matrix", "padding"),
    ),
    "Inscription": (
        proofs.Inscription,
        {"d": 1, "rows": [0], "columns": [0], "vertices": [0]},
        ("d", "rows", "vertices", "cuts"),
    ),
    "KSets": (proofs.KSets, {}, ("parts",)),
    "row_normalised": (attention.row_normalised, {}, ("matrix",)),
    "csam": (attention.csam, {"X": EYE, "W_Q": EYE, "W_K": EYE}, ("X", "W_Q")),
    "softmax_scale": (attention.softmax_scale, {"gap": 0.5, "n": 4}, ("gap", "n", "error")),
    "Request": (
        approximation.Request,
        {"target": TARGET, "eps1": 0.1, "eps2": 0.5},
        (
            *("target", "eps1", "eps2", "causal", "k", "gamma", "d", "d_hid", "seed"),
            *("redraws", "step", "spread", "arithmetic"),
        ),
    ),
    "approximate": (
        approximation.approximate,
        {
            "request": approximation.Request(target=TARGET, eps1=0.1, eps2=0.5),
            "method": "circle",
        },
        ("request", "method", "time_limit"),
    ),
    "approximation.check": (
        approximation.check,
        {"layer": LAYER, "target": TARGET, "eps1": 0.1, "eps2": 0.5},
        ("layer", "target", "eps1", "eps2", "progress"),
    ),
    "sample": (
        approximation.sample,
        {"n": 8, "k": 1, "gamma": 1.0},
        ("n", "k", "gamma", "seed", "causal"),
    ),
    "AttentionGraph": (
        AttentionGraph,
        {"indptr": np.array([0, 1]), "indices": np.array([0])},
        ("indptr", "indices"),
    ),
    "SparseAttention": (SparseAttention, {}, ("patterns",)),
    "build": (build, {"text": "star", "n": 4}, ("text", "n")),
    "parse_task": (parse_task, {}, ("text",)),
    "Head": (
        transformers.Head,
        {"query": EYE, "key": EYE, "value": EYE, "output": EYE},
        ("query", "output", "query_bias", "pattern"),
    ),
    "AttentionLayer": (transformers.AttentionLayer, {}, ("heads",)),
    "Transformer": (transformers.Transformer, {"layers": (), "positions": EYE}, ("layers",)),
    "PiecewiseLinear": (transformers.PiecewiseLinear, {"starts": (0, 1)}, ("slopes",)),
    "furthest": (vectors.furthest, {"queries": EYE}, ("keys", "threads", "progress", "kernel")),
    "distances": (
        vectors.distances,
        {"queries": EYE, "keys": EYE, "indices": [1, 0, 0]},
        ("queries", "keys", "indices"),
    ),
    "furthest_layers": (
        vectors.furthest_layers,
        {"vectors": EYE, "graphs": build("window", 3).patterns, "layers": 2},
        ("vectors", "graphs", "layers", "answers", "against_full", "until", "threads"),
    ),
    "comparison_bound": (vectors.comparison_bound, {"n": 4, "edges": [3]}, ("n", "edges")),
    "orthogonal_pair": (
        vectors.orthogonal_pair,
        {"first": np.eye(3, dtype=int)},
        ("first", "second", "method", "threads", "progress"),
    ),
    "open_set": (batch.open_set, {"sources": ["line"]}, ("sources", "about_vectors")),
    "Question": (
        batch.Question,
        {"task": "decide", "d": 1},
        (
            *("task", "d", "d_hid", "causal", "relevant", "unjudged", "time_limit"),
            *("memory_limit", "seed", "certificates", "similarity", "unit", "at", "kind"),
            *("graph", "layers", "relabel", "embeddings", "runs", "arithmetic"),
        ),
    ),
    "run": (
        batch.run,
        {"sources": ["line:rows=2,columns=2"], "question": None, "results": "r.sqlite"},
        ("question",),
    ),
    "Report": (Report, {}, ("listed", "pictures")),
    "Selection": (Selection, {}, ("verdict",)),
    "require_exportable": (batch.require_exportable, {}, ("path",)),
    "data.files": (samapprox.data.files, {}, ("name",)),
    "data.path": (samapprox.data.path, {}, ("file",)),
    "load_vectors": (load_vectors, {"source": "x.npz"}, ("source", "key")),
    "save_vectors": (
        save_vectors,
        {"vectors": VectorSet(EYE), "path": "x.npz"},
        ("vectors", "path"),
    ),
    "OneMoreDimension": (reductions.OneMoreDimension, {}, ("times",)),
    "OrientedMatroid": (
        reductions.OrientedMatroid,
        {"rank": 2, "elements": 3, "chirotope": "+++"},
        ("rank", "elements", "chirotope"),
    ),
    "line_cell_pattern": (reductions.line_cell_pattern, {}, ("arrangement",)),
    "stretch": (
        reductions.stretch,
        {"arrangement": Arrangement.from_wiring(2, [0]), "embedding": EMBEDDING},
        ("arrangement", "embedding"),
    ),
    "pad_embedding": (
        reductions.pad_embedding,
        {"pattern": PATTERN, "embedding": EMBEDDING},
        ("embedding",),
    ),
    "Arrangement": (Arrangement, {}, ("sequences",)),
    "draw": (draw, {"pattern": PATTERN}, ("pattern", "title", "rows")),
    "picture_kind": (picture_kind, {}, ("path",)),
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


def test_whole_numbers_of_numpy_are_whole_numbers() -> None:
    assert batch.Question("decide", d=np.int64(2)) == batch.Question("decide", d=2)  # type: ignore[arg-type]
    assert attention.softmax_scale(np.float32(0.5), np.int64(4)) > 0
    assert approximation.sample(np.int32(8), np.uint8(1), 1.0).n == 8
    assert vectors.furthest(EYE, threads=np.int64(1)).indices.tolist() == [1, 0, 0]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: attention.softmax_scale(math.nan, 4), "gap and n must be positive"),
        (lambda: attention.softmax_scale(1, 4, math.nan), "the error not negative"),
        (lambda: attention.softmax_scale(1, True), "n must be a number, not True"),
        (lambda: binarize(WEIGHTS, TopK(1), roundoff=math.nan), "at least 0 and below 1, not nan"),
        (lambda: binarize(WEIGHTS, TopK(1), roundoff=-1), "at least 0 and below 1, not -1"),
        (lambda: TopK(2**63), "top-k needs k below 2^63, not 9223372036854775808"),
        (lambda: attention.row_normalised([1, 2]), "must be a list of rows of numbers, not"),
        (lambda: batch.Question("decide", d=True), "d must be a whole number, not True"),
        (lambda: batch.open_set("line"), "sources must be a list of sets, not 'line'"),
        (lambda: samapprox.Verdict(PATTERN, None), "the problem must be a Problem, not <Pattern"),
        (lambda: proofs.check(PATTERN, VERDICT.proof), "the question must be a question, such as"),
        (lambda: vectors.distances(EYE, EYE, [0, 1, 3]), "indices must name a key for each query"),
        (lambda: vectors.distances(EYE, EYE, [0, 1, -1]), "indices must name a key for each query"),
        (lambda: draw(PATTERN, title=3), "the title must be a text, not 3"),
        (lambda: load_vectors(3), "the source must be a path or a binary stream, not 3"),
    ],
)
def test_wrong_arguments_are_named(make: Callable[[], object], message: str) -> None:
    with pytest.raises(SamapproxError, match=re.escape(message)):
        make()
