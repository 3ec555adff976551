"""What a verdict says about its pattern: status, bounds, words."""

from __future__ import annotations

import pytest

from samapprox import CertificateError, Pattern, Problem, Radon, Verdict

IDENTITY = Pattern.from_text("1000\n0100\n0010\n0001")
LINE = Verdict(Problem(IDENTITY, 1), Radon([0, 1, 2], [0, 1, 2]))


def test_a_refuted_smaller_d_bounds_an_open_question_from_below() -> None:
    assert Verdict(Problem(IDENTITY, 2), None).lower == 1
    assert Verdict(Problem(IDENTITY, 2), None, below=LINE).lower == 2


@pytest.mark.parametrize(
    ("problem", "below"),
    [
        (Problem(IDENTITY, 2), Verdict(Problem(IDENTITY, 1), None)),
        (Problem(IDENTITY, 1), LINE),
        (Problem(Pattern.from_text("1000\n0100\n0011\n0001"), 2), LINE),
    ],
    ids=["undecided", "no smaller d", "another pattern"],
)
def test_no_other_verdict_bounds_it(problem: Problem, below: Verdict) -> None:
    with pytest.raises(CertificateError, match="from below"):
        Verdict(problem, None, below=below)
