"""Limits on the work of checks: a proof at its limit is checked, and one beyond it is refused."""

from __future__ import annotations

import re
from collections.abc import Callable
from math import comb
from typing import Any

import pytest
from helpers.stored import STORED

from samapprox import Certificate, Pattern


def count_signs(proof: Any, _about: Pattern) -> int:
    """Signs of covectors on circuits; there is one row more, positive on all keys."""
    lines = 1 + len(proof.rows), len(proof.columns)
    covectors, elements = lines if proof.elements == "columns" else lines[::-1]
    return covectors * comb(elements, proof.d + 2) * (proof.d + 2)


def count_products(proof: Any, _about: Pattern) -> int:
    """Products of all pairs of columns of the higher matrix, with its padding."""
    height, width = sorted(proof.matrix.shape, reverse=True)
    return (height + len(proof.padding)) * width**2


WORK: list[tuple[str, str, Callable[[Any, Pattern], int]]] = [
    ("radon", "checker._MOST_ENTRIES", lambda proof, _: proof.size),
    (
        "topological",
        "refutations.topological._MOST_NUMBERS",
        lambda proof, _: len(proof.members) * (proof.d + 2) * (proof.d + 1),
    ),
    (
        "chirotope",
        "refutations.chirotope._MOST_SIGNS",
        count_signs,
    ),
    (
        "forster",
        "refutations.forster._MOST_PRODUCTS",
        lambda proof, _: (
            (max(proof.matrix.shape) + len(proof.padding)) * min(proof.matrix.shape) ** 2
        ),
    ),
    (
        "inscription",
        "similarities.inscription._MOST_SUMS",
        lambda proof, _: (3 * len(proof.columns) - 6) * (1 + len(proof.cuts)),
    ),
    (
        "inscription with cuts",
        "similarities.inscription._MOST_SUMS",
        lambda proof, _: (3 * len(proof.columns) - 6) * (1 + len(proof.cuts)),
    ),
    (
        "distinct-lines",
        "values.distinct_lines.MOST_LINES",
        lambda proof, _: len(getattr(proof, proof.elements)),
    ),
    ("k-sets", "fits.k_sets._MOST_PARTS", lambda proof, _: len(proof.parts)),
    ("hitting-set", "fits.hitting_set._MOST_CORES", lambda proof, _: len(proof.cores)),
    (
        "hitting-set",
        "fits.hitting_set._MOST_WEIGHT",
        lambda proof, _: max(max(packing.weights, default=0) for packing in proof.packings),
    ),
    (
        "margin-dual",
        "margins.conditions._MOST_PRODUCTS",
        lambda proof, _: proof.factor.size * proof.factor.shape[1],
    ),
    ("margin-dual", "margins.margin_dual._MOST_LINES", lambda proof, _: proof.factor.shape[1]),
    (
        "key-form",
        "margins.conditions._MOST_PRODUCTS",
        lambda proof, _: proof.factor.size * proof.factor.shape[1],
    ),
    (
        "sphere-packing",
        "margins.sphere_packing._MOST_ELEMENTS",
        lambda proof, _: len(proof.weights),
    ),
    ("spherical-code", "margins.spherical_code._MOST_POINTS", lambda proof, _: len(proof.rows)),
    (
        "unit-embedding",
        "margins.unit_embedding._MOST_PRODUCTS",
        lambda proof, about: about.shape[0] * about.shape[1] * proof.dimension,
    ),
]
"""Stored certificate, the limit, and the work of its check by the definition of the limit."""


@pytest.mark.parametrize(("name", "limit", "work"), WORK, ids=[f"{n} {c}" for n, c, _ in WORK])
def test_limits_are_exact(
    name: str, limit: str, work: Callable[[Any, Pattern], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate, about = Certificate.from_json(STORED[name].document), STORED[name].pattern
    most = work(certificate.proof, about)
    assert most > 0
    monkeypatch.setattr(f"samapprox.proofs.{limit}", most)
    assert certificate.verify(about)
    monkeypatch.setattr(f"samapprox.proofs.{limit}", most - 1)
    found = certificate.verify(about)
    assert not found
    assert re.search("too (large|many)", found.reason)
