"""Certificates by formula: the exact check accepts them, and they are as short as stated."""

from __future__ import annotations

import pytest

from samapprox import InputError, Pattern, Problem, weak_dimension
from samapprox.attention.graphs.masks.hubs import star
from samapprox.proofs.checker import check
from samapprox.reductions.families.mask import star_refutation


def pattern_of(n: int, w: int) -> Pattern:
    return star(n, w).pattern()


def refutes(n: int, w: int) -> None:
    """Check the proof, its length, and the number of its keys."""
    proof = star_refutation(n, w)
    assert check(Problem(pattern_of(n, w), 2), proof) is None
    steps = -(-(n - 2 * w - 3) // (2 * w))
    assert len(proof.members) == 3 * steps + 5
    assert len(proof.columns) == steps + 3
    least = -(-(n - 1) // (2 * w)) + 1
    assert least <= len(proof.columns) <= least + 1
    assert w > 1 or len(proof.columns) == least


@pytest.mark.parametrize("w", range(1, 7))
def test_star_masks_from_the_first_that_needs_three_dimensions(w: int) -> None:
    for n in range(4 * w + 5, 4 * w + 45):
        refutes(n, w)


@pytest.mark.parametrize("n", [127, 128, 255, 256, 511, 512, 1023, 1024])
@pytest.mark.parametrize("w", [1, 2, 3, 16, 30])
def test_long_star_masks(n: int, w: int) -> None:
    refutes(n, w)


@pytest.mark.slow
@pytest.mark.parametrize("w", [1, 2, 3])
def test_every_star_mask_up_to_1024_tokens(w: int) -> None:
    for n in range(4 * w + 5, 1025):
        refutes(n, w)


def test_it_does_not_hold_for_another_mask() -> None:
    """A ring without one of its pairs of neighbours fits into the plane."""
    entries = pattern_of(16, 1).to_array()
    entries[[5, 6], [6, 5]] = 0
    entries[5:7, 4:8] = [[1, 1, 0, 0], [0, 0, 1, 1]]
    assert weak_dimension(entries, time_limit=20).upper == 2
    assert check(Problem(Pattern(entries), 2), star_refutation(16)) is not None


@pytest.mark.parametrize(("n", "w"), [(8, 1), (12, 2), (0, 1), (9, 0), (9, -3)])
def test_too_few_tokens_are_refused(n: int, w: int) -> None:
    with pytest.raises(InputError, match=r"w >= 1 and n >= 4w \+ 5"):
        star_refutation(n, w)


def test_too_many_tokens_are_refused() -> None:
    with pytest.raises(InputError, match="at most 1048576 tokens"):
        star_refutation(10**12)
