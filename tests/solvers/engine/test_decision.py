"""One decision: each proof is checked once; UNKNOWN and interrupts keep the bounds."""

from __future__ import annotations

from importlib import import_module
from itertools import count
from types import SimpleNamespace
from typing import NoReturn

import numpy as np
import pytest
import scipy.sparse
from helpers.schemas import schema
from helpers.solvers.new_strategies import add_strategy

from samapprox import (
    Embedding,
    Interrupted,
    Pattern,
    Problem,
    Status,
    data,
    decide,
    weak_dimension,
)
from samapprox.formats import as_pattern
from samapprox.problem import trivial_dimension
from samapprox.proofs import SharedChirotope
from samapprox.proofs.base import Proof
from samapprox.reductions.families import generate
from samapprox.solvers.embeddings.whole_numbers import trivial_embedding
from samapprox.solvers.engine.bounds import Bounds
from samapprox.solvers.engine.decision import Decision, decide_problem
from samapprox.solvers.engine.portfolio import choose
from samapprox.solvers.engine.search import Search
from samapprox.support.limits import search_clock
from samapprox.support.progress import Progress

NEEDS_THREE = generate("all-subsets", n=5, k=2).pattern
UNDECIDED = generate("random", rows=30, columns=30).pattern  # by `rank`, for d = 5
SINGLE_KEYS = Pattern.from_text("1000\n0100\n0010\n0001")


def ask(problem: Problem, only: list[str], search: Search) -> Decision:
    """An engine before its first turn."""
    return Decision(Bounds(problem.pattern), problem, choose(only), search)


# ---------------------------------------------------------------- one check a proof


@pytest.mark.parametrize("d", [1, 2, 4])
def test_each_proof_is_checked_once(monkeypatch: pytest.MonkeyPatch, d: int) -> None:
    """The check of a large pattern costs as much as its decision."""
    module = import_module("samapprox.results")
    checked: list[object] = []
    check = module.check

    def count(problem: Problem, proof: object) -> str | None:
        checked.append(proof)
        return str(reason) if (reason := check(problem, proof)) is not None else None

    monkeypatch.setattr(module, "check", count)
    verdict = decide(NEEDS_THREE, d)
    assert checked == [verdict.proof]
    checked.clear()
    found = weak_dimension(NEEDS_THREE)
    assert len({id(proof) for proof in checked}) == len(checked)
    assert found.yes is not None
    assert any(found.yes.proof is proof for proof in checked)


# ---------------------------------------------------------------- bounds of UNKNOWN


@pytest.mark.parametrize("memory_limit", [None, 1 << 31])
def test_unknown_keeps_the_refutation_of_the_line(memory_limit: int | None) -> None:
    verdict = decide(UNDECIDED, 5, only=["rank"], memory_limit=memory_limit)
    assert verdict.status is Status.UNKNOWN
    assert verdict.lower == 2
    assert verdict.below is not None
    assert verdict.below.certificate is not None
    assert verdict.below.certificate.d == 1
    assert verdict.below.certificate.verify(UNDECIDED)
    assert [step.strategy for step in verdict.trail] == ["rank"]


def test_a_quarter_of_the_turns_improves_both_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock advances by a second whenever it is read: a turn lasts one to three seconds."""
    module = import_module("samapprox.solvers.engine.engine")
    seconds = count()
    monkeypatch.setattr(module, "search_clock", SimpleNamespace(now=lambda: float(next(seconds))))
    pattern = as_pattern(data.path("minilm/s26_L1_H05_unif_n63.npz"))
    strategies = choose(["rank", "orders", "counting", "gradient", "hinge"])
    with_share, without = (
        Decision(Bounds(pattern), Problem(pattern, 4), strategies, Search(), share=share)
        for share in (1 / 3, 0.0)
    )
    for decision in (with_share, without):
        for _ in range(10):
            decision.step()
        decision.conclude()
        assert decision.verdict.status is Status.UNKNOWN
    spent = with_share._spent
    on_bounds = spent[Status.YES] + spent[Status.NO]
    assert abs(on_bounds - sum(spent.values()) / 4) <= 3
    assert min(spent[Status.YES], spent[Status.NO]) > 0
    assert {2, 3} & set(with_share.bounds.trails)
    assert max(with_share.bounds.trails) > 4
    assert without.verdict.lower < with_share.verdict.lower <= 4
    assert 4 < with_share.verdict.upper <= without.verdict.upper < trivial_dimension(pattern.shape)


@pytest.mark.parametrize("d", [4, 7])
def test_a_proof_that_comes_late_is_the_answer(monkeypatch: pytest.MonkeyPatch, d: int) -> None:
    """The last leaf is decided when the time is up: there is no other turn, but there is a YES."""

    def embed_late(problem: Problem, search: Search) -> Embedding:
        search.stop()
        return trivial_embedding(problem.pattern)

    add_strategy(monkeypatch, embed_late, Status.YES)
    pattern = Pattern(np.random.RandomState(0).rand(4, 9) < 0.5)
    verdict = decide(pattern, d, only=["new"])
    assert verdict.status is Status.YES
    assert verdict.lower <= verdict.upper <= d


@pytest.mark.parametrize("d", [3, 8])
def test_no_bound_is_trivial_where_time_is_short(d: int) -> None:
    """Four ones a row make eight changes at most in any order."""
    columns = np.random.RandomState(0).rand(3000, 40).argsort(axis=1)[:, :4]
    columns = np.sort(columns + 40 * np.random.RandomState(1).randint(50, size=(3000, 1)), axis=1)
    indptr = np.arange(3001) * 4
    pattern = Pattern.from_csr(indptr, columns.ravel(), None, (3000, 2000))
    verdict = decide(pattern, d, time_limit=1e-6)
    assert verdict.status is (Status.YES if d == 8 else Status.UNKNOWN)
    assert verdict.upper == 8
    assert weak_dimension(pattern, time_limit=1e-6).upper <= 8
    assert decide(pattern, d, time_limit=1e-6, without=["orders"]).status is Status.UNKNOWN


def test_single_calls_leave_dense_patterns_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time for each 1 is for sparse patterns: else 3,000 x 3,000 entries are given 7 seconds."""
    given = []

    def look(_problem: Problem, search: Search) -> str:
        given.append(search.remaining)
        return "nothing"

    add_strategy(monkeypatch, look, Status.YES)
    dense = Pattern(np.random.RandomState(0).rand(1000, 1000) < 0.5)
    decide(dense, 2, only=["new"])
    ring = scipy.sparse.eye_array(10**4, k=1) + scipy.sparse.eye_array(10**4)
    decide(ring.tocsr(), 2, only=["new"])
    assert 0.4 < given[0] <= 0.5
    assert given[-1] > 0.5


def test_a_search_that_needs_more_than_all_of_the_time_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A turn that has all of the time, and is too short all the same, is the last."""
    given = []

    def give_up(_problem: Problem, search: Search) -> str:
        given.append(search.remaining)
        return "its turn is too short"

    record = add_strategy(monkeypatch, give_up, Status.YES, in_turns=True)
    started = search_clock.now()
    verdict = decide(UNDECIDED, 5, only=[record.name], time_limit=60.0)
    assert verdict.status is Status.UNKNOWN
    assert search_clock.now() - started < 30
    assert max(given) > 30


def test_unknown_keeps_the_best_bounds_that_came_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Proofs about other dimensions than the one asked for bound the weak dimension."""

    def embed_with_more(problem: Problem, _search: Search) -> Proof | str:
        return decide(problem.pattern, 29, only=["rank"]).proof or "no rank"

    def refute_less(problem: Problem, _search: Search) -> Proof | str:
        return decide(problem.pattern, 1, only=["line"]).proof or "on a line"

    add_strategy(monkeypatch, embed_with_more, Status.YES, name="above")
    add_strategy(monkeypatch, refute_less, Status.NO, name="below")
    verdict = decide(UNDECIDED, 5, only=["above", "below"])
    assert verdict.status is Status.UNKNOWN
    assert [step.outcome for step in verdict.trail] == ["YES for d = 29", "NO for d = 1"]
    assert (verdict.lower, verdict.upper) == (2, 29)
    for bound in (verdict.below, verdict.above):
        assert bound is not None
        assert bound.certificate is not None
        assert bound.certificate.verify(UNDECIDED)
    document = verdict.to_json()
    assert {document[side]["answer"] for side in ("below", "above")} == {"NO", "YES"}
    schema("verdict").validate(document)
    assert decide(UNDECIDED, 30, only=["above"]).status is Status.YES


@pytest.mark.parametrize("memory_limit", [None, 1 << 31])
def test_a_refutation_keeps_the_best_embedding_that_came_up(memory_limit: int | None) -> None:
    verdict = decide(UNDECIDED, 3, only=["orders", "counting"], memory_limit=memory_limit)
    assert verdict.status is Status.NO
    assert verdict.below is None
    assert verdict.above is not None
    assert (verdict.lower, verdict.upper) == (4, verdict.above.problem.d)
    assert verdict.upper < trivial_dimension(UNDECIDED.shape)
    document = verdict.to_json()
    assert document["weak_dimension"] == {"lower": 4, "upper": verdict.upper}
    assert document["above"]["answer"] == "YES"
    schema("verdict").validate(document)


def test_an_embedding_keeps_the_best_refutation_that_came_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refute_less(problem: Problem, _search: Search) -> Proof | str:
        return decide(problem.pattern, 3, only=["counting"]).proof or "nothing"

    add_strategy(monkeypatch, refute_less, Status.NO, name="below")
    add_strategy(monkeypatch, trivial_in_all, Status.YES, name="all")
    verdict = decide(UNDECIDED, 29, only=["below", "all"])
    assert verdict.status is Status.YES
    assert verdict.above is None
    assert verdict.below is not None
    assert (verdict.lower, verdict.upper) == (4, 29)
    document = verdict.to_json()
    assert document["weak_dimension"] == {"lower": 4, "upper": 29}
    assert document["below"]["answer"] == "NO"
    schema("verdict").validate(document)


def trivial_in_all(problem: Problem, _search: Search) -> Embedding:
    return trivial_embedding(problem.pattern)


def test_a_refutation_of_the_coupling_keeps_it_too() -> None:
    """In the free case the pattern has an embedding of dimension 2, but none on a line."""
    pattern = Pattern.from_text("010011\n101001\n001010\n101011\n100111\n111100")
    for memory_limit in (None, 1 << 31):
        verdict = decide(pattern, 2, 2, only=["line", "tokens"], memory_limit=memory_limit)
        assert verdict.status is Status.NO
        assert isinstance(verdict.proof, SharedChirotope)
        assert verdict.lower == 2
        assert verdict.below is not None
    assert weak_dimension(pattern).upper == 2


def test_there_is_no_bound_where_the_line_test_refutes_nothing() -> None:
    on_a_line = decide(np.tril(np.ones((9, 9))), 2, only=["counting"])
    starred = decide(Pattern.from_text("10*\n*10\n011"), 2, only=["counting"])
    for verdict in (on_a_line, starred):
        assert verdict.status is Status.UNKNOWN
        assert verdict.below is None
        assert verdict.lower == 1


def test_an_interrupt_keeps_the_trail() -> None:
    def progress(moment: Progress) -> None:
        if moment.what == "orders":
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as caught:
        decide(UNDECIDED, 5, progress=progress)
    assert [step.strategy for step in caught.value.so_far.trail] == [
        "line",
        "crossing-rows",
        "periodic",
        "rank",
    ]


def test_an_interrupt_keeps_the_bounds() -> None:
    def progress(moment: Progress) -> None:
        if moment.what == "gradient":
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as caught:
        decide(UNDECIDED, 5, progress=progress)
    assert caught.value.so_far.above is not None
    assert caught.value.so_far.lower >= 2
    assert caught.value.so_far.upper < 29


def test_an_interrupt_while_dividing_leaves_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_pattern: Pattern) -> NoReturn:
        raise KeyboardInterrupt

    monkeypatch.setattr("samapprox.solvers.division.division.divide_large", interrupt)
    band = Pattern(np.eye(40, dtype=int) + np.eye(40, k=1, dtype=int))
    for ask in (lambda: decide(band, 2), lambda: weak_dimension(band)):
        with pytest.raises(Interrupted) as caught:
            ask()
        assert caught.value.so_far.upper == 4


def test_a_turn_that_comes_too_late_tries_nothing() -> None:
    """The time may run out between the question whether the decision is over and the turn."""
    late = Search(deadline=search_clock.now() - 1)
    decision = ask(Problem(UNDECIDED, 5), ["rank"], late)
    decision.step()
    assert decision.over
    assert decision.verdict.trail == ()


def interrupt_an_import(_problem: Problem, _search: Search) -> NoReturn:
    """Ctrl-C while a compiled module is loaded: its initialization fails."""
    try:
        raise KeyboardInterrupt
    except KeyboardInterrupt as interrupt:
        raise ImportError("initialization failed") from interrupt


@pytest.mark.parametrize("in_turns", [False, True])
def test_an_interrupt_that_became_another_error_is_one(
    monkeypatch: pytest.MonkeyPatch, in_turns: bool
) -> None:
    monkeypatch.delenv("SAMAPPROX_TRACEBACK", raising=False)
    add_strategy(monkeypatch, interrupt_an_import, Status.YES, in_turns=in_turns)
    with pytest.raises(Interrupted) as caught:
        decide(UNDECIDED, 5, only=["new"])
    assert [step.outcome for step in caught.value.so_far.trail] == ["interrupted"]


def test_a_turn_after_the_end_of_time_does_nothing() -> None:
    """The deadline may pass between the question whether a decision is over and its next turn."""
    decision = ask(Problem(UNDECIDED, 5), ["rank"], Search(deadline=0.0))
    assert decision.over
    decision.step()
    assert decision.verdict.status is Status.UNKNOWN
    assert decision.verdict.trail == ()


@pytest.mark.parametrize(
    ("similarity", "status"), [("dot", Status.NO), ("cosine", Status.NO), ("l2", Status.YES)]
)
def test_progress_is_passed_on(similarity: str, status: Status) -> None:
    """On a line, a ball may hold the middle key alone, and a halfspace may not."""
    seen: list[Progress] = []
    problem = Problem(SINGLE_KEYS, 1, similarity=similarity)
    strategies = choose(similarity=similarity)
    verdict = decide_problem(problem, strategies, Search(), seen.append)
    assert verdict.status is status
    assert seen[0].outcome is None
    assert seen[-1].outcome == status.value
