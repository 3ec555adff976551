"""Matrices of communication complexity: their facts, and the sign-ranks of the literature."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from samapprox import InputError, rank, weak_dimension
from samapprox.reductions.families import generate


@pytest.mark.parametrize(
    ("name", "parameters", "sign_rank"),
    [
        *(("identity", {"n": n}, r) for n, r in ((1, 1), (2, 1), (3, 2), (4, 3), (9, 3))),
        ("equality", {"bits": 1}, 1),
        ("equality", {"bits": 3}, 3),
        *(("greater-than", {"n": n}, r) for n, r in ((1, 1), (2, 2), (7, 2))),
        *(("disjointness", {"n": n}, n + 1) for n in (1, 2, 3)),
        *(("sign-vectors", {"n": n}, n) for n in (1, 2, 3, 4, 5)),
        ("hadamard", {"n": 4}, 3),
        ("projective-plane", {"q": 2}, 4),
    ],
)
def test_known_sign_ranks(name: str, parameters: dict[str, Any], sign_rank: int) -> None:
    found = rank(generate(name, **parameters).pattern)
    assert (found.lower, found.upper) == (sign_rank, sign_rank)


@pytest.mark.slow
def test_the_sign_rank_of_the_hadamard_matrix_of_order_8() -> None:
    found = rank(generate("hadamard", n=8).pattern, time_limit=240)
    assert (found.lower, found.upper) == (5, 5)


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        *(("identity", {"n": n}) for n in (1, 2, 3, 5)),
        ("equality", {"bits": 2}),
        ("greater-than", {"n": 5}),
        *(("disjointness", {"n": n}) for n in (1, 2, 3)),
        *(("sign-vectors", {"n": n}) for n in (1, 2, 3, 4)),
    ],
)
def test_facts_are_true_and_exact(name: str, parameters: dict[str, Any]) -> None:
    instance = generate(name, **parameters)
    found = weak_dimension(instance.pattern)
    assert found.exact
    facts = {fact.answer: fact.d for fact in instance.facts}
    assert facts.pop("YES") == found.upper
    assert facts == ({} if found.lower == 1 else {"NO": found.lower - 1})


def test_entries_are_those_of_the_functions() -> None:
    sets = [{e for e in range(4) if x >> e & 1} for x in range(16)]
    disjoint = generate("disjointness", n=4).pattern.to_array()
    assert disjoint.tolist() == [[int(x.isdisjoint(y)) for y in sets] for x in sets]
    assert (generate("greater-than", n=5).pattern.to_array() == np.tri(5)).all()
    rows = {tuple(row) for row in generate("sign-vectors", n=5).pattern.to_array().tolist()}
    assert len(rows) == 31
    assert (0,) * 5 not in rows


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("identity", {"n": 0}, "n must be >= 1, not 0"),
        ("equality", {"bits": 0}, "bits must be"),
        ("equality", {"bits": 16}, "bits must be"),
        ("disjointness", {"n": 40}, "n must be"),
        ("sign-vectors", {"n": 0}, "n must be"),
        ("greater-than", {"n": -1}, "n must be >= 1, not -1"),
        ("greater-than", {"n": 1 << 20}, "1048576 x 1048576 is more than"),
        ("permutations", {"n": 0}, "n must be >= 1, not 0"),
    ],
)
def test_impossible_sizes_are_refused(name: str, parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        generate(name, **parameters)
