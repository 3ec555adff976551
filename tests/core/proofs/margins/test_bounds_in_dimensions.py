"""Bounds on margins by forms, codes and packings: accepted ones hold by the definitions."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import permutations

import numpy as np
from helpers.checkers.margins import STORED_MARGINS, random_change
from hypothesis import given, settings
from hypothesis import strategies as st

from samapprox import Certificate, InputError, Pattern
from samapprox.proofs import KeyForm, SpherePacking, SphericalCode, UnitEmbedding
from samapprox.proofs.base import Proof
from samapprox.proofs.checker import check
from samapprox.proofs.questions import Margin

IDENTITY = Pattern.from_text("10\n01")


def accepted(kind: str, seed: int) -> tuple[Proof, Fraction] | None:
    """Change a stored proof of a kind, and return it with its value if it is accepted."""
    original = json.loads(STORED_MARGINS[kind]["document"])
    pattern = Pattern.from_text("\n".join(STORED_MARGINS[kind]["pattern"]))
    forged = original if seed % 8 == 0 else random_change(original, np.random.RandomState(seed))
    try:
        certificate = Certificate.from_json(forged)
    except InputError:
        return None
    if not certificate.verify(pattern):
        return None
    problem = forged["problem"]
    return certificate.proof, Fraction(problem["numerator"], problem["denominator"])


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_accepted_forms_in_the_keys_bound_all_margins(seed: int) -> None:
    """By the definition of the bound, with the eigenvalues of numpy."""
    if (found := accepted("key-form", seed)) is None:
        return
    proof, value = found
    assert isinstance(proof, KeyForm)
    pattern = Pattern.from_text("\n".join(STORED_MARGINS["key-form"]["pattern"]))
    entries = pattern.submatrix(proof.rows, proof.columns)
    signed = proof.weights * np.where(entries == 1, 1, np.where(entries == 0, -1, 0))
    assert (proof.weights >= 0).all()
    assert (np.abs(signed) == proof.weights).all()
    assert not signed.sum(axis=1).any()
    form = np.diag(proof.diagonal) - signed.T @ signed
    assert np.linalg.eigvalsh(form.astype(np.float64)).min() > -1e-6 * proof.diagonal.max()
    assert value**2 * int((proof.weights.sum(axis=1) ** 2).sum()) >= int(proof.diagonal.sum())


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_accepted_codes_cross_and_fill_the_sphere(seed: int) -> None:
    from scipy.special import betainc

    if (found := accepted("spherical-code", seed)) is None:
        return
    proof, value = found
    assert isinstance(proof, SphericalCode)
    pattern = Pattern.from_text("\n".join(STORED_MARGINS["spherical-code"]["pattern"]))
    entries = pattern.submatrix(proof.rows, proof.columns)
    points = [
        [entry if sign > 0 or entry < 0 else 1 - entry for entry in line]
        for line, signs in zip(entries.tolist(), proof.signs.tolist(), strict=True)
        for sign in (1, -1)
        if signs in (0, sign)
    ]
    for first, second in permutations(points, 2):
        assert (1, 0) in set(zip(first, second, strict=True))
    share = betainc(0.5, 0.5, float(value) ** 2) / 2  # of a circle
    assert len(points) * share >= 1


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_accepted_packings_leave_no_room(seed: int) -> None:
    if (found := accepted("sphere-packing", seed)) is None:
        return
    proof, value = found
    assert isinstance(proof, SpherePacking)
    pattern = Pattern.from_text("\n".join(STORED_MARGINS["sphere-packing"]["pattern"]))
    lines = pattern.submatrix(proof.rows, proof.columns).astype(np.int64)
    assert (lines >= 0).all()
    lines = (lines if proof.elements == "rows" else lines.T) * proof.weights
    if proof.elements == "rows":
        assert len(set(lines.sum(axis=1).tolist())) == 1
    apart = min(int(np.abs(a - b).sum()) for a, b in permutations(lines, 2))
    covariance = len(lines) ** 2 * np.cov(lines.T, bias=True)
    form = np.diag(proof.diagonal) - covariance
    assert np.linalg.eigvalsh(form).min() > -1e-6 * proof.diagonal.max()
    spread = float(proof.diagonal.sum()) / len(lines) ** 2
    room = 2 * 2 / 4 * (2 * len(lines) / 4) - 4 / 6  # in d = 2
    assert float(value) >= 2 * spread**0.5 / (apart * room) - 1e-5


def test_one_point_bounds_no_margin() -> None:
    """The caps of large margins have no meaning, and a row of ones has every margin."""
    pattern = Pattern.from_text("11\n1*")
    far = UnitEmbedding(1, 1, [[0], [0]], [[0], [0]], [-9, -9])
    assert check(Margin(pattern, 9, 1, 2), far) is None
    for rows, signs in (([0], [1]), ([0], [-1]), ([1], [1]), ([], [])):
        proof = SphericalCode(rows, [0, 1], signs)
        for d in (2, 3, 4, 7):
            assert check(Margin(pattern, 9, 1, d), proof) == "a single point crosses no other one"


def test_bounds_in_a_dimension_need_one() -> None:
    code = SphericalCode([0, 1], [0, 1], [0, 0])
    packing = SpherePacking("rows", [0, 1], [0, 1], [1, 1], [9, 9], [[0, 0]])
    for proof in (code, packing):
        assert "unless the dimension is stated" in (check(Margin(IDENTITY, 1, 1), proof) or "")
        assert "too large to check" in (check(Margin(IDENTITY, 1, 1, 2000), proof) or "")
        assert proof.dimension == 0
        assert len(proof.explain(Margin(IDENTITY, 1, 1, 1))) > 2
