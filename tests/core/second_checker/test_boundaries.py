"""Both checkers draw the same line: proofs that hold, beside those that miss by one."""

from __future__ import annotations

import json
from typing import Any

from helpers.checkers.second_checker import Case, answers, first_status

from samapprox import Pattern

YES = {"embedding", "self-attention", "moment-curve", "merged", "components"}
EYE = Pattern.from_text("100\n010\n001")
WIDE = Pattern.from_text("101\n010")
ZIGZAG = Pattern.from_text("1010")
UNIT = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
ALL = [0, 1, 2]


def case(
    about: Pattern, d: int, d_hid: int | None, proof: dict[str, Any], answer: str = ""
) -> Case:
    rows, columns = about.shape
    document = {
        "format": "samapprox-certificate",
        "version": 1,
        "pattern": {"rows": rows, "columns": columns, "sha256": about.sha256},
        "problem": {"d": d, "d_hid": d_hid},
        "answer": answer or ("YES" if proof["kind"] in YES else "NO"),
        "proof": proof,
    }
    return Case(about.to_text(), json.dumps(document))


def core(kind: str, rows: list[int], columns: list[int]) -> dict[str, Any]:
    return {"kind": kind, "rows": rows, "columns": columns}


def curve(d: int, order: list[int], flipped: list[int], side: str = "columns") -> dict[str, Any]:
    given = {"d": d, "elements": side, "order": order, "flipped": flipped}
    return {"kind": "moment-curve", **given}


def attention(tokens: list[list[int]], matrix: list[list[int]]) -> dict[str, Any]:
    given = {"X": tokens, "W_Q": matrix, "W_K": matrix, "thresholds": [0, 0, 0]}
    return {"kind": "self-attention", **given}


def merged(proof: dict[str, Any]) -> dict[str, Any]:
    lists = {"rows": ALL, "columns": ALL, "row_of": ALL, "column_of": ALL, "flipped": []}
    return {"kind": "merged", **lists, "proof": proof}


def forster(about: str, weights: list[int], matrix: list[list[int]]) -> Case:
    """A proof about some first columns of a pattern, whose columns have weight 1."""
    pattern = Pattern.from_text(about)
    rows, columns = len(matrix) - 1, len(matrix[0])
    given = {"row_weights": weights, "column_weights": [1] * columns, "matrix": matrix}
    proof = core("forster", list(range(rows)), list(range(columns)))
    return case(pattern, 1, None, {**proof, "d": 1, **given, "padding": []})


def clash(positive: list[int]) -> Case:
    splits = [{"rows": rows, "columns": [0, 2]} for rows in ([0, 1], [1, 2])]
    proof = {"kind": "sign-clash", "positive": positive, "negative": [0, 0, 1], "splits": splits}
    return case(Pattern.from_text("011\n110\n001"), 1, 1, proof)


def merging(about: str, **lists: list[int]) -> Case:
    pattern = Pattern.from_text(about)
    inner = curve(3, list(range(len(lists["columns"]))), [])
    return case(pattern, 3, None, {"kind": "merged", "flipped": [], **lists, "proof": inner})


def parts(about: str, d: int, columns: list[list[int]], inner: dict[str, Any]) -> Case:
    """Each row is a copy of one part."""
    pattern = Pattern.from_text(about)
    part = {"proof": inner, "rows": [[i] for i in range(len(columns))], "columns": columns}
    proof = {"kind": "components", "columns": pattern.shape[1], "parts": [part]}
    return case(pattern, d, None, proof)


STAR = "1100\n1010\n1001", [[0, 1], [0, 2], [0, 3]]

HADAMARD = [[(-1) ** (i & j).bit_count() for j in range(8)] for i in range(8)]
SYLVESTER = "\n".join("".join("01"[x > 0] for x in row) for row in HADAMARD[1:])

EMBEDDING = {"kind": "embedding", "queries": UNIT, "keys": UNIT, "thresholds": [0, 0, 0]}
FLAT = {
    "kind": "embedding",
    "queries": [[1], [-1]],
    "keys": [[1], [-1], [1]],
    "thresholds": [0, 0],
}
PARTS = {
    "kind": "components",
    "columns": 3,
    "parts": [
        {
            "proof": {"kind": "moment-curve", "d": 2, "elements": "columns", "order": [0, 1]}
            | {"flipped": []},
            "rows": [[0], [1], [2]],
            "columns": [[0], [1], [2]],
        }
    ],
}

CASES = [
    (0, case(EYE, 1, None, core("radon", ALL, ALL))),
    (1, case(EYE, 2, None, core("radon", ALL, ALL))),
    (1, case(EYE, 1, None, core("radon", [0, 1, 3], ALL))),
    (1, case(EYE, 1, None, core("radon", ALL, [0, 1, 3]))),
    (1, case(EYE, 1, None, core("radon", [0], [0, 1]))),  # dimension 0
    (1, case(EYE, 1, None, core("shattering", [0], [0, 1]))),
    (0, case(EYE, 3, 6, EMBEDDING)),
    (1, case(EYE, 3, 5, EMBEDDING)),
    (1, case(EYE, 3, 2, EMBEDDING)),
    (1, case(EYE, 2, None, EMBEDDING)),
    (2, case(EYE, 3, None, EMBEDDING, "NO")),
    (0, case(WIDE, 1, 2, FLAT)),  # not square, but free
    (1, case(WIDE, 2, 3, FLAT)),
    (0, case(EYE, 3, 3, attention(UNIT, UNIT))),
    (1, case(EYE, 2, 3, attention(UNIT, UNIT))),
    (1, case(EYE, 3, 3, attention([[*row, 0] for row in UNIT], [*UNIT, [0, 0, 0]]))),
    (0, case(EYE, 3, 4, attention([[*row, 0] for row in UNIT], [*UNIT, [0, 0, 0]]))),
    (0, case(ZIGZAG, 1, None, curve(1, [0, 2, 1, 3], []))),
    (1, case(ZIGZAG, 2, None, curve(2, [0, 1, 2, 3], []))),  # 3 changes
    (1, case(ZIGZAG, 2, None, curve(2, [0, 1, 2, 3], [1, 3]))),  # 3 changes of the row of +
    (0, case(EYE, 2, 4, curve(2, ALL, []))),
    (1, case(EYE, 2, 3, curve(2, ALL, []))),
    (1, case(EYE, 2, None, curve(2, ALL, [3]))),
    (1, case(EYE, 2, None, curve(2, [0, 1, 2, 3], [], "rows"))),  # 3 changes of column 1
    (0, case(EYE, 3, None, curve(3, [0, 1, 2, 3], [], "rows"))),
    (0, case(EYE, 2, None, merged(curve(2, ALL, [])))),
    (1, case(EYE, 2, 3, merged(curve(2, ALL, [])))),
    (2, case(EYE, 1, None, merged(core("radon", ALL, ALL)), "YES")),
    (0, case(EYE, 2, None, PARTS)),
    (1, case(EYE, 2, 3, PARTS)),
    (1, case(EYE, 1, None, PARTS)),
    (0, merging("100\n010\n100", rows=[0, 1], row_of=[0, 1, 0], columns=ALL, column_of=ALL)),
    (1, merging("10\n01\n10", rows=ALL, row_of=[0, 1, 0], columns=[0, 1], column_of=[0, 1])),
    (1, merging("101\n010", rows=[0, 1], row_of=[0, 1], columns=ALL, column_of=[0, 1, 0])),
    (1, merging("101\n110", rows=[0, 1], row_of=[0, 1], columns=[0, 1], column_of=[0, 1, 0])),
    (0, parts(STAR[0], 3, STAR[1], curve(2, ALL, []))),
    (1, parts(STAR[0], 2, STAR[1], curve(2, ALL, []))),  # three copies share a column
    (0, parts("100\n010\n001", 2, [[0], [1], [2]], curve(1, [0, 1], []))),
    (1, parts("100\n010\n001", 1, [[0], [1], [2]], curve(1, [0, 1], []))),
    (1, parts("11\n11", 3, [[0, 1], [0, 1]], curve(3, [0, 1, 2, 3], []))),  # a cycle
    (0, forster(SYLVESTER, [1] * 8, HADAMARD)),
    (1, forster("1010\n1100\n1001", [1] * 4, [row[:4] for row in HADAMARD[:4]])),  # an equality
    (1, forster("*1", [0, 1], [[0], [0]])),  # too many don't-cares
    (1, forster("*" + SYLVESTER[1:], [1] * 8, HADAMARD)),  # a don't-care that is not 0
    (1, forster("1", [1, 1], [[0], [0]])),  # too small entries
    (1, forster("10\n10\n10\n10\n10", [0, 1, 1, 1, 1, 1], [[0, 0]] + [[1, -1]] * 5)),
    (0, clash([1, 1, 2])),
    (1, clash([1, 0, 2])),  # nothing shows that tokens 0 and 1 have the same sign
]


def test_both_checkers_draw_the_same_line() -> None:
    cases = [case for _, case in CASES]
    wanted = [status for status, _ in CASES]
    assert [answer.status for answer in answers(cases)] == wanted
    assert [first_status(case) for case in cases] == wanted


COVERS = [
    ("it has 4 columns, not 3", 4, [[0], [1], [2]], [[0], [1], [2]]),
    ("row 1 is beyond the pattern or in two copies", 3, [[0], [1], [1]], [[0], [1], [2]]),
    ("row 3 is beyond the pattern or in two copies", 3, [[0], [1], [3]], [[0], [1], [2]]),
    ("row 2 is in no part", 3, [[0], [1]], [[0], [1]]),
    ("a part has a column beyond 3", 3, [[0], [1], [2]], [[0], [1], [3]]),
    ("a part has a column twice", 3, [[0], [1], [2]], [[0, 0], [1, 1], [2, 2]]),
]
"""Reasons to refuse copies of one part, the number of columns, and the copies."""


def test_parts_hold_every_row_once_and_lie_within_the_pattern() -> None:
    cases = []
    for _, width, rows, columns in COVERS:
        part = {"proof": curve(1, [0, 1], []), "rows": rows, "columns": columns}
        proof = {"kind": "components", "columns": width, "parts": [part]}
        cases.append(case(EYE, 2, None, proof))
    assert [answer.words for answer in answers(cases)] == [
        f"NOT VALID: {reason}" for reason, *_ in COVERS
    ]
    assert [first_status(one) for one in cases] == [1] * len(cases)
