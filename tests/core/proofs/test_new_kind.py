"""A new kind of proof needs its class and one line in the table."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from types import ModuleType

import numpy as np
import pytest
from helpers.schemas import validator_of

import samapprox.proofs
from samapprox import Certificate, CertificateError, Pattern, Problem, Verdict, proofs, schemas
from samapprox.pictures import draw
from samapprox.proofs import KNOWN_KINDS, KnownKind, check
from samapprox.proofs.base import Submatrix
from samapprox.proofs.members import Indices, Whole
from samapprox.proofs.parts.simplify import simplify


@dataclass(frozen=True, slots=True)
class Triple(Submatrix):
    """Three rows and three columns that are an identity: NO in dimension 1."""

    KIND = "triple"
    TASK = "dimension"
    SIMILARITIES = ("dot",)
    CLAIM = "NO in dimension 1: the core is an identity matrix."
    MEMBERS = (
        Whole("weight"),
        Indices("rows", count=3),
        Indices("columns", count=3),
    )

    weight: int
    rows: tuple[int, ...]
    columns: tuple[int, ...]

    def __init__(self, weight: int, rows: Iterable[int], columns: Iterable[int]) -> None:
        self._fill(weight, rows, columns)

    @property
    def dimension(self) -> int:
        return 1

    @property
    def caption(self) -> str:
        return "the marked core is an identity"

    def find_fault(self, problem: Problem) -> str | None:
        core = problem.pattern.submatrix(self.rows, self.columns)
        return None if np.array_equal(core, np.eye(3)) else "the core is no identity"

    def explain(self, problem: Problem) -> list[str]:
        rows = [problem.pattern.row_label(row) for row in self.rows]
        return [f"Each of {', '.join(rows)} singles out a key."]


PATTERN = Pattern.from_text("1110\n1110\n1001\n0101\n0011")
PROBLEM = Problem(PATTERN, 1)
HOLDS = Triple(1, [2, 3, 4], [0, 1, 2])


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("fake_kind")
    vars(module).update(Triple=Triple)
    monkeypatch.setitem(sys.modules, "fake_kind", module)
    monkeypatch.setitem(KNOWN_KINDS, "triple", KnownKind("fake_kind", "Triple"))


def test_certificates() -> None:
    certificate = Verdict(PROBLEM, HOLDS).certificate
    assert certificate is not None
    document = certificate.to_json()
    assert document["proof"] == {
        "kind": "triple",
        "weight": 1,
        "rows": [2, 3, 4],
        "columns": [0, 1, 2],
    }
    assert Certificate.from_json(document).proof == HOLDS
    assert Certificate.from_json(document).verify(PATTERN)
    assert not Certificate.from_json(
        {**document, "proof": {**document["proof"], "rows": [1, 3, 4]}}
    ).verify(PATTERN)
    schema = validator_of(schemas.load("certificate"))
    schema.validate(document)
    assert not schema.is_valid({**document, "proof": {**document["proof"], "rows": [2, 3]}})


def test_checks() -> None:
    assert check(PROBLEM, HOLDS) is None
    assert check(PROBLEM, Triple(1, [0, 3, 4], [0, 1, 2])) == "the core is no identity"
    assert "outside" in str(check(PROBLEM, Triple(1, [2, 3, 5], [0, 1, 2])))
    assert "excludes dimension 1" in str(check(Problem(PATTERN, 2), HOLDS))
    with pytest.raises(CertificateError, match="the core is no identity"):
        Verdict(PROBLEM, Triple(1, [0, 3, 4], [0, 1, 2]))


def test_words_and_pictures() -> None:
    assert HOLDS.explain(PROBLEM) == ["Each of row 2, row 3, row 4 singles out a key."]
    assert "the marked core is an identity" in draw(PATTERN, HOLDS).get_suptitle()


def test_lifting() -> None:
    simplified = simplify(PATTERN).unturned()  # an identity is not one up to complement
    assert simplified.pattern is not None
    assert simplified.pattern.shape == (4, 4)
    smaller = Triple(1, [1, 2, 3], [0, 1, 2])
    assert check(Problem(simplified.pattern, 1), smaller) is None
    lifted = smaller.lift(simplified)
    assert lifted == HOLDS
    assert check(PROBLEM, lifted) is None


def test_it_is_exported() -> None:
    assert proofs.Triple is Triple
    assert "Triple" in dir(samapprox.proofs)


def test_a_kind_that_is_not_listed_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(KNOWN_KINDS, "triple")
    assert check(PROBLEM, HOLDS) == "there is no check for a proof of kind triple"
    with pytest.raises(ValueError, match="unknown kind of proof 'triple'"):
        Certificate.from_json(
            {**Certificate.of(PROBLEM, HOLDS).to_json()},
        )


def test_a_class_that_only_claims_to_be_of_a_kind_proves_nothing() -> None:
    class Impostor(Triple):
        __slots__ = ()

    assert "no check" in str(check(PROBLEM, Impostor(1, [2, 3, 4], [0, 1, 2])))


@pytest.mark.parametrize("attribute", ["TASK", "SIMILARITIES"])
def test_a_kind_that_names_no_question_is_refused(
    attribute: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither of its own nor by what it inherits: none is a default."""
    document = Certificate.of(PROBLEM, HOLDS).to_json()
    heir = type("Heir", (Triple,), {"__slots__": (), "TASK": "dimension", "SIMILARITIES": ("dot",)})
    monkeypatch.setattr(sys.modules["fake_kind"], "Triple", heir)
    assert Certificate.from_json(document).verify(PATTERN)
    delattr(heir, attribute)
    for refused in (
        KNOWN_KINDS["triple"].load_class,
        schemas_of_kinds,
        lambda: Certificate.from_json(document),
    ):
        with pytest.raises(TypeError, match=f"the kind of proof Triple must name its {attribute}"):
            refused()


def schemas_of_kinds() -> object:
    return schemas.load("proof")
