"""The reading of files, which is not proven, refuses the texts that the other checkers refuse."""

from __future__ import annotations

import json

from helpers.checkers.second_checker import Case, answers, first_status
from helpers.checkers.verified import verified_answers
from helpers.stored import STORED

from samapprox import Pattern, Problem, Verdict
from samapprox.proofs import Radon

SQUARE = "100\n010\n001"
NO = Verdict(Problem(Pattern.from_text(SQUARE), 1), Radon([0, 1, 2], [0, 1, 2])).certificate
DOCUMENT = json.dumps(NO.to_json())
DIGEST = Pattern.from_text(SQUARE).sha256
INTEGERS = '{"d": 1, "d_hid": null}'

CHANGES = (
    [
        ('"version": 1', f'"version": {number}')
        for number in (
            "1.0",
            "1e0",
            "true",
            '"1"',
            "01",
            "+1",
            "-1",
            "NaN",
            "Infinity",
            "0x1",
            "1n",
            "2",
        )
    ]
    + [
        ('"d": 1', f'"d": {number}')
        for number in (
            "-0",
            "0",
            "1.0",
            "1099511627776",
            "1099511627777",
            "9" * 4300,
            "9" * 4301,
            "1_0",
        )
    ]
    + [
        ('"rows": [0, 1, 2]', f'"rows": [{numbers}]')
        for numbers in (
            "0, 1, 2.0",
            "0, 1, 1",
            "0, -0, 1",
            "0, 1, -1",
            "0, 1, 4611686018427387904",
            "0, 1, ",
        )
    ]
    + [
        ('"rows": [0, 1, 2]', f'"rows": [0, 1, {2**power + 2}]')
        for power in (31, 32, 61, 62, 63, 64, 65)
    ]
    + [('"rows": 3', f'"rows": {2**power + 3}') for power in (31, 32, 63, 64)]
    + [
        ('"answer": "NO"', '"answer": "NO", "answer": "NO"'),
        ('"answer": "NO"', '"answer": "NO", "\\u0061nswer": "NO"'),
        ('"answer": "NO"', '"answer": "NO", "\\ud800": 1'),
        ('"answer": "NO"', '"\\u0061nswer": "\\u004eO"'),
        ('"answer": "NO"', '"answer": "no"'),
        ('"answer": "NO"', '"answer": "NO", "__proto__": {}'),
        ('"d": 1', '"d": 1, "d": 2'),
        ('"rows": [0, 1, 2]', '"rows": [0, 1, 2], "rows": [0, 1, 2]'),
        (INTEGERS, "null"),
        (INTEGERS, "[]"),
        (INTEGERS, '{"d": 1}'),
        (DIGEST, DIGEST.upper()),
        (DIGEST, DIGEST[:-1]),
        (DIGEST, DIGEST[:-1] + "0"),
        (DIGEST, DIGEST + "\\u0000"),
        (DIGEST, DIGEST[:-1] + "\\u00e9"),
        ("{", "{ /* no */ "),
        ("{", "\ufeff{"),
        ("{", "\u00a0{"),
        ("{", "\f{"),
        ("{", "\t\r\n {"),
        ('"NO"', "'NO'"),
        ('"NO"', '"N\tO"'),
        ('"NO"', '"NO'),
        ("}}", "}} x"),
        ("}}", "}}\x00"),
        ("}}", "}}\n\n"),
        ("}}", "},}"),
        ("}}", "}"),
    ]
)

PATTERNS = [
    "1,0,0\n0 1 0\n0;0;1",
    "100\r\n010\r\n001\r\n",
    "# c\n\n100\n  # c\n010\n 001 ",
    "100\n010\n001\n\n\n",
    "100\n010\n001\n000",
    "100\n010\n01",
    "100\n010\n00*",
    "100\r010\r001",
    "10 0\n01 0\n00 1",
    "1,,0,0\n0,1,0\n0,0,1",
    "1,0,0,\n0,1,0,\n0,0,1; ",
    ",1,0,0\n0,1,0\n0,0,1",
    "1,0,0\n0, ;1,0\n0,0,1",
    "\uff11\uff10\uff10\n010\n001",
    "100\n010\n001#",
    "1-0\n010\n001",
    "200\n010\n001",
    "",
    "\n",
    "#",
]


def test_texts_of_certificates() -> None:
    cases = [Case(SQUARE, DOCUMENT)]
    for before, after in CHANGES:
        assert before in DOCUMENT
        cases.append(Case(SQUARE, DOCUMENT.replace(before, after, 1)))
        cases.append(Case(SQUARE, after.join(DOCUMENT.rsplit(before, 1))))
    agree(cases, 60)


def test_texts_of_patterns() -> None:
    agree([Case(text, DOCUMENT) for text in PATTERNS], 8)


def test_patterns_of_other_certificates() -> None:
    """A certificate holds for its pattern only."""
    known = [*STORED.values()][:40]
    agree([Case("\n".join(one.rows), other.text) for one in known[:8] for other in known], 200)


def agree(cases: list[Case], refused: int) -> None:
    first = [first_status(case) for case in cases]
    second = [answer.status for answer in answers(cases)]
    verified = [answer.status for answer in verified_answers(cases)]
    for case, statuses in zip(cases, zip(first, second, verified, strict=True), strict=True):
        assert len(set(statuses) - {3}) == 1, (case, statuses)
    assert sum(status != 0 for status in verified) >= refused
    assert 0 in verified
