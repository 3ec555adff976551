"""Queries and keys of one X: found, refuted, and never refuted where an X is known."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from helpers.solvers.coupled_patterns import SHARED_NO
from helpers.truth.line import all_patterns, coupled_patterns, entries_of, masks
from hypothesis import given, settings
from hypothesis import strategies as st

from samapprox import Pattern, Problem, Status, data, decide, hidden_dimensions, load, verify
from samapprox.pattern import UNSPECIFIED
from samapprox.proofs import SelfAttention, SharedChirotope
from samapprox.proofs.refutations.orientation_clauses import subset_ranks
from samapprox.proofs.refutations.token_clauses import (
    most_token_clauses,
    token_clauses,
    token_variables,
)
from samapprox.reductions.families import generate
from samapprox.solvers.coupled import numeric as coupled
from samapprox.solvers.coupled import tokens
from samapprox.solvers.engine.bounds import Bounds
from samapprox.solvers.engine.decision import Decision
from samapprox.solvers.engine.portfolio import choose, strategies_for
from samapprox.solvers.engine.search import Search

# ---------------------------------------------------------------- the clauses


def brackets(vectors: np.ndarray) -> dict[tuple[int, ...], int]:
    """Signs of all maximal minors of whole vectors."""
    size = vectors.shape[1]
    return {
        subset: int(np.sign(round(float(np.linalg.det(vectors[list(subset)].astype(float))))))
        for subset in combinations(range(len(vectors)), size)
    }


def rank_of(subset: tuple[int, ...]) -> int:
    return int(subset_ranks(np.array(subset)))


@given(st.integers(1, 3), st.integers(0, 2), st.integers(0, 2), st.integers(0, 2**31))
def test_every_realization_satisfies_the_clauses(d: int, extra: int, more: int, seed: int) -> None:
    """Whatever X, W_Q and W_K, with don't-cares, and rows and columns that differ in part."""
    extra = min(extra, d - 1)
    rng = np.random.RandomState(seed)
    n, shared = d + 2 + more, d - extra
    p, u, v = (rng.randint(-9, 10, size=(n, width)) for width in (shared, extra, extra))
    C = rng.randint(-9, 10, size=(d, d))
    if seed % 3 == 0 and not extra:
        C[:] = C[:1]  # of rank 1
    own_queries, own_keys = np.hstack([p, u]), np.hstack([p, v])
    logits = own_queries @ C @ own_keys.T
    t = np.array([rng.choice(row) for row in logits])
    # Thresholds a half beside a logit: in whole numbers, everything twice as large.
    doubled, t, C = 2 * logits, 2 * t + 1, 2 * C
    entries = np.where(rng.random_sample((n, n)) < 0.1, UNSPECIFIED, doubled > t[:, None])
    rows, columns = (np.sort(rng.permutation(n)[: rng.randint(d + 1, n + 1)]) for _ in "rc")
    units = np.hstack([np.zeros((extra, shared), int), np.eye(extra, dtype=int)])
    ideal = np.vstack([np.eye(d + 1, dtype=int)[-1:], np.pad(units, ((0, 0), (0, 1)))])
    keys = np.vstack([ideal, np.column_stack([own_keys, np.ones(n, int)])[columns]])
    queries = np.vstack([ideal, np.column_stack([own_queries, -t])[rows]])
    of_keys, of_queries = brackets(keys), brackets(queries)
    of_rows, of_columns = (own_queries @ C @ units.T)[rows], (units @ C @ own_keys.T).T[columns]
    signs = [-t[rows], of_rows, of_columns, units @ C @ units.T]
    values = [int(x) for part in signs for x in np.sign(part).ravel()]
    if 0 in [*of_keys.values(), *of_queries.values(), *values]:
        return
    truth = {1 + rank_of(subset): sign for subset, sign in of_keys.items()}
    first = 1 + extra
    for subset, sign in of_queries.items():
        around = subset[:first] == tuple(range(first))
        at = [rows[i - first] for i in subset[first:]] if around else []
        if at and set(at) <= set(columns):
            place = (first + int(np.flatnonzero(columns == token)[0]) for token in at)
            assert of_keys[(*range(first), *place)] == sign  # the two chirotopes agree there
        else:
            truth[len(of_keys) + 1 + rank_of(subset)] = sign
    for number, sign in enumerate(values):
        truth[len(of_keys) + len(of_queries) + 1 + number] = sign
    part = rows.tolist(), columns.tolist(), d, d + extra
    assert max(truth) == token_variables(*part)
    count = 0
    core = entries[np.ix_(rows, columns)].astype(np.int8)
    for block in token_clauses(core, *part, relations=True):
        count += len(block.clauses)
        for clause in block.clauses.tolist():
            assert any(truth[abs(literal)] * literal > 0 for literal in clause)
    sizes = len(rows), len(columns)
    assert count <= most_token_clauses(*sizes, d, d + extra, relations=True)


@pytest.mark.parametrize("part", [5, pytest.param(1, marks=pytest.mark.slow)])
def test_one_dimension_is_refuted_exactly(part: int) -> None:
    """Every fifth pattern of three tokens, or all, and some of four, against enumeration."""
    for n, step in ((3, part), (4, 200 * part)):
        truth = coupled_patterns(n)
        for rows in all_patterns(n)[::step]:
            pattern = Pattern.from_array(entries_of(rows, n))
            found = tokens.find_proof(Problem(pattern, 1, 1), Search())
            assert isinstance(found, SharedChirotope) == (rows not in truth), rows


@settings(max_examples=8)
@given(st.integers(5, 7), st.integers(1, 3), st.booleans(), st.integers(0, 2**31))
def test_what_factors_show_is_never_refuted(n: int, d: int, causal: bool, seed: int) -> None:
    rng = np.random.RandomState(seed)
    d_hid = int(rng.randint(d, 2 * d))
    instance = generate("coupled", n=n, d=d, d_hid=d_hid, seed=seed, causal=causal)
    problem = Problem(instance.pattern, d, d_hid)
    assert instance.known_answer(problem) == "YES"
    assert isinstance(tokens.find_proof(problem, Search(seed=seed)), str)


# ---------------------------------------------------------------- the search


@settings(max_examples=15)
@given(st.integers(4, 14), st.integers(2, 3), st.booleans(), st.integers(0, 2**31))
def test_planted_factors_are_never_denied(n: int, d: int, causal: bool, seed: int) -> None:
    d_hid = d + seed % d
    pattern = generate("coupled", n=n, d=d, d_hid=d_hid, seed=seed, causal=causal).pattern
    verdict = decide(pattern, d, d_hid, time_limit=1, seed=seed)
    assert verdict.status is not Status.NO
    if verdict.proof is not None:
        assert isinstance(verdict.proof, SelfAttention)
        assert verdict.proof.hidden_dimension <= d_hid


@pytest.mark.parametrize(
    ("n", "d", "d_hid"), [(8, 2, 2), (20, 2, 2), (20, 2, 3), (25, 3, 4), (25, 3, 5), (30, 4, 4)]
)
def test_planted_factors_are_found(n: int, d: int, d_hid: int) -> None:
    pattern = generate("coupled", n=n, d=d, d_hid=d_hid, seed=1).pattern
    verdict = decide(pattern, d, d_hid, only=["coupled"], time_limit=60)
    assert verdict.status is Status.YES
    assert verify(pattern, verdict.certificate)
    assert verdict.proof.explain(verdict.problem)[0].startswith(f"X is {n} x ")


def test_independent_queries_and_keys_of_half_the_width_do() -> None:
    """A free YES at d' is a coupled one wherever 2d' <= d_hid, don't-cares or not."""
    pattern = generate("halfspaces", rows=12, columns=12, d=2, seed=3).pattern
    assert decide(pattern, 3, 4, only=["coupled"]).status is Status.YES
    stars = generate("line", rows=9, columns=9, seed=3, causal=True).pattern
    assert decide(stars, 2, 2, only=["coupled"]).status is Status.YES
    full = Pattern.from_text("11\n1*")
    assert decide(full, 2, 2, only=["coupled"]).status is Status.YES
    assert decide(full, 2, 2).status is Status.YES


def test_places_of_the_whole_pattern_are_no_places_of_the_merged_one() -> None:
    """Strategies that see the merged pattern are not misled by those that see all of it."""
    pattern = load(data.path("minilm/s08_L5_H09_top5_n25.npz"))
    strategies = choose(["coupled", "chirotope"])
    engine = Decision(Bounds(pattern), Problem(pattern, 3, 3), strategies, Search(), share=0)
    for _ in range(6):
        engine.step()
    assert {attempt.strategy for attempt in engine.verdict.trail} == {"coupled", "chirotope"}
    # It is a YES for d = 3, so nothing can have refuted it.
    assert engine.verdict.status is not Status.NO


def test_dont_cares_in_one_dimension_equal_enumeration() -> None:
    rng = np.random.RandomState(5)
    truth, answers = coupled_patterns(3), set()
    for _ in range(40):
        entries = rng.randint(0, 2, size=(3, 3))
        entries[np.arange(3), rng.randint(0, 3, size=3)] = 1
        care = (rng.random_sample((3, 3)) < 0.8) | (entries == 1)
        stars = np.argwhere(~care)
        possible = False
        for values in product((0, 1), repeat=len(stars)):
            filled = entries.copy()
            filled[tuple(stars.T)] = values
            possible = possible or masks(filled) in truth
        status = decide(Pattern.from_array(entries, care), 1, 1, time_limit=20).status
        assert status is (Status.YES if possible else Status.NO)
        answers.add(status)
    assert len(answers) == 2


def test_strategies_say_why_they_do_not_apply() -> None:
    square = Pattern.from_text("10\n01")
    for strategy in (coupled, tokens):
        assert strategy.applies(Problem(square, 2)) == "queries and keys are independent"
        assert strategy.applies(Problem(square, 2, 2)) is None
    assert "too many clauses" in str(tokens.applies(Problem(square, 9, 9)))


def test_parts_of_too_many_clauses_are_left_alone() -> None:
    """Twelve million clauses for eight tokens: no turn is long enough to write them down."""
    problem = Problem(Pattern.from_array(np.eye(8, dtype=int)), 6, 11)
    search = Search()
    assert tokens.find_proof(problem, search) == "even the smallest part leads to too many clauses"
    assert tokens.NAME in search.exhausted


def test_clauses_are_not_written_beyond_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    written = []

    def counted(*arguments: Any, **options: Any) -> Any:
        for block in token_clauses(*arguments, **options):
            written.append(block)
            yield block

    monkeypatch.setattr(tokens, "token_clauses", counted)
    problem = Problem(Pattern.from_array(np.eye(7, dtype=int)), 2, 3)
    assert tokens.find_proof(problem, Search(deadline=0.0)) == "no time left"
    assert len(written) <= 4  # for each of two ranks one without and one with relations


def test_pairs_that_follow_are_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """No free refutation where the free case is a YES; what d has proven serves d + 1."""
    asked = []

    def told(pattern: Pattern, d: int, d_hid: int, **options: Any) -> Any:
        asked.append((d, d_hid, tuple(options.get("without", ()))))
        return decide(pattern, d, d_hid, **options)

    monkeypatch.setattr("samapprox.solvers.questions.hidden_dimensions.decide", told)
    rows = hidden_dimensions(SHARED_NO, range(1, 5), time_limit=600)
    assert [(row.d, row.lower, row.upper) for row in rows] == [(2, 3, 3), (3, 3, 3), (4, 4, 4)]
    assert all(row.yes.verify(SHARED_NO) for row in rows)
    assert len(set(asked)) == len(asked)
    for d, d_hid, without in asked:
        assert ("chirotope" in without) == (d_hid < 2 * d)
        assert "tokens" not in without
    assert [pair[:2] for pair in asked] == [(1, 2), (2, 4), (2, 3), (2, 2)]


def test_strategies_that_only_embed_independent_vectors_are_left_out_by_name() -> None:
    verdict = decide(SHARED_NO, 2, 2, time_limit=0.2)
    left_out = {one.strategy for one in verdict.trail if one.outcome == "queries and keys share X"}
    independent = {one.name for one in strategies_for("dot") if one.finds == (Status.YES,)}
    assert left_out == independent - {"coupled"}
