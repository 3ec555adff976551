"""Which dimension is tried next, and what proofs about leaves say of the whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

import numpy as np
import pytest
from helpers.solvers.new_strategies import add_strategy

from samapprox import Embedding, Pattern, Problem, Status, decide, weak_dimension
from samapprox.proofs.base import Obstruction, Proof, Witness
from samapprox.reductions.families import generate
from samapprox.solvers.division.division import divide
from samapprox.solvers.embeddings import rank
from samapprox.solvers.engine.bounds import Bounds, Leaves
from samapprox.solvers.engine.queue import _Probe
from samapprox.solvers.engine.search import Search


def probed(least: int, lower: int, upper: int) -> list[int]:
    """Dimensions of one round in which embeddings exist from `least` on."""
    probe, tried = _Probe(), []
    while probe.round == 0 and lower < upper:
        d = next(probe.dimensions(lower, upper))
        if probe.round:
            break
        tried.append(d)
        if d >= least:
            upper = d
        else:
            probe.failed = d
    assert upper == least or probe.failed >= least
    return tried


@pytest.mark.parametrize("upper", [3, 7, 50, 4_095, 1_000_000])
@pytest.mark.parametrize("least", [2, 3, 9, 40])
def test_a_round_of_probes_finds_the_least_in_few_steps(least: int, upper: int) -> None:
    if least > upper:
        return
    tried = probed(least, 2, upper)
    assert len(tried) <= 12
    assert max(tried, default=0) <= 64 * least  # a search in thousands of dimensions is slow
    assert len(set(tried)) == len(tried)


def test_a_round_without_success_is_followed_by_another() -> None:
    probe = _Probe()
    for number in range(3):
        assert probe.round == number
        while probe.failed < 9:
            probe.failed = next(probe.dimensions(2, 10))
        next(probe.dimensions(2, 10))


@dataclass
class Halves:
    """A pattern of two blocks, divided by hand; proofs of the whole are known beforehand."""

    leaves: tuple[Pattern, ...]
    yes: Embedding
    no: dict[int, Proof]
    least: int = 2

    def glue(self, witnesses: Sequence[Witness]) -> Proof | str:
        """The embedding of the whole, in as many dimensions as the worst of the leaves'."""
        missing = max(2, *(one.dimension for one in witnesses)) - self.yes.dimension
        assert missing >= 0
        queries, keys = (
            np.pad(side, ((0, 0), (0, missing))) for side in (self.yes.queries, self.yes.keys)
        )
        return Embedding(queries, keys, self.yes.thresholds)

    def lift(self, _leaf: int, obstruction: Obstruction) -> Proof | str:
        return self.no[obstruction.dimension]


@pytest.fixture
def blocks(monkeypatch: pytest.MonkeyPatch) -> Pattern:
    """Two blocks, of weak dimension 4 and 2 with a row and a column of the other."""
    whole = np.zeros((14, 9))
    whole[:10, :5] = generate("all-subsets", n=5, k=2).pattern.to_array()
    whole[10:, 5:] = np.eye(4)
    pattern = Pattern(whole)
    verdicts = [decide(pattern, d) for d in (1, 2, 3, 4)]
    leaves = tuple(
        Pattern(pattern.submatrix(rows, columns))
        for rows, columns in (([*range(11)], [*range(6)]), ([0, *range(10, 14)], [0, *range(5, 9)]))
    )
    yes = verdicts[3].proof
    assert isinstance(yes, Embedding)
    refuted = {d: verdict.proof for d, verdict in enumerate(verdicts[:3], start=1) if verdict.proof}
    division = Halves(leaves, yes, refuted)
    place = "samapprox.solvers.division.division.divide_large"
    monkeypatch.setattr(place, lambda _pattern: division)
    return pattern


@pytest.mark.parametrize("threads", [1, 2])
def test_the_dimension_is_the_largest_of_the_leaves(blocks: Pattern, threads: int) -> None:
    found = weak_dimension(blocks, threads=threads, time_limit=20.0)
    assert (found.lower, found.upper) == (4, 4)
    for side in (found.yes, found.no):
        assert side is not None
        assert side.certificate is not None
        assert side.certificate.verify(blocks)


def test_a_decision_needs_all_leaves_for_yes_and_one_for_no(blocks: Pattern) -> None:
    assert decide(blocks, 4).status is Status.YES
    assert decide(blocks, 3).status is Status.NO
    assert decide(blocks, 2, only=["rank", "orders"]).status is Status.UNKNOWN


def test_a_wrong_proof_of_a_leaf_costs_no_answer(
    blocks: Pattern, monkeypatch: pytest.MonkeyPatch
) -> None:
    def flip(problem: Problem, _search: Search) -> Proof | str:
        complement = Pattern(1 - np.minimum(problem.pattern.to_array(), 1))
        return rank.find_proof(Problem(complement, 9), Search())

    monkeypatch.delenv("SAMAPPROX_TRACEBACK")
    add_strategy(monkeypatch, flip, Status.YES)
    found = weak_dimension(blocks, time_limit=20.0, without=["rank", "orders"])
    assert (found.lower, found.upper) == (4, 4)
    assert any("please report it" in step.outcome for _, step in found.trail)


def test_bounds_keep_the_best_of_both_sides() -> None:
    pattern = generate("all-subsets", n=5, k=2).pattern
    bounds = Bounds(pattern)
    leaves = Leaves(divide(pattern), bounds)
    proofs = [decide(leaves.division.leaves[0], d).proof for d in (1, 2, 4, 3)]
    for proof, expected in zip(proofs, [(2, 4), (3, 4), (3, 4), (3, 3)], strict=True):
        assert proof is not None
        assert leaves.take(0, proof)
        assert (bounds.lower, leaves.upper) == expected
        assert not leaves.take(0, proof)
    assert bounds.no is not None
    assert bounds.no.problem.d == 2
    leaves.glue()
    assert bounds.yes is not None
    assert bounds.yes.problem.d == 3


@pytest.mark.parametrize("threads", [1, 2])
def test_the_line_is_decided_in_the_end(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A first call that is too short leaves d = 1 open; d = 2 is all that is left, and proven."""
    monkeypatch.setattr("samapprox.solvers.engine.least._ON_LINE", 0.0)
    pattern = Pattern.from_text("10*0*\n*0010\n*0*01\n*0*10\n01000")
    found = weak_dimension(pattern, threads=threads)
    assert (found.lower, found.upper) == (2, 2)
    assert found.no is not None


def test_longer_turns_go_to_the_dimensions_near_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    spent: dict[int, float] = {}

    def wait(problem: Problem, search: Search) -> Proof | str:
        spent[problem.d] = spent.get(problem.d, 0.0) + search.remaining
        while not search.out_of_time:
            pass
        return "never found"

    record = add_strategy(monkeypatch, wait, Status.YES, in_turns=True)
    found = weak_dimension(
        generate("random", rows=20, columns=20).pattern, only=[record.name], time_limit=1.0
    )
    assert found.upper == 19
    assert max(spent, key=spent.__getitem__) == 18


def test_a_turn_against_one_more_dimension_counts_four_times(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tried: list[int] = []

    def note(problem: Problem, search: Search) -> Proof | str:
        if problem.d > 1:  # which is decided before there are turns
            tried.append(problem.d)
        if problem.d == 1 or 4 in tried:
            search.exhausted.add("new")
        return "never found"

    record = add_strategy(monkeypatch, note, Status.NO, in_turns=True)
    pattern = generate("random", rows=20, columns=20).pattern
    weak_dimension(pattern, only=[record.name], time_limit=60, threads=1)
    before = tried[: tried.index(4)]
    assert [before.count(d) for d in (2, 3)] == [5, 3]  # 1, 2, .. 16; 4, 8, 16; then 16


def test_a_strategy_that_does_not_apply_leaves_the_probe(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its turn says nothing about a dimension, so the next strategy has its turn there."""
    probed: list[int] = []

    def note(problem: Problem, search: Search) -> Proof | str:
        if problem.d > 1:  # which is decided before there is a probe
            probed.append(problem.d)
        if problem.d == 1 or len(probed) >= 5:
            search.exhausted.add("new")
        return "one look is not enough"

    def fail(_problem: Problem, _search: Search) -> NoReturn:
        raise AssertionError

    add_strategy(monkeypatch, note, Status.YES, in_turns=True)
    add_strategy(
        monkeypatch,
        fail,
        Status.YES,
        name="idle",
        in_turns=True,
        first_turn=0.001,
        applies=lambda _problem: "nothing to try",
    )
    pattern = generate("random", rows=20, columns=20).pattern
    weak_dimension(pattern, only=["new"], time_limit=60.0)
    alone = probed[:5]
    probed.clear()
    weak_dimension(pattern, only=["new", "idle"], time_limit=60.0)
    assert probed[:5] == alone
