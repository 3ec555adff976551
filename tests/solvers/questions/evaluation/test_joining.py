"""The join of vectors and patterns by ids, against a loop over dictionaries."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from samapprox import InputError, Pattern, evaluate, load

JUDGED = Pattern.from_text("100\n011", row_names=["q1", "q 2"], column_names=["a", "b", "é"])
QUERIES = {"q1": [1.0, 0.0], "q 2": [0.0, 1.0]}
KEYS = {"a": [2.0, 0.0], "b": [0.0, 2.0], "é": [0.0, 1.0]}
NAMES = ["a", "b b", "é", "日本", "7", "07", " x", "q1", "-", "c,d", "e#", "'f'"]

Vectors = dict[str, list[float]]


def judge_by_loop(
    relevant: dict[str, set[str]], documents: list[str], queries: Vectors, keys: Vectors
) -> dict[str, int]:
    """Return for each query the documents not relevant that score as high as the lowest one."""
    found = {}
    for query, ones in relevant.items():
        if query not in queries or not ones & keys.keys():
            continue
        scores = {
            name: sum(a * b for a, b in zip(queries[query], key, strict=True))
            for name, key in keys.items()
            if name in documents or name not in ones
        }
        lowest = min(scores[name] for name in ones if name in scores)
        found[query] = sum(scores[name] >= lowest for name in scores if name not in ones)
    return found


@pytest.mark.parametrize(
    "seeds", [range(100), pytest.param(range(100, 500), marks=pytest.mark.slow)]
)
def test_random_cases(seeds: range) -> None:
    """Shuffled ids, extra and missing documents and queries; small whole numbers, so with ties."""
    for seed in seeds:
        check_random_case(seed)


def check_random_case(seed: int) -> None:
    chance = random.Random(seed)
    documents = chance.sample(NAMES, chance.randint(1, 6))
    asked = chance.sample(NAMES, chance.randint(1, 5))
    relevant = {
        query: set(chance.sample(documents, chance.randint(1, len(documents)))) for query in asked
    }
    entries = [[int(name in relevant[query]) for name in documents] for query in asked]
    pattern = Pattern(entries, row_names=asked, column_names=documents)
    d = chance.randint(1, 3)

    def draw(names: list[str]) -> Vectors:
        kept = [name for name in names if chance.random() < 0.85]
        extra = [name for name in NAMES if name not in names and chance.random() < 0.3]
        shuffled = chance.sample(kept + extra, len(kept) + len(extra))
        return {name: [float(chance.randint(-2, 2)) for _ in range(d)] for name in shuffled}

    queries, keys = draw(asked), draw(documents)
    wanted = judge_by_loop(relevant, documents, queries, keys)
    missing = any(query not in queries for query in asked) or any(
        document not in keys for document in documents
    )
    if not queries or not keys or not wanted:
        with pytest.raises(InputError):
            evaluate(pattern, queries, keys, skip_missing=True)
        return
    if missing:
        with pytest.raises(InputError, match="have no vector"):
            evaluate(pattern, queries, keys)
    found = evaluate(pattern, queries, keys, skip_missing=missing)
    assert found.pattern.row_names == tuple(wanted)
    assert found.pattern.column_names == tuple(keys)
    assert found.zeros_above.tolist() == list(wanted.values())
    assert found.coverage is not None
    assert found.coverage.unjudged == len(keys.keys() - set(documents))
    assert found.coverage.unasked == len(queries.keys() - set(asked))
    assert found.coverage.missing_queries == len(set(asked) - queries.keys())
    assert found.coverage.missing_documents == len(set(documents) - keys.keys())
    assert found.coverage.emptied == len(set(asked) & queries.keys()) - len(wanted)
    arrays = (
        evaluate(
            pattern,
            np.array(list(queries.values())),
            pd.DataFrame(keys.values(), index=list(keys)),
            query_ids=list(queries),
            document_ids=None,
            skip_missing=missing,
        )
        if list(keys) != list(range(len(keys)))
        else found
    )
    assert arrays.to_json() == found.to_json()


def test_unjudged_documents_are_zeros_or_unspecified() -> None:
    keys = {"new": [5.0, 5.0], **KEYS}
    zeros = evaluate(JUDGED, QUERIES, keys)
    assert zeros.count == 0
    assert zeros.explain()[1] == "1 document that nobody judged counts as zeros."
    unspecified = evaluate(JUDGED, QUERIES, keys, unjudged="unspecified")
    assert unspecified.count == 2
    assert unspecified.explain()[0] == "1 document that nobody judged is left out."


def test_stars_stay_stars_beside_extra_documents() -> None:
    pattern = Pattern.from_text("1*0", row_names=["q1"], column_names=["a", "b", "é"])
    keys = {"é": [0.0, 1.0], "b": [9.0, 0.0], "new": [1.0, 0.0], "a": [2.0, 0.0]}
    found = evaluate(pattern, {"q1": [1.0, 0.0]}, keys)
    assert found.pattern.to_text() == "0*01"
    assert found.count == 1


def test_judgements_refuse_vectors_without_ids(tmp_path: Path) -> None:
    (tmp_path / "my.qrels").write_text("q1 0 a 1\nq2 0 b 1\n")
    judged = load(tmp_path / "my.qrels")
    with pytest.raises(InputError, match=r"rows of the pattern have ids, .* by_position=True"):
        evaluate(judged, np.eye(2), np.eye(2))
    assert evaluate(judged, np.eye(2), np.eye(2), by_position=True).count == 2
    assert evaluate(judged, np.eye(2), np.eye(2), by_position=True).coverage is None


@pytest.mark.parametrize(
    ("queries", "keys", "options", "message"),
    [
        (QUERIES, {"a": [1.0, 0.0]}, {}, r"2 of 3 columns .* among the keys: 'b', 'é'; add them"),
        ({"q1": [1.0, 0.0]}, KEYS, {}, "1 of 2 rows of the pattern have no vector"),
        ({"q1": [1.0, 0.0], "q 2": [1.0]}, KEYS, {}, "queries are ragged"),
        ({}, KEYS, {}, "the dict of queries is empty"),
        (QUERIES, KEYS, {"query_ids": ["a"]}, "have ids of their own"),
        (QUERIES, KEYS, {"by_position": True}, "do not stand by position"),
        (QUERIES, KEYS, {"unjudged": "one"}, "unjudged"),
        (np.eye(2), KEYS, {"query_ids": ["q1", "q1"]}, "'q1' twice, at vectors 0 and 1"),
        (np.eye(2), KEYS, {"query_ids": ["q1"]}, "1 ids for 2 queries"),
        (np.eye(2), KEYS, {"query_ids": ["q1", ""]}, "vector 1 of the queries is empty"),
        (np.eye(2), KEYS, {}, "the rows of the pattern have ids, but the queries have none"),
        (QUERIES, {"x": [1.0, 0.0]}, {"skip_missing": True}, "no query with a vector has"),
        (QUERIES, {**KEYS, "x": [0.0, np.nan]}, {}, "keys: the entry at row 3, column 1 is nan"),
        (QUERIES, {**KEYS, "x": [0.0, 0.0]}, {"similarity": "cosine"}, r"key 3 \('x'\) is zero"),
    ],
)
def test_refusals(queries: Any, keys: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        evaluate(JUDGED, queries, keys, **options)
    assert "\n" not in str(caught.value)


def test_patterns_without_ids_refuse_ids() -> None:
    with pytest.raises(InputError, match="but the rows of the pattern have none"):
        evaluate([[1, 0]], {"a": [1.0]}, [[1.0], [0.0]])
    twice = Pattern.from_text("10", column_names=["a", "a"])
    with pytest.raises(InputError, match="two columns of the pattern have the id 'a'"):
        evaluate(twice, [[1.0]], {"a": [1.0]})


def test_mapped_keys_are_not_copied(tmp_path: Path) -> None:
    from samapprox.solvers.questions.evaluation.joining import join_by_ids, name_vectors

    np.save(tmp_path / "k.npy", np.eye(4, 2, dtype=np.float32))
    mapped = np.load(tmp_path / "k.npy", mmap_mode="r")
    keys = name_vectors(mapped, ["é", "new", "b", "a"], "keys")
    joined = join_by_ids(JUDGED, name_vectors(QUERIES, None, "queries"), keys)
    assert np.shares_memory(joined.keys, mapped)


@pytest.mark.parametrize("count", [0, 1])
def test_chance_is_named(count: int) -> None:
    found = evaluate(np.eye(40), np.eye(40), np.roll(np.eye(40), count, axis=0))
    assert found.is_chance == bool(count)
    assert ("no better than chance" in str(found)) == bool(count)
