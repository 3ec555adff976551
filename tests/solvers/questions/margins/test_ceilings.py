"""Ceilings on margins in single dimensions, against every margin that is found."""

from __future__ import annotations

from fractions import Fraction
from math import asin, pi, sin, sqrt

import numpy as np
import pytest

from samapprox import Pattern, load, margin
from samapprox.proofs.checker import check
from samapprox.proofs.margins.key_form import KeyForm
from samapprox.proofs.margins.sphere_packing import SpherePacking, balls_fill_space
from samapprox.proofs.margins.spherical_code import SphericalCode, caps_cover_sphere
from samapprox.proofs.parts.simplify import simplify
from samapprox.proofs.questions import Margin
from samapprox.reductions.families import generate
from samapprox.solvers.engine.search import Search
from samapprox.solvers.questions.margins.ascent import Vectors, measure_margin
from samapprox.solvers.questions.margins.ceilings import Ceilings, find_code
from samapprox.solvers.questions.margins.for_margin import dimension_for_margin
from samapprox.solvers.questions.margins.linear_steps import widen
from samapprox.solvers.questions.margins.rounding import find_cells

Random = np.random.RandomState
LIMIT = "data/limit/limit.npz"


def planted(random: Random, d: int) -> tuple[np.ndarray, Vectors]:
    """Rows that halfspaces in d dimensions cut off from unit keys, some with don't-cares."""
    rows, columns = random.randint(3, 12, size=2)
    queries, keys = (random.standard_normal((size, d)) for size in (rows, columns))
    keys /= np.linalg.norm(keys, axis=1, keepdims=True)
    queries /= np.linalg.norm(queries, axis=1, keepdims=True)
    logits = queries @ keys.T
    ranks = logits.argsort(axis=1).argsort(axis=1)
    counts = random.randint(1, columns, size=rows) if random.rand() < 0.5 else random.randint(1, 3)
    entries = (ranks >= columns - np.reshape(counts, (-1, 1))).astype(np.int8)
    if random.rand() < 0.3:
        entries[random.rand(*entries.shape) < 0.1] = -1
    mixed = (entries == 1).any(axis=1) & (entries == 0).any(axis=1)
    return entries[mixed], Vectors(queries[mixed], keys)


def never_crossed(seeds: range) -> int:
    """Compare ceilings with planted margins, and count those that say something."""
    useful = 0
    for seed in seeds:
        random = Random(seed)
        d = 1 + seed % 4
        entries, vectors = planted(random, d)
        if not len(entries):
            continue
        found = measure_margin(entries, widen(entries, vectors, Search()).logits)
        for dimension in (d, d + 1):
            bound = Ceilings(entries).best(dimension, Fraction(1))
            if bound is None:
                continue
            useful += 1
            assert found <= float(bound[0]), seed
            pattern = Pattern.from_array(entries == 1, entries >= 0)
            value, proof = bound
            question = Margin(pattern, value.numerator, value.denominator, dimension)
            assert check(question, proof) is None, seed
    return useful


def test_no_planted_margin_exceeds_a_ceiling() -> None:
    assert never_crossed(range(50)) > 25


@pytest.mark.slow
def test_none_of_many_planted_margins_exceeds_a_ceiling() -> None:
    assert never_crossed(range(2_000)) > 1_000


HEAVY = "10000000 01000000 11111011 00010000 00001000 00000100 00000010 00000001"


@pytest.mark.parametrize(
    "text", [HEAVY, "1011 0001 0011 1011 1111", "*001 0*10 0111 001* 0110 1001 *010 0010"]
)
def test_packings_hold_beside_rows_of_mostly_ones(text: str) -> None:
    """Searches complement such rows, but packings are about rows as they are."""
    pattern = Pattern.from_text(text.replace(" ", "\n"))
    found = margin(pattern, dimensions=3, time_limit=0.3)
    for each in found.dimensions:
        assert each.upper is not None
        assert each.lower <= each.upper
    least = dimension_for_margin(pattern, found.lower / 2, time_limit=0.3)
    assert least.lower is not None


@pytest.mark.parametrize("seed", range(3))
def test_margins_and_ceilings_of_all_dimensions_fit_together(seed: int) -> None:
    entries, _ = planted(Random(100 + seed), 3)
    found = margin(
        Pattern.from_array(entries == 1, entries >= 0),
        dimensions=min(3, *entries.shape),
        time_limit=1,
    )
    lower, upper = Fraction(0), Fraction(0)
    for each in found.dimensions:
        assert each.upper is not None
        assert lower <= each.lower <= each.upper
        assert each.no is not None or upper <= each.upper
        lower, upper = each.lower, each.upper


def test_points_of_a_circle_have_the_margin_that_their_number_allows() -> None:
    """Rows of half a circle: queries in the middle of the gaps have the margin sin(pi / n)."""
    n = 12
    entries = np.array([[(j - i) % n < n // 2 for j in range(n)] for i in range(n)], dtype=np.int8)
    bound = Ceilings(entries).best(2, Fraction(1))
    assert bound is not None
    value, proof = bound
    assert isinstance(proof, SphericalCode)
    assert float(value) == pytest.approx(sin(pi / n), abs=2e-6)
    found = margin(entries, dimensions=[2], time_limit=10).dimensions[0]
    assert float(found.lower) == pytest.approx(sin(pi / n), rel=0.01)


def test_caps_are_measured_from_below() -> None:
    for points in (3, 4, 7, 20):
        circle, sphere = sin(pi / points), 2 * sqrt(points - 1) / points
        for d, sine in ((2, circle), (3, sphere)):
            assert not caps_cover_sphere(points, d, Fraction(sine) - Fraction(1, 10**9))
            assert caps_cover_sphere(points, d, Fraction(sine) + Fraction(1, 10**5))
    # in d = 4, a cap of angular radius a has the share (a - sin a cos a) / pi
    angle = asin(0.25)
    share = (angle - 0.25 * sqrt(1 - 0.25**2)) / pi
    assert caps_cover_sphere(int(1 / share) + 1, 4, Fraction(1, 4))
    assert not caps_cover_sphere(int(1 / share), 4, Fraction(1, 4))


def test_packings_are_those_of_points_that_there_are() -> None:
    """Points of a grid, whose spread and least distance are known, are never excluded."""
    for d, side in ((1, 9), (2, 5), (3, 4), (4, 3)):
        grid = np.stack(np.meshgrid(*[np.arange(side)] * d), axis=-1).reshape(-1, d)
        spread = float(((grid - grid.mean(axis=0)) ** 2).sum(axis=1).mean())
        # the bound is for distances of sqrt(8 a) and a mean square of at most 4, with V = 1
        apart = Fraction(4 / spread / 8)
        assert not balls_fill_space(len(grid), d, apart, len(grid) ** 2)


def test_limit_has_a_ceiling_in_each_dimension() -> None:
    entries = load(LIMIT).to_array()
    ceilings = Ceilings(entries)
    for d, most, kind in ((4, 0.0601, SpherePacking), (5, 0.1113, SpherePacking)):
        bound = ceilings.best(d, Fraction(1))
        assert bound is not None
        assert float(bound[0]) < most
        assert isinstance(bound[1], kind)
    code = find_code(entries)
    assert code is not None
    assert len(code.rows) == 1000
    assert caps_cover_sphere(1000, 4, Fraction(169, 1000))


@pytest.mark.parametrize("n", [6, 8, 10, 46])
def test_all_pairs_are_within_a_ten_thousandth_of_the_closed_form(n: int) -> None:
    found = margin(generate("all-subsets", n=n, k=2).pattern, time_limit=20)
    exact = n / (2 * sqrt(2 * (n - 1) * (n - 2)))
    assert found.upper is not None
    assert exact - 1e-4 < float(found.lower) <= exact <= float(found.upper) < exact + 1e-4
    assert found.no is not None
    assert isinstance(found.no.proof, KeyForm)


def test_complements_are_lifted() -> None:
    """A row and the complement of another one: the simplified pattern turns some rows."""
    entries = np.array([[1, 1, 0, 0, 0], [0, 0, 1, 1, 0], [1, 0, 1, 0, 1], [0, 1, 1, 0, 0]])
    turned = np.vstack([entries, 1 - entries[:2], entries[:, ::-1]])
    pattern = Pattern.from_array(turned == 1)
    simplified = simplify(pattern)
    assert simplified.pattern is not None
    bound = Ceilings(simplified.pattern.to_array()).best(2, Fraction(1))
    assert bound is not None
    value, proof = bound
    lifted = proof.lift(simplified)
    assert not isinstance(lifted, str)
    assert check(Margin(pattern, value.numerator, value.denominator, 2), lifted) is None


def test_cells_of_a_symmetric_pattern() -> None:
    pairs = generate("all-subsets", n=5, k=2).pattern.to_array()
    cells = find_cells(pairs)
    assert cells is not None
    assert (cells.rows == 0).all()
    assert len(np.unique(cells.entries)) == 2
    assert find_cells(np.tri(5, 4, -1, dtype=np.int8)[1:]) is None
