"""Retrieval judgements: TREC qrels, BEIR tsv and JSON lines give the same named pattern."""

from __future__ import annotations

from pathlib import Path

import pytest

from samapprox import InputError, InputWarning, Pattern, load

QRELS = "q1 0 d1 1\nq1 0 d2 0\nq2 0 d2 2\nq2 0 d3 1\nq1 0 d3 -1\n"
TSV = "query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td2\t0\nq2\td2\t2\nq2\td3\t1\nq1\td3\t-1\n"
JUDGEMENTS = """\
{"query-id": "q1", "corpus-id": "d1", "score": 1}
{"query-id": "q1", "corpus-id": "d2", "score": 0}
{"query-id": "q2", "corpus-id": "d2"}
{"query-id": "q2", "corpus-id": "d3", "score": 0.5}
"""
LISTS = '{"query_id": "q1", "doc_ids": ["d1"]}\n\n{"query_id": "q2", "doc_ids": ["d2", "d3"]}\n'
KEYED = '{"q1": {"d1": 1, "d2": 0}}\n{"q2": ["d2", "d3"]}\n'


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("qrels.txt", QRELS),
        ("a.qrels", QRELS),
        ("test.tsv", TSV),
        ("headless.tsv", TSV.partition("\n")[2]),
        ("j.jsonl", JUDGEMENTS),
        ("l.jsonl", LISTS),
        ("k.txt", KEYED),
    ],
)
def test_all_habits_give_the_same_pattern(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    pattern = load(tmp_path / name)
    assert pattern.to_text() == "100\n011"
    assert pattern.row_names == ("q1", "q2")
    assert pattern.column_names == ("d1", "d2", "d3")


def test_a_document_relevant_to_nobody_is_a_column(tmp_path: Path) -> None:
    (tmp_path / "a.qrels").write_text("q1 0 d1 1\nq1 0 never 0\n")
    assert load(tmp_path / "a.qrels") == Pattern.from_text("10")


def test_queries_without_a_relevant_document_are_left_out_loudly(tmp_path: Path) -> None:
    (tmp_path / "a.qrels").write_text("q1 0 d1 1\nq9 0 d2 0\nq9 0 d3 0\n")
    with pytest.warns(InputWarning, match=r"1 of 2 queries have no relevant .* \('q9' first\)"):
        pattern = load(tmp_path / "a.qrels")
    assert pattern.row_names == ("q1",)
    assert pattern.shape == (1, 3)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.qrels", "q1 0 d1\n", "line 1 has 3 fields"),
        ("a.qrels", "q1 0 d1 1\nq1 0 d2 yes\n", "line 2: relevance 'yes'"),
        ("a.qrels", "q1 0 d1 nan\n", "line 1: the score is not a number"),
        ("a.qrels", "q1 0 d1 1\nq1 0 d1 0\n", "line 2: document 'd1' is both relevant and not"),
        ("a.qrels", "q1 0 d1 0\n", "no query has a relevant document"),
        ("a.tsv", "query-id\tcorpus-id\tscore\nq1\td1\n", "line 2 has 2 fields"),
        ("a.tsv", "q1\td1\tmaybe\n", "line 1: score 'maybe'"),
        ("a.jsonl", "{\n", "line 1 is not JSON"),
        ("a.jsonl", '{"q1": ["a"]}\n[1]\n', "line 2 must be a JSON object"),
        ("a.jsonl", '{"query-id": "a", "text": "b"}\n', "line 1 names no query"),
        ("a.jsonl", '{"q1": "a"}\n', "line 1: the documents of query 'q1' must be a list"),
        ("a.jsonl", '{"q1": [null]}\n', "line 1: 'None' is not an id"),
        ("a.jsonl", '{"q1": {"d": "x"}}\n', "line 1: the score 'x'"),
        ("a.jsonl", "[" * 100_000, "line 1 is not JSON"),
        ("a.jsonl", "{}\n", "no query has a relevant document"),
    ],
)
def test_wrong_lines_are_named(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=message) as caught:
        load(tmp_path / name)
    assert str(caught.value).startswith(str(tmp_path / name))


def test_repeated_judgements_that_agree_are_one(tmp_path: Path) -> None:
    (tmp_path / "a.qrels").write_text("q1 0 d1 1\nq1 0 d1 2\nq1 0 d2 0\n")
    assert load(tmp_path / "a.qrels").to_text() == "10"
