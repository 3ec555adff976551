"""d > 1 and don't-cares: strategies against each other, against enumeration and known truth."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise, permutations
from pathlib import Path

import numpy as np
import pytest
from helpers.strategies import Entries, any_entries
from helpers.truth.line import masks, shown_on_line
from hypothesis import given, settings
from hypothesis import strategies as st

from samapprox import Embedding, InputError, Pattern, Problem, Status, data, decide, load_instance
from samapprox.proofs.base import proves_yes
from samapprox.proofs.checker import check
from samapprox.proofs.refutations.chirotope import Chirotope
from samapprox.proofs.refutations.counting import Counting
from samapprox.proofs.refutations.radon import Radon
from samapprox.proofs.refutations.shattering import Shattering
from samapprox.reductions.families import generate
from samapprox.solvers.embeddings import rank
from samapprox.solvers.engine.portfolio import choose
from samapprox.solvers.engine.search import Search
from samapprox.solvers.line import ordering
from samapprox.solvers.refutations import counting
from samapprox.support.cp_sat import Infeasible
from samapprox.support.limits import search_clock

RECORDS = choose(
    [
        *("rank", "orders", "counting", "gradient", "projections", "chirotope", "hard-part"),
        *("ordering", "polynomials", "best-order"),
    ]
)


def answers(pattern: Pattern, d: int, seconds: float = 0.08) -> dict[str, str]:
    """The answer of each strategy alone, with every proof checked."""
    problem = Problem(pattern, d)
    found = {}
    for record in RECORDS:
        if record.applies(problem) is not None:
            continue
        proof = record.load().find_proof(problem, Search(search_clock.now() + seconds))
        if not isinstance(proof, str):
            reached = Problem(pattern, proof.dimension)  # above or below d, it bounds the dimension
            assert check(reached, proof) is None, (record.name, check(reached, proof))
            if proves_yes(proof):
                found |= {record.name: "YES"} if proof.dimension <= d else {}
            else:
                found |= {record.name: "NO"} if proof.dimension >= d else {}
    return found


@settings(max_examples=20, deadline=None)
@given(any_entries(), st.integers(1, 3))
def test_strategies_never_contradict_each_other(entries: Entries, d: int) -> None:
    found = answers(Pattern.from_array(entries), d)
    assert len(set(found.values())) <= 1, found
    if d == 1 and found:
        truth = "YES" if shown_on_line(masks(entries), entries.shape[1]) else "NO"
        assert set(found.values()) == {truth}


@st.composite
def starred(draw: st.DrawFn) -> Pattern:
    rows, columns = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    cells = draw(st.lists(st.sampled_from("01*"), min_size=rows * columns, max_size=rows * columns))
    text = ["".join(cells[i * columns : (i + 1) * columns]) for i in range(rows)]
    return Pattern.from_text("\n".join(row if "1" in row else "1" + row[1:] for row in text))


def shown_with_stars(pattern: Pattern) -> bool:
    """By trying all orders: no specified entry lies between two of the other kind."""
    entries = pattern.to_array()
    return any(shown_in(entries, order) for order in permutations(range(entries.shape[1])))


def shown_in(entries: Entries, order: tuple[int, ...]) -> bool:
    """Whether every row changes at most once in this order, don't-cares aside."""
    rows = [[x for x in row[list(order)] if x >= 0] for row in entries]
    return all(sum(a != b for a, b in pairwise(row)) <= 1 for row in rows)


@given(starred())
def test_dont_cares_on_a_line_equal_enumeration(pattern: Pattern) -> None:
    verdict = decide(pattern, 1)
    assert verdict.status is (Status.YES if shown_with_stars(pattern) else Status.NO)


@settings(max_examples=20, deadline=None)
@given(starred())
def test_places_and_pairs_order_the_keys_alike(pattern: Pattern) -> None:
    """CP-SAT, which large patterns get, finds an order whenever SAT does."""
    entries = pattern.to_array()

    def ordered(by: Callable[[Entries, Search], Entries | None]) -> bool:
        try:
            order = by(entries, Search())
        except Infeasible:
            return False
        assert shown_in(entries, tuple(order))
        return True

    assert ordered(ordering._order_by_places) == ordered(ordering._order_by_pairs)


@pytest.mark.parametrize("flips", [0, 2])
def test_causal_patterns_of_many_tokens_on_a_line(flips: int) -> None:
    n, rng = 50, np.random.RandomState(1)
    entries = generate("line", rows=n, columns=n, seed=1).pattern.to_array()
    for row in rng.randint(n // 2, n, size=flips):
        entries[row, rng.randint(row // 2)] ^= 1
    later = np.triu(np.ones((n, n), dtype=np.bool_), 1)
    kept = ((entries == 1) & ~later).any(axis=1)
    pattern = Pattern.from_array((entries == 1)[kept], ~later[kept])
    proof = ordering.find_proof(Problem(pattern, 1), Search())
    assert check(Problem(pattern, 1), proof) is None
    assert proves_yes(proof) == (flips == 0)
    if flips:
        assert isinstance(proof, Chirotope)
        assert len(proof.rows) <= 3


@settings(max_examples=15, deadline=None)
@given(starred(), st.integers(2, 3))
def test_dont_cares_in_higher_dimensions(pattern: Pattern, d: int) -> None:
    assert len(set(answers(pattern, d).values())) <= 1


@pytest.mark.parametrize(
    ("n", "k", "d", "answer"),
    [
        (4, 2, 2, "YES"), (5, 2, 2, "NO"), (12, 2, 2, "NO"), (5, 2, 3, "YES"), (6, 2, 3, "NO"),
        (6, 2, 4, "YES"), (20, 2, 3, "NO"), (20, 2, 4, "YES"), (7, 3, 5, "YES"), (8, 3, 5, "NO"),
        (9, 3, 6, "YES"),
    ],
)  # fmt: skip
def test_all_subsets(n: int, k: int, d: int, answer: str) -> None:
    assert decide(generate("all-subsets", n=n, k=k).pattern, d).status.value == answer


def test_limit_has_weak_dimension_four() -> None:
    pattern = load_instance(data.path("limit/limit.npz")).pattern
    no = decide(pattern, 3)
    assert no.status is Status.NO
    assert len(no.proof.columns) <= 6
    yes = decide(pattern, 4)
    assert yes.status is Status.YES
    assert isinstance(yes.proof, Embedding)


@pytest.mark.parametrize("path", data.files("oriented-matroids"), ids=lambda path: path.stem)
def test_tope_patterns(path: Path) -> None:
    """Realizable or not, as others found; those that are not need final polynomials."""
    instance = load_instance(path)
    for fact in instance.facts:
        verdict = decide(instance.pattern, fact.d)
        assert verdict.status.value == fact.answer
        if fact.answer == "NO":
            assert isinstance(verdict.proof, Chirotope)
            assert verdict.proof.polynomials


@settings(max_examples=10, deadline=None)
@given(st.integers(2, 4), st.integers(0, 2**31))
def test_planted_halfspaces_are_found(d: int, seed: int) -> None:
    rng = np.random.RandomState(seed)
    logits = rng.normal(size=(40, d)) @ rng.normal(size=(30, d)).T
    entries = logits > np.quantile(logits, rng.uniform(0.1, 0.9), axis=1, keepdims=True)
    assert decide(entries, d).status is Status.YES


# ---------------------------------------------------------------- single strategies


@given(any_entries())
def test_the_rank_always_suffices(entries: Entries) -> None:
    stacked = np.vstack([np.ones(entries.shape[1]), entries])
    dimension = max(1, int(np.linalg.matrix_rank(stacked)) - 1)
    proof = rank.find_proof(Problem(Pattern.from_array(entries), dimension), Search())
    if isinstance(proof, str):
        assert entries.all()  # nothing to separate
    else:
        assert check(Problem(Pattern.from_array(entries), dimension), proof) is None


@pytest.mark.parametrize("flip", [0, 1])
@pytest.mark.parametrize("transposed", [False, True])
def test_few_ones_or_zeros_a_line(flip: int, transposed: bool) -> None:
    entries = generate("sparse-rows", rows=40, columns=40, k=2).pattern.to_array() ^ flip
    entries = entries.T if transposed else entries
    entries = entries[entries.any(axis=1)]
    assert decide(entries, 4, only=["orders"]).status is Status.YES


def test_counting_finds_what_single_arguments_miss() -> None:
    pattern = generate("random", rows=200, columns=8, density=0.5, seed=1).pattern
    kinds = set()
    for d in range(1, 5):
        proof = counting.find_proof(Problem(pattern, d), Search())
        assert not isinstance(proof, str)
        assert check(Problem(pattern, d), proof) is None
        kinds.add(type(proof))
    assert kinds <= {Radon, Shattering, Counting}


def test_a_counting_proof_needs_every_line() -> None:
    """Radon's case is one of counting, with the same rows and columns."""
    pattern = generate("random", rows=30, columns=6, density=0.4, seed=3).pattern
    problem = Problem(pattern, 2)
    radon = counting.find_proof(problem, Search())
    assert isinstance(radon, Radon)
    proof = Counting(2, radon.rows, radon.columns)
    assert check(problem, proof) is None
    assert "which d = " in str(check(problem, Counting(2, radon.rows[1:], radon.columns)))
    assert "it excludes dimension 2" in str(check(Problem(pattern, 3), proof))
    assert "which d = " in str(check(problem, Counting(3, radon.rows, radon.columns)))


# ---------------------------------------------------------------- limits


def test_strategies_can_be_chosen() -> None:
    assert [a.strategy for a in decide(np.eye(4), 2, only=["rank"]).trail] == ["rank"]
    assert decide(np.eye(4), 2, without=["orders", "gradient"]).status is not Status.NO
    with pytest.raises(InputError, match="unknown strategy 'luck'"):
        decide(np.eye(4), 2, without=["luck"])


def test_the_time_limit_holds() -> None:
    pattern = load_instance(data.files("oriented-matroids")[-1]).pattern
    verdict = decide(pattern, 2, time_limit=0.3, only=["gradient"])  # for ever, without a limit
    assert verdict.status is Status.UNKNOWN
    with pytest.raises(InputError, match="time limit must be above 0"):
        decide(pattern, 2, time_limit=0)


def test_the_same_seed_gives_the_same_proof() -> None:
    pattern = generate("random", rows=8, columns=8, seed=4).pattern
    one, two = (decide(pattern, 4, only=["gradient"], seed=3).proof for _ in range(2))
    assert one is not None
    assert np.array_equal(one.keys, two.keys)
