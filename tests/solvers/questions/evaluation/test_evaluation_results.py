"""Results of evaluations: documents, storages, progress; and bad input."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from helpers.schemas import assert_tight, schema

from samapprox import InputError, Interrupted, Pattern, evaluate
from samapprox.support.progress import Progress

# ---------------------------------------------------------------- results


PATTERN = Pattern.from_text("1000\n0110\n11*0", row_names=["a", "b", "c"])
QUERIES, KEYS = [[1.0, 0], [0, 1], [0, 0]], [[2.0, 0], [1, 1], [0, 3], [1, -1]]


def test_results() -> None:
    found = evaluate(PATTERN, QUERIES, KEYS, by_position=True)
    assert found.right.tolist() == [True, True, False]
    assert (found.count, found.share, found.d) == (2, 2 / 3, 2)
    assert found.depths.tolist() == [1, 2, 3]
    assert [found.share_within(depth) for depth in (1, 2, 3)] == [1 / 3, 2 / 3, 1.0]
    assert found.headline == (
        "These embeddings (d = 2) get 2 of 3 rows right (66.7 %) by dot product."
    )
    assert found.explain() == [
        "This is no better than chance: random orders of the keys get 0.75 rows right on average "
        "(standard deviation 0.74). Do the vectors belong to these queries and documents?",
        "Rows with all ones among the first k keys: 33.3 % at 1, 66.7 % at 2.",
        "The lowest one of a row has rank 2 in the median and 3 at most.",
        "Wrong rows, the largest gaps first (1 tie among them):",
        "row 2 ('c'): column 3 (a zero) ties with column 0 (a one); 1 zero above",
    ]
    assert repr(found) == "<Evaluation: 2 of 3 rows right, dot, d = 2>"
    with pytest.raises(TypeError, match="neither true nor false"):
        bool(found)


def test_documents_fit_their_schema() -> None:
    document = evaluate(PATTERN, QUERIES, KEYS, by_position=True).to_json()
    assert_tight(schema("evaluation"), json.loads(json.dumps(document)))
    pair = {"row": 2, "one": 0, "zero": 3, "gap": 0.0, "zeros_above": 1}
    assert document["wrong"] == [pair | {"row_id": "c", "one_id": None, "zero_id": None}]
    assert document["right"] == 2


def test_a_row_without_zeros_is_right() -> None:
    assert evaluate([[1, "*"], [1, 1]], [[0.0], [0.0]], [[1.0], [2.0]]).share == 1


def test_sparse_and_packed_patterns_are_alike() -> None:
    rng = np.random.default_rng(0)
    entries = rng.random((40, 300)) < 0.02
    entries[:, 0] = True
    queries, keys = rng.standard_normal((40, 8)), rng.standard_normal((300, 8))
    packed = evaluate(entries, queries, keys)
    assert packed.to_json() == evaluate(scipy.sparse.csr_array(entries), queries, keys).to_json()


def test_bfloat16_is_exact() -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    rng = np.random.default_rng(1)
    queries, keys = (rng.standard_normal((5, 3)).astype(ml_dtypes.bfloat16) for _ in range(2))
    wide = evaluate(np.eye(5), queries.astype(np.float64), keys.astype(np.float64))
    assert evaluate(np.eye(5), queries, keys).to_json() == wide.to_json()


def test_progress_reaches_the_end_and_may_stop() -> None:
    seen: list[Progress] = []
    vectors = np.random.default_rng(0).normal(size=(600, 4))  # no ties, which take exact scores
    evaluate(np.eye(600), vectors, vectors, progress=seen.append)
    assert seen[-1] == Progress("3/3 parts", share=1.0)

    def stop(_moment: Progress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(Interrupted) as caught:
        evaluate(np.eye(600), vectors, vectors[::-1], progress=stop)
    found = caught.value.so_far
    whole = evaluate(np.eye(600), vectors, vectors[::-1])
    rows = [int(ones.argmax()) for ones in found.pattern.to_array()]
    assert 256 <= len(rows) <= 600
    assert found.zeros_above.tolist() == whole.zeros_above[rows].tolist()
    assert found.gaps.tolist() == whole.gaps[np.isin(whole.wrong, rows)].tolist()


# ---------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("queries", "keys", "similarity", "message"),
    [
        (QUERIES[:2], KEYS, "dot", "there are 2 queries, but the pattern has 3 rows"),
        (QUERIES, KEYS[:3], "dot", "there are 3 keys, but the pattern has 4 columns"),
        (QUERIES, [[1.0]] * 4, "dot", "queries have dimension 2 and keys 1"),
        (
            [[np.nan, 0], [0, 1], [0, 0]],
            KEYS,
            "dot",
            "queries: the entry at row 0, column 0 is nan",
        ),
        (
            QUERIES,
            [[0, 0], [0, np.inf], [0, 0], [0, 0]],
            "l2",
            "keys: the entry at row 1, column 1",
        ),
        (QUERIES, KEYS, "cosine", r"query 2 \('c'\) is zero and has no cosine"),
        ([[1, 1]] * 3, [[1, 1], [0, -0.0], [1, 1], [1, 1]], "cosine", "key 1 is zero"),
        (QUERIES, KEYS, "cos", "unknown similarity 'cos'"),
        (np.ones((3, 2), dtype=complex), KEYS, "dot", "queries must be a matrix of numbers"),
        (np.array([[{}, 1]] * 3), KEYS, "dot", "queries must be a matrix of numbers"),
        (QUERIES, [[1, 2], [3]], "dot", "keys are ragged"),
        (np.ones((3, 0)), np.ones((4, 0)), "dot", "3 vectors of dimension 0"),
        ([[2**60, 1]] * 3, KEYS, "dot", "too large to be exact"),
        (np.ones((3, 2), dtype=np.longdouble), KEYS, "dot", "convert them to float64"),
        (np.ones(3), KEYS, "dot", "queries must be a matrix of numbers"),
    ],
)
def test_bad_input(queries: Any, keys: Any, similarity: Any, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        evaluate(PATTERN, queries, keys, similarity=similarity, by_position=True)
    assert "\n" not in str(caught.value)
