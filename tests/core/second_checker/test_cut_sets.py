"""Both checkers draw the same line for rows that are right at K."""

from __future__ import annotations

import json
from itertools import combinations
from typing import Any

import numpy as np
from helpers.checkers.second_checker import Case, answers
from helpers.truth.fits import random_pattern

from samapprox import Certificate, Pattern
from samapprox.proofs import KSets, SplitColumns
from samapprox.proofs.fits.cut_sets import count_right_at, find_room
from samapprox.proofs.questions import Fit
from samapprox.similarities import SIMILARITIES

Random = np.random.RandomState


def random_sets(random: Random) -> Pattern:
    """Rows with few ones: many of the sets of a size, with multiplicities and don't-cares."""
    n = random.randint(8, 15)
    sets = [
        ones
        for size in random.choice([1, 2, 2, 3], size=2, replace=False)
        for ones in combinations(range(n), int(size))
        if random.rand() < 0.8
    ] or [(0,)]
    entries = np.zeros((len(sets), n), dtype=np.int8)
    for row, ones in zip(entries, sets, strict=True):
        row[list(ones)] = 1
    entries = np.repeat(entries, random.choice([1, 1, 2, 5], size=len(entries)), axis=0)
    stars = (entries == 0) & (random.rand(*entries.shape) < random.choice([0, 0.02]))
    return Pattern.from_array(entries == 1, ~stars)


def cases_of(random: Random) -> list[Case]:
    """Return a proof of as many wrong rows as there are, and one of one more."""
    pattern = random_pattern(random, 9, 8) if random.rand() < 0.3 else random_sets(random)
    d, at = random.randint(1, 5), random.randint(1, 8)
    similarity = list(SIMILARITIES)[random.randint(3)]
    rows = np.flatnonzero(random.rand(pattern.shape[0]) < random.choice([0.6, 2]))
    columns = np.flatnonzero(random.rand(pattern.shape[1]) < random.choice([0.6, 2, 2]))
    proof = KSets([SplitColumns(rows.tolist(), columns.tolist())])
    entries = pattern.submatrix(rows.tolist(), columns.tolist())
    room = find_room(pattern.row_ones[rows], at)
    wrong = len(rows) - count_right_at(entries, room, d, SIMILARITIES[similarity])
    cases = []
    for allowed in (wrong - 1, wrong):
        question = Fit(pattern, d, max(0, allowed), "rows", similarity, at)
        certificate = Certificate.of(question, proof)
        assert certificate.verify(pattern).valid == (allowed < wrong and wrong > 0)
        cases.append(Case(pattern.to_text(), json.dumps(certificate.to_json())))
    return cases


def test_limits_are_the_same() -> None:
    random = Random(7)
    cases = [case for _ in range(150) for case in cases_of(random)]
    found = [answer.status for answer in answers(cases)]
    expected: list[Any] = []
    for case in cases:
        certificate = Certificate.from_json(json.loads(case.certificate))
        expected.append(0 if certificate.verify(Pattern.from_text(case.pattern)) else 1)
    assert found == expected
    assert found.count(0) > 60
