"""Furthest vectors: exactly those of real numbers, whatever the kernel and the threads."""

from __future__ import annotations

import os
import subprocess
import sys
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from samapprox import InputError
from samapprox.attention.vectors.furthest_vectors import KERNELS, distances, furthest
from samapprox.attention.vectors.near_ties import furthest_exactly, rounding_bound
from samapprox.attention.vectors.tile_kernel import TILE
from samapprox.support.progress import Progress

Numbers = NDArray[Any]

kinds = st.sampled_from([np.float32, np.float64])


def truth(queries: Numbers, keys: Numbers | None = None) -> list[int]:
    """In fractions: the first of the furthest, a query itself apart."""
    own = keys is None
    left = [list(map(Fraction, row)) for row in queries.tolist()]
    right = left if keys is None else [list(map(Fraction, row)) for row in keys.tolist()]
    answers = []
    for i, query in enumerate(left):
        others = [j for j in range(len(right)) if not (own and i == j)]
        answers.append(
            max(
                others,
                key=lambda j: sum((a - b) ** 2 for a, b in zip(query, right[j], strict=True)),
            )
        )
    return answers


@st.composite
def vector_sets(draw: st.DrawFn, least: int = 2) -> Numbers:
    """Whole numbers with many ties, or floats of all sizes; duplicates among them."""
    n, d, kind = draw(st.integers(least, 9)), draw(st.integers(1, 4)), draw(kinds)
    width = np.dtype(kind).itemsize * 8
    entries = draw(
        st.sampled_from([st.integers(-2, 2).map(float), st.floats(-1, 1, width=width)])
        if draw(st.booleans())
        else st.just(st.floats(allow_nan=False, allow_infinity=False, width=width))
    )
    rows = st.lists(entries, min_size=d, max_size=d)
    vectors = draw(st.lists(rows, min_size=n, max_size=n))
    for place in draw(st.lists(st.integers(0, n - 1), max_size=3)):
        vectors[place] = vectors[0]
    return np.array(vectors, dtype=kind)


@pytest.mark.parametrize("kernel", KERNELS)
@given(vector_sets())
@example(np.array([[1e-45], [0.0], [3e38], [-3e38]], dtype=np.float32))
@example(np.array([[5e-324], [0.0], [1.7e308], [-1.7e308]]))
@example(np.array([[5e-324], [0.0], [-5e-324]]))
@example(np.zeros((4, 2)))
def test_one_set(kernel: str, vectors: Numbers) -> None:
    assert furthest(vectors, kernel=kernel).indices.tolist() == truth(vectors)


@pytest.mark.parametrize("kernel", KERNELS)
@given(st.data())
def test_two_sets(kernel: str, data: st.DataObject) -> None:
    queries, keys = data.draw(vector_sets(1)), data.draw(vector_sets(1))
    d = min(queries.shape[1], keys.shape[1])
    queries, keys = queries[:, :d], keys[:, :d]
    assert furthest(queries, keys, kernel=kernel).indices.tolist() == truth(queries, keys)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize(("n", "d"), [(47, 3), (48, 1), (49, 7), (97, 16), (400, 33)])
def test_more_than_a_block(kernel: str, kind: type, n: int, d: int) -> None:
    """Against squared distances in extended precision, where all gaps are wide enough for it."""
    vectors = np.random.RandomState(n).standard_normal((n, d)).astype(kind)
    wide = vectors.astype(np.longdouble)
    apart = ((wide[:, None] - wide[None]) ** 2).sum(axis=2)
    np.fill_diagonal(apart, -1)
    expected = apart.argmax(axis=1)
    for threads in (1, 3):
        found = furthest(vectors, kernel=kernel, threads=threads)
        assert found.indices.tolist() == expected.tolist()
    two = furthest(vectors[: n // 2], vectors[n // 2 :], kernel=kernel)
    assert two.indices.tolist() == apart[: n // 2, n // 2 :].argmax(axis=1).tolist()


@pytest.mark.parametrize("kernel", KERNELS)
def test_threads_share_a_larger_problem(kernel: str) -> None:
    vectors = np.random.RandomState(0).standard_normal((1500, 70)).astype(np.float32)
    one, three = (furthest(vectors, kernel=kernel, threads=t) for t in (1, 3))
    assert one.indices.tolist() == three.indices.tolist()
    assert one.near_ties == three.near_ties
    unit = distances(vectors, None, one.indices)
    assert (unit[:, None] ** 2 * (1 + 1e-5) >= _squares(vectors)).all()


def _squares(vectors: Numbers) -> Numbers:
    wide = vectors.astype(np.float64)
    half = (wide**2).sum(axis=1)
    return half[:, None] + half - 2 * wide @ wide.T


def test_what_rounding_cannot_tell() -> None:
    """Keys around one far point, a unit in the last place apart: float32 sums see no difference."""
    unit = np.float32(2**-23)
    keys = np.full((300, 40), -1, dtype=np.float32)
    keys[np.arange(300), np.arange(300) % 40] -= unit * (np.arange(300) % 7)
    queries = np.ones((5, 40), dtype=np.float32)
    found = furthest(queries, keys)
    assert found.near_ties == 5
    assert found.indices.tolist() == truth(queries, keys) == [6] * 5


@given(vector_sets(), st.data())
def test_the_second_look_alone(vectors: Numbers, data: st.DataObject) -> None:
    rows = np.array(sorted(data.draw(st.sets(st.integers(0, len(vectors) - 1), min_size=1))))
    found = furthest_exactly(vectors, vectors, rows, own=True)
    expected = truth(vectors)
    assert found.tolist() == [expected[row] for row in rows]


@settings(max_examples=60)
@given(st.integers(1, 60), kinds, st.integers(0, 2**32 - 1))
def test_the_rounding_bound_holds(d: int, kind: type, seed: int) -> None:
    """Scores in the worst of orders, against fractions."""
    rng = np.random.RandomState(seed)
    query, key = (rng.standard_normal(d) * 10.0 ** rng.randint(-3, 3, d)).astype(kind), rng.rand(d)
    key = key.astype(kind)
    exact_halves = [sum(Fraction(x) ** 2 for x in v.tolist()) / 2 for v in (query, key)]
    halves = [np.einsum("d,d->", v, v, dtype=np.float64) / 2 for v in (query, key)]
    true = sum(Fraction(a) * Fraction(b) for a, b in zip(query.tolist(), key.tolist(), strict=True))
    true -= sum(exact_halves)
    for order in (np.arange(d), np.argsort(query), np.argsort(-query)):
        score = kind(-halves[0]) + kind(-halves[1])
        for k in order:
            score = score + query[k] * key[k]
        bound = rounding_bound(np.array([halves[0]]), halves[1], d, kind)[0]  # type: ignore[arg-type]
        assert abs(Fraction(float(score)) - true) <= Fraction(float(bound))


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("d", [1, 2, 60])
def test_the_rounding_bound_counts_every_rounding(d: int, kind: type[Any]) -> None:
    """Its terms in fractions: scores of few dimensions seldom come close to their sum."""
    unit = Fraction(float(np.finfo(kind).eps)) / 2
    products, sums = (count * unit / (1 - count * unit) for count in (d, d + 2))
    halves = 2 * unit if kind is np.float32 else products
    found = rounding_bound(np.array([0.75]), 0.5, d, kind)[0]
    assert Fraction(float(found)) >= (2 * sums + halves) * Fraction(5, 4)


def test_progress_can_stop_it() -> None:
    vectors = np.random.RandomState(0).standard_normal((2000, 40))
    seen: list[float] = []
    furthest(vectors, progress=lambda moment: seen.append(moment.share or 0))
    assert seen == sorted(seen)
    assert seen[-1] == 1

    def stop(_moment: Progress) -> None:
        raise TimeoutError

    for threads in (1, 2):
        with pytest.raises(TimeoutError):
            furthest(vectors, progress=stop, threads=threads)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[1.0, 2.0]],), "a single vector has no furthest vector"),
        (([[1.0], [float("nan")]],), "row 1, column 0 is nan"),
        (([[1.0, float("inf")], [1.0, 2.0]],), "row 0, column 1 is inf"),
        (([[1.0, 2.0], [3.0]],), "ragged"),
        (([[], []],), "2 vectors of dimension 0"),
        ((np.empty((0, 3)),), "0 vectors of dimension 3"),
        (([1.0, 2.0],), "must be a matrix of numbers"),
        (([["a", "b"]],), "must be a matrix of numbers"),
        (([[1j, 2j]],), "must be a matrix of numbers"),
        (([[2**60, 1], [0, 1]],), "too large to be exact"),
        (([[1.0, 2.0]], [[1.0]]), "different dimensions, 2 and 1"),
        (([[1.0]], [[float("nan")]]), "keys: the entry at row 0"),
    ],
)
def test_what_is_refused(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(InputError, match=message):
        furthest(*arguments)


def test_options_are_checked() -> None:
    with pytest.raises(InputError, match="unknown kernel"):
        furthest([[0.0], [1.0]], kernel="fast")
    with pytest.raises(InputError, match="threads"):
        furthest([[0.0], [1.0]], threads=0)


def test_inputs_of_all_kinds() -> None:
    for kind in (np.float16, np.int8, np.uint64, np.bool_, ">f4", ">f8"):
        vectors = np.array([[0, 1], [1, 1], [1, 0]], dtype=kind)
        vectors.flags.writeable = False
        assert furthest(vectors).indices.tolist() == [2, 0, 0]
    assert furthest(np.asfortranarray(np.eye(3))[:, ::-1]).indices.tolist() == [1, 0, 0]
    assert furthest(
        [[0.0, 3.0]], np.array([[0, 1], [1, 1]], dtype=np.float32)
    ).indices.tolist() == [1]


NARROW = """
import numpy as np
from samapprox.attention.vectors.furthest_vectors import furthest
from samapprox.attention.vectors.tile_kernel import TILE
assert TILE.bytes == {bytes}
vectors = np.random.RandomState(1).standard_normal((500, 21)).astype("{kind}")
narrow, wide = furthest(vectors, kernel="tiles"), furthest(vectors, kernel="numpy")
assert (narrow.indices == wide.indices).all()
narrow, wide = (furthest(vectors[:99], vectors[99:], kernel=k) for k in ("tiles", "numpy"))
assert (narrow.indices == wide.indices).all()
print("as numpy")
"""


@pytest.mark.skipif(TILE.bytes < 32, reason="needs AVX2")
@pytest.mark.parametrize(
    ("name", "features", "width", "kind"),
    [
        ("nehalem", "+sse4.2,+popcnt", 16, "float32"),
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for case in [
                ("nehalem", "+sse4.2,+popcnt", 16, "float64"),
                ("haswell", "+sse4.2,+popcnt,+avx,+avx2,+fma,+bmi2", 32, "float32"),
                ("haswell", "+sse4.2,+popcnt,+avx,+avx2,+fma,+bmi2", 32, "float64"),
            ]
        ),
    ],
)
def test_narrow_vectors(name: str, features: str, width: int, kind: str) -> None:
    """The code for older processors, run on this one; compiling it takes seconds a format."""
    environment = {**os.environ, "NUMBA_CPU_NAME": name, "NUMBA_CPU_FEATURES": features}
    code = NARROW.format(bytes=width, kind=kind)
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    assert done.stdout == "as numpy\n", done.stderr
