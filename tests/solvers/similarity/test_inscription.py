"""Refutations by Rivin's theorem against all triangulations of few vertices, and random points."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import networkx as nx
import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.spatial import ConvexHull

from samapprox import Pattern, Problem, decide
from samapprox.proofs import Inscription, check
from samapprox.solvers.engine.search import Search
from samapprox.solvers.similarity import inscription
from samapprox.solvers.similarity.inscription import find_multipliers

Edges = frozenset[frozenset[int]]


def edges_of_hull(points: np.ndarray) -> Edges:
    triangles = ConvexHull(points).simplices.tolist()
    return frozenset(frozenset(pair) for face in triangles for pair in combinations(face, 2))


def random_sphere(random: np.random.RandomState, count: int) -> np.ndarray:
    points = random.normal(size=(count, 3))
    return points / np.linalg.norm(points, axis=1, keepdims=True)


def pattern_of(edges: Edges, count: int, extra: int = 0) -> Pattern:
    rows = [[int(v in edge) for v in range(count + extra)] for edge in sorted(map(sorted, edges))]
    return Pattern(np.array(rows))


def refutation(edges: Edges, count: int, similarity: Any = "cosine") -> Inscription | None:
    problem = Problem(
        pattern_of(edges, count), 3 if similarity == "cosine" else 2, similarity=similarity
    )
    assert inscription.applies(problem) is None
    found = inscription.find_proof(problem, Search())
    if isinstance(found, str):
        return None
    assert isinstance(found, Inscription)
    assert check(problem, found) is None
    return found


def triangulations(count: int) -> list[nx.Graph]:
    """List the triangulations of the sphere up to isomorphism, by flips of edges."""
    first = nx.Graph(list(combinations(range(4), 2)))
    for vertex in range(4, count):
        first.add_edges_from((vertex, other) for other in (vertex - 1, vertex - 2, vertex - 3))
    known, queue = [first], [first]
    while queue:
        graph = queue.pop()
        for edge in list(graph.edges):
            flipped = graph.copy()
            if flip(flipped, *edge) and not any(_are_isomorphic(flipped, one) for one in known):
                known.append(flipped)
                queue.append(flipped)
    return known


def flip(graph: nx.Graph, a: int, b: int) -> bool:
    """Replace an edge by the other diagonal of its two triangles, unless that is an edge."""
    both = [v for v in nx.common_neighbors(graph, a, b) if _is_face(graph, a, b, v)]
    if len(both) != 2 or graph.has_edge(*both):
        return False
    graph.remove_edge(a, b)
    graph.add_edge(*both)
    return True


def _are_isomorphic(graph: nx.Graph, other: nx.Graph) -> bool:
    return nx.faster_could_be_isomorphic(graph, other) and bool(nx.is_isomorphic(graph, other))


def _is_face(graph: nx.Graph, *triangle: int) -> bool:
    """Whether a triangle of a triangulation is a face: removing it leaves the rest connected."""
    rest = graph.copy()
    rest.remove_nodes_from(triangle)
    return bool(nx.is_connected(rest)) if rest else True


def is_inscribable(graph: nx.Graph) -> bool:
    """Decide Rivin's linear program with all cuts written out."""
    nodes, edges = list(graph), list(graph.edges)
    at = np.array([[float(v in edge) for edge in edges] for v in nodes])
    cuts = []
    for size in range(2, len(nodes) - 1):
        for side in combinations(nodes, size):
            crossing = [-float((a in side) != (b in side)) for a, b in edges]
            cuts.append([*crossing, 1.0])
    lower = np.hstack([-np.eye(len(edges)), np.ones((len(edges), 1))])
    upper = np.hstack([np.eye(len(edges)), np.ones((len(edges), 1))])
    found = linprog(
        [0.0] * len(edges) + [-1.0],
        A_ub=np.vstack([lower, upper, np.array(cuts)]),
        b_ub=[0.0] * len(edges) + [0.5] * len(edges) + [-1.0] * len(cuts),
        A_eq=np.hstack([at, np.zeros((len(nodes), 1))]),
        b_eq=np.ones(len(nodes)),
        bounds=(None, None),
    )
    return bool(found.status == 0 and found.x[-1] > 1e-7)


@pytest.mark.parametrize(("count", "types"), [(6, 2), (7, 5), (8, 14)])
def test_all_triangulations_with_few_vertices(count: int, types: int) -> None:
    """Refuted if and only if Rivin's program with all cuts has no solution."""
    graphs = triangulations(count)
    assert len(graphs) == types
    refuted = 0
    for graph in graphs:
        edges = frozenset(frozenset(edge) for edge in graph.edges)
        proof = refutation(edges, count)
        assert (proof is None) == is_inscribable(graph)
        refuted += proof is not None
    assert refuted == (1 if count == 8 else 0)


@pytest.mark.slow
def test_all_triangulations_with_nine_vertices() -> None:
    graphs = triangulations(9)
    assert len(graphs) == 50
    for graph in graphs:
        edges = frozenset(frozenset(edge) for edge in graph.edges)
        assert (refutation(edges, 9) is None) == is_inscribable(graph)


def test_hulls_of_points_of_a_sphere_are_not_refuted() -> None:
    """Whole graphs, and some of their edges."""
    random = np.random.RandomState(4)
    for _ in range(8):
        count = random.randint(6, 13)
        edges = edges_of_hull(random_sphere(random, count))
        assert refutation(edges, count) is None
        some = frozenset(edge for edge in edges if random.rand() < 0.9)
        if len(some) >= 9:
            assert refutation(some, count) is None


def test_hulls_with_pyramids_are_refuted() -> None:
    """A pyramid on each face of a random polytope: more than half of all vertices are new."""
    random = np.random.RandomState(5)
    for _ in range(4):
        count = random.randint(4, 8)
        faces = ConvexHull(random_sphere(random, count)).simplices.tolist()
        edges = {frozenset(pair) for face in faces for pair in combinations(face, 2)}
        for number, face in enumerate(faces):
            edges |= {frozenset((count + number, vertex)) for vertex in face}
        total = count + len(faces)
        proof = refutation(frozenset(edges), total)
        assert proof is not None
        assert refutation(frozenset(edges), total, "l2") is not None


def test_missing_edges_leave_refutations() -> None:
    """Pyramids on the faces of a bipyramid, without one edge: all pairs may be edges then."""
    apexes, ring = (0, 1), (2, 3, 4)
    faces = [(apex, *pair) for apex in apexes for pair in combinations(ring, 2)]
    edges = [pair for pair in combinations(range(5), 2) if pair != apexes]
    edges += [(v, 5 + number) for number, face in enumerate(faces) for v in face]
    refuted = [
        refutation(frozenset(map(frozenset, edges[:i] + edges[i + 1 :])), 11) is not None
        for i in range(len(edges))
    ]
    assert 0 < sum(refuted) < len(edges)


TRIAKIS = "01 02 03 04 05 06 12 13 14 15 17 23 24 26 27 35 36 37"
WITH_CUT = "01 02 03 04 05 06 07 12 13 15 17 18 19 23 24 26 28 29 35 36 39 47 48 78"


def test_cuts_are_found_where_vertices_alone_do_not_suffice() -> None:
    pattern = Pattern(np.array([[int(str(v) in e) for v in range(10)] for e in WITH_CUT.split()]))
    problem = Problem(pattern, 3, similarity="cosine")
    proof = inscription.find_proof(problem, Search())
    assert isinstance(proof, Inscription)
    assert len(proof.cuts)
    bare = Inscription(3, proof.rows, proof.columns, proof.vertices)
    assert check(problem, bare) == "the multipliers do not contradict each other"


@pytest.mark.slow
def test_random_triangulations_against_all_cuts() -> None:
    random = np.random.RandomState(6)
    refuted = with_cuts = 0
    for _ in range(150):
        graph = random_triangulation(random, random.randint(9, 13))
        proof = refutation(frozenset(map(frozenset, graph.edges)), len(graph))
        assert (proof is None) == is_inscribable(graph)
        refuted += proof is not None
        with_cuts += proof is not None and len(proof.cuts) > 0
    assert refuted > 15
    assert with_cuts > 1


def random_triangulation(random: np.random.RandomState, count: int) -> nx.Graph:
    """Put vertices into random faces, then flip some edges."""
    faces = [(0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3)]
    for vertex in range(4, count):
        a, b, c = faces.pop(random.randint(min(3, len(faces))))
        faces += [(a, b, vertex), (a, c, vertex), (b, c, vertex)]
    graph = nx.Graph([pair for face in faces for pair in combinations(face, 2)])
    for _ in range(random.randint(30)):
        flip(graph, *list(graph.edges)[random.randint(graph.number_of_edges())])
    return graph


def test_larger_cores_are_found_among_other_columns() -> None:
    """Two columns that lie in no pair, and rows of three ones that become pairs without them."""
    triakis = TRIAKIS.split()
    rows = [[int(str(v) in edge) for v in range(10)] for edge in triakis]
    rows[3][8] = rows[7][9] = 1
    rows.append([0] * 8 + [1, 1])
    problem = Problem(Pattern(np.array(rows)), 3, similarity="cosine")
    proof = inscription.find_proof(problem, Search())
    assert isinstance(proof, Inscription)
    assert sorted(proof.columns) == list(range(8))
    for similarity, d in (("cosine", 3), ("l2", 2)):
        verdict = decide(problem.pattern, d, similarity=similarity, time_limit=10)
        assert verdict.status.value == "NO"


def test_discs_of_the_plane_are_not_refuted() -> None:
    """Edges that discs of random points in the plane single out."""
    random = np.random.RandomState(7)
    for _ in range(6):
        count = random.randint(6, 10)
        plane = random.normal(size=(count, 2))
        lifted = np.column_stack([plane, (plane**2).sum(axis=1)])
        hull = ConvexHull(lifted)
        lower = hull.simplices[hull.equations[:, 2] < 0].tolist()
        edges = frozenset(frozenset(pair) for face in lower for pair in combinations(face, 2))
        assert refutation(edges, count, "l2") is None


def test_multipliers_are_none_for_the_octahedron() -> None:
    octahedron = {(a, b) for a, b in combinations(range(6), 2) if a + b != 5}
    assert list(find_multipliers(octahedron, 6)) == []


@pytest.mark.parametrize(
    ("size", "d", "similarity", "words"),
    [
        (9, 4, "cosine", "d = 3"),
        (9, 3, "l2", "d = 2"),
        (9, 3, "dot", "alone"),
        (4, 3, "cosine", "too few"),
        (600, 3, "cosine", "more than"),
    ],
)
def test_where_it_does_not_apply(size: int, d: int, similarity: Any, words: str) -> None:
    problem = Problem(Pattern(np.eye(size)), d, similarity=similarity)
    assert words in str(inscription.applies(problem))


def test_cuts_that_grow_refute_no_polytope_that_can_be_inscribed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As for more than 16 vertices, whose cuts are not listed one and all."""
    monkeypatch.setattr(inscription, "_MOST_ENUMERATED", 0)
    refuted = 0
    for graph in triangulations(8):
        edges = frozenset(frozenset(edge) for edge in graph.edges)
        if refutation(edges, 8) is not None:
            assert not is_inscribable(graph)
            refuted += 1
    assert refuted == 1


def test_sides_grow_by_the_vertex_that_is_joined_most() -> None:
    random = np.random.RandomState(6)
    ends = np.array(list(combinations(range(7), 2)))
    weights = random.rand(len(ends)) * (random.rand(len(ends)) < 0.6)
    between = {frozenset(pair): weight for pair, weight in zip(ends.tolist(), weights, strict=True)}
    grown = [frozenset(np.flatnonzero(side)) for side in inscription._grow_sides(ends, weights, 7)]
    wanted = []
    for pair in ends[weights > 1e-6].tolist():
        side = set(pair)
        wanted.append(frozenset(side))
        while len(side) < 5:  # two vertices stay on the other side
            joined = {v: sum(between[frozenset({v, u})] for u in side) for v in {*range(7)} - side}
            side.add(max(joined, key=lambda v: joined[v]))
            wanted.append(frozenset(side))
    assert grown == wanted
