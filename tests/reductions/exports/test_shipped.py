"""The exports of all shipped refutations, checked strictly."""

from __future__ import annotations

import pytest
from helpers.checkers.lrat import check_lrat
from records.lines import read_lines
from records.questions import questions

from samapprox import Certificate
from samapprox.reductions.exports import export, why_not

ASKED = {question.name: question for question in questions()}
LINES = read_lines()
REFUTED = [name for name, line in LINES.items() if line.certificate("no").exists()]
SAMPLE = ("s02_L4_H10_unif_n11", "s34_L2_H06_unif_n110", "star, n = 32", "strided, n = 128")


def confirm(name: str) -> None:
    certificate = Certificate.load(LINES[name].certificate("no"))
    if why_not(certificate.proof) is None:
        exported = export(ASKED[name].pattern, certificate, "lrat")
        assert check_lrat(exported.formula, exported.proof) == exported.lemmas


@pytest.mark.parametrize("name", sorted(set(SAMPLE) & set(REFUTED)))
def test_some_are_confirmed(name: str) -> None:
    confirm(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", REFUTED)
def test_all_are_confirmed(name: str) -> None:
    confirm(name)
