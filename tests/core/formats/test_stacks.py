"""Stacks of patterns in npy and npz files."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from samapprox import InputError
from samapprox.formats.stacks import stacks_in


@pytest.mark.parametrize("leading", [(3,), (2, 3)])
def test_attention_weights_are_no_stack_of_patterns(
    leading: tuple[int, ...], tmp_path: Path
) -> None:
    weights = np.full((*leading, 4, 4), 0.25)
    np.save(tmp_path / "a.npy", weights)
    np.savez(tmp_path / "a.npz", A=weights)
    for name in ("a.npy", "a.npz"):
        with pytest.raises(InputError, match=r"holds weights, not patterns; .*heads FILE"):
            stacks_in(tmp_path / name)
    np.save(tmp_path / "a.npy", np.ones((*leading, 4, 4)))
    assert [len(stack) for stack in stacks_in(tmp_path / "a.npy")] == [math.prod(leading)]
