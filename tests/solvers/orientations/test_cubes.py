"""Cubes: the answers of one solver, in one refutation that the checker accepts."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from helpers.durations import ended_within
from helpers.programs.processes import workers

from samapprox.errors import InputError
from samapprox.proofs.refutations.orientation_clauses import circuit_clauses, relation_clauses
from samapprox.proofs.refutations.propagation import refutes
from samapprox.solvers.engine.backends import Cadical, Lemmas, Sat
from samapprox.solvers.engine.search import Search
from samapprox.solvers.orientations import cubes, on_demand
from samapprox.solvers.orientations.cubes import Cubes
from samapprox.solvers.orientations.on_demand import Contradiction, orient


def pigeons(holes: int) -> Lemmas:
    place = np.arange(1, holes * (holes + 1) + 1).reshape(holes + 1, holes)
    apart = [[-a, -b] for hole in place.T.tolist() for a, b in combinations(hole, 2)]
    return [*place.tolist(), *apart]


def random_clauses(rng: np.random.RandomState, variables: int, count: int) -> Lemmas:
    chosen = [rng.choice(variables, 3, replace=False) + 1 for _ in range(count)]
    return [(three * rng.choice([-1, 1], 3)).tolist() for three in chosen]


def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the processes do everything: the solver beside them never answers."""
    monkeypatch.setattr(Sat, "solve", lambda *_: None)


@pytest.mark.parametrize("conflicts", [0, 20])
def test_answers_are_those_of_one_solver(conflicts: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cubes, "_CONFLICTS", conflicts)
    rng = np.random.RandomState(conflicts)
    ends = []
    for turn in range(4):
        given = random_clauses(rng, 30, 110)
        search = Search.within(60.0, 0)
        with Sat(search, proof=True) as sat, Sat(Search()) as other:
            sat.add(given)
            other.add(given)
            solve = other.solve
            with pytest.MonkeyPatch.context() as patch, Cubes(sat, search, given) as divided:
                if turn % 2:
                    alone(patch)
                while (answer := divided.solve()) is True:
                    chosen = [v if v in divided.true else -v for v in range(1, 31)]
                    assert all(set(chosen) & set(clause) for clause in given)
                    more = [[-literal for literal in chosen[:12]], *random_clauses(rng, 30, 10)]
                    given += more
                    divided.add(more)
                    other.add(more)
                lemmas = divided.lemmas
            assert answer is solve() is False
            assert lemmas is not None
            assert refutes(given, lemmas)
            ends.append(len(given))
    assert max(ends) > 110  # some had assignments first


def test_cubes_are_divided_and_joined(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cubes, "_CONFLICTS", 60)
    alone(monkeypatch)
    given = pigeons(6)
    search = Search.within(60.0, 0)
    with Sat(search, proof=True) as sat, Cubes(sat, search, given) as divided:
        assert divided.solve() is False
        lemmas = divided.lemmas
    assert lemmas is not None
    assert refutes(given, lemmas)
    assert any(len(lemma) == 1 for lemma in lemmas[-2:])  # the halves of the first cube
    assert not workers()


def test_it_ends_in_time() -> None:
    given = pigeons(14)

    def solve() -> None:
        search = Search.within(0.5, 0)
        with Sat(search, proof=True) as sat:
            sat.add(given)
            with Cubes(sat, search, given) as divided:
                assert divided.solve() is None

    ended_within(1.5, solve)
    assert not workers()


def test_the_solver_goes_on_without_a_process_that_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    search, given = Search.within(60.0, 0), pigeons(6)
    with Sat(search, proof=True) as sat:
        sat.add(given)
        with Cubes(sat, search, given) as divided:
            workers()[0].kill()
            assert divided.solve() is False
            lemmas = divided.lemmas
    assert lemmas is not None
    assert refutes(given, lemmas)


def refuse(_: Search) -> Cadical:
    raise InputError("no process can be started")


@pytest.mark.parametrize("allowed", [True, False])
def test_orientations_are_found_or_refuted_with_help(
    allowed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    signs = np.random.RandomState(5).choice([-1, 1], size=(30, 8)).astype(np.int8)
    circuits = circuit_clauses(signs, 4)
    monkeypatch.setattr(on_demand, "_EFFORT", 0)
    monkeypatch.setattr(cubes, "_CONFLICTS", 5)
    if allowed:
        alone(monkeypatch)
    else:
        monkeypatch.setattr(cubes, "Cadical", refuse)
    search = Search.within(60.0, 0)
    for among, most in ((circuits, Contradiction), (circuits[: len(circuits) // 8], np.ndarray)):
        found = orient(among, [np.array([[1]])], 8, 4, search)
        assert isinstance(found, most)
        if isinstance(found, Contradiction):
            used = [[1], *among[found.circuits].tolist()]
            if len(found.relations):
                used += relation_clauses(8, 4, found.relations.tolist()).tolist()
            assert refutes(used, found.lemmas)
