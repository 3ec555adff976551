"""The second checker agrees with the first, kind by kind, on valid and on forged certificates."""

from __future__ import annotations

import gzip
import json
from collections import Counter, defaultdict
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.checkers.second_checker import Case, answers, evaluate, first_answer, mutate
from helpers.paths import STORED_CERTIFICATES
from records.lines import read_lines
from records.questions import questions

from samapprox import Pattern, decide, fit
from samapprox.proofs import KNOWN_KINDS

Random = np.random.RandomState

STORED = {
    name: Case("\n".join(stored["pattern"]), stored["document"])
    for path in sorted(STORED_CERTIFICATES.glob("certificates_of_*.json"))
    for name, stored in json.loads(path.read_text()).items()
}


def kind(case: Case) -> str:
    found: str = json.loads(case.certificate)["proof"]["kind"]
    return found


def compare(cases: list[Case]) -> list[int]:
    """Assert that both checkers give the same statuses and claims, and return the statuses."""
    found = answers(cases)
    for case, answer in zip(cases, found, strict=True):
        first = first_answer(case)
        assert first.status == answer.status, (case, first, answer)
        assert first.words == answer.words or answer.status, (case, first, answer)
    return [answer.status for answer in found]


def test_it_knows_every_kind() -> None:
    (names,) = evaluate(["[...KINDS.keys()]"])
    assert sorted(names) == sorted(KNOWN_KINDS)
    assert {kind(case) for case in STORED.values()} == set(names)


def test_stored_certificates_hold() -> None:
    assert set(compare(list(STORED.values()))) == {0}


def shipped(longest: int) -> dict[str, Case]:
    """Return the shipped certificates of at most so many lemmas."""
    table = read_lines()
    found = {}
    for question in questions():
        line = table.get(question.name)
        paths = [] if line is None else [line.certificate(side) for side in ("no", "yes")]
        for path in filter(Path.exists, paths):
            text = gzip.decompress(path.read_bytes()).decode()
            if len(json.loads(text)["proof"].get("lemmas", [])) <= longest:
                found[path.name] = Case(question.pattern.to_text(), text)
    return found


def test_shipped_certificates_hold() -> None:
    cases = shipped(2000)
    assert len(cases) > 140
    for name, answer in zip(cases, answers(list(cases.values())), strict=True):
        assert answer.status == 0, (name, answer)


@pytest.mark.slow
def test_all_shipped_certificates_hold() -> None:
    cases = shipped(10**6)
    assert all(answer.status == 0 for answer in answers(list(cases.values())))


def test_answers_of_the_library_hold() -> None:
    """Both answers about random patterns of all densities, with don't-cares, free and coupled."""
    random = Random(0)
    cases = []
    for _ in range(30):
        entries = random.rand(*random.randint(3, 9, size=2)) < random.choice([0.3, 0.5])
        entries[~entries.any(axis=1), 0] = True
        care = random.rand(*entries.shape) < random.choice([0.8, 1.0])
        pattern = Pattern.from_array(entries, care | entries)
        d = int(random.randint(1, 4))
        square = entries.shape[0] == entries.shape[1]
        verdict = decide(pattern, d, d_hid=d if square else None, time_limit=1)
        if verdict.certificate is not None:
            document = json.dumps(verdict.certificate.to_json())
            cases.append(Case(pattern.to_text(), document))
    assert set(compare(cases)) == {0}
    assert len(cases) > 20
    assert len(set(map(kind, cases))) > 2


def test_answers_about_wrong_entries_hold() -> None:
    """Cores that overlap, of whose entries each argument reads few."""
    random = Random(1)
    cases = []
    for similarity, d in [("cosine", 1), ("cosine", 2), ("l2", 1), ("dot", 1)] * 3:
        entries = random.rand(6, 6) < 0.5
        entries[~entries.any(axis=1), 0] = True
        pattern = Pattern.from_array(entries, entries | (random.rand(6, 6) < 0.8))
        found = fit(pattern, d, unit="entries", similarity=similarity, time_limit=0.25)
        cases += [
            Case(pattern.to_text(), json.dumps(certificate.to_json()))
            for certificate in (found.no_certificate, found.yes_certificate)
            if certificate is not None
        ]
    assert set(compare(cases)) == {0}


WALK = {"kind": "odd-cycle", "curve": "line", "walk": [[0, 1, 1], [2, 1, 2], [2, 0, 0]]}
CYCLE = {"kind": "opposite-keys", "columns": [0, 1, 2], "by": [0, 1, 0]}


@pytest.mark.parametrize(
    ("similarity", "text", "proofs"),
    [
        (
            "l2",
            "011000\n101000\n110000\n000011\n000101\n000110",
            [
                WALK | {"rows": lines, "columns": lines}
                for lines in ([*range(6)], [3, 4, 5, 0, 1, 2])
            ],
        ),
        (
            "cosine",
            "011\n101\n100\n010",
            [CYCLE | {"rows": rows} for rows in ([0, 1, 2, 3], [2, 3, 0, 1])],
        ),
    ],
    ids=["odd-cycle", "opposite-keys"],
)
def test_a_core_contains_the_entries_of_its_steps_alone(
    similarity: str, text: str, proofs: list[dict[str, Any]]
) -> None:
    """Two cores name the same rows and columns, and their steps share no entry, or all."""
    pattern = Pattern.from_text(text)
    rows, columns = pattern.shape
    cases = []
    for cores in (proofs, proofs[:1] * 2):
        hitting = {
            "kind": "hitting-set",
            "cores": [{"proof": proof} for proof in cores],
            "tree": [-1],
            "packings": [{"cores": [0, 1], "weights": [1, 1], "denominator": 1}],
        }
        question = {"task": "fit", "d": 1, "wrong": 1, "unit": "entries", "similarity": similarity}
        document = {
            "format": "samapprox-certificate",
            "version": 1,
            "pattern": {"rows": rows, "columns": columns, "sha256": pattern.sha256},
            "problem": question,
            "answer": "NO",
            "proof": hitting,
        }
        cases.append(Case(text, json.dumps(document)))
    assert compare(cases) == [0, 1]


def forge(seed: int, count: int) -> Counter[tuple[str, int]]:
    """Change certificates at random, as many of each kind, and compare both checkers."""
    random = Random(seed)
    groups: defaultdict[str, list[Case]] = defaultdict(list)
    for case in STORED.values():
        groups[kind(case)].append(case)
    turns = islice(cycle(groups.values()), count)
    chosen = [group[random.randint(len(group))] for group in turns]
    return Counter(
        zip(map(kind, chosen), compare([mutate(case, random) for case in chosen]), strict=True)
    )


def test_both_refuse_the_same_forgeries() -> None:
    found = forge(1, 3000)
    for name in KNOWN_KINDS:  # each kind was accepted, refused and unreadable
        for status in (0, 1, 2):
            assert found[name, status] > 2, (name, status)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_both_refuse_many_forgeries(seed: int) -> None:
    forge(1000 + seed, 6000)


def test_a_certificate_is_about_one_pattern() -> None:
    cases = [
        Case(f"{case.pattern}\n{case.pattern.split()[0]}", case.certificate)
        for case in STORED.values()
    ]
    for answer in answers(cases):
        assert answer.status == 1
        assert "another pattern" in answer.words


def test_neither_reads_a_repeated_member() -> None:
    """Which of two members counts would depend on the parser."""
    case = STORED[next(iter(STORED))]
    for member in ('"answer": "NO"', '"proof": {}'):
        repeated = Case(case.pattern, "{" + member + ", " + case.certificate.lstrip()[1:])
        assert compare([repeated]) == [2]
