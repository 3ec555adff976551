"""Hadamard matrices and projective planes: they are what they are called, and the facts hold."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samapprox import InputError, decide
from samapprox.reductions.families import generate
from samapprox.reductions.families.designs import find_characteristic, make_field

PRIME_POWERS = [q for q in range(2, 65) if find_characteristic(q) is not None]


def test_prime_powers() -> None:
    assert PRIME_POWERS[:16] == [2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19, 23, 25, 27, 29]
    assert [find_characteristic(q) for q in (0, 1, 12, 49, 64, 1023)] == [None] * 3 + [7, 2, None]


@pytest.mark.parametrize("q", PRIME_POWERS)
def test_fields_are_groups_twice(q: int) -> None:
    """Every row and column of a group's table is a permutation; q - 1 units, 0 apart."""
    field, elements = make_field(q), np.arange(q)
    for table, first in ((field.sums, 0), (field.products[1:, 1:], 1)):
        assert (table == table.T).all()
        assert (np.sort(table, axis=0) == elements[first:, None]).all()
    assert (field.sums[0] == elements).all()
    assert (field.products[1] == elements).all()
    assert (field.products[0] == 0).all()
    assert (field.sums[elements, field.negatives] == 0).all()
    assert np.bincount(field.quadratic_characters + 1).tolist() == (
        [(q - 1) // 2, 1, (q - 1) // 2] if q % 2 else [0, 1, q - 1]
    )


@given(st.sampled_from(PRIME_POWERS), st.data())
def test_fields_associate_and_distribute(q: int, data: st.DataObject) -> None:
    field = make_field(q)
    a, b, c = (data.draw(st.integers(0, q - 1)) for _ in range(3))
    plus, times = field.sums, field.products
    assert plus[plus[a, b], c] == plus[a, plus[b, c]]
    assert times[times[a, b], c] == times[a, times[b, c]]
    assert times[a, plus[b, c]] == plus[times[a, b], times[a, c]]


@pytest.mark.parametrize("q", [0, 1, 6, 12, 1031])
def test_there_is_no_other_field(q: int) -> None:
    with pytest.raises(InputError, match="q must be a prime power"):
        make_field(q)


@pytest.mark.parametrize("n", [2, 4, 8, 12, 16, 20, 24, 28, 36, 40, 52, 76, 100, 148, 244])
def test_rows_of_hadamard_matrices_are_orthogonal(n: int) -> None:
    signs = 2 * generate("hadamard", n=n).pattern.to_array().astype(int) - 1
    assert (signs @ signs.T == n * np.eye(n)).all()
    assert (signs[0] == 1).all()


@pytest.mark.parametrize("sign_rank", [False, True])
@pytest.mark.parametrize("q", [2, 3, 4, 5, 7, 8, 9, 25, 32])
def test_two_lines_meet_in_one_point(q: int, sign_rank: bool) -> None:
    n = q * q + q + 1
    entries = generate("projective-plane", q=q, sign_rank=sign_rank).pattern.to_array()
    if sign_rank:
        assert (entries[0] == 1).all()
        entries ^= 1 - generate("projective-plane", q=q).pattern.to_array()[0]
    entries = entries.astype(float)  # products of integers are slow
    assert (entries @ entries.T == 1 + q * np.eye(n)).all()
    assert (entries.T @ entries == 1 + q * np.eye(n)).all()


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("hadamard", {"n": 4}),
        ("hadamard", {"n": 8}),
        ("projective-plane", {"q": 2, "sign_rank": True}),
        ("projective-plane", {"q": 3, "sign_rank": True}),
        ("projective-plane", {"q": 3}),
    ],
)
def test_facts(name: str, parameters: dict[str, int | bool]) -> None:
    instance = generate(name, **parameters)
    assert instance.facts
    for fact in instance.facts:
        assert decide(instance.pattern, fact.d).status.value == fact.answer


@pytest.mark.parametrize("q", [q for q in PRIME_POWERS if 2 < q <= 32])
def test_facts_of_planes_are_what_the_theorems_give(q: int) -> None:
    """NO where (d + 1)^2 < (q + 1)^2 / q, and no further; YES by rows of q + 1 ones."""
    facts = {fact.answer: fact.d for fact in generate("projective-plane", q=q).facts}
    assert facts["YES"] == 2 * (q + 1)
    assert (facts["NO"] + 1) ** 2 * q < (q + 1) ** 2 <= (facts["NO"] + 2) ** 2 * q
