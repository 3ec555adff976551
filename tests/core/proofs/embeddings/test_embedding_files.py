"""Embeddings as arrays and as certificates: the numbers represent the pattern, or are refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from samapprox import Certificate, Embedding, InputError, Pattern, decide
from samapprox.proofs import MomentCurve, Radon
from samapprox.proofs.certificate import save_embedding

PATTERN = Pattern.from_text("11000\n01100\n00110\n00011\n10001")
ORDER = MomentCurve(2, "columns", range(5))


def test_arrays_represent_the_pattern(tmp_path: Path) -> None:
    save_embedding(PATTERN, ORDER, tmp_path / "e.npz")
    with np.load(tmp_path / "e.npz") as arrays:
        logits = arrays["queries"] @ arrays["keys"].T
        assert {arrays[name].dtype for name in arrays} == {np.dtype(np.int64)}
        np.testing.assert_array_equal(
            logits > arrays["thresholds"][:, None], PATTERN.to_array() == 1
        )


def test_the_certificate_states_the_numbers_and_holds(tmp_path: Path) -> None:
    save_embedding(PATTERN, ORDER, tmp_path / "e.json")
    found = Certificate.load(tmp_path / "e.json")
    assert isinstance(found.proof, Embedding)
    assert found.verify(PATTERN).reason == "YES for d = 2"


@pytest.mark.parametrize("number", [2**63 - 1, -(2**63)])
def test_arrays_hold_64_bits(tmp_path: Path, number: int) -> None:
    one = Pattern.from_text("1")
    threshold = min(0, number - 1)
    far = Embedding([[number]], [[1]], [threshold if number > 0 else -(2**63)])
    if number < 0:  # its magnitude takes 64 bits
        with pytest.raises(InputError, match=r"up to 64 bits, arrays hold 63; write \.json"):
            save_embedding(one, far, tmp_path / "e.npz")
        assert not (tmp_path / "e.npz").exists()
        return
    save_embedding(one, far, tmp_path / "e.npz")
    with np.load(tmp_path / "e.npz") as arrays:
        assert arrays["queries"].tolist() == [[number]]


def test_refutations_and_other_endings_are_refused(tmp_path: Path) -> None:
    identity = decide(np.eye(3)).proof
    assert isinstance(identity, Radon)
    with pytest.raises(InputError, match="a refutation has no queries and keys"):
        save_embedding(Pattern.from_array(np.eye(3)), identity, tmp_path / "e.npz")
    with pytest.raises(InputError, match=r"written as \.npz or \.json"):
        save_embedding(PATTERN, ORDER, tmp_path / "e.txt")
