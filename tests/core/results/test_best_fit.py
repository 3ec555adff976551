"""Results of `samapprox fit`: bounds and their words."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from helpers.schemas import assert_tight, schema

from samapprox import Certificate, Pattern, fit
from samapprox.proofs.questions import Unit
from samapprox.results.best_fit import BestFit


def test_a_ceiling_is_rounded_up_unless_it_is_reached() -> None:
    """Of seven rows, six may be right: 85.7 % would be too little."""
    pattern = Pattern.from_text("100\n010\n001\n110\n011\n111\n111")
    found = fit(pattern, 1)
    assert isinstance(found, BestFit)
    assert found.exact
    assert (found.lower, found.most_right_in_words) == (1, "85.7 %")
    unproven = replace(found, lower=0, no=None)
    assert unproven.most_right_in_words == "100.0 %"
    assert found.headline.startswith("6 of 7 rows right (85.7 %) with d = 1: ")
    assert unproven.headline == (
        "6..7 of 7 rows right (85.7 %..100.0 %) with d = 1: an embedding gets 6 right, and none "
        "gets more than 7."
    )
    not_reached = replace(found, upper=2)
    assert not_reached.most_right_in_words == "85.8 %"


@pytest.mark.parametrize(("unit", "total"), [("rows", 3), ("entries", 8)])
def test_shares_are_of_rows_or_specified_entries(unit: Unit, total: int) -> None:
    pattern = Pattern.from_text("10*\n010\n001")
    found = fit(pattern, 1, unit=unit)
    assert found.total == total
    assert found.share_right == 1 - found.upper / total
    assert found.most_right == 1 - found.lower / total
    assert len(found.wrong) == found.upper


@pytest.mark.parametrize("unit", ["rows", "entries"])
def test_documents_hold_both_certificates(unit: Unit) -> None:
    pattern = Pattern.from_text("100\n010\n001")
    for d, lower in ((1, 1), (2, 0)):
        found = fit(pattern, d, unit=unit)
        document = json.loads(json.dumps(found.to_json(source="p.csv", causal=False)))
        assert_tight(schema("fit"), document)
        assert (document["lower"], document["upper"], document["exact"]) == (lower, lower, True)
        assert Certificate.from_json(document["yes"]).verify(pattern)
        assert (document["no"] is None) == (lower == 0)
        if lower:
            no = Certificate.from_json(document["no"])
            assert no.verify(pattern)
            assert no.terms["wrong"] == lower - 1
        assert document["wrong"] == sorted(found.wrong.tolist())


def test_the_claims_of_both_recalls_do_not_contradict_each_other() -> None:
    lines = fit([[1, 0, 1], [0, 1, 0], [1, 1, 0]], 1, at=1, time_limit=1).explain()
    assert [line for line in lines if "mean recall at" in line] == [
        "NO: no mean recall at 1 above 2/3 in d = 1:",
        "YES: a mean recall at 1 of at least 2/3 in d = 1:",
    ]


def test_both_bounds_are_explained_and_neither_is_a_truth_value() -> None:
    found = fit(Pattern.from_text("100\n010\n001"), 1)
    titles = [line for line in found.explain() if not line.startswith(" ")]
    assert [title.split(" for ")[0] for title in titles] == ["NO", "YES"]
    assert str(found).splitlines() == [found.headline, *found.explain()]
    with pytest.raises(TypeError, match="neither true nor false; look at its exact"):
        bool(found)
