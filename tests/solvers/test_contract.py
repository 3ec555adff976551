"""The rules that every strategy of the table must keep."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from helpers.durations import ended_within, processor_time

from samapprox import Pattern, Problem, Status
from samapprox.proofs.base import Proof, proves_yes
from samapprox.proofs.checker import check
from samapprox.reductions.families import generate
from samapprox.solvers.engine.portfolio import StrategyRecord, choose, strategies_for
from samapprox.solvers.engine.search import Search
from samapprox.support.limits import search_clock

STRATEGIES = strategies_for("dot")
every_strategy = pytest.mark.parametrize("record", STRATEGIES, ids=lambda record: record.name)


def problem(text: str, d: int, d_hid: int | None = None) -> Problem:
    return Problem(Pattern.from_text(text.replace(" ", "\n")), d, d_hid)


def family(name: str, d: int, /, **options: int | str) -> Problem:
    return Problem(generate(name, **options).pattern, d)


SHATTERED = problem("1000 0100 0010 0001 1100 1010 1001", 2)

PROVEN: list[tuple[str, Problem, Status]] = [
    ("line", problem("100 110", 1), Status.YES),
    ("line", problem("100 010 001", 1), Status.NO),
    ("algorithm1", problem("10 01", 1, 1), Status.YES),
    ("algorithm1", problem("100 010 001", 1), Status.NO),
    ("crossing-rows", problem("1100* 1010*", 1), Status.NO),
    ("rank", problem("100 010 001", 2), Status.YES),
    ("orders", problem("1000 0100 0010 0001 1010", 4), Status.YES),
    ("periodic", family("mask", 8, graph="strided:w=8", n=32), Status.YES),
    ("periodic", family("mask", 6, graph="strided:w=8", n=32), Status.YES),
    ("counting", SHATTERED, Status.NO),
    ("detours", family("mask", 2, graph="star", n=64), Status.NO),
    ("ordering", problem("10* *10 0*1", 1), Status.YES),
    ("ordering", problem("100* 010* 0011", 1), Status.NO),
    ("gradient", family("random", 4, rows=5, columns=5), Status.YES),
    ("projections", family("halfspaces", 3, rows=20, columns=20, d=3), Status.YES),
    ("hinge", family("halfspaces", 3, rows=20, columns=20, d=3), Status.YES),
    ("annealing", family("mask", 3, graph="star", n=12), Status.YES),
    ("coupled", problem("100 010 001", 2, 2), Status.YES),
    ("tokens", problem("010011 101001 001010 101011 100111 111100", 2, 2), Status.NO),
    ("topological", family("mask", 2, graph="star", n=32), Status.NO),
    ("chirotope", family("all-subsets", 2, n=5, k=2), Status.NO),
    ("hard-part", family("all-subsets", 3, n=6, k=2), Status.NO),
    ("padded", problem("1001 0101 0011 1000 0100 0010 1110", 3), Status.YES),
    ("padded", problem("1001 0101 0011 1000 0100 0010 1110", 2), Status.NO),
    ("blocks", family("random", 3, rows=80, columns=80, density=0.2), Status.NO),
    ("forster", family("hadamard", 2, n=16), Status.NO),
    ("polynomials", family("all-subsets", 3, n=6, k=2), Status.NO),
    ("symmetric", family("hadamard", 3, n=8), Status.NO),
    ("candidates", family("halfspaces", 3, rows=9, columns=9, d=3), Status.YES),
    ("candidates", family("all-subsets", 3, n=6, k=2), Status.NO),
    ("best-order", problem("010011 111010 000110 101100 011101", 3), Status.YES),
]
"""Problems on which a strategy by itself finds a proof."""

_RANDOM = generate("random", rows=40, columns=40, seed=2).pattern
_KNOWN = np.random.RandomState(0).random_sample((40, 40)) >= 0.3
_KNOWN[:, 0] = True
_STARRED = Pattern.from_array((_RANDOM.to_array() == 1) | (np.arange(40) == 0), _KNOWN)
_WIDE = generate("random", rows=12, columns=150, seed=3).pattern

HARD = [
    Problem(_RANDOM, 1),
    Problem(_RANDOM, 4),
    Problem(_STARRED, 1),
    Problem(_STARRED, 3),
    Problem(_RANDOM, 2, 3),
    Problem(_RANDOM, 3, 3),
    Problem(_STARRED, 1, 1),
    Problem(_WIDE, 3),
]
"""Problems that take most strategies longer than a twentieth of a second."""

TRIVIAL = [problem("1", 1), problem("111 111", 1), problem("1* *1", 2), problem("01 10", 1, 1)]
LARGE_SEED = 1 << 32
"""A seed of more bits than generators take, as later turns may have; they draw as from 0."""

LARGE = [family("random", d, rows=700, columns=701) for d in (1, 60)]
MANY_DIMENSIONS = problem("1100 0110 0011 1001", 1 << 24)
"""A problem in so many dimensions that nothing may be done for each of them."""


def find(record: StrategyRecord, problem: Problem, search: Search) -> Proof | str | None:
    """The answer of a strategy to a problem that it applies to, in a form that a trail can hold."""
    strategy = record.load()
    reason = record.applies(problem)
    if reason is not None:
        assert_one_line(reason)
        return None
    if record.simplified:
        problem = Problem(problem.pattern, problem.d)  # as a decision does: merged is free
    found = strategy.find_proof(problem, search)
    if isinstance(found, str):
        assert_one_line(found)
        return found
    if only_bounds(found, problem):
        problem = Problem(problem.pattern, found.dimension)
    assert check(problem, found) is None
    assert status(found) in record.finds
    return found


def assert_one_line(words: str) -> None:
    assert words == words.strip()
    assert len(words.splitlines()) == 1


def only_bounds(proof: Proof, problem: Problem) -> bool:
    """Whether a proof is one of YES in a larger dimension, or of NO in a smaller one."""
    d, reached = problem.d, proof.dimension
    return reached > d if proves_yes(proof) else reached < d


def status(proof: Proof) -> Status:
    return Status.YES if proves_yes(proof) else Status.NO


@every_strategy
def test_the_module_has_the_names_of_its_record(record: StrategyRecord) -> None:
    module = record.load()
    assert record.name == module.NAME
    assert record.finds
    assert callable(module.applies)
    assert callable(module.find_proof)


def test_names_are_unique_and_every_answer_of_every_strategy_has_an_example() -> None:
    assert len({record.name for record in STRATEGIES}) == len(STRATEGIES)
    assert len({record.module for record in STRATEGIES}) == len(STRATEGIES)
    answers = {(name, answer) for name, _, answer in PROVEN}
    assert answers == {(record.name, answer) for record in STRATEGIES for answer in record.finds}


@pytest.mark.parametrize(
    ("name", "problem", "answer"), PROVEN, ids=[f"{name}-{a.value}" for name, _, a in PROVEN]
)
def test_it_finds_a_proof_by_itself(name: str, problem: Problem, answer: Status) -> None:
    (record,) = (record for record in STRATEGIES if record.name == name)
    found = find(record, problem, Search.within(60.0, LARGE_SEED))
    assert found is not None
    assert not isinstance(found, str), found
    assert status(found) is answer


@every_strategy
def test_what_it_says_of_problems_of_others_is_true(record: StrategyRecord) -> None:
    """Proofs check and give an answer that the record names; no proof contradicts a known one."""
    for _, problem, answer in PROVEN:
        found = find_soon(record, problem)
        if found is None or isinstance(found, str) or only_bounds(found, problem):
            continue
        free = record.simplified and problem.coupled  # more can be shown in the free case
        assert status(found) is answer or (free and status(found) is Status.YES)
    for problem in TRIVIAL:
        find_soon(record, problem)


def find_soon(record: StrategyRecord, problem: Problem) -> Proof | str | None:
    """The answer of a strategy within a twentieth of a second, on a busy machine as on an idle one.

    All but a few of the proofs that they find within a tenth of a second are found by then.
    """
    with processor_time():
        return find(record, problem, Search.within(0.05, 0))


@every_strategy
@pytest.mark.parametrize("seconds", [-1.0, 0.02], ids=["no time", "little time"])
def test_the_time_limit_holds(record: StrategyRecord, seconds: float) -> None:
    """Half a minute more is for slow processors: some of these problems would take days."""
    with processor_time():
        for problem in HARD:
            started = search_clock.now()
            find(record, problem, Search(started + seconds, started + seconds))
            assert search_clock.now() - started < 30.0


@every_strategy
def test_dimensions_are_not_counted_one_by_one(record: StrategyRecord) -> None:
    """Before its first turn a strategy has no time limit."""

    def ask() -> None:
        record.applies(MANY_DIMENSIONS)
        if record.in_turns:
            record.first_seconds(MANY_DIMENSIONS)

    ended_within(0.5, ask)


@every_strategy
def test_a_first_turn_is_a_time(record: StrategyRecord) -> None:
    if not record.in_turns:
        return
    for problem in every_problem():
        seconds = record.first_seconds(problem)
        assert 0 < seconds < float("inf")


@pytest.mark.parametrize(
    ("name", "d", "words"),
    [
        ("ordering", 2, "it covers only d = 1"),
        ("topological", 1, "it covers only d >= 2"),
        ("crossing-rows", 1, "it covers only patterns with don't-cares"),
    ],
)
def test_a_strategy_is_not_imported_for_problems_that_it_does_not_cover(
    name: str, d: int, words: str
) -> None:
    (record,) = choose([name])
    nowhere = replace(record, module="samapprox.solvers.nothing")
    assert nowhere.applies(problem("10 01", d)) == words


@every_strategy
def test_stepping_aside_is_explained(record: StrategyRecord) -> None:
    for problem in every_problem():
        reason = record.applies(problem)
        if reason is not None:
            assert_one_line(reason)


def every_problem() -> Iterator[Problem]:
    yield from (problem for _, problem, _ in PROVEN)
    yield from (*HARD, *TRIVIAL, *LARGE)
