"""Margins against known values and an independent method; what is found in each dimension."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from itertools import islice

import numpy as np
import pytest
from helpers.durations import ended_within, processor_time, takes_less_than
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from samapprox import InputError, Pattern, dimension_for_margin, margin
from samapprox.errors import Interrupted
from samapprox.precision import EMBEDDING_FORMATS, logit_margin, rows_lost
from samapprox.proofs.checker import check
from samapprox.proofs.embeddings.embedding import Embedding
from samapprox.proofs.margins.margin_dual import MarginDual
from samapprox.proofs.margins.unit_embedding import UnitEmbedding
from samapprox.proofs.questions import Margin
from samapprox.solvers.engine.backends import one_blas_thread
from samapprox.solvers.engine.search import Search
from samapprox.solvers.questions.margins import margin as interval
from samapprox.solvers.questions.margins import one_dimension as single
from samapprox.solvers.questions.margins.ascent import (
    Vectors,
    _direct,
    ascend,
    measure_margin,
    random_vectors,
    smooth_margin,
    unit_vectors,
)
from samapprox.solvers.questions.margins.rounding import bound_by_gradient, make_dual, round_vectors
from samapprox.solvers.questions.margins.starts import list_starts

Random = np.random.RandomState


def random_pattern(random: Random, rows: int, columns: int, stars: float = 0.0) -> Pattern:
    entries = random.rand(rows, columns) < random.choice([0.2, 0.5])
    entries[np.arange(rows), random.randint(columns, size=rows)] = True
    care = (random.rand(rows, columns) >= stars) | entries
    return Pattern.from_array(entries, care)


def assert_closed(found: interval.MarginBounds, share: float = 0.01) -> None:
    assert found.upper is not None
    assert found.lower <= found.upper
    assert found.upper - found.lower <= share * found.upper


def test_vectors_of_length_zero_become_unit_vectors() -> None:
    vectors = _direct(np.array([[3.0, 4.0], [0.0, 0.0]]))
    assert vectors.tolist() == [[0.6, 0.8], [1.0, 0.0]]


@pytest.mark.parametrize("n", [2, 3, 4, 7, 12])
def test_the_identity(n: int) -> None:
    """n / (2 (n - 1)): a regular simplex, and the weights n - 1 and 1."""
    found = margin(np.eye(n))
    assert found.upper is not None
    assert found.lower <= Fraction(n, 2 * (n - 1)) <= found.upper
    assert_closed(found)


def test_a_single_row_and_patterns_without_zeros() -> None:
    found = margin([[1, 0, 1]])
    assert found.lower <= 1 == found.upper
    assert_closed(found)
    free = margin([[1, 1], [1, 1]], dimensions=1, bits=True)
    assert (free.bounded, free.upper, free.yes, free.no) == (False, None, None, None)
    assert "unbounded" in str(free)
    assert not free.dimensions[0].found


def by_cutting_planes(pattern: Pattern) -> float:
    """The margin by linear programs: the cone of semidefinite matrices is cut out by eigenvectors.

    It is an upper bound that approaches the margin from above.
    """
    entries = pattern.to_array()
    height, width = entries.shape
    size = height + width
    above = np.triu_indices(size)
    number = {pair: k for k, pair in enumerate(zip(*map(np.ndarray.tolist, above), strict=True))}
    variables = len(number) + height + 1  # the Gram matrix, thresholds, the margin
    rows, right = [], []
    for i, j in zip(*np.nonzero(entries >= 0), strict=True):
        sign = 1 if entries[i, j] == 1 else -1
        row = np.zeros(variables)
        row[number[i, height + j]], row[len(number) + i], row[-1] = -sign, sign, 1
        rows.append(row)
        right.append(0.0)
    bounds = [(1, 1) if i == j else (-1, 1) for i, j in number] + [(-2, 2)] * height + [(0, 2)]
    cost = np.zeros(variables)
    cost[-1] = -1
    value = np.inf
    for _ in range(400):
        found = linprog(cost, A_ub=np.array(rows), b_ub=right, bounds=bounds, method="highs")
        gram = np.zeros((size, size))
        gram[above] = found.x[: len(number)]
        gram = gram + np.triu(gram, 1).T
        values, vectors = np.linalg.eigh(gram)
        value = -found.fun
        if values[0] > -1e-4:
            break
        for vector in vectors.T[values < -1e-5]:
            row = np.zeros(variables)
            outer = np.outer(vector, vector) * (2 - np.eye(size))
            row[: len(number)] = -outer[above]
            rows.append(row)
            right.append(0.0)
    return value


@pytest.mark.parametrize("seed", range(4))
def test_linear_programs_find_the_same_margin(seed: int) -> None:
    random = Random(seed)
    pattern = random_pattern(random, 3, random.randint(3, 5), 0.1 * (seed % 2))
    found = margin(pattern)
    if not found.bounded:
        return
    assert found.upper is not None
    assert float(found.lower) <= by_cutting_planes(pattern) + 1e-6
    assert by_cutting_planes(pattern) <= float(found.upper) + 2e-3


@pytest.mark.parametrize("seed", range(6))
def test_random_patterns_close_and_no_vectors_exceed_the_bound(seed: int) -> None:
    random = Random(seed)
    pattern = random_pattern(random, random.randint(3, 15), random.randint(3, 15), 0.2 * (seed % 2))
    found = margin(pattern, time_limit=20)
    if not found.bounded:
        return
    assert_closed(found)
    assert found.upper is not None
    entries = pattern.to_array()
    generator = np.random.default_rng(seed)
    for d in (1, 2, 5, 30):
        vectors = random_vectors(entries.shape, d, generator)
        assert measure_margin(entries, vectors.logits) <= float(found.upper)


@pytest.mark.slow
@pytest.mark.parametrize("density", [0.02, 0.05, 0.3, 0.5, 0.98])
def test_a_hundred_queries_and_keys_close_within_half_a_minute(density: float) -> None:
    entries = Random(1).rand(100, 100) < density
    entries[np.arange(100), np.arange(100)] = True
    with processor_time():
        assert_closed(ended_within(31, lambda: margin(entries, time_limit=30)))


@pytest.mark.slow
@pytest.mark.parametrize("pattern", [Random(2).rand(2000, 2000) < 0.05, np.tri(2000)])
def test_time_limits_hold_for_millions_of_entries(pattern: np.ndarray) -> None:
    found = ended_within(6, lambda: margin(pattern, time_limit=5))
    assert found.upper is not None
    assert found.upper < Fraction(1, 2)


def test_a_part_of_a_large_pattern_bounds_it() -> None:
    found = margin(Random(0).rand(450, 450) < 0.3, time_limit=1)
    assert found.upper is not None
    assert found.no is not None
    assert isinstance(found.no.proof, MarginDual)
    assert len(found.no.proof.rows) == len(found.no.proof.columns) == 256
    assert Fraction(1, 22) <= found.lower < found.upper < Fraction(1, 5)  # 1 / sqrt(450)


@given(st.integers(0, 2**32 - 1), st.integers(1, 9), st.integers(2, 9))
def test_unit_vectors_have_the_margin_that_every_pattern_has(
    seed: int, rows: int, columns: int
) -> None:
    random = Random(seed)
    entries = random.randint(-1, 2, size=(rows, columns)).astype(np.int8)
    entries[:, 0], entries[:, 1] = 1, 0
    vectors = unit_vectors(entries, min(rows, columns) + 2)
    for part in (vectors.queries, vectors.keys):
        assert (np.linalg.norm(part, axis=1) <= 1 + 1e-12).all()
    assert measure_margin(entries, vectors.logits) >= 1 / np.sqrt(min(rows, columns)) - 1e-12


def test_whole_numbers_lose_little_of_a_bound_with_an_uneven_diagonal() -> None:
    """Rows and columns with little weight take as much room for rounding as the others."""
    random = np.random.default_rng(0)
    size = 40
    entries = (random.random((size, size)) < 0.03).astype(np.int8)
    entries[np.arange(size), np.arange(size)] = 1
    with one_blas_thread():
        vectors = ascend(entries, unit_vectors(entries, size), 640.0, Search())
    _, gradient = smooth_margin(entries, vectors.logits, 640.0)
    bound, weights, diagonal = bound_by_gradient(vectors, gradient)
    assert diagonal.max() > 100 * diagonal.min()
    found = make_dual(entries, weights, diagonal)
    assert found is not None
    assert float(found[0]) < bound * (1 + 1e-4)


def test_the_gradient_is_that_of_the_value() -> None:
    generator = np.random.default_rng(0)
    entries = np.array([[1, 0, -1, 0], [0, 1, 1, -1], [1, 1, 0, 0]], dtype=np.int8)
    logits = generator.standard_normal((3, 4))
    value, weights = smooth_margin(entries, logits, 7.0)
    assert np.abs(weights.sum(axis=1)).max() < 1e-12
    assert np.abs(weights).sum() == pytest.approx(1)
    assert not weights[entries < 0].any()
    for place in np.ndindex(3, 4):
        moved = logits.copy()
        moved[place] += 1e-6
        assert (smooth_margin(entries, moved, 7.0)[0] - value) / 1e-6 == pytest.approx(
            weights[place], abs=1e-5
        )
    assert value <= measure_margin(entries, logits) <= value + np.log(12) / 7


# ---------------------------------------------------------------- single dimensions


def test_dimensions_bits_and_formats() -> None:
    pattern = Pattern.from_array(np.eye(6))
    found = margin(pattern, dimensions=[1, 2, 4], bits=True, time_limit=20)
    line, plane, more = found.dimensions
    assert [each.d for each in found.dimensions] == [1, 2, 4]
    assert (line.yes, line.bits, line.embedding, dict(line.formats)) == (None, None, None, {})
    assert line.no is not None
    assert line.no.verify(pattern).reason == "NO for d = 1"
    assert plane.no is None
    # six points of the circle: cos 60 degrees lies half way
    assert float(plane.lower) == pytest.approx((1 - np.cos(np.pi / 3)) / 2, rel=0.01)
    assert plane.lower < more.lower <= found.upper
    for each in (plane, more):
        assert each.embedding is not None
        embedding = each.embedding.proof
        assert isinstance(embedding, Embedding)
        assert embedding.dimension == each.d
        assert logit_margin(pattern, embedding).bits <= (each.bits or 0)
        assert set(each.formats) == set(EMBEDDING_FORMATS)
        assert each.formats["float32"]
    assert more.bits == 1


def test_all_starts_have_keys_of_norm_at_most_1() -> None:
    """The first vectors of a search count as found, so longer keys would fake a margin."""
    random = np.random.default_rng(0)
    known = {d: random_vectors((4, 5), d, random) for d in (1, 2, 3)}
    starts = list_starts(2, (4, 5), known, None, known[3], random)
    for start in islice(starts, 12):
        assert (np.linalg.norm(start.keys, axis=1) <= 1 + 1e-9).all()
        assert (np.linalg.norm(start.queries, axis=1) <= 1 + 1e-9).all()


@pytest.mark.parametrize("text", ["10\n01", "100\n010\n001", "10\n11\n01", "100\n011\n010"])
def test_small_patterns_have_margins_in_all_dimensions(text: str) -> None:
    """All searches end early, so all kinds of starts are tried."""
    pattern = Pattern.from_text(text)
    found = margin(pattern, dimensions=min(pattern.shape), time_limit=1)
    assert found.dimensions[-1].lower > Fraction(7, 10)
    # no smaller margin is stated for any dimension
    assert found.dimensions[-1].lower <= found.lower
    assert found.lower <= found.upper
    assert found.yes is not None
    assert found.yes.verify(pattern)


def test_an_embedding_that_climbs_do_not_find_is_used() -> None:
    """A margin of 0.001 and less: more keys on a circle than numeric searches separate."""
    size = 40
    entries = [[(j - i) % size < 1 + i % 7 for j in range(size)] for i in range(size)]
    with processor_time():
        found = margin(entries, dimensions=[2], bits=True, time_limit=1.5)
    (plane,) = found.dimensions
    assert plane.found
    assert plane.lower > 0
    assert plane.bits is not None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dimensions": 0}, "dimensions must be a whole number of at least 1"),
        ({"dimensions": [1, -2]}, "dimensions must be a whole number of at least 1"),
        ({"dimensions": 1.5}, "dimensions must be a whole number of at least 1, not 1.5"),
        ({"dimensions": None}, "dimensions must be a whole number of at least 1, not None"),
        ({"dimensions": 4}, "4 exceeds min(m, n) = 3"),
        ({"bits": True}, "state the dimensions"),
        ({"time_limit": -1}, "time"),
    ],
)
def test_bad_options_are_one_line(options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError) as error:
        margin(np.eye(3), **options)  # type: ignore[arg-type]
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_dimensions_are_numbers_of_any_kind() -> None:
    for two in (2, np.int64(2), [1, 2], np.array([2, 1]), range(1, 3)):
        found = margin(np.eye(3), dimensions=two, time_limit=0.2)  # type: ignore[arg-type]
        assert [one.d for one in found.dimensions] == [1, 2]


def test_vectors_that_rounding_left_too_long_are_shortened() -> None:
    long = np.array([[1 + 3e-9], [-1 - 3e-9]])
    value, proof = round_vectors(np.eye(2, dtype=np.int8), Vectors(long, long))
    assert value == 1 - Fraction(1, 10**6)  # rounded down
    question = Margin(Pattern(np.eye(2)), value.numerator, value.denominator)
    assert check(question, proof) is None


def test_time_limits_hold_for_many_dimensions() -> None:
    entries = Random(2).rand(500, 500) < 0.5
    with takes_less_than(5):  # otherwise some 20 s
        found = margin(entries, time_limit=0.1, dimensions=150)
    assert [one.d for one in found.dimensions] == list(range(1, 151))


def test_time_limits_hold() -> None:
    entries = Random(0).rand(150, 150) < 0.4
    entries[:, 0] |= ~entries.any(axis=1)
    asked = partial(margin, entries, time_limit=0.5, dimensions=[3, 20], bits=True)
    found = ended_within(10, asked)  # without a limit: minutes
    assert found.upper is not None
    assert found.lower <= found.upper


def test_an_interrupt_keeps_the_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_arguments: object, **_more: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(single, "climb", interrupt)
    with pytest.raises(Interrupted) as caught:
        margin(np.eye(5), dimensions=2)
    assert caught.value.so_far.lower > 0
    line, plane = caught.value.so_far.dimensions  # decided before any climb
    assert line.no is not None
    assert plane.found


def test_equal_seeds_give_equal_answers() -> None:
    entries = Random(3).rand(6, 6) < 0.4
    entries[:, 0] |= ~entries.any(axis=1)
    first, second = (margin(entries, seed=5, dimensions=[3]) for _ in range(2))
    assert (first.lower, first.upper) == (second.lower, second.upper)
    assert first.dimensions[0].lower == second.dimensions[0].lower


@pytest.mark.parametrize("seed", [-1, 1 << 70])
def test_seeds_of_any_size_and_sign_are_taken(seed: int) -> None:
    entries = [[1, 0, 0], [0, 1, 0], [1, 0, 1]]
    assert margin(entries, seed=seed, dimensions=[1, 2], time_limit=2).lower > 0
    assert dimension_for_margin(entries, "0.5", seed=seed, time_limit=2).upper == 2


def test_formats_are_those_in_which_the_embedding_is_right() -> None:
    pattern = random_pattern(Random(2), 12, 12)
    found = margin(pattern, dimensions=[6], bits=True, time_limit=4)
    (each,) = found.dimensions
    assert each.embedding is not None
    embedding = each.embedding.proof
    assert isinstance(embedding, Embedding)
    for name in EMBEDDING_FORMATS:
        if not rows_lost(pattern, embedding, name):
            assert each.formats[name]


@pytest.mark.parametrize(("arithmetic", "unit"), [("bfloat16", 2.0**-8), ("float16", 2.0**-11)])
@pytest.mark.parametrize("seed", range(3))
def test_a_margin_guarantees_a_format(arithmetic: str, unit: float, seed: int) -> None:
    """Of vectors with a margin above (1 + u)^3 - 1, every row comes out right."""
    import ml_dtypes

    pattern = random_pattern(Random(seed), 8, 8)
    found = margin(pattern).yes
    assert found is not None
    assert isinstance(found.proof, UnitEmbedding)
    queries, keys = (
        np.asarray(part / found.proof.query_scale, dtype=np.float64)
        for part in (found.proof.queries, found.proof.keys)
    )
    thresholds = np.asarray(found.proof.thresholds / found.proof.query_scale**2, dtype=np.float64)
    kind = {"bfloat16": ml_dtypes.bfloat16, "float16": np.float16}[arithmetic]
    short, points = (part.astype(kind).astype(np.float64) for part in (queries, keys))
    logits = (short @ points.T).astype(kind).astype(np.float64)
    error = np.abs(logits - queries @ keys.T).max()
    assert error <= (1 + unit) ** 3 - 1 + 1e-6  # numbers below the normal ones
    entries = pattern.to_array()
    sides = np.where(entries == 1, 1, -1) * (logits - thresholds[:, None])
    assert sides[entries >= 0].min() >= float(margin(pattern).lower) - (1 + unit) ** 3 + 1 - 1e-6


def test_many_equal_keys_leave_the_certificates_checkable() -> None:
    """40 x 20,000 products in 43 dimensions: too many for Python's integers."""
    found = margin(np.tile(np.eye(40), (1, 500)), time_limit=10)
    assert found.yes is not None
    assert found.lower <= Fraction(40, 78) <= found.upper
