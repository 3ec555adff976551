"""Retrieval judgements: TREC qrels, BEIR tsv and JSON lines give the same named pattern."""

from __future__ import annotations

import io
import json
import warnings
from pathlib import Path
from typing import Any, cast
from unittest import mock

import pytest
from helpers.durations import takes_less_than
from hypothesis import given, settings
from hypothesis import strategies as st

from samapprox import InputError, InputWarning, Pattern, load, load_instance
from samapprox.formats import judgement_lines, judgements, load_judgements
from samapprox.instance import Unjudged

QRELS = "q1 0 d1 1\nq1 0 d2 0\nq2 0 d2 2\nq2 0 d3 1\nq1 0 d3 -1\n"
TSV = "query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td2\t0\nq2\td2\t2\nq2\td3\t1\nq1\td3\t-1\n"
JUDGEMENTS = """\
{"query-id": "q1", "corpus-id": "d1", "score": 1}
{"query-id": "q1", "corpus-id": "d2", "score": 0}
{"query-id": "q2", "corpus-id": "d2"}
{"query-id": "q2", "corpus-id": "d3", "score": 1}
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
    with pytest.warns(InputWarning, match=r"1 of 2 queries has no relevant .* left out: 'q9'$"):
        pattern = load(tmp_path / "a.qrels")
    assert pattern.row_names == ("q1",)
    assert pattern.shape == (1, 3)


@pytest.mark.parametrize(
    "line",
    [
        '{"query-id": "q9", "corpus-ids": []}',
        '{"query-id": "q9", "corpus-ids": {}}',
        '{"q9": []}',
        '{"q9": {}}',
    ],
)
def test_queries_with_an_empty_list_are_left_out_loudly(tmp_path: Path, line: str) -> None:
    (tmp_path / "a.jsonl").write_text(f'{line}\n{{"q1": ["d1"]}}\n{{"q2": ["d1", "d2"]}}\n')
    with pytest.warns(InputWarning, match=r"1 of 3 queries has no relevant .* left out: 'q9'$"):
        pattern = load(tmp_path / "a.jsonl")
    assert pattern.row_names == ("q1", "q2")


def test_a_query_with_an_empty_list_may_have_documents_in_another_line(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"q1": []}\n{"q2": ["d1", "d2"]}\n{"q1": ["d1"]}\n')
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert load(tmp_path / "a.jsonl").row_names == ("q2", "q1")


def test_a_warning_names_the_first_queries_and_the_origin_all(tmp_path: Path) -> None:
    lines = ["a 0 d 1", *(f"q{number} 0 d 0" for number in range(5))]
    (tmp_path / "a.qrels").write_text("\n".join(lines))
    with pytest.warns(InputWarning, match=r"5 of 6 queries have .*: 'q0', 'q1', 'q2', \.\.$"):
        instance = load_instance(tmp_path / "a.qrels")
    assert instance.origin["queries left out"] == 5
    assert instance.origin["left out"] == "q0 q1 q2 q3 q4"


# ---------------------------------------------------------------- bad lines

NUMBERS = ["0.5", "nan", "1e3", "yes", "1.0", "0x1", "1_0", "\u0661", "9" * 19, "inf", "-", "1-"]


@pytest.mark.parametrize("grade", NUMBERS)
@pytest.mark.parametrize("name", ["a.qrels", "a.tsv"])
def test_grades_are_whole_numbers(tmp_path: Path, name: str, grade: str) -> None:
    rows = [["q", "d1", "1"], ["q", "d2", grade], ["q", "d3", grade]]
    between, iteration = (" ", ["0"]) if name == "a.qrels" else ("\t", [])
    lines = (between.join([query, *iteration, *rest]) for query, *rest in rows)
    (tmp_path / name).write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(
        InputError, match=r"line 2: the grade .* is not a whole number .*; write 0, 1"
    ):
        load(tmp_path / name)


@pytest.mark.parametrize("grade", ["0.5", "NaN", "1e3", '"1"', "true", "1.0", "[1]", "9" * 19])
@pytest.mark.parametrize(
    "habit", ['{"query-id": "q", "corpus-id": "d2", "score": %s}', '{"q": {"d2": %s}}']
)
def test_grades_in_json_are_whole_numbers(tmp_path: Path, habit: str, grade: str) -> None:
    first = '{"query-id": "q", "corpus-id": "d1", "score": 1}\n'
    (tmp_path / "a.jsonl").write_text(first + habit % grade)
    with pytest.raises(
        InputError, match=r"line 2: the grade .* is not a whole number .*; write 0, 1"
    ):
        load(tmp_path / "a.jsonl")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.qrels", "q1 0 d1\n", "line 1 has 3 fields; TREC qrels have 4: query, iteration"),
        ("a.qrels", "q1 0 d1 1\n\nq1 0 d2 1 x\n", "line 3 has 5 fields"),
        ("a.qrels", "q1 0 d1 1\nq1 0 d2\n1 q1 0 d3 1\n", "line 2 has 3 fields"),
        ("a.qrels", "q1 0 d1 0\n", "no query has a relevant document .* the highest grade is 0"),
        ("a.tsv", "query-id\tcorpus-id\tscore\nq1\td1\n", "line 2 has 2 fields"),
        ("a.tsv", "q1\td1\n", "line 1 has 2 fields"),
        ("a.tsv", "q1\td1\t1\nq1 0 d2 1\n", "line 2 has 1 field; .* BEIR have 3 between tabs"),
        ("a.tsv", "q1\td1\t1\nq1\t \t1\n", "line 2: the id of the document is empty"),
        ("a.tsv", "\td1\t1\n", "line 1: the id of the query is empty"),
        ("a.jsonl", "{\n", "line 1 is not JSON"),
        ("a.jsonl", '{"q1": ["a"]}\n[1]\n', "line 2 must be a JSON object"),
        ("a.jsonl", '{"q1": ["a"]},{"q2": ["a"]}\n', "line 1 is not JSON"),
        ("a.jsonl", '{"query-id": "a", "text": "b"}\n', "line 1 names no query"),
        ("a.jsonl", '{"q1": "a"}\n', "line 1: the documents of query 'q1' must be a list"),
        ("a.json", '{"format": "samapprox-certificate"}\n', "this is a certificate, not a pattern"),
        ("a.jsonl", '{"q1": [null]}\n', "line 1: 'None' is not an id"),
        ("a.jsonl", '{"q1": {"d": 1, "d": 0}}\n', "line 1 is not JSON: the name 'd' comes twice"),
        ("a.jsonl", '{"q": {"d": 1}}\n{"q": {"e": 1, "e" : 1}}', "line 2 .* 'e' comes twice"),
        ("a.jsonl", "[" * 100_000, "line 1 is not JSON"),
        ("a.jsonl", "{}\n", "no query has a relevant document"),
        ("a.qrels", "q1 0 d1 1\nq1 0 d\xff 1\n", "line 2: byte 16 is not UTF-8 text"),
    ],
)
def test_wrong_lines_are_named(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError, match=message) as caught:
        load(tmp_path / name)
    assert str(caught.value).startswith(str(tmp_path / name))
    assert "\n" not in str(caught.value)


CONFLICT = "document 'd1' has grade 2 for query 'q1', but grade 1 in line 1; keep one of them"


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("a.qrels", "q1 0 d1 1\nq2 0 d1 2\nq1 1 d1 2\n", 3),
        ("a.tsv", "q1\td1\t1\nq2\td1\t2\n\nq1\td1\t2\n", 4),
        ("a.jsonl", '{"q1": ["d1"]}\n{"q1": {"d1": 2}}\n', 2),
    ],
)
@pytest.mark.parametrize("relevant", [1, 2, 3])
def test_two_grades_of_a_pair_contradict_each_other_whatever_the_threshold(
    tmp_path: Path, name: str, text: str, line: int, relevant: int
) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=f"line {line}: {CONFLICT}"):
        load(tmp_path / name, relevant=relevant)


def test_the_first_contradiction_is_named(tmp_path: Path) -> None:
    lines = ["q 0 a 1", "q 0 b 1", "q 0 b 1", "q 0 b 0", "q 0 a 0"]
    (tmp_path / "a.qrels").write_text("\n".join(lines))
    with pytest.raises(InputError, match=r"line 4: document 'b' .* grade 1 in line 3"):
        load(tmp_path / "a.qrels")


def test_repeated_judgements_that_agree_count_once_and_are_counted(tmp_path: Path) -> None:
    (tmp_path / "a.qrels").write_text("q1 0 d1 1\nq1 1 d1 1\nq1 0 d2 0\nq1 0 d2 0\nq1 0 d1 1\n")
    with pytest.warns(
        InputWarning, match="3 judgements repeat earlier ones .line 2 first. and"
    ) as w:
        assert load(tmp_path / "a.qrels").to_text() == "10"
    assert len(w) == 1


# ---------------------------------------------------------------- grades and pools

GRADED = "q1 0 d1 2\nq1 0 d2 1\nq2 0 d2 3\nq2 0 d3 -1\nq2 0 d4 0\n"


@pytest.mark.parametrize(
    ("relevant", "unjudged", "entries"),
    [
        (1, "zero", "1100\n0100"),
        (2, "zero", "1000\n0100"),
        (1, "unspecified", "11**\n*100"),
        (2, "unspecified", "10**\n*100"),
    ],
)
def test_thresholds_and_pools(
    tmp_path: Path, relevant: int, unjudged: Unjudged, entries: str
) -> None:
    (tmp_path / "a.qrels").write_text(GRADED)
    instance = load_instance(tmp_path / "a.qrels", relevant=relevant, unjudged=unjudged)
    assert instance.pattern.to_text() == entries
    assert dict(instance.origin) == {"relevant": relevant, "unjudged": unjudged}


def test_a_threshold_leaves_out_queries(tmp_path: Path) -> None:
    (tmp_path / "a.qrels").write_text(GRADED)
    with pytest.warns(InputWarning, match="'q1'"):
        pattern = load(tmp_path / "a.qrels", relevant=3, unjudged="unspecified")
    assert pattern.to_text() == "*100"
    with pytest.raises(InputError, match=r"\(a grade of 4 or more\); the highest grade is 3"):
        load(tmp_path / "a.qrels", relevant=4)


def test_judgements_of_every_pair_leave_nothing_unspecified(tmp_path: Path) -> None:
    (tmp_path / "a.qrels").write_text("q 0 a 1\nq 0 b 0\n")
    assert load(tmp_path / "a.qrels", unjudged="unspecified").is_specified


def test_too_many_unspecified_entries_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.qrels").write_text(GRADED)
    monkeypatch.setattr(judgements, "MAX_ENTRIES", 7)
    assert load(tmp_path / "a.qrels").shape == (2, 4)
    with pytest.raises(InputError, match=r"2 x 4 .* cannot be unspecified.* read unjudged .* zero"):
        load(tmp_path / "a.qrels", unjudged="unspecified")


@pytest.mark.parametrize("relevant", [0, -1, 1.0, True, "2", None])
def test_a_threshold_is_a_whole_number_from_one(tmp_path: Path, relevant: Any) -> None:
    (tmp_path / "a.qrels").write_text(GRADED)
    with pytest.raises(InputError, match="whole number of at least 1"):
        load(tmp_path / "a.qrels", relevant=relevant)


def test_other_values_of_unjudged_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"'unspecifed'.* unspecified"):
        load(tmp_path / "a.qrels", unjudged=cast(Any, "unspecifed"))


def test_what_has_no_grades_takes_no_threshold(tmp_path: Path) -> None:
    (tmp_path / "p.txt").write_text("10\n01\n")
    with pytest.raises(InputError, match=r"p\.txt: text files have no grades; drop relevant"):
        load(tmp_path / "p.txt", relevant=2)
    with pytest.raises(InputError, match="entries in memory have no grades"):
        load([[1, 0]], unjudged="unspecified")
    assert load(tmp_path / "p.txt", relevant=1, unjudged="zero").shape == (2, 2)


# ---------------------------------------------------------------- against a naive reader

NAMES = st.text('ab\u00e9:"\\{0', min_size=1, max_size=2)
PAIRS = st.dictionaries(st.tuples(NAMES, NAMES), st.integers(-2, 3), min_size=1, max_size=12)
ENDS = st.sampled_from(["\n", "\r\n", "\n\n", "\n  \n"])


def naive(
    pairs: dict[tuple[str, str], int], relevant: int, unjudged: str
) -> tuple[list[str], list[str], list[str]]:
    """Rows, columns and entries by the definition, without any of the library's code."""
    documents = list(dict.fromkeys(document for _, document in pairs))
    queries = list(dict.fromkeys(query for query, _ in pairs))

    def entry(query: str, document: str) -> str:
        grade = pairs.get((query, document))
        return (
            ("0" if unjudged == "zero" else "*") if grade is None else str(int(grade >= relevant))
        )

    rows = {query: "".join(entry(query, document) for document in documents) for query in queries}
    kept = [query for query in queries if "1" in rows[query]]
    return kept, documents, [rows[query] for query in kept]


def write_lines(format: str, pairs: dict[tuple[str, str], int], ends: list[str]) -> str:
    lines = []
    for (query, document), grade in pairs.items():
        if format == "qrels":
            lines.append(f"{query} 0\t{document}  {grade}")
        elif format == "tsv":
            lines.append(f"{query}\t{document}\t{grade}")
        elif len(lines) % 2:
            lines.append(json.dumps({query: {document: grade}}))
        else:
            lines.append(json.dumps({"qid": query, "docid": document, "label": grade}))
    return "".join(line + end for line, end in zip(lines, ends, strict=False))


@given(
    format=st.sampled_from(["qrels", "tsv", "jsonl"]),
    pairs=PAIRS,
    ends=st.lists(ENDS, min_size=12, max_size=12),
    relevant=st.integers(1, 3),
    unjudged=st.sampled_from(["zero", "unspecified"]),
    block=st.integers(1, 40),
    repeated=st.booleans(),
)
@settings(deadline=None)
def test_readers_agree_with_the_definition(
    format: str,
    pairs: dict[tuple[str, str], int],
    ends: list[str],
    relevant: int,
    unjudged: Unjudged,
    block: int,
    repeated: bool,
) -> None:
    text = write_lines(format, pairs, ends) * (1 + repeated)
    rows, columns, entries = naive(pairs, relevant, unjudged)

    def read() -> Pattern:
        with warnings.catch_warnings(), mock.patch.object(judgement_lines, "_BLOCK", block):
            warnings.simplefilter("ignore", InputWarning)
            stream = io.BytesIO(text.encode())
            return load(stream, format=format, relevant=relevant, unjudged=unjudged)

    if not rows:
        with pytest.raises(InputError, match="no query has a relevant document"):
            read()
        return
    pattern = read()
    assert pattern.to_text().split("\n") == entries
    assert pattern.row_names == tuple(rows)
    assert pattern.column_names == tuple(columns)


@given(
    good=st.integers(0, 6),
    bad=st.sampled_from(["q 0 d", "q 0 d 1 1", "q 0 d 0.5", "q 0 d one"]),
    blank=st.integers(0, 2),
    block=st.integers(1, 60),
)
@settings(deadline=None)
def test_the_line_is_right_wherever_blocks_end(good: int, bad: str, blank: int, block: int) -> None:
    before = [f"q{number} 0 d{number} 1" for number in range(good)] + [""] * blank
    text = "\n".join([*before, bad, "q 0 e 1"])
    with (
        mock.patch.object(judgement_lines, "_BLOCK", block),
        pytest.raises(InputError, match=rf"line {len(before) + 1}\b"),
    ):
        load(io.BytesIO(text.encode()), format="qrels")


def test_a_million_lines_take_seconds(tmp_path: Path) -> None:
    """Generous, for slow machines; what is measured stands in the documentation."""
    pairs = ((number % 997, number) for number in range(1_000_000))
    (tmp_path / "a.qrels").write_text("".join(f"q{q} 0 d{d} 1\n" for q, d in pairs))
    with takes_less_than(10):
        assert load_judgements(tmp_path / "a.qrels").grades.size == 1_000_000
