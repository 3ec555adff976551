"""Results of `samapprox fit`: bounds and their words."""

from __future__ import annotations

from dataclasses import replace

from samapprox import Pattern, fit
from samapprox.best_fit import BestFit


def test_a_ceiling_is_rounded_up_unless_it_is_reached() -> None:
    """Of seven rows, six may be right: 85.7 % would be too little."""
    pattern = Pattern.from_text("100\n010\n001\n110\n011\n111\n111")
    found = fit(pattern, 1)
    assert isinstance(found, BestFit)
    assert found.exact
    assert (found.lower, found.most_right_in_words) == (1, "85.7 %")
    unproven = replace(found, lower=0, no=None)
    assert unproven.most_right_in_words == "100.0 %"
    not_reached = replace(found, upper=2)
    assert not_reached.most_right_in_words == "85.8 %"
