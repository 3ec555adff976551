"""The strategy on patterns whose least dimension is known."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, pairwise, product
from random import Random

import numpy as np
import pytest
from helpers.durations import processor_time
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from samapprox import Pattern, Problem, decide
from samapprox.proofs import Topological
from samapprox.proofs.checker import check
from samapprox.proofs.parts.simplify import simplify
from samapprox.reductions.families import generate
from samapprox.solvers.engine import first_turns
from samapprox.solvers.engine.search import Search
from samapprox.solvers.refutations import detours
from samapprox.solvers.refutations.counting import splits
from samapprox.solvers.refutations.detour_paths import Chain, Detour, Vertex, shortest_detour
from samapprox.solvers.refutations.detours import grow, missing_splits


def mask(graph: str, n: int) -> Pattern:
    return simplify(generate("mask", graph=graph, n=n).pattern).pattern


def refute(pattern: Pattern, d: int, seconds: float = 30.0) -> Topological:
    """Return the strategy's proof, checked."""
    problem = Problem(pattern, d)
    found = detours.find_proof(problem, Search.within(seconds, 0))
    assert isinstance(found, Topological), found
    assert check(problem, found) is None
    return found


def shuffle(pattern: Pattern, seed: int) -> Pattern:
    rng = np.random.RandomState(seed)
    rows, columns = (rng.permutation(size) for size in pattern.shape)
    return pattern.take(rows.tolist(), columns.tolist())


@pytest.mark.parametrize(("n", "w"), [(9, 1), (10, 1), (16, 1), (13, 2), (64, 1), (97, 5)])
def test_star_masks_need_three_dimensions(n: int, w: int) -> None:
    refute(mask(f"star:w={w}", n), 2)


@pytest.mark.parametrize(
    ("n", "w", "seed"),
    [
        *[(1024, 1, None), (1024, 1, 5), (513, 2, 5), (1024, 3, 5)],
        *(
            pytest.param(n, w, seed, marks=pytest.mark.slow)
            for n, w in [(1025, 2), (4096, 3)]
            for seed in (None, 5)
        ),
    ],
)
def test_long_star_masks_in_any_order(n: int, w: int, seed: int | None) -> None:
    """The path goes all around the ring: it has at least n / 2w keys.

    A quarter of the time goes to one dense block, though it rarely holds such a path.
    """
    pattern = mask(f"star:w={w}", n)
    proof = refute(pattern if seed is None else shuffle(pattern, seed), 2, 8.0)
    assert n / (2 * w) <= len(proof.columns) <= n / (2 * w) + 10


@pytest.mark.parametrize(
    ("graph", "n", "d"),
    [
        ("strided", 32, 2),
        ("strided", 128, 4),
        ("bigbird:w=3,g=2,r=3", 64, 3),
        ("random", 64, 3),
        ("window", 64, 1),
        ("strided:w=32", 1024, 4),
    ],
)
def test_other_masks(graph: str, n: int, d: int) -> None:
    refute(mask(graph, n), d)


@pytest.mark.parametrize(
    ("graph", "n", "d"),
    [("star", 16, 3), ("star", 4096, 3), ("window:w=5", 64, 2), ("longformer", 2048, 2)],
)
def test_it_finds_nothing_where_there_is_an_embedding(graph: str, n: int, d: int) -> None:
    with processor_time():
        found = detours.find_proof(Problem(mask(graph, n), d), Search.within(0.2, 0))
    assert "detours for all missing splits" in str(found)


@settings(max_examples=15, deadline=None)
@given(st.integers(1, 4), st.integers(0, 2**20))
def test_it_finds_nothing_for_halfspaces(d: int, seed: int) -> None:
    pattern = generate("halfspaces", rows=14, columns=12, d=d, seed=seed).pattern
    problem = Problem(pattern, d)
    if detours.applies(problem) is None:
        with processor_time():
            assert isinstance(detours.find_proof(problem, Search.within(0.05, seed)), str)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**20), st.integers(1, 3))
def test_its_refutations_hold_with_unspecified_entries(seed: int, d: int) -> None:
    rng = np.random.RandomState(seed)
    entries, known = rng.random_sample((16, 9)) < 0.4, rng.random_sample((16, 9)) < 0.9
    entries[:, 0] = known[:, 0] = True
    problem = Problem(Pattern.from_array(entries, known), d)
    with processor_time():
        found = detours.find_proof(problem, Search.within(0.1, seed))
    if not isinstance(found, str):
        assert check(problem, found) is None


def test_it_refutes_in_a_part_of_a_large_dense_pattern() -> None:
    pattern = generate("random", rows=900, columns=900, density=0.3).pattern
    proof = refute(pattern, 3)
    assert len(proof.columns) < 100


def test_a_sparse_pattern_of_a_million_ones_takes_a_longer_turn() -> None:
    problem = Problem(mask("window:w=9", 120_000), 2)
    short = detours.find_proof(problem, Search.within(0.5, 0))
    assert "more than its turn lasts" in str(short)
    assert first_turns.detours(problem) > 4


def test_it_gives_up_when_it_has_seen_all_sets() -> None:
    search = Search()
    found = detours.find_proof(Problem(Pattern(np.eye(5)), 2), search)
    assert isinstance(found, str)
    assert search.exhausted == {"detours"}


def test_where_it_does_not_apply() -> None:
    pattern = Pattern(np.eye(5))
    assert "more than d rows" in str(detours.applies(Problem(pattern, 4)))
    assert "too many ways" in str(detours.applies(Problem(pattern, 11)))
    assert detours.applies(Problem(pattern, 2)) is None


def test_a_decision_lifts_its_proof_to_the_original_rows_and_columns() -> None:
    """Equal columns and complementary rows are merged, and come back in the certificate."""
    entries = generate("mask", graph="star", n=20).pattern.to_array()
    doubled = np.repeat(np.vstack([1 - entries[:7], entries[7:]]), 2, axis=1)
    pattern = Pattern(doubled)
    verdict = decide(pattern, 2, only=["detours"], time_limit=30)
    assert verdict.status.value == "NO"
    assert verdict.certificate is not None
    assert verdict.certificate.verify(pattern)


Simplex = frozenset[Vertex]


def flip(simplex: Simplex) -> Simplex:
    return frozenset((element, -sign) for element, sign in simplex)


def of_missing(missing: list[Vertex], signs: np.ndarray) -> Detour | None:
    """Return the detour that the strategy finds, with every covector confirmed."""
    detour = shortest_detour(signs, missing, Search())
    if detour is None:
        return None
    assert sorted((*detour.base, detour.path[0])) == sorted(missing)
    return detour


def simplices(detour: Detour, signs: np.ndarray) -> Counter[Simplex]:
    """List what replaces the missing simplex, from the definition; each must be present."""
    found: Counter[Simplex] = Counter()
    listed = [
        ((*(v for v in detour.base if v != t), *step), covector)
        for step, covectors in zip(pairwise(detour.path), detour.steps, strict=True)
        for t, covector in zip(detour.base, covectors, strict=True)
    ]
    for vertices, covector in [*listed, ((*detour.base, detour.path[-1]), detour.end)]:
        simplex = frozenset(vertices)
        if len({element for element, _ in simplex}) < len(vertices):
            assert len(simplex) < len(vertices)  # repeated, and not with both signs
            continue
        agreement = {int(signs[covector, element]) * sign for element, sign in simplex}
        assert agreement in ({1}, {-1})
        found[simplex] += 1
    return found


def boundary(chain: Counter[Simplex]) -> set[Simplex]:
    """List the faces that lie in an odd number of simplices, flips told apart."""
    faces = Counter(simplex - {vertex} for simplex in chain.elements() for vertex in simplex)
    return {face for face, times in faces.items() if times % 2}


random_signs = hnp.arrays(
    np.int8,
    st.tuples(st.integers(3, 14), st.integers(4, 7)),
    elements=st.sampled_from([1, 1, 1, -1, -1, -1, 0]),
)


@given(random_signs, st.integers(1, 2), st.randoms(use_true_random=False))
def test_a_detour_has_the_faces_of_what_it_replaces(signs: np.ndarray, d: int, rng: Random) -> None:
    signs[0] = 1
    chosen = sorted(rng.sample(range(signs.shape[1]), d + 2))
    for split in missing_splits(signs[:, chosen]):
        missing = list(zip(chosen, split, strict=True))
        detour = of_missing(missing, signs)
        if detour is not None:
            chain = simplices(detour, signs)
            assert boundary(chain) == boundary(Counter([frozenset(missing)]))


@given(random_signs, st.randoms(use_true_random=False))
def test_the_shortest_detour_is_found_whenever_there_is_one(signs: np.ndarray, rng: Random) -> None:
    """Against breadth-first search over all signed elements, from the definition, for d = 1."""
    signs[0] = 1
    chosen = sorted(rng.sample(range(signs.shape[1]), 3))
    for split in missing_splits(signs[:, chosen]):
        missing = list(zip(chosen, split, strict=True))
        found = of_missing(missing, signs)
        lengths = [length_from(signs, missing, at) for at in range(3)]
        expected = min((one for one in lengths if one is not None), default=None)
        assert (None if found is None else len(found.path)) == expected


def length_from(signs: np.ndarray, missing: list[Vertex], at: int) -> int | None:
    base = [*missing[:at], *missing[at + 1 :]]

    def present(*vertices: Vertex) -> bool:
        if len(set(vertices)) < len(vertices):
            return True
        products = [signs[:, element] * sign for element, sign in vertices]
        return any(
            len({int(p[row]) for p in products}) == 1 and products[0][row] != 0
            for row in range(len(signs))
        )

    vertices = list(product(range(signs.shape[1]), (1, -1)))
    layer, seen, length = {missing[at]}, {missing[at]}, 1
    while layer:
        if any(present(*base, x) for x in layer):
            return length
        layer = {
            y
            for x in layer
            for y in vertices
            if y not in seen and all(present(*(v for v in base if v != t), x, y) for t in base)
        }
        seen |= layer
        length += 1
    return None


@pytest.mark.parametrize("size", [2, 3, 4, 5])
def test_all_splits_are_a_cycle_with_one_alternating_member(size: int) -> None:
    every = list(splits(size))
    assert len(set(every)) == 2 ** (size - 1)
    faces = Counter(
        frozenset({face, flip(face)})
        for split in every
        for face in map(frozenset, combinations(enumerate(split), size - 1))
    )
    assert set(faces.values()) == {2}
    assert sum(all(a != b for a, b in pairwise(split)) for split in every) == 1


def test_missing_splits_need_all_signs() -> None:
    signs = np.array([[1, 1, 1], [1, -1, 1], [-1, 1, 1], [0, 1, -1]], dtype=np.int8)
    assert missing_splits(signs) == [(1, 1, -1)]
    assert missing_splits(-signs) == [(1, 1, -1)]


def test_a_chain_is_taken_modulo_2_and_up_to_flips() -> None:
    chain = Chain()
    detour = Detour(((0, 1), (1, -1)), ((2, 1), (3, 1), (1, -1)), ((4, 5), (6, -1)), -1)
    chain.add_detour(detour)
    # Without 0: (1-, 2, 3) by 4, and (1-, 3, 1-) is degenerate; without 1: (0, 2, 3), (0, 3, 1-).
    assert chain.members == [(-1, 0, 1, 3), (4, 1, 2, 3), (5, 0, 2, 3)]
    chain.add([(3, -1), (2, -1), (0, -1)], 9)
    assert chain.members == [(-1, 0, 1, 3), (4, 1, 2, 3)]


def test_sets_grow_towards_many_splits() -> None:
    """Three columns that make all splits, together with any of those that are +."""
    signs = np.ones((9, 20), dtype=np.int8)
    signs[1:, [3, 8, 15]] = list(product([1, -1], repeat=3))
    signs[:, 17] = 0
    rng = np.random.RandomState(0)
    found = [grow(signs, 4, rng) for _ in range(50)]
    assert all(len(set(chosen)) == 4 for chosen in found)
    assert sum(not missing_splits(signs[:, chosen]) for chosen in found) > 5
