"""Refutations by Rivin's theorem, checked again by the conditions of docs/theory/checks.md."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from helpers.durations import ended_within

from samapprox import Pattern, Problem
from samapprox.pattern import UNSPECIFIED
from samapprox.proofs import Inscription, check

Random = np.random.RandomState


def holds(rows: list[list[int]], problem: Any, proof: Inscription) -> bool:
    """Check conditions 1 to 6 of the page; rows are the core."""
    count = len(proof.columns)
    if proof.d > {"cosine": 3, "l2": 2}[problem.similarity.name] or proof.d < problem.d:
        return False
    graph = set()
    for row in rows:
        places = [[j for j in range(count) if row[j] == value] for value in (1, 0)]
        pairs = [tuple(place) for place in places if len(place) == 2]
        if UNSPECIFIED in row or not pairs:
            return False
        graph.add(pairs[0])
    degrees = [sum(a in edge for edge in graph) for a in range(count)]
    if min(degrees) < 2 or max(degrees) < 3:
        return False
    vertices, cuts = proof.vertices.tolist(), proof.cuts.tolist()
    for multiplier, *side in cuts:
        if multiplier < 1 or set(side) - {0, 1} or min(side.count(0), side.count(1)) < 2:
            return False
    pairs = combinations(range(count), 2)
    sums = {
        (a, b): vertices[a] + vertices[b] + sum(cut[0] for cut in cuts if cut[1 + a] != cut[1 + b])
        for a, b in pairs
        if (a, b) in graph or len(graph) != 3 * count - 6
    }
    total = sum(vertices) + sum(cut[0] for cut in cuts)
    if sum(value for value in sums.values() if value > 0) > 2 * total:
        return False
    positive = any(value > 0 for value in sums.values())
    return bool(cuts) or positive or any(value < 0 for e, value in sums.items() if e in graph)


def stack(random: Random) -> tuple[list[tuple[int, ...]], list[int]]:
    """Put pyramids on faces of a tetrahedron, then on the most or all of the faces that result."""
    faces, edges = list(combinations(range(4), 3)), list(combinations(range(4), 2))
    base = 4 + random.randint(3)
    vertices = base + 2 * base - 4 - random.choice([0, 0, 0, 1, 2])
    for new in range(4, vertices):
        face = faces.pop(0)
        edges += [(a, new) for a in face]
        faces += [(a, b, new) for a, b in combinations(face, 2)] if new < base else []
    return edges, [-1] * base + [1] * (vertices - base)


def documents(random: Random) -> tuple[list[list[int]], Inscription, Problem]:
    """Return a refutation of a stacked polytope, or a graph with cuts, with some changes."""
    edges, signs = stack(random)
    count = len(signs)
    factor = random.choice([1, 2, 8])
    vertices = [factor * sign for sign in signs]
    cuts = []
    for _ in range(random.choice([0, 0, 1, 2])):
        side = (random.rand(count) < 0.5).astype(int).tolist()
        cuts.append([random.choice([-1, 0, 1, 1, 1, 2]), *side])
    if random.rand() < 0.3:
        vertices[random.randint(count)] += random.choice([-2, -1, 1, 2])
    if random.rand() < 0.2:
        vertices = random.randint(-1, 2, size=count).tolist()
    if random.rand() < 0.2:
        edges.pop(random.randint(len(edges)))
    if random.rand() < 0.2:
        edges.append(tuple(sorted(random.choice(count, 2, replace=False).tolist())))
    rows = [[int(j in edge) for j in range(count)] for edge in edges]
    if random.rand() < 0.3:
        row = random.randint(len(rows))
        rows[row] = [1 - entry for entry in rows[row]]
    if random.rand() < 0.2:
        rows[random.randint(len(rows))][random.randint(count)] = random.choice([UNSPECIFIED, 0, 1])
    if random.rand() < 0.1 and cuts:
        cuts[0][1] = 2
    similarity, most = [("cosine", 3), ("l2", 2)][random.randint(2)]
    proof = Inscription(
        most + int(random.rand() < 0.05) - int(random.rand() < 0.05),
        range(len(rows)),
        range(count),
        vertices,
        cuts,
    )
    array = np.array(rows)
    array[~(array == 1).any(axis=1), 0] = 1
    pattern = Pattern.from_array(array == 1, array != UNSPECIFIED)
    problem: Any = Problem(pattern, most - int(random.rand() < 0.3), similarity=similarity)
    return array.tolist(), proof, problem


def test_the_check_is_that_of_the_page() -> None:
    random = Random(4)
    accepted = with_cuts = 0
    for _ in range(1500):
        rows, proof, problem = documents(random)
        expected = holds(rows, problem, proof)
        assert (check(problem, proof) is None) == expected, (rows, proof, problem)
        accepted += expected
        with_cuts += expected and len(proof.cuts) > 0
    assert accepted > 100
    assert with_cuts > 10


def test_each_column_lies_in_two_edges() -> None:
    """A column in one edge may have the same key as its neighbour's neighbour."""
    edges, signs = stack(Random(1))
    count = len(signs) + 1
    rows = [[int(j in edge) for j in range(count)] for edge in [*edges, (0, count - 1)]]
    problem = Problem(Pattern(rows), 3, similarity="cosine")
    proof = Inscription(3, range(len(rows)), range(count), [*signs, 0])
    assert check(problem, proof) == f"column {count - 1} of the core lies in fewer than two edges"


def test_a_cut_needs_two_vertices_on_either_side() -> None:
    edges, signs = stack(Random(1))
    count = len(signs)
    rows = [[int(j in edge) for j in range(count)] for edge in edges]
    problem = Problem(Pattern(rows), 3, similarity="cosine")
    for single in (0, 1):
        side = [1 - single] * (count - 1) + [single]
        proof = Inscription(3, range(len(rows)), range(count), [8 * y for y in signs], [[1, *side]])
        assert check(problem, proof) == "cut 0 has fewer than two vertices on one side"


def test_the_largest_proof_takes_seconds() -> None:
    """The work is bounded by pairs times cuts, however many vertices there are."""
    count = 1150
    edges = [(0, new) for new in range(1, count)] + [(new - 1, new) for new in range(2, count)]
    edges += [(1, new) for new in range(3, count)]
    entries = np.zeros((len(edges), count), dtype=np.int8)
    entries[np.arange(len(edges))[:, None], np.array(edges)] = 1
    cuts = np.ones(((1 << 22) // len(edges) - 1, 1 + count), dtype=np.int64)
    cuts[:, 1::2] = 0
    problem = Problem(Pattern(entries), 3, similarity="cosine")
    proof = Inscription(3, range(len(edges)), range(count), [0] * count, cuts)
    said = ended_within(6, lambda: check(problem, proof))
    assert "do not contradict" in str(said)
