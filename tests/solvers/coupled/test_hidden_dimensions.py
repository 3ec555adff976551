"""The table of least hidden dimensions."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.solvers.coupled_patterns import SHARED_NO
from hypothesis import given, settings
from hypothesis import strategies as st

from samapprox import InputError, Pattern, Status, decide, hidden_dimensions
from samapprox.proofs import SelfAttention
from samapprox.reductions.families import generate


def test_without_time_the_table_ends_and_claims_nothing_wrong() -> None:
    cycle = np.eye(4, dtype=int) + np.roll(np.eye(4, dtype=int), 1, axis=1)
    rows = hidden_dimensions(cycle, time_limit=1e-9)
    assert 1 <= len(rows) <= 4
    known = {row.d: row for row in hidden_dimensions(cycle, range(2, 5), time_limit=20)}
    assert known[2].upper == known[2].lower == 2
    for row in rows:
        assert row.d <= row.lower
        assert row.upper is None or row.d >= 2
        if row.d in known and known[row.d].upper is not None:
            assert row.lower <= known[row.d].upper


def test_the_least_hidden_dimensions() -> None:
    rows = hidden_dimensions(SHARED_NO, time_limit=600)
    assert [(row.d, row.lower, row.upper) for row in rows] == [(2, 3, 3)]
    assert rows[0].exact
    for certificate, answer, d_hid in ((rows[0].no, "NO", 2), (rows[0].yes, "YES", 3)):
        assert (certificate.answer, certificate.d, certificate.d_hid) == (answer, 2, d_hid)
        assert certificate.verify(SHARED_NO)


@settings(max_examples=10)
@given(st.integers(3, 6), st.booleans(), st.integers(0, 2**31))
def test_bounds_carry_certificates_and_fall(n: int, causal: bool, seed: int) -> None:
    entries = generate("random", rows=n, columns=n, seed=seed, causal=causal).pattern
    rows = hidden_dimensions(entries, range(1, 4), time_limit=0.3, seed=seed)
    for row in rows:
        assert row.d <= row.lower
        assert row.no is None or row.no.verify(entries)
        if row.upper is not None:
            assert row.lower <= row.upper <= 2 * row.d
            assert row.yes.verify(entries)
            assert row.yes.d_hid == row.upper
        assert (row.no is None) == (row.lower == row.d)
    uppers = [row.upper for row in rows if row.upper is not None]
    for row, upper in zip(rows[1:], uppers, strict=False):
        assert row.upper is None or row.upper <= max(upper, row.d)


def test_more_dimensions_than_tokens_are_not_used() -> None:
    pattern = Pattern.from_text("1100\n0110\n0011\n1001")
    verdict = decide(pattern, 1 << 24, 1 << 24)
    assert verdict.status is Status.YES
    assert isinstance(verdict.proof, SelfAttention)
    assert verdict.proof.hidden_dimension <= 4


def test_rectangles_have_no_tokens() -> None:
    with pytest.raises(InputError, match="needs a square pattern"):
        hidden_dimensions([[1, 0, 0], [0, 1, 0]])
