"""The strategies for cosines and distances: their table, their transfers, and known patterns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from samapprox import (
    Embedding,
    InputError,
    Pattern,
    Problem,
    Status,
    decide,
    weak_dimension,
)
from samapprox.proofs import check
from samapprox.proofs.base import Obstruction, Witness
from samapprox.proofs.embeddings.moment_curve import MomentCurve
from samapprox.proofs.similarities.extended import extend
from samapprox.similarities import SIMILARITIES
from samapprox.solvers.engine.portfolio import StrategyRecord, choose, strategies_for
from samapprox.solvers.engine.search import Search
from samapprox.solvers.similarity.transfers import (
    ToDotProducts,
    ToExposedKeys,
    refute_by,
    represent_by,
    trivial_witness,
)
from samapprox.support.limits import search_clock

EDGES = "01 02 03 04 05 06 12 13 14 15 17 23 24 26 27 35 36 37"
TRIAKIS = Pattern.from_array([[str(j) in edge for j in range(8)] for edge in EDGES.split()])
HARD = Pattern.from_array((np.random.RandomState(0).rand(40, 40) < 0.3) | np.eye(40, dtype=bool))

OTHERS: list[Any] = ["cosine", "l2"]


@pytest.mark.parametrize("name", ["halfspaces", "exposed-keys"])
def test_short_limits_leave_time_for_dot_products(name: str) -> None:
    """The decision within a strategy has most of a limit of half a second, over several turns."""
    (record,) = choose([name], similarity="cosine")
    problem = Problem(HARD, 6, similarity="cosine")
    record.load().find_proof(problem, Search().slice(0.0, 0))  # imports take time, too
    search = Search.within(0.5, 0)
    found = record.load().find_proof(problem, search.slice(0.0, 0))
    assert str(found).endswith("not decided yet")
    assert name not in search.exhausted


@pytest.mark.parametrize("similarity", OTHERS)
def test_what_dot_products_refute_is_not_asked_again(similarity: Any) -> None:
    """The least dimension with dot products is 3, so `halfspaces` has nothing to find below."""
    found = weak_dimension(TRIAKIS, similarity=similarity, only=["halfspaces"], time_limit=20)
    record = SIMILARITIES[similarity]
    assert (found.lower, found.upper) == (3 - record.below, 3 + record.above)
    assert {attempt.strategy: attempt.outcome for _, attempt in found.trail} == {
        "dot-products": "weak dimension 3..3"
    }


@pytest.mark.parametrize("record", strategies_for("l2"), ids=lambda record: record.name)
@pytest.mark.parametrize("similarity", OTHERS)
def test_every_strategy_keeps_to_its_record(record: StrategyRecord, similarity: Any) -> None:
    module = record.load()
    assert record.name == module.NAME
    for d in (1, 2, 3):
        for pattern in (TRIAKIS, HARD):
            problem = Problem(pattern, d, similarity=similarity)
            if record.in_turns:
                assert 0 < record.first_seconds(problem) < 5
            if module.applies(problem) is not None:
                continue
            search = Search.within(20, 0)
            started = search_clock.now()
            found = module.find_proof(problem, search.slice(0.2, 0))
            assert search_clock.now() - started < 30  # the first call compiles
            if isinstance(found, str):
                assert "\n" not in found
            elif found.dimension >= 1:
                asked = Problem(pattern, found.dimension, similarity=similarity)
                assert check(asked, found) is None
                assert isinstance(found, Witness if record.finds == (Status.YES,) else object)


def test_strategies_for_dot_products_are_unknown_to_the_others() -> None:
    with pytest.raises(InputError, match="unknown strategy 'rank'"):
        decide(TRIAKIS, 2, similarity="l2", only=["rank"])
    with pytest.raises(InputError, match="unknown strategy 'sphere'"):
        choose(["sphere"])


def test_no_sphere_circumscribes_the_triakis_tetrahedron() -> None:
    """d = d([S; I]) = 3, but s = 4 and e = 3: the necessary conditions do not suffice."""
    assert decide(TRIAKIS, 3).status is Status.YES
    assert decide(extend(TRIAKIS, "cosine", 3), 3, time_limit=20).status is Status.YES
    for similarity, d in (("cosine", 4), ("l2", 3)):
        found = weak_dimension(TRIAKIS, similarity=similarity, time_limit=20)
        assert (found.lower, found.upper) == (d, d)


@pytest.mark.parametrize("reduction", [ToDotProducts(), ToExposedKeys()])
def test_numbers_that_are_too_large_are_no_proof(
    reduction: ToDotProducts | ToExposedKeys, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_order: MomentCurve, _pattern: Pattern) -> Embedding:
        raise InputError("the numbers are too large")

    monkeypatch.setattr(MomentCurve, "embedding", refuse)
    asked = Problem(Pattern.from_text("1*0\n011"), 2, similarity="cosine")
    _, back = reduction.apply(asked)
    lift: Any = reduction.lift
    assert lift(MomentCurve(2, "columns", range(3)), back) == "the numbers are too large"


entries = st.integers(1, 5).flatmap(
    lambda width: st.lists(
        st.lists(st.booleans(), min_size=width, max_size=width).filter(any), min_size=1, max_size=6
    )
)


@settings(max_examples=40, deadline=None)
@given(entries)
def test_trivial_proofs_hold(rows: list[list[bool]]) -> None:
    pattern = Pattern.from_array(rows)
    for similarity in OTHERS:
        witness = trivial_witness(pattern, SIMILARITIES[similarity])
        assert witness.dimension <= max(1, min(len(rows), len(rows[0]) - 1))
        problem = Problem(pattern, max(1, witness.dimension), similarity=similarity)
        assert check(problem, witness) is None


@settings(max_examples=15, deadline=None)
@given(entries, st.integers(1, 3))
def test_answers_for_dot_products_carry_over(rows: list[list[bool]], d: int) -> None:
    """For the pattern and for the extended one, whose core the refutation of the other keeps."""
    pattern = Pattern.from_array(rows)
    for similarity in OTHERS:
        extra = int(similarity == "l2")
        for about in (pattern, extend(pattern, similarity, d + extra)):
            proof = decide(about, d + extra, time_limit=2).proof
            if isinstance(proof, Obstruction):
                carried = refute_by(proof, pattern, SIMILARITIES[similarity])
                assert not isinstance(carried, str)
                assert check(Problem(pattern, d, similarity=similarity), carried) is None
            elif isinstance(proof, Witness) and about is pattern:
                witness = represent_by(proof, pattern, SIMILARITIES[similarity])
                assert witness.dimension == proof.dimension + (similarity == "cosine")
                asked = Problem(pattern, max(1, witness.dimension), similarity=similarity)
                assert check(asked, witness) is None


@pytest.mark.parametrize(("similarity", "d"), [("cosine", 2), ("cosine", 3), ("l2", 1), ("l2", 2)])
@pytest.mark.parametrize("seed", range(3))
def test_z3_finds_no_other_answer(similarity: Any, d: int, seed: int) -> None:
    """Keys on the sphere, or balls, as polynomials in real numbers."""
    z3 = pytest.importorskip("z3")
    rng = np.random.RandomState(seed)
    array = rng.rand(3, 4) < 0.5
    array[~array.any(axis=1), 0] = True
    solver = z3.Solver()
    solver.set("timeout", 500)
    keys = [[z3.Real(f"k{j}_{c}") for c in range(d)] for j in range(4)]
    for i, row in enumerate(array.tolist()):
        query, level = [z3.Real(f"q{i}_{c}") for c in range(d)], z3.Real(f"t{i}")
        for key, one in zip(keys, row, strict=True):
            value = sum(a * b for a, b in zip(query, key, strict=True))
            if similarity == "l2":  # 2 c . k - |k|^2, with the factor 2 in c
                value -= sum(a * a for a in key)
            solver.add(value > level if one else value < level)
    if similarity == "cosine":
        for key in keys:
            solver.add(sum(a * a for a in key) == 1)
    answer = str(solver.check())
    verdict = decide(Pattern.from_array(array), d, similarity=similarity, time_limit=5)
    assert {"sat": "YES", "unsat": "NO"}.get(answer, verdict.status.value) == verdict.status.value


@pytest.mark.parametrize("similarity", OTHERS)
def test_parts_of_a_large_pattern_are_not_glued_for_a_transfer(similarity: Any) -> None:
    pattern = Pattern.from_sparse(sparse.block_diag([np.eye(5)] * 1_000, format="csr"))
    glued = type("Glued", (), {"embedding": lambda *_: pytest.fail("it is written out")})()
    with pytest.raises(InputError, match="is not written out as an embedding"):
        represent_by(glued, pattern, SIMILARITIES[similarity])


@pytest.mark.parametrize("similarity", ["cosine", "l2"])
def test_long_numbers_are_not_checked_beyond_the_time(similarity: Any) -> None:
    """A transfer with numbers of hundreds of bits is left if its check would take too long."""
    pattern = Pattern(np.eye(40, dtype=np.int8))
    short = Embedding(np.eye(40, dtype=np.int64), np.eye(40, dtype=np.int64), np.zeros(40, int))
    long = Embedding(short.queries.astype(object) << 300, short.keys, short.thresholds)
    assert represent_by(short, pattern, SIMILARITIES[similarity], 0.0).dimension >= 40
    assert represent_by(long, pattern, SIMILARITIES[similarity]).dimension >= 40
    with pytest.raises(InputError, match="takes too long"):
        represent_by(long, pattern, SIMILARITIES[similarity], 0.001)


@pytest.mark.parametrize(
    ("similarity", "d", "asked"),
    [("cosine", 1, 1), ("cosine", 2, 1), ("cosine", 5, 4), ("l2", 1, 1), ("l2", 3, 3)],
)
def test_dot_products_are_asked_for_in_the_most_dimensions_that_carry_over(
    similarity: str, d: int, asked: int
) -> None:
    problem = Problem(Pattern.from_text("10\n01"), d, similarity=similarity)
    assert ToDotProducts().apply(problem)[0].d == asked
