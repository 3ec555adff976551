"""Broken symmetries: both checkers accept clauses that follow from automorphisms, and no others."""

from __future__ import annotations

import json
from collections import Counter
from itertools import combinations, product
from math import comb
from typing import Any

import numpy as np
import pytest
from helpers.checkers.second_checker import Case, answers, first_status, mutate

from samapprox import Pattern, decide

Random = np.random.RandomState
COLUMNS = 5

EVERY_SPLIT = Pattern.from_text(
    "\n".join("1" + "".join(rest) for rest in product("01", repeat=COLUMNS - 1) if "0" in rest)
)
"""With row 0: every sign vector up to sign, which all permutations and flips preserve."""


def image(literal: int, r: int, permutation: list[int], flipped: list[int]) -> int:
    """Return the image of a literal by its definition."""
    order = sorted(combinations(range(COLUMNS), r), key=lambda subset: subset[::-1])
    subset = order[abs(literal) - 1]
    moved = [permutation[e] for e in subset]
    inversions = sum(a > b for a, b in combinations(moved, 2))
    sign = (-1) ** (inversions + len(set(subset) & set(flipped)))
    return int(np.sign(literal)) * sign * (1 + order.index(tuple(sorted(moved))))


def breaking_clause(order: list[int], images: list[int], random: Random) -> list[int] | None:
    """A clause that follows from these images, at a random place where they differ."""
    places = [k for k, literal in enumerate(order) if literal != images[k]]
    if not places:
        return None
    last = places[random.randint(len(places))]
    clause = {order[last], -images[last]}
    for k in places:
        if k < last:
            clause.add([order[k], -images[k]][random.randint(2)])
    return [int(literal) for literal in random.permutation(sorted(clause))]


def symmetric_case(d: int, random: Random) -> Case:
    """A refutation of the pattern with all columns, and clauses of random automorphisms."""
    verdict = decide(EVERY_SPLIT, d, only=["chirotope"])
    assert verdict.certificate is not None
    document: dict[str, Any] = verdict.certificate.to_json()
    proof = document["proof"]
    assert proof["elements"] == "columns"
    proof["rows"] = list(range(EVERY_SPLIT.shape[0]))
    # Variables do not depend on the elements after those of the core.
    proof["columns"] += sorted(set(range(COLUMNS)) - set(proof["columns"]))
    count = comb(COLUMNS, d + 1)
    rest = 2 + random.permutation(count - 1)[: random.randint(count)]
    order = [1, *(int(v) * int(random.choice([-1, 1])) for v in rest)]
    automorphisms = []
    for _ in range(random.randint(1, 5)):
        permutation = [int(e) for e in random.permutation(COLUMNS)]
        flipped = [e for e in range(COLUMNS) if random.rand() < 0.4]
        images = [image(literal, d + 1, permutation, flipped) for literal in order]
        if random.rand() < 0.5:
            images = [-literal for literal in images]
        clauses = [breaking_clause(order, images, random) for _ in range(random.randint(3))]
        automorphisms.append(
            {
                "permutation": permutation,
                "flipped": flipped,
                "clauses": [clause for clause in clauses if clause is not None],
            }
        )
    proof["symmetry"] = {"order": order, "automorphisms": automorphisms}
    return Case(EVERY_SPLIT.to_text(), json.dumps(document))


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    random = Random(0)
    return [symmetric_case(1 + k % 3, random) for k in range(40)]


def test_clauses_that_follow_are_accepted(cases: list[Case]) -> None:
    assert [first_status(case) for case in cases] == [0] * len(cases)
    assert [answer for answer in answers(cases) if answer.status] == []


def changed(case: Case, random: Random) -> Case:
    """The case with one number of its symmetry changed."""
    document = json.loads(case.certificate)
    symmetry = document["proof"]["symmetry"]
    records = symmetry["automorphisms"]
    lists = [symmetry["order"], *(record["permutation"] for record in records)]
    lists += [clause for record in records for clause in record["clauses"]]
    lists += [record["flipped"] for record in records if record["flipped"]]
    chosen = lists[random.randint(len(lists))]
    place = random.randint(len(chosen))
    change = random.randint(4)
    if change == 0:
        chosen[place] = -chosen[place]
    elif change == 1:
        chosen[place] += int(random.choice([-1, 1]))
    elif change == 2:
        del chosen[place]
    else:
        other = random.randint(len(chosen))
        chosen[place], chosen[other] = chosen[other], chosen[place]
    return Case(case.pattern, json.dumps(document))


def test_both_refuse_the_same_clauses(cases: list[Case]) -> None:
    random = Random(1)
    forged = [changed(cases[k % len(cases)], random) for k in range(300)]
    forged += [mutate(cases[k % len(cases)], random) for k in range(100)]
    found = answers(forged)
    for case, answer in zip(forged, found, strict=True):
        assert first_status(case) == answer.status, (case, answer)
    counts = Counter(answer.status for answer in found)
    assert min(counts[status] for status in (0, 1, 2)) > 40


def test_an_automorphism_must_preserve_the_covectors() -> None:
    """Without one of the rows, most permutations map some covector to none."""
    random = Random(2)
    document = json.loads(symmetric_case(2, random).certificate)
    proof = document["proof"]
    proof["rows"] = proof["rows"][1:]
    proof["symmetry"]["automorphisms"] = [
        {"permutation": [1, 2, 3, 4, 0], "flipped": [], "clauses": []}
    ]
    case = Case(EVERY_SPLIT.to_text(), json.dumps(document))
    (answer,) = answers([case])
    assert (first_status(case), answer.status) == (1, 1)
    assert "no covector" in answer.words
