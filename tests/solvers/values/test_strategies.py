"""Dimensions of queries and keys with few values: formulas, other solvers, every strategy."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from helpers.durations import takes_less_than

from samapprox import Pattern, Problem, Status, decide, weak_dimension
from samapprox.problem import trivial_dimension
from samapprox.proofs.checker import check
from samapprox.similarities import VALUE_SETS, find_comparison
from samapprox.solvers.engine.portfolio import strategies_for
from samapprox.solvers.engine.search import Search
from samapprox.solvers.similarity.transfers import trivial_witness
from samapprox.solvers.values.few_values import _order_keys
from samapprox.support.limits import search_clock


def all_pairs(n: int) -> np.ndarray:
    return np.array([[j in pair for j in range(n)] for pair in combinations(range(n), 2)])


def random_entries(random: np.random.RandomState, rows: int, columns: int) -> Pattern:
    entries = random.rand(rows, columns) < random.choice([0.3, 0.5])
    entries[~entries.any(axis=1), 0] = True
    stars = (random.rand(rows, columns) < random.choice([0, 0.2])) & ~entries
    return Pattern.from_array(entries, ~stars)


def decide_by_cp_sat(
    pattern: Pattern, of_queries: tuple[int, ...], of_keys: tuple[int, ...], d: int
) -> bool:
    """Whether CP-SAT finds vectors: products as tables, thresholds as numbers, no symmetry."""
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    domains = {"q": of_queries, "k": of_keys}
    rows, columns = pattern.shape
    vectors = {
        (side, line, k): model.new_int_var_from_domain(
            cp_model.Domain.from_values(domains[side]), f"{side}{line}.{k}"
        )
        for side, count in (("q", rows), ("k", columns))
        for line in range(count)
        for k in range(d)
    }
    largest = d * max(abs(a * b) for a in of_queries for b in of_keys) + 1
    table = [(a, b, a * b) for a in of_queries for b in of_keys]
    for i, line in enumerate(pattern.to_array()):
        threshold = model.new_int_var(-largest, largest, f"t{i}")
        for j in np.flatnonzero(line >= 0).tolist():
            terms = []
            for k in range(d):
                term = model.new_int_var(-largest, largest, f"p{i}.{j}.{k}")
                model.add_allowed_assignments([vectors["q", i, k], vectors["k", j, k], term], table)
                terms.append(term)
            if line[j] == 1:
                model.add(sum(terms) >= threshold + 1)
            else:
                model.add(sum(terms) <= threshold)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    status = solver.solve(model)
    assert status in (cp_model.OPTIMAL, cp_model.FEASIBLE, cp_model.INFEASIBLE)
    return status != cp_model.INFEASIBLE


@pytest.mark.parametrize("seed", range(30))
def test_cp_sat_gives_no_other_answer(seed: int) -> None:
    random = np.random.RandomState(seed)
    name = ["binary", "binary-keys", "ternary", "int2", "ternary-keys", "int2-keys"][seed % 6]
    pattern = random_entries(random, random.randint(2, 6), random.randint(2, 6))
    values = find_comparison(name).values
    assert values is not None
    for d in range(1, 4):
        verdict = decide(pattern, d, similarity=name, only=["few-values"])
        # Real queries need no larger integers in two dimensions, nor do these patterns in three.
        of_queries = range(-5, 6) if name.endswith("-keys") else values
        found = decide_by_cp_sat(pattern, tuple(of_queries), values, d)
        assert (verdict.status is Status.YES) == found
        if verdict.status is Status.YES:
            break


@pytest.mark.parametrize("n", [2, 3, 4, 5, 8, 9, 16])
def test_the_identity_needs_as_many_bits_as_numbers_of_keys(n: int) -> None:
    found = weak_dimension(np.eye(n), similarity="binary")
    assert found.lower == found.upper == max(1, int(np.ceil(np.log2(n))))


@pytest.mark.parametrize("n", [3, 4, 5, 6])
def test_all_pairs_need_a_bit_for_each_key_but_one(n: int) -> None:
    found = weak_dimension(all_pairs(n), similarity="binary")
    assert found.lower == found.upper == n - 1


@pytest.mark.parametrize("name", VALUE_SETS)
@pytest.mark.parametrize("shape", [(1, 1), (1, 4), (2, 9), (4, 3), (7, 7)])
def test_the_trivial_dimension_suffices(name: str, shape: tuple[int, int]) -> None:
    random = np.random.RandomState(sum(shape))
    similarity = find_comparison(name)
    for _ in range(5):
        pattern = random_entries(random, *shape)
        d = trivial_dimension(shape, similarity)
        assert (
            check(Problem(pattern, d, similarity=name), trivial_witness(pattern, similarity))
            is None
        )


@pytest.mark.parametrize(
    ("name", "entries", "d", "status"),
    [
        ("distinct-lines", np.eye(5), 2, Status.NO),
        ("real-vectors", all_pairs(5), 2, Status.NO),
        ("exchange", all_pairs(5), 4, Status.YES),
        ("few-values", all_pairs(5), 4, Status.YES),
        ("few-values", all_pairs(5), 3, Status.NO),
    ],
)
def test_every_strategy_finds_a_proof_by_itself(
    name: str, entries: np.ndarray, d: int, status: Status
) -> None:
    records = {record.name: record for record in strategies_for("binary")}
    assert set(records) == {"distinct-lines", "exchange", "few-values", "real-vectors"}
    problem = Problem(Pattern.from_array(entries), d, similarity="binary")
    strategy = records[name].load()
    assert name == strategy.NAME
    assert strategy.applies(problem) is None
    found = strategy.find_proof(problem, Search.within(60, 0))
    assert not isinstance(found, str), found
    assert check(problem, found) is None
    assert status in records[name].finds


def test_a_refutation_goes_on_in_the_next_turn() -> None:
    (record,) = (record for record in strategies_for("binary") if record.name == "few-values")
    strategy = record.load()
    problem = Problem(Pattern.from_array(all_pairs(6)), 4, similarity="binary")
    search = Search()
    assert isinstance(strategy.find_proof(problem, search.slice(0.0, 0)), str)
    kept = search.work["few-values"]
    found = strategy.find_proof(problem, search.slice(60.0, 1))
    assert search.work["few-values"] is kept
    assert check(problem, found) is None  # type: ignore[arg-type]


def test_the_order_of_keys_divides_the_rows_first_and_ends_with_the_time() -> None:
    """Column 1 is even, but equal to column 0, so it divides nothing."""
    entries = np.array([[1, 1, 1, 0], [1, 1, 0, 0], [0, 0, 0, 1], [0, 0, 0, 0]], dtype=np.int8)
    assert _order_keys(entries, Search()) == [0, 2, 3, 1]
    assert _order_keys(entries, Search(deadline=search_clock.now() - 1)) == [0, 1, 2, 3]
    wide = np.eye(400, dtype=np.int8)
    with takes_less_than(1):
        assert sorted(_order_keys(wide, Search.within(0.1, 0))) == list(range(400))


def test_real_queries_need_no_more_bits_than_binary_ones() -> None:
    """All pairs of 6 keys: 5 bits with binary queries, 4 dimensions with real vectors."""
    found = weak_dimension(all_pairs(6), similarity="binary-keys", time_limit=20)
    assert 4 <= found.lower <= found.upper <= 5


def test_real_vectors_bound_those_of_many_values() -> None:
    """Clauses of four bits are too many, but four dimensions are needed in any case."""
    found = weak_dimension(all_pairs(6), similarity="int4", time_limit=20)
    assert found.lower == found.upper == 4
    assert found.no is not None
    assert type(found.no.proof).__name__ == "RealVectors"


def test_rows_without_a_zero_and_equal_lines_are_lifted() -> None:
    pattern = Pattern.from_text("1111\n1100\n1100\n0011\n1*11")
    for name, d in product(("binary", "int2"), (1, 2)):
        verdict = decide(pattern, d, similarity=name)
        assert verdict.status is Status.YES
        assert verdict.proof is not None
        assert check(Problem(pattern, d, similarity=name), verdict.proof) is None


def test_counts_of_lines_with_dont_cares() -> None:
    pattern = Pattern.from_text("1*0*\n01**\n*01*\n***1\n0001")
    verdict = decide(pattern, 1, similarity="binary", only=["distinct-lines"])
    assert verdict.status is Status.NO
