"""Proofs about leaves survive trivial bounds, other threads and interrupts."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.solvers.new_strategies import add_strategy
from numpy.typing import NDArray

from samapprox import Embedding, Pattern, Problem, Status, decide
from samapprox.errors import Interrupted
from samapprox.proofs import Radon
from samapprox.proofs.base import Proof
from samapprox.solvers.division.division import divide
from samapprox.solvers.embeddings.whole_numbers import trivial_embedding
from samapprox.solvers.engine import bounds as module
from samapprox.solvers.engine.bounds import Bounds, Leaves
from samapprox.solvers.engine.search import Search


def blocks(count: int) -> NDArray[np.int64]:
    """Random 4 x 4 blocks along the diagonal."""
    random = np.random.RandomState(0)
    entries = np.zeros((4 * count, 4 * count), dtype=np.int64)
    for start in range(0, 4 * count, 4):
        block = random.rand(4, 4) < 0.5
        block[np.arange(4), random.permutation(4)] = True
        entries[start : start + 4, start : start + 4] = block
    return entries


@pytest.mark.parametrize("strategy", ["orders", "gradient", "projections", "annealing"])
@pytest.mark.parametrize("text", ["100\n010\n001", "10101\n11001", "100"])
def test_a_proof_counts_where_the_trivial_bound_is_as_good(text: str, strategy: str) -> None:
    for d in range(2, 6):
        verdict = decide(Pattern.from_text(text), d, only=[strategy], time_limit=20)
        assert verdict.status is Status.YES, d


@pytest.mark.parametrize("strategy", ["gradient", "projections"])
def test_proofs_of_several_leaves_count_in_large_dimensions(strategy: str) -> None:
    entries = blocks(10)
    assert len(divide(Pattern.from_array(entries)).leaves) > 1
    assert decide(entries, 6, only=[strategy], time_limit=20).status is Status.YES


@pytest.mark.parametrize("d", [4, 5])
def test_trivial_embeddings_of_leaves_answer(d: int) -> None:
    """None of the strategies that may be used represents anything."""
    entries = blocks(10)
    verdict = decide(entries, d, only=["counting"], time_limit=20)
    assert verdict.status is Status.YES
    assert verdict.upper <= 4
    verdict = decide(entries, d, d_hid=d, only=["counting"], time_limit=20)
    assert verdict.status is Status.UNKNOWN
    bounded = decide(entries, 3, only=["counting"], time_limit=20)
    assert (bounded.status, bounded.upper) == (Status.UNKNOWN, 4)


def test_a_worse_proof_that_is_checked_longer_replaces_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The thread with the better of two proofs for one leaf may finish first."""
    pattern = Pattern.from_array(blocks(10))
    bounds = Bounds(pattern)
    proven = Leaves(divide(pattern), bounds)
    leaves = proven.division.leaves
    assert len(leaves) > 1
    better = [trivial_embedding(leaf) for leaf in leaves]
    worse = [widen(embedding) for embedding in better]
    for number in range(1, len(leaves)):
        proven.take(number, better[number])
    plain = module.check

    def overtake(problem: Problem, proof: Proof) -> str | None:
        if proof is worse[0]:
            proven.take(0, better[0])
        return plain(problem, proof)

    monkeypatch.setattr(module, "check", overtake)
    assert proven.take(0, worse[0]) is False
    proven.glue()
    verdict = bounds.yes
    assert verdict is not None
    assert verdict.upper == proven.upper == max(one.dimension for one in better)


def widen(embedding: Embedding) -> Embedding:
    """The same in two more dimensions."""
    queries, keys = (
        np.pad(vectors, ((0, 0), (0, 2))) for vectors in (embedding.queries, embedding.keys)
    )
    return Embedding(queries, keys, embedding.thresholds)


def test_an_interrupt_keeps_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_problem: Problem, _search: Search) -> str:
        raise KeyboardInterrupt

    add_strategy(monkeypatch, interrupt, Status.NO, name="interrupt", in_turns=True)
    random = np.random.RandomState(0).rand(20, 20) < 0.5
    with pytest.raises(Interrupted) as caught:
        decide(random, 2, only=["orders", "interrupt"])
    so_far = caught.value.so_far
    assert so_far.status is Status.UNKNOWN
    assert so_far.above is not None
    assert so_far.upper == so_far.above.upper < 19
    assert so_far.above.proof is not None


@pytest.mark.parametrize("entries", [blocks(1), blocks(10)])
@pytest.mark.parametrize("d", [2, 6])
def test_wrong_bounds_cost_a_strategy_alone(
    entries: NDArray[np.int64], d: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Proofs that fail their check, for a larger or a smaller dimension than the question's."""
    monkeypatch.delenv("SAMAPPROX_TRACEBACK")

    def embed(problem: Problem, _search: Search) -> Proof:
        rows, columns = problem.pattern.shape
        return Embedding(np.zeros((rows, 4)), np.zeros((columns, 4)), [0] * rows)

    def refute(_problem: Problem, _search: Search) -> Proof:
        return Radon([0, 1, 2], [0, 1, 2])

    def fail(_problem: Problem, _search: Search) -> Proof:
        raise ZeroDivisionError

    expected = decide(entries, d).status
    for name, find, side in (
        ("embed", embed, Status.YES),
        ("refute", refute, Status.NO),
        ("fail", fail, Status.YES),
    ):
        add_strategy(monkeypatch, find, side, name=name)
    verdict = decide(entries, d)
    assert verdict.status is expected
    outcomes = {attempt.strategy: attempt.outcome for attempt in verdict.trail}
    assert "report" in outcomes["embed"]
    assert "report" in outcomes["fail"]
