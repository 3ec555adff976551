"""Instance families: what they claim is true, and a seed gives the same bytes for ever."""

from __future__ import annotations

import re
from itertools import product

import numpy as np
import pytest
from helpers.truth.line import coupled_patterns, masks, shown_on_line
from hypothesis import given, settings
from hypothesis import strategies as st

from samapprox import Instance, Problem, decide
from samapprox.pattern import UNSPECIFIED
from samapprox.reductions.families import generate

seeds = st.integers(0, 2**32 - 1)
sizes = st.integers(1, 7)


def truth(instance: Instance) -> None:
    """Every claim about d = 1 is what plain enumeration finds."""
    entries = instance.pattern.to_array()
    rows, columns = entries.shape
    for fact in instance.facts:
        if fact.d == 1 and fact.d_hid is None:
            assert (fact.answer == "YES") == shown_on_line(masks(entries), columns), fact
        if fact.d_hid == 1:
            assert (fact.answer == "YES") == (masks(entries) in coupled_patterns(rows)), fact


@given(sizes, sizes, seeds)
def test_line(rows: int, columns: int, seed: int) -> None:
    instance = generate("line", rows=rows, columns=columns, seed=seed)
    assert instance.known_answer(Problem(instance.pattern, 1)) == "YES"
    truth(instance)


@given(st.integers(3, 6), st.integers(4, 6), st.integers(0, 9), seeds)
def test_line_broken(rows: int, columns: int, flips: int, seed: int) -> None:
    for core in ("three-rows", "two-rows"):
        instance = generate(
            "line-broken", rows=rows, columns=columns, core=core, flips=flips, seed=seed
        )
        assert instance.known_answer(Problem(instance.pattern, 1)) == "NO"
        truth(instance)
    unknown = generate("line-broken", rows=rows, columns=columns, core="none", flips=flips)
    assert unknown.facts == ()


@given(st.integers(3, 5), seeds)
def test_line_coupled(n: int, seed: int) -> None:
    yes = generate("line-coupled", n=n, seed=seed)
    assert yes.known_answer(Problem(yes.pattern, 1, 1)) == "YES"
    no = generate("line-coupled", n=n, feasible=False, seed=seed)
    assert no.known_answer(Problem(no.pattern, 1, 1)) == "NO"
    assert no.known_answer(Problem(no.pattern, 1)) == "YES"
    if n <= 4:  # the enumeration of n = 5 takes seconds
        truth(yes)
        truth(no)


@given(st.integers(3, 40), seeds)
def test_three_tokens_of_an_infeasible_line_are_what_its_fact_says(n: int, seed: int) -> None:
    instance = generate("line-coupled", n=n, feasible=False, seed=seed)
    reason = instance.facts[1].reason
    tokens = [int(token) for token in re.findall(r"\d+", reason.partition("]")[0])]
    assert reason.endswith("ask for 011, 110 and 001 among themselves")
    entries = instance.pattern.submatrix(tokens, tokens)
    assert entries.tolist() == [[0, 1, 1], [1, 1, 0], [0, 0, 1]]


@given(st.integers(5, 40), seeds, st.booleans())
def test_line_coupled_agrees_with_the_solver(n: int, seed: int, feasible: bool) -> None:
    instance = generate("line-coupled", n=n, feasible=feasible, seed=seed)
    assert decide(instance.pattern, 1, 1).status.value == ("YES" if feasible else "NO")


def test_both_signs_and_both_classes_occur_among_the_feasible() -> None:
    """Not all of one kind: some rows take the high end, some the low end, and all sizes."""
    flipped = set()
    for seed in range(30):
        verdict = decide(generate("line-coupled", n=6, seed=seed).pattern, 1, 1)
        flipped.add(int(verdict.proof.W_Q[0, 0]))
    assert flipped == {1, -1}


@settings(deadline=None, max_examples=40)
@given(st.integers(1, 12), st.integers(1, 12), st.integers(1, 4), st.floats(0, 0.2), seeds)
def test_halfspaces(rows: int, columns: int, d: int, margin: float, seed: int) -> None:
    parameters = {"rows": rows, "columns": columns, "d": d, "seed": seed}
    instance = generate("halfspaces", margin=margin, **parameters)
    if columns <= 7:  # the enumeration grows as the factorial
        truth(instance)
    assert decide(instance.pattern, d, time_limit=5).status.value == "YES"
    same = generate("halfspaces-flipped", flips=0, **parameters)
    other = generate("halfspaces-flipped", flips=1, **parameters)
    assert same.pattern == generate("halfspaces", **parameters).pattern
    assert np.count_nonzero(same.pattern.to_array() != other.pattern.to_array()) in (0, 1, 2)


@pytest.mark.parametrize("n", range(2, 8))
def test_shattered(n: int) -> None:
    instance = generate("shattered", n=n)
    assert len(instance.pattern.to_array()) == 2 ** (n - 1) - 1
    for fact in instance.facts:
        assert decide(instance.pattern, fact.d).status.value == fact.answer


@pytest.mark.parametrize("n", range(2, 6))
def test_shattered_causal(n: int) -> None:
    instance = generate("shattered-causal", n=n)
    entries = instance.pattern.to_array()
    assert (np.triu(entries, 1) == np.triu(np.full_like(entries, UNSPECIFIED), 1)).all()
    assert not (np.tril(entries) == UNSPECIFIED).any()
    for fact in instance.facts:
        assert decide(instance.pattern, fact.d).status.value == fact.answer
    assert generate("shattered-causal", n=n, causal=True) == instance


@settings(max_examples=25)
@given(
    st.sampled_from(["line", "halfspaces", "sparse-rows", "random", "line-broken"]),
    st.integers(4, 7),
    seeds,
)
def test_causal_views_ask_for_less(name: str, n: int, seed: int) -> None:
    whole = generate(name, rows=n, columns=n, seed=seed)
    causal = generate(name, rows=n, columns=n, seed=seed, causal=True)
    entries, seen = causal.pattern.to_array(), np.tri(n, dtype=bool)
    assert ((entries == UNSPECIFIED) == ~seen).all()
    for row, before, there in zip(entries, whole.pattern.to_array(), seen, strict=True):
        assert (row[there] == (before[there] if before[there].any() else 1)).all()
    assert causal.facts == tuple(fact for fact in whole.facts if fact.answer == "YES")
    for fact in causal.facts:
        assert decide(causal.pattern, fact.d).status.value == "YES"


def test_causal_views_of_coupled_instances() -> None:
    for seed in range(20):
        instance = generate("line-coupled", n=4, seed=seed, causal=True)
        assert instance.known_answer(Problem(instance.pattern, 1, 1)) == "YES"
        entries = instance.pattern.to_array()
        stars = np.argwhere(entries == UNSPECIFIED)
        filled = []
        for values in product((0, 1), repeat=len(stars)):
            entries[tuple(stars.T)] = values
            filled.append(masks(entries))
        assert any(one in coupled_patterns(4) for one in filled)


@given(sizes, sizes, st.floats(0, 1), seeds)
def test_random(rows: int, columns: int, density: float, seed: int) -> None:
    instance = generate("random", rows=rows, columns=columns, density=density, seed=seed)
    assert instance.pattern.shape == (rows, columns)
    assert instance.facts == ()


def test_random_density() -> None:
    assert abs(generate("random", rows=200, columns=200, density=0.3).pattern.density - 0.3) < 0.01


@given(sizes, sizes, st.sampled_from([2, 4, 6]), seeds)
def test_arcs(rows: int, columns: int, d: int, seed: int) -> None:
    instance = generate("arcs", rows=rows, columns=columns, d=d, seed=seed)
    assert (instance.pattern.row_ones > 0).all()
    assert instance.known_answer(Problem(instance.pattern, d)) == "YES"
    assert decide(instance.pattern, d).status.value == "YES"


def test_arcs_are_as_many_as_said() -> None:
    entries = generate("arcs", rows=50, columns=30, d=4, seed=2).pattern.to_array()
    order = np.random.RandomState(2).permutation(30).argsort()  # the planted one
    around = entries[:, np.append(order, order[0])]
    assert (np.diff(around, axis=1) != 0).sum(axis=1).tolist() == [4] * 50


@given(sizes, st.integers(1, 7), st.data())
def test_sparse_rows(rows: int, columns: int, data: st.DataObject) -> None:
    k = data.draw(st.integers(1, columns))
    instance = generate("sparse-rows", rows=rows, columns=columns, k=k, seed=data.draw(seeds))
    assert (instance.pattern.row_ones == k).all()
    assert instance.known_answer(Problem(instance.pattern, 2 * k)) == "YES"


@given(st.integers(1, 7), seeds, st.data())
def test_permutations(n: int, seed: int, data: st.DataObject) -> None:
    k = data.draw(st.integers(1, n))
    instance = generate("permutations", n=n, k=k, seed=seed)
    entries = instance.pattern.to_array()
    assert entries.sum(axis=0).max() <= k
    assert entries.sum(axis=1).max() <= k
    if k == 1:
        assert (entries.sum(axis=0) == 1).all()
        truth(instance)


@pytest.mark.parametrize(
    ("n", "k", "d", "answer"),
    [
        # Facts that others found: 2-subsets by oriented-matroid SAT, 3-subsets likewise.
        (4, 2, 1, "NO"),
        (4, 2, 2, "YES"),
        (5, 2, 2, "NO"),
        (5, 3, 3, "YES"),
        (6, 2, 3, "NO"),
        (6, 2, 4, "YES"),
        (30, 2, 3, "NO"),
        (9, 3, 5, "NO"),
        (9, 3, 6, "YES"),
        (9, 4, 6, "NO"),
        (9, 5, 7, "YES"),
        (40, 3, 5, "NO"),
        (3, 1, 1, "NO"),
        (2, 1, 1, "YES"),
        (5, 5, 1, "YES"),
        (6, 5, 1, "NO"),
    ],
)
def test_all_subsets(n: int, k: int, d: int, answer: str) -> None:
    instance = generate("all-subsets", n=n, k=k)
    assert instance.known_answer(Problem(instance.pattern, d)) == answer


@given(st.integers(1, 7), st.data())
def test_all_subsets_are_all(n: int, data: st.DataObject) -> None:
    k = data.draw(st.integers(1, n))
    instance = generate("all-subsets", n=n, k=k)
    entries = instance.pattern.to_array()
    assert (entries.sum(axis=1) == k).all()
    assert len(set(masks(entries))) == len(entries) == len(list(_subsets(n, k)))
    truth(instance)


@settings(max_examples=30)
@given(
    st.sampled_from(["window", "dilated", "star", "strided", "fixed", "random-keys:r=2", "full"]),
    st.integers(4, 9),
    st.booleans(),
)
def test_masks(graph: str, n: int, causal: bool) -> None:
    """No more dimensions are said to suffice than a row has sign changes, and they do."""
    graph += f"{',' if ':' in graph else ':'}causal={causal:d}"
    instance = generate("mask", graph=graph, n=n)
    entries = instance.pattern.to_array()
    changes = (np.diff(entries, axis=1) != 0).sum(axis=1).max()
    assert instance.facts[0].answer == "YES"
    assert instance.facts[0].d <= max(1, changes)
    for fact in instance.facts:
        assert decide(instance.pattern, fact.d).status.value == fact.answer


def _subsets(n: int, k: int) -> set[int]:
    return {mask for mask in range(1 << n) if mask.bit_count() == k}


def test_known_answers_follow_from_facts() -> None:
    instance = generate("line-coupled", n=4, feasible=False)
    pattern = instance.pattern
    expected = {(1, None): "YES", (2, None): "YES", (1, 1): "NO", (1, 2): "YES", (2, 2): "YES"}
    for (d, d_hid), answer in expected.items():
        assert instance.known_answer(Problem(pattern, d, d_hid)) == answer, (d, d_hid)
    broken = generate("line-broken", rows=4, columns=4).known_answer
    square = generate("line-broken", rows=4, columns=4).pattern
    assert broken(Problem(square, 1, 1)) == "NO"
    assert broken(Problem(square, 2)) is None
