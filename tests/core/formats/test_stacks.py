"""Stacks of patterns in npy and npz files."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from samapprox import InputError
from samapprox.formats.stacks import blocks, stacks_in


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


@pytest.mark.parametrize("shared", [True, False])
def test_care_masks_are_those_of_each_matrix_or_of_all(shared: bool, tmp_path: Path) -> None:
    random = np.random.RandomState(0)
    entries = random.randint(0, 2, size=(5, 3, 4)).astype(np.uint8)
    care = random.randint(0, 2, size=(3, 4) if shared else (5, 3, 4)).astype(np.uint8)
    np.savez(tmp_path / "s.npz", S=entries, care=care)
    (stack,) = stacks_in(tmp_path / "s.npz")
    found = list(blocks(stack))
    assert np.array_equal(np.concatenate([block.entries for block in found]), entries)
    masks = [block.care for block in found if block.care is not None]
    assert np.array_equal(np.concatenate(masks), np.broadcast_to(care, entries.shape))
    np.savez(tmp_path / "s.npz", S=entries, care=care[..., :3])
    with pytest.raises(InputError, match=r"care has shape \(.*, 3\) but array 'S' has \(5, 3, 4\)"):
        list(blocks(stack))
