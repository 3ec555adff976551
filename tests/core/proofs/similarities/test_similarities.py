"""Caps, balls and extended cores: their checks against the definitions, in fractions."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import isqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samapprox import Embedding, InputError, Pattern, Problem, decide
from samapprox.pattern import UNSPECIFIED
from samapprox.proofs import Balls, Caps, Extended, Radon, check
from samapprox.proofs.embeddings import logits as near_ties
from samapprox.proofs.embeddings.logits import above_thresholds
from samapprox.proofs.embeddings.logits_kernel import are_positive
from samapprox.proofs.similarities.caps import above_caps
from samapprox.proofs.similarities.extended import extend

SIZES = [1, 2, 30, 2**20, 2**40, 2**70, 2**1100]


def numbers(random: np.random.RandomState, *shape: int, size: int) -> Any:
    """Whole numbers from -size to size; many small ones, so that some products are equal."""
    small = random.randint(-2, 3, size=shape).astype(object)
    return small * size + random.randint(-1, 2, size=shape) * int(random.randint(2))


def in_cap(query: list[int], key: list[int], threshold: int) -> bool:
    """Whether q . k / |k| > t, by a comparison of rational bounds on |k| that is fine enough."""
    square = sum(entry * entry for entry in key)
    dot = sum(a * b for a, b in zip(query, key, strict=True))
    if dot * dot == threshold * threshold * square:  # both sides are equal, or opposite
        return dot > 0 > threshold or (dot > 0 and threshold == 0)
    scale = 1
    while True:
        low = Fraction(isqrt(square * scale * scale), scale)
        ends = [threshold * low, threshold * (low + Fraction(1, scale))]
        if dot > max(ends) or dot < min(ends):
            return dot > max(ends)
        scale *= 1 << 64


def in_ball(center: list[int], weight: int, key: list[int], threshold: int) -> bool:
    """Whether |c / w - k|^2 is below the squared radius."""
    query = [Fraction(entry, weight) for entry in center]
    distance = sum((a - b) ** 2 for a, b in zip(query, key, strict=True))
    return distance < sum(a * a for a in query) - Fraction(threshold, weight)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(SIZES), st.integers(1, 4))
def test_caps_are_compared_exactly(seed: int, size: int, d: int) -> None:
    random = np.random.RandomState(seed)
    keys = numbers(random, 6, d, size=size)
    keys[~(keys != 0).any(axis=1), 0] = 1
    queries = numbers(random, 5, d, size=size)
    queries[0] = keys[0]
    thresholds = numbers(random, 5, size=size)
    thresholds[0] = isqrt(sum(entry * entry for entry in keys[0].tolist()))
    caps = Caps(queries, keys, thresholds)
    found = np.vstack([above for _, above in above_caps(caps)])
    wanted = [
        [in_cap(q, k, t) for k in keys.tolist()]
        for q, t in zip(queries.tolist(), thresholds.tolist(), strict=True)
    ]
    assert found.tolist() == wanted


@pytest.mark.parametrize("size", [2**20, 2**40, 2**60, 2**62, 2**70, 2**130, 2**251, 2**600])
def test_compiled_and_plain_code_settle_the_same(
    size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Entries on boundaries and beside them, with queries and keys of very different sizes."""
    random = np.random.RandomState(size.bit_length())
    queries, keys = numbers(random, 40, 3, size=size), numbers(random, 30, 3, size=2**25)
    queries[::3] = queries[::3] // size
    keys[~(keys != 0).any(axis=1), 0] = 1
    touched = random.randint(30, size=40)
    products = (queries * keys[touched]).sum(axis=1)
    norms = (keys[touched] ** 2).sum(axis=1)
    roots = [isqrt(p * p // n) * (1 if p > 0 else -1) for p, n in zip(products, norms, strict=True)]
    caps = Caps(queries, keys, np.array(roots, dtype=object) + random.randint(-1, 2, size=40))
    embedding = Embedding(queries, keys, products + random.randint(-1, 2, size=40))
    exact = [queries @ keys.T > embedding.thresholds[:, None].astype(object)]
    exact += [
        np.array(
            [
                [in_cap(q, k, t) for k in keys.tolist()]
                for q, t in zip(queries.tolist(), caps.thresholds.tolist(), strict=True)
            ]
        )
    ]
    for most_plain in (1 << 60, 0):
        monkeypatch.setattr(near_ties, "_MOST_PLAIN", most_plain)
        for wanted, blocks in zip(
            exact, (above_thresholds(embedding), above_caps(caps)), strict=True
        ):
            np.testing.assert_array_equal(np.vstack([found for _, found in blocks]), wanted)


@pytest.mark.parametrize("most_plain", [0, 1 << 60])
@pytest.mark.parametrize("long", [40, 70, 130])
def test_short_keys_of_high_caps_have_room_for_their_squares(
    long: int, most_plain: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Because of a long key, short ones are compared exactly where they are far from a tie."""
    monkeypatch.setattr(near_ties, "_MOST_PLAIN", most_plain)
    keys = [[1 << e, 0] for e in range(0, 84, 4)] + [[0, 1 << long]]
    queries = [[-3, 1], [-3, 1]]
    for e in range(24, 128, 2):
        high = [1 << e, -1 << e]
        found = np.vstack([above for _, above in above_caps(Caps(queries, keys, high))])
        wanted = [[in_cap(q, k, t) for k in keys] for q, t in zip(queries, high, strict=True)]
        assert found.tolist() == wanted


def test_ties_of_long_numbers_take_compiled_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every key lies on the boundary of every cap."""
    factors = np.arange(1, 301).astype(object) << 40
    vectors = factors[:, None] * np.array([3, 4], dtype=object)
    caps = Caps(vectors, vectors, 5 * factors)
    monkeypatch.setattr(near_ties, "_MOST_PLAIN", 0)
    monkeypatch.setattr("samapprox.proofs.similarities.caps._exceeds", None)
    assert not np.vstack([above for _, above in above_caps(caps)]).any()


@pytest.mark.parametrize("bits", [1, 62, 63, 126, 127, 190])
def test_words_are_as_many_as_results_need(bits: int) -> None:
    """The largest and the least results, and those beside zero, keep their signs."""
    results = np.array([(1 << bits), -(1 << bits), 1, 0, -1], dtype=object)
    words = near_ties.to_words(results, bits)
    ones = near_ties.to_words(np.ones(1, dtype=np.int64), bits)
    places = np.arange(5)
    found = are_positive(words, ones, 1, places, 0 * places)
    negated = are_positive(near_ties.to_words(-results, bits), ones, 1, places, 0 * places)
    assert found.tolist() == [True, False, True, False, False]
    assert negated.tolist() == [False, True, False, False, True]


def test_longest_results_of_compiled_code_have_five_words() -> None:
    most = near_ties._MOST_BITS
    assert [near_ties.to_words(np.ones(1, dtype=np.int64), most + k).shape[1] for k in (0, 1)] == [
        5,
        6,
    ]


def test_near_misses_of_caps_are_told_apart() -> None:
    """Thresholds just beside 5 / sqrt(2) times 10^200, which no float64 distinguishes."""
    root = isqrt(25 * 10**400 * 2)
    caps = Caps([[5 * 10**200, 5 * 10**200]] * 2, [[7, 0], [3, 3]], [root - 1, root])
    (_, found), *_ = above_caps(caps)
    assert found.tolist() == [[False, True], [False, True]]
    more = Caps(caps.queries, caps.keys, [2 * root + 1, root + 1])
    assert not np.vstack([above for _, above in above_caps(more)])[:, 0].any()


def pattern_of(entries: Any) -> Pattern | None:
    array = np.array(entries, dtype=np.int8)
    return Pattern.from_array(array) if array.any(axis=1).all() else None


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(SIZES), st.integers(0, 3))
def test_balls_are_what_they_say(seed: int, size: int, d: int) -> None:
    """In fractions; every other entry is refused; caps and an embedding represent the same."""
    random = np.random.RandomState(seed)
    centers, keys = numbers(random, 4, d, size=size), numbers(random, 5, d, size=size)
    weights = np.abs(numbers(random, 4, size=size)) + 1
    thresholds = numbers(random, 4, size=size) * size
    balls = Balls(centers, weights, keys, thresholds)
    entries = [
        [in_ball(c, w, k, t) for k in keys.tolist()]
        for c, w, t in zip(centers.tolist(), weights.tolist(), thresholds.tolist(), strict=True)
    ]
    pattern = pattern_of(entries)
    if pattern is None:
        return
    assert check(Problem(pattern, max(d, 1), similarity="l2"), balls) is None
    caps = Caps.of(balls)
    assert check(Problem(pattern, d + 1, similarity="cosine"), caps) is None
    assert check(Problem(pattern, d + 1), balls.embedding()) is None
    assert check(Problem(pattern, d + 1), caps.embedding(pattern)) is None
    row, column = random.randint(4), random.randint(5)
    entries[row][column] = not entries[row][column]
    other = pattern_of(entries)
    if other is not None:
        fault = check(Problem(other, max(d, 1), similarity="l2"), balls)
        assert fault is not None
        assert fault.startswith(f"row {row} and column {column}: ")
        assert check(Problem(other, d + 1, similarity="cosine"), caps) == fault.replace(
            "ball", "cap"
        )


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(SIZES), st.integers(1, 3))
def test_halfspaces_become_balls(seed: int, size: int, d: int) -> None:
    random = np.random.RandomState(seed)
    halfspaces = Embedding(
        numbers(random, 4, d, size=size),
        numbers(random, 5, d, size=size),
        numbers(random, 4, size=size),
    )
    pattern = pattern_of(
        halfspaces.queries.astype(object) @ halfspaces.keys.astype(object).T
        > halfspaces.thresholds[:, None]
    )
    if pattern is not None:
        assert check(Problem(pattern, d, similarity="l2"), Balls.of(halfspaces)) is None


def extended_by_hand(pattern: Pattern, similarity: str, dimension: int) -> list[list[int]]:
    entries = pattern.to_array().tolist()
    if similarity == "l2":
        entries = [[*row, 0] for row in entries]
    columns = list(zip(*entries, strict=True))
    singles = []
    for a, one in enumerate(columns):
        line = []
        for b, other in enumerate(columns):
            differ = any({x, y} == {0, 1} for x, y in zip(one, other, strict=True))
            line.append(1 if a == b else 0 if dimension > 1 or differ else UNSPECIFIED)
        singles.append(line)
    return entries + singles


@given(
    st.lists(st.lists(st.sampled_from("01*"), min_size=4, max_size=4), min_size=1, max_size=4),
    st.sampled_from(["cosine", "l2"]),
    st.integers(1, 3),
)
def test_extended_patterns_are_those_of_the_page(
    rows: list[list[str]], similarity: Any, dimension: int
) -> None:
    for row in rows:
        row[0] = "1" if "1" not in row else row[0]
    pattern = Pattern.from_text("\n".join(map("".join, rows)))
    extended = extend(pattern, similarity, dimension).to_array().tolist()
    assert extended == extended_by_hand(pattern, similarity, dimension)


def test_a_copy_of_a_key_need_not_be_exposed() -> None:
    """Two equal columns: the refutation of three different keys on the line does not apply."""
    pattern = Pattern.from_text("110\n110\n001")
    proof = Extended("cosine", range(3), range(3), Radon([3, 4, 5], range(3)))
    fault = check(Problem(pattern, 1, similarity="cosine"), proof)
    assert fault == "it does not refute the extended core: it reads a don't-care entry"
    caps = Caps([[1], [1], [-1]], [[1], [1], [-1]], [0, 0, 0])
    assert check(Problem(pattern, 1, similarity="cosine"), caps) is None


@pytest.mark.parametrize(
    ("proof", "d", "similarity", "words"),
    [
        (Extended("l2", [0, 1], [0, 1, 2], Radon([2, 3], range(4))), 1, "cosine", "about the"),
        (Extended("l2", [0, 1], [0, 1, 2], Radon([2, 3, 4], [0, 1, 2])), 1, "l2", "dimension 0"),
        (Extended("cosine", [0], [1, 2], Radon([0], [0, 1, 2])), 1, "cosine", "outside the"),
        (Extended("cosine", [0], [0, 3], Radon([0], [0, 1, 2])), 1, "cosine", "outside the"),
        (Extended("cosine", [], [0, 1, 2], Radon([0, 1, 2], [0, 1, 2])), 1, "cosine", "the core"),
        (Extended("cosine", [0, 1], [2], Radon([9], [0, 1, 2])), 1, "cosine", "the core"),
        (Extended("cosine", [0, 1], [0, 1, 2], Radon([2, 3, 4], [0, 1, 2])), 1, "dot", "not dot"),
        (Radon([0, 1], [0, 1, 2]), 1, "cosine", "about the similarity dot, not cosine"),
    ],
)
def test_what_extended_cores_do_not_prove(proof: Any, d: int, similarity: Any, words: str) -> None:
    pattern = Pattern.from_text("110\n011")
    assert words in str(check(Problem(pattern, d, similarity=similarity), proof))


def test_a_refutation_of_dot_products_needs_no_extension() -> None:
    pattern = Pattern(np.eye(4))
    entries = ["".join(row) for row in product("01", repeat=4) if "1" in row]
    pattern = Pattern.from_text("\n".join(entries))
    no = decide(pattern, 2).proof
    assert isinstance(no, Radon)
    places = [list(no.rows), list(no.columns)]
    plain = Radon(range(len(no.rows)), range(len(no.columns)))
    for similarity, d in (("cosine", 2), ("l2", 1)):
        proof = Extended(similarity, *places, plain)
        assert proof.is_plain
        assert proof.dimension == d
        problem = Problem(pattern, d, similarity=similarity)  # type: ignore[arg-type]
        assert check(problem, proof) is None
        assert proof.explain(problem)


def test_a_large_extension_is_refused_before_it_is_made() -> None:
    pattern = Pattern(np.eye(3000))
    proof = Extended("cosine", range(1), range(3000), Radon([0, 1, 3001], range(3)))
    fault = check(Problem(pattern, 1, similarity="cosine"), proof)
    assert "too large to check" in str(fault)


def test_rounding_of_the_sphere_has_an_end() -> None:
    """A pattern that the caps do not represent."""
    caps = Caps([[1]], [[1], [2]], [0])
    with pytest.raises(InputError, match="8192 bits"):
        caps.embedding(Pattern.from_text("10"))


@pytest.mark.parametrize("similarity", ["cosine", "l2"])
@pytest.mark.parametrize(
    ("shape", "d", "words"),
    [
        ((2, 3), 2, None),
        ((2, 3), 1, "dimension 2, more than d = 1"),
        ((2, 4), 2, "is for 2 x 3, the pattern is 2 x 4"),
        ((3, 3), 2, "is for 2 x 3, the pattern is 3 x 3"),
        ((1, 3), 2, "is for 2 x 3, the pattern is 1 x 3"),
        ((2, 2), 2, "is for 2 x 3, the pattern is 2 x 2"),
    ],
)
def test_witnesses_have_the_size_of_the_question(
    similarity: Any, shape: tuple[int, int], d: int, words: str | None
) -> None:
    """All caps and balls are everything, so that only the sizes can be wrong."""
    vectors = [[0, 0], [0, 0]], [[1, 0], [0, 1], [1, 1]]
    witnesses: dict[str, Any] = {
        "cosine": Caps(*vectors, [-1, -1]),
        "l2": Balls(vectors[0], [1, 1], vectors[1], [-9, -9]),
    }
    problem = Problem(Pattern(np.ones(shape, dtype=int)), d, similarity=similarity)
    fault = check(problem, witnesses[similarity])
    assert fault is None if words is None else words in str(fault)


@pytest.mark.parametrize("bits", [30, 31, 252, 499, 500, 510, 511, 512, 600])
def test_no_size_of_numbers_overflows(bits: int) -> None:
    """Keys of length 2^(bits + 1), whose squares leave float64 from bits = 511 on."""
    key = [1 << bits] * 4
    length = 1 << (bits + 1)
    caps = Caps([key] * 3, [key, [1, 1, 1, 1]], [length - 1, length, length + 1])
    (_, found), *_ = above_caps(caps)
    assert found.tolist() == [[True, True], [False, False], [False, False]]
    (_, found), *_ = above_caps(Caps([[1] * 4] * 3, [key], [1, 2, 3]))
    assert found.tolist() == [[True], [False], [False]]


def test_a_key_of_a_cap_has_a_direction() -> None:
    for keys in ([[0, 0]], [[1, 0], [0, 0]]):
        with pytest.raises(InputError, match="is zero, so it has no direction"):
            Caps([[1, 0]], keys, [-1])


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Caps([[1]], [[1]], [0, 0]),
        lambda: Caps([[1], [1]], [[1]], [0]),
        lambda: Caps([[1, 1]], [[1]], [0]),
        lambda: Balls([[1]], [0], [[1]], [0]),
        lambda: Balls([[1]], [-1], [[1]], [0]),
        lambda: Balls([[1]], [1, 1], [[1]], [0]),
        lambda: Balls([[1]], [1], [[1]], [0, 0]),
        lambda: Balls([[1, 1]], [1], [[1]], [0]),
    ],
)
def test_impossible_caps_and_balls_are_refused(wrong: Any) -> None:
    """A ball with a weight of 0 or less would be a halfspace, or the outside of a ball."""
    with pytest.raises(InputError):
        wrong()


def test_the_extra_column_may_be_named_without_extra_rows() -> None:
    """All sets of three keys are intervals of no order; with cosines, there is no such column."""
    sets = ["".join(row) for row in product("01", repeat=3) if "1" in row]
    pattern = Pattern.from_text("\n".join(sets))
    for columns in ([0, 1, 2], [2, 0, 1]):
        proof = Extended("l2", range(7), columns, Radon(range(7), range(4)))
        assert not proof.is_plain
        assert check(Problem(pattern, 1, similarity="l2"), proof) is None
        assert check(Problem(pattern, 2, similarity="l2"), proof) is not None
    cosine = Extended("cosine", range(7), range(3), Radon(range(7), range(4)))
    fault = str(check(Problem(pattern, 1, similarity="cosine"), cosine))
    assert "outside the 10 x 3 pattern" in fault


def test_touching_keys_are_settled_in_every_block() -> None:
    rows, big = 300, 1 << 60
    caps = Caps(
        [[3 * big, 4 * big]] * rows,
        [[3, 4], [6, 8]] * 400,
        [5 * big - i % 2 for i in range(rows)],
    )
    blocks = list(above_caps(caps))
    assert len(blocks) > 2
    assert (np.concatenate([above for _, above in blocks]) == (np.arange(rows) % 2)[:, None]).all()
