"""Equal parts are grouped, and never parts that differ."""

from __future__ import annotations

import numpy as np
import pytest

from samapprox.solvers.division import equal_parts
from samapprox.solvers.division.equal_parts import Colours, group_equal_parts
from samapprox.solvers.division.parts import Parts


@pytest.mark.parametrize("shared", [[], [1], [1, 3], [0, 3]])
def test_hashes_that_collide_group_no_parts_with_other_cut_columns(
    shared: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two parts of one row with two ones; every colour is the same."""

    def collide(values: Colours) -> Colours:
        return np.zeros_like(values)

    monkeypatch.setattr(equal_parts, "hash_numbers", collide)
    monkeypatch.setattr(equal_parts, "_MOST_STEPS", 0)
    parts = Parts.of(2, np.array([0, 1]), np.array([0, 0, 1, 1]), np.array([0, 1, 2, 3]))
    is_cut = np.zeros(4, dtype=np.bool_)
    is_cut[shared] = True
    for group in group_equal_parts(parts, is_cut, compare=True):
        cut = is_cut[group.columns]
        assert (cut == cut[0]).all()
