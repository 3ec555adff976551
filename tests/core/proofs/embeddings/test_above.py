"""Signs of logits against thresholds, at the sizes where float64 begins to round."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samapprox import Embedding
from samapprox.proofs.embeddings import logits
from samapprox.proofs.embeddings.logits import above_thresholds
from samapprox.proofs.exact import exact_matmul


def plainly_above(embedding: Embedding) -> list[list[bool]]:
    """The definition, in Python integers."""
    return [
        [sum(a * b for a, b in zip(q, k, strict=True)) > t for k in embedding.keys.tolist()]
        for q, t in zip(embedding.queries.tolist(), embedding.thresholds.tolist(), strict=True)
    ]


def signs(embedding: Embedding) -> list[list[bool]]:
    """All blocks of `above_thresholds`, one below the other."""
    return [row for _, above in above_thresholds(embedding) for row in above.tolist()]


@st.composite
def embeddings_near_a_tie(draw: st.DrawFn) -> Embedding:
    """Thresholds within 1 of a logit of their row, numbers of any size."""
    d = draw(st.integers(1, 4))
    bits = draw(st.sampled_from([3, 24, 26, 27, 31, 52, 53, 54, 62, 80, 499, 501, 1100]))
    near = st.integers((1 << bits) - 3, (1 << bits) + 3)
    number = st.one_of(st.integers(-(1 << bits), 1 << bits), near, near.map(lambda x: -x))

    def matrix(rows: int) -> list[list[int]]:
        return draw(
            st.lists(st.lists(number, min_size=d, max_size=d), min_size=rows, max_size=rows)
        )

    queries, keys = matrix(draw(st.integers(1, 4))), matrix(draw(st.integers(1, 4)))
    thresholds = [
        sum(a * b for a, b in zip(query, draw(st.sampled_from(keys)), strict=True))
        + draw(st.integers(-1, 1))
        for query in queries
    ]
    return Embedding(queries, keys, thresholds)


@given(embeddings_near_a_tie())
def test_signs_are_those_of_python_integers(embedding: Embedding) -> None:
    assert signs(embedding) == plainly_above(embedding)


@pytest.mark.parametrize("bits", [25, 26, 27, 60])
def test_a_last_bit_decides_where_floats_round(bits: int) -> None:
    """(2^b + 1)^2 - 2^(2 b) - 2^(b + 1) is 1; in float64 it is 0 from b = 27 on."""
    big = (1 << bits) + 1
    logit = big * big - (1 << 2 * bits)
    for offset, wanted in ((-1, True), (0, False), (1, False)):
        embedding = Embedding([[big, 1 << bits]], [[big, -(1 << bits)]], [logit + offset])
        assert signs(embedding) == [[wanted]]


@pytest.mark.parametrize("bits", [53, 1000, 1100])
def test_huge_numbers_beside_zeros(bits: int) -> None:
    huge, zeros = [[1 << bits, 0], [0, 1]], [[0, 0], [0, 0]]
    for queries, keys in ((zeros, huge), (huge, zeros)):
        embedding = Embedding(queries, keys, [0, 0])
        assert signs(embedding) == plainly_above(embedding) == [[False, False]] * 2
    big, none = np.array(huge, dtype=object), np.array(zeros)
    assert exact_matmul(none, big).tolist() == exact_matmul(big, none).tolist() == zeros


def test_blocks_cover_all_rows_once() -> None:
    rng = np.random.RandomState(0)
    embedding = Embedding(
        rng.randint(-9, 9, (700, 3)), rng.randint(-9, 9, (800, 3)), rng.randint(-9, 9, 700)
    )
    blocks = list(above_thresholds(embedding))
    assert len(blocks) > 1
    sizes = [len(above) for _, above in blocks]
    assert [start for start, _ in blocks] == np.cumsum([0, *sizes])[:-1].tolist()
    logits = embedding.queries @ embedding.keys.T
    whole = np.concatenate([above for _, above in blocks])
    assert (whole == (logits > embedding.thresholds[:, None])).all()


@given(st.integers(1, 3), st.sampled_from([2, 25, 26, 27, 30, 31, 40]), st.randoms())
def test_products_are_those_of_python_integers(depth: int, bits: int, random: object) -> None:
    def number() -> int:
        return random.choice([-1, 1]) * ((1 << bits) - random.randrange(3))  # type: ignore[attr-defined]

    left, right = [[number() for _ in range(depth)] for _ in range(2)], [number()] * depth
    wanted = [sum(a * b for a, b in zip(row, right, strict=True)) for row in left]
    assert exact_matmul(np.array(left), np.array(right)).tolist() == wanted


@pytest.mark.parametrize("rows", [1, 4])
def test_the_bound_counts_the_terms_of_a_sum(rows: int) -> None:
    """Each product fits into float64, but the sum of three, an odd number above 2^53, does not."""
    big = (1 << 26) - 1
    left, right = np.full((rows, 3), big), np.full((3, 2), big)
    assert exact_matmul(left, right).tolist() == [[3 * big * big] * 2] * rows


def test_every_sign_of_a_grid() -> None:
    points = list(product(range(-2, 3), repeat=2))
    embedding = Embedding(points, points, [index % 5 - 2 for index in range(len(points))])
    assert signs(embedding) == plainly_above(embedding)


def test_ties_are_settled_in_every_block() -> None:
    """Logit minus threshold is 2^60 (j - i), and the logits are near 2^120."""
    rows, columns, big = 300, 1000, 1 << 60
    embedding = Embedding(
        [[big]] * rows,
        [[big + j] for j in range(columns)],
        [big * (big + i) for i in range(rows)],
    )
    blocks = list(above_thresholds(embedding))
    assert len(blocks) > 2
    whole = np.concatenate([above for _, above in blocks])
    assert (whole == (np.arange(columns) > np.arange(rows)[:, None])).all()


def test_sums_may_be_larger_than_their_terms() -> None:
    """Each term is exact in float64, but 2^53 + 1, a partial sum, is not."""
    half = 1 << 52
    queries = list(permutations([half + 1, half, -half, -half]))
    assert signs(Embedding(queries, [[1] * 4], [0] * len(queries))) == [[True]] * len(queries)
    assert signs(Embedding(queries, [[1] * 4], [1] * len(queries))) == [[False]] * len(queries)


def test_roundings_that_add_up_change_no_sign() -> None:
    """Queries and keys are rounded up, as is their product, and the threshold down."""
    query, key = 9230552937611140096, 9240752072149167104
    threshold = query * key
    computed = float(query) * float(key) - float(threshold)
    assert computed == 4 * 2.0**-53 * 2**126  # half as much as the roundings of both terms allow
    assert signs(Embedding([[query]], [[key]], [threshold])) == [[False]]
    assert signs(Embedding([[-query]], [[key]], [-threshold - 1])) == [[True]]


@pytest.mark.parametrize("bits", [0, 1, 100, 240, 249, 250, 490, 900])
def test_numbers_that_float64_loses_beside_larger_ones_count(bits: int) -> None:
    """-5 and 3 over 2^1075 become -2 and 2 times the least float64 number."""
    keys = [[3 << bits, 5 << bits, 0]]
    assert signs(Embedding([[-5, 3, 1 << 1074]], keys, [0])) == [[False]]
    assert signs(Embedding([[5, -3, 1 << 1074]], keys, [-1])) == [[True]]


@pytest.mark.parametrize("most_plain", [0, 1 << 60])
@pytest.mark.parametrize("bits", [*range(50, 63), 100, 240, 300, 2000])
def test_residues_have_room_for_all_near_ties(
    bits: int, most_plain: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Products of 2^b and multiples of 2^e, of up to the error bound: 0 modulo 2^64 and beyond."""
    monkeypatch.setattr(logits, "_MOST_PLAIN", most_plain)
    size = 1 << bits - 1
    offsets = [sign << e for e in range(max(1, bits - 46)) for sign in (1, -1)]
    wide, flat = [[size, size + offset] for offset in offsets], [[-size, size], [-2, 2]]
    wanted = [[offset > 0] * 2 for offset in offsets]
    assert signs(Embedding(wide, flat, [0] * len(wide))) == wanted
    assert signs(Embedding(flat, wide, [0, 0])) == [list(row) for row in zip(*wanted, strict=True)]


@pytest.mark.parametrize("work", [1, 2, 5, 8, 31])
def test_ties_of_a_block_are_settled_in_parts(work: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logits, "_BLOCK_WORK", work)
    numbers = [(1 << 60) + step for step in range(9)]
    embedding = Embedding(
        [[x] for x in numbers], [[x] for x in numbers], [x * x - 1 for x in numbers]
    )
    assert signs(embedding) == plainly_above(embedding)
