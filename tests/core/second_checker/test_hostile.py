"""Small documents that ask for much work, or state absurd sizes: refused soon, without a crash."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from helpers.checkers.second_checker import Case, answers, evaluate, first_answer
from helpers.durations import takes_less_than
from scipy.sparse import eye_array

from samapprox import Certificate, Pattern
from samapprox.batch.report.evidence import pattern_source

SECONDS = 60
"""Far more than any of these takes, and far less than unbounded work would."""

EYE = Pattern.from_text("1000\n0100\n0010\n0001")


def case(proof: dict[str, Any], d: int = 1, d_hid: int | None = None, about: Pattern = EYE) -> Case:
    """A certificate about a pattern."""
    yes = {"embedding", "self-attention", "moment-curve", "merged", "components"}
    rows, columns = about.shape
    document = {
        "format": "samapprox-certificate",
        "version": 1,
        "pattern": {"rows": rows, "columns": columns, "sha256": about.sha256},
        "problem": {"d": d, "d_hid": d_hid},
        "answer": "YES" if proof["kind"] in yes else "NO",
        "proof": proof,
    }
    return Case(about.to_text(), json.dumps(document))


def chirotope(**others: Any) -> dict[str, Any]:
    core = {"rows": [0, 1, 2, 3], "columns": [0, 1, 2, 3], "elements": "columns"}
    given = {"kind": "chirotope", "d": 1, **core, "relations": False, "lemmas": []}
    return {**given, "polynomials": [], **others}


def nested(depth: int) -> dict[str, Any]:
    whole: list[int] = [0, 1, 2, 3]
    proof: dict[str, Any] = {
        "kind": "embedding",
        "queries": [[int(i == j) for j in whole] for i in whole],
        "keys": [[int(i == j) for j in whole] for i in whole],
        "thresholds": [0] * 4,
    }
    for _ in range(depth):
        lists = {"rows": whole, "columns": whole, "row_of": whole, "column_of": whole}
        proof = {"kind": "merged", **lists, "flipped": [], "proof": proof}
    return proof


def answer(asked: Case) -> tuple[int, str]:
    with takes_less_than(SECONDS):
        (found,) = answers([asked])
    assert "\n" not in found.words
    assert len(found.words) < 400
    return found.status, found.words


BIG = int("9" * 4300)


@pytest.mark.parametrize(
    ("proof", "words"),
    [
        (chirotope(d=2**40), "no circuits"),
        (chirotope(d=2, lemmas=[[2**70]]), "beyond"),
        (chirotope(d=1, relations=[2**70]), "names relation"),
        (chirotope(d=1, relations=[2**40, 2**40 + 1]), "names relation"),
        (chirotope(d=1, relations=[2**60, 2**60 + 1]), "names relation"),
        ({"kind": "counting", "d": 2**40, "rows": [0], "columns": [0, 1, 2]}, "possible"),
        ({"kind": "radon", "rows": [BIG], "columns": [0, 1, 2]}, "names row"),
        ({"kind": "shattering", "rows": [0, 1], "columns": [2**53, 2**53 + 1]}, "names column"),
        (
            {
                "kind": "topological",
                "d": 2**40,
                "rows": [0],
                "columns": [0],
                "elements": "rows",
                "members": [[0, 1]],
            },
            "too many to check",
        ),
    ],
)
def test_absurd_sizes_are_refused(proof: dict[str, Any], words: str) -> None:
    status, found = answer(case(proof))
    assert status == 1
    assert words in found


def test_topological_cores_may_be_large() -> None:
    """Only the entries that the members read count, for both checkers: here 12 of 5 million."""
    size = 2_300
    about = Pattern.from_array(np.eye(size, dtype=np.int8))
    core = {"rows": list(range(size)), "columns": list(range(size))}
    for elements, first, last in [("columns", 0, 4), ("rows", 1, 4), ("columns", 0, 3)]:
        keys = [first, first + 1, first + 2]
        members = [[covector, *keys] for covector in range(last)]
        proof = {"kind": "topological", "d": 1, **core, "elements": elements, "members": members}
        asked = case(proof, about=about)
        found = Certificate.from_bytes(asked.certificate.encode()).verify(about)
        assert bool(found) == (last == 4), found.reason
        assert answer(asked)[0] == (0 if found else 1)


def test_patterns_of_many_rows_are_refused_before_memory_runs_out() -> None:
    text = json.dumps(case(chirotope()).certificate)
    (many,) = evaluate([f"verify('1\\n'.repeat(2 ** 20 + 1), {text})"])
    assert many["large"]
    assert "rows: too large to check here" in many["words"]


def test_parts_and_products_are_refused_before_memory_and_time_run_out() -> None:
    """A sparse pattern whose parts would fill 400 MB in full, and 10^9 products of integers."""
    size = 20_000
    whole = list(range(size))
    curve = {"kind": "moment-curve", "d": 2, "elements": "columns", "order": whole, "flipped": []}
    lists = {"rows": whole, "columns": whole, "row_of": whole, "column_of": whole, "flipped": []}
    merged = {"kind": "merged", **lists, "proof": curve}
    tokens = 600
    wide = [[1] * 1000] * tokens
    attention = {"X": wide, "W_Q": [[1] * tokens] * 1000, "W_K": [[1] * tokens] * 1000}
    about = [
        (Pattern.from_sparse(eye_array(size, format="csr")), merged, 2),
        (
            Pattern.from_text("\n".join(["1" * tokens] * tokens)),
            {"kind": "self-attention", **attention, "thresholds": [0] * tokens},
            tokens,
        ),
    ]
    for pattern, proof, d in about:
        text = pattern_source(pattern)
        assert text is not None
        asked = case(proof, d, about=EYE)
        document = json.loads(asked.certificate)
        rows, columns = pattern.shape
        document["pattern"] = {"rows": rows, "columns": columns, "sha256": pattern.sha256}
        (found,) = answers([Case(text, json.dumps(document))])
        assert found.status == 1
        assert found.large
        assert "too large to check here" in found.words


def test_large_cores_are_refused() -> None:
    for rows, columns, proof in [
        (1, 400, chirotope(rows=[0], columns=list(range(400)), relations=True)),
        (1, 400, chirotope(rows=[0], columns=list(range(400)), d=9)),
        (40, 40, chirotope(rows=list(range(40)), columns=list(range(40)), d=20, elements="rows")),
        (
            40,
            40,
            {
                "kind": "shared-chirotope",
                "d_hid": 9,
                "rows": list(range(40)),
                "columns": list(range(40)),
                "relations": True,
                "lemmas": [],
            },
        ),
    ]:
        about = Pattern.from_text("\n".join(["1" * columns] * rows))
        hidden = proof.get("d_hid")
        status, words = answer(case(proof, proof.get("d", hidden), hidden, about))
        assert status == 1
        assert "too many to check" in words


def test_clauses_within_padded_cores_count() -> None:
    """Each core alone may be checked; a hitting set may have 2^16 of them."""
    inner = chirotope(d=2, rows=list(range(10)), columns=list(range(60)))
    padded: dict[str, Any] = inner
    for size in (61, 62):
        lists = {"rows": list(range(21)), "columns": list(range(size))}
        padded = {"kind": "padded", **lists, "proof": padded}
    about = Pattern.from_array(np.eye(50, 70, dtype=np.int8))
    question = {"task": "fit", "d": 4, "wrong": 0, "unit": "rows", "similarity": "dot"}
    packing = {"cores": [0], "weights": [1], "denominator": 1}
    lists = {"cores": [{"proof": padded}] * 3, "tree": [-1], "packings": [packing]}
    document = json.loads(case({"kind": "hitting-set", **lists}, about=about).certificate)
    asked = Case(about.to_text(), json.dumps({**document, "problem": question}))
    assert answer(asked) == (1, "NOT VALID: the clauses of its cores are too many to check")
    first = first_answer(asked)
    assert (first.status, first.words[-23:]) == (1, "23406480 clauses in all")


def test_huge_integers_are_exact() -> None:
    """Queries and keys that differ from a valid embedding in the last of 4,300 digits."""
    keys = [[BIG, 1], [BIG - 1, 1]]
    about = Pattern.from_text("10\n01")
    for thresholds, status in [([BIG - 1, -BIG], 0), ([BIG, -BIG], 1), ([BIG - 1, -BIG + 1], 1)]:
        queries = [[1, 0], [-1, 0]]
        proof = {"kind": "embedding", "queries": queries, "keys": keys, "thresholds": thresholds}
        assert answer(case(proof, 2, about=about))[0] == status, thresholds


def test_numbers_just_beyond_doubles_are_exact() -> None:
    """Products near 2^53 and 2^60, where a logit equals its threshold or exceeds it by one."""
    about = Pattern.from_text("10")
    cases = []
    for size in (2**26, 2**27 + 1, 2**30 + 1, 2**53 - 1, 2**53 + 1):
        for excess in (1, 0):
            proof = {
                "kind": "embedding",
                "queries": [[size, 1]],
                "keys": [[size, 3], [size, 3 - excess]],
                "thresholds": [size * size + 2],
            }
            cases.append(case(proof, 2, about=about))
    assert [found.status for found in answers(cases)] == [0, 1] * 5


def test_proofs_within_proofs_have_a_limit() -> None:
    assert answer(case(nested(8), 4))[0] == 0
    assert answer(case(nested(9), 4))[0] == 2


def test_long_refutations_end() -> None:
    """Many lemmas that follow and lead nowhere."""
    status, words = answer(case(chirotope(rows=[0], lemmas=[[1]] * 100_000)))
    assert status == 1
    assert "end without a contradiction" in words
