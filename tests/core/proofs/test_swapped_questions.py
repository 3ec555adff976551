"""Stored proofs under other questions than their own: refused, whatever the kind."""

from __future__ import annotations

import copy
import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from samapprox import Certificate, Pattern, schemas
from samapprox.proofs.base import Proof
from samapprox.proofs.known_kinds import KNOWN_KINDS
from samapprox.proofs.questions import RANK_KINDS, UNITS
from samapprox.similarities import SIMILARITIES

SCHEMA = Draft202012Validator(schemas.load("certificate"))


def stored() -> dict[str, Any]:
    """Return a small stored document of every kind, with its pattern."""
    found: dict[str, Any] = {}
    for path in sorted(Path(__file__).parent.glob("certificates_of_*.json")):
        for entry in json.loads(path.read_text()).values():
            document = json.loads(entry["document"])
            found.setdefault(document["proof"]["kind"], (document, entry["pattern"]))
    return found


STORED = stored()

_SWAPPED: list[dict[str, Any]] = [
    {"d": 1, "d_hid": None},
    {"d": 1, "d_hid": None, "similarity": "cosine"},
    {"d": 1, "d_hid": None, "similarity": "l2"},
    *({"task": "rank", "rank": 2, "kind": kind} for kind in RANK_KINDS),
    *(
        {"task": "fit", "d": 1, "wrong": 0, "unit": unit, "similarity": similarity}
        for unit, similarity in product(UNITS, SIMILARITIES)
    ),
    {"task": "margin", "numerator": 0, "denominator": 1},
    {"task": "margin", "numerator": 1, "denominator": 2, "d": 1},
]


def is_own(kind: type[Proof], problem: dict[str, Any]) -> bool:
    """Return whether a kind of proof may answer a question."""
    task = problem.get("task", "dimension")
    return task == kind.TASK and problem.get("similarity", "dot") in kind.SIMILARITIES


@pytest.mark.parametrize("name", STORED)
def test_a_proof_under_another_question_is_refused(name: str) -> None:
    original, rows = STORED[name]
    pattern, kind = Pattern.from_text("\n".join(rows)), KNOWN_KINDS[name].load_class()
    assert Certificate.from_json(original).verify(pattern)
    refused = 0
    for problem in _SWAPPED:
        if is_own(kind, problem):
            continue
        forged = {**copy.deepcopy(original), "problem": problem}
        found = Certificate.from_json(forged).verify(pattern)
        assert not found, problem
        assert "answers the task" in found.reason or "is about the similarity" in found.reason
        refused += 1
    assert refused >= len(_SWAPPED) - len(SIMILARITIES) * len(UNITS)


@pytest.mark.parametrize("name", STORED)
def test_a_similarity_that_the_kind_does_not_know_is_refused(name: str) -> None:
    """The question stays, with its dimensions; only the similarity changes."""
    original, rows = STORED[name]
    pattern, kind = Pattern.from_text("\n".join(rows)), KNOWN_KINDS[name].load_class()
    if kind.TASK not in ("dimension", "fit"):
        return
    for similarity in SIMILARITIES:
        forged = copy.deepcopy(original)
        forged["problem"]["similarity"] = similarity
        found = Certificate.from_json(forged).verify(pattern)
        if similarity not in kind.SIMILARITIES:
            assert not found
            assert "is about the similarity" in found.reason or "d_hid" in found.reason


@pytest.mark.parametrize("problem", _SWAPPED, ids=json.dumps)
def test_the_schema_knows_every_question(problem: dict[str, Any]) -> None:
    document, _ = STORED["radon"]
    SCHEMA.validate({**document, "problem": problem})
    assert not SCHEMA.is_valid({**document, "problem": {**problem, "more": 1}})
    assert not SCHEMA.is_valid({**document, "problem": {**problem, "task": "guess"}})
