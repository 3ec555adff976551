"""CaDiCaL in a child process: answers, proofs, limits, and no process that stays."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from itertools import combinations

import numpy as np
import psutil
import pytest
from helpers.durations import ended_within
from helpers.programs.processes import workers
from hypothesis import given
from hypothesis import strategies as st

from samapprox.proofs.refutations.propagation import refutes
from samapprox.solvers.engine.backends import (
    Cadical,
    Lemmas,
    Sat,
    flatten_clauses,
    parse_proof,
    split_clauses,
)
from samapprox.solvers.engine.search import Search

literals = st.integers(1, 2**28).flatmap(lambda variable: st.sampled_from([variable, -variable]))
clauses = st.lists(st.lists(literals, min_size=1, max_size=5), max_size=20)


def pigeons(holes: int) -> Lemmas:
    """One pigeon too many: hard for every solver from some twelve holes on."""
    place = np.arange(1, holes * (holes + 1) + 1).reshape(holes + 1, holes)
    apart = [[-a, -b] for hole in place.T.tolist() for a, b in combinations(hole, 2)]
    return [*place.tolist(), *apart]


def random_clauses(seed: int, variables: int, count: int) -> Lemmas:
    rng = np.random.RandomState(seed)
    chosen = [rng.choice(variables, 3, replace=False) + 1 for _ in range(count)]
    return [(three * rng.choice([-1, 1], 3)).tolist() for three in chosen]


def eventually(condition: Callable[[], bool]) -> bool:
    """Return whether it holds within a minute."""
    ends = time.monotonic() + 60
    while not condition() and time.monotonic() < ends:
        time.sleep(0.02)
    return condition()


def test_answers_and_proofs_are_right_while_clauses_come() -> None:
    answers = []
    for seed in range(3):
        given = random_clauses(seed, 40, 200)
        with Cadical(Search.within(60.0, 0)) as solver, Sat(Search()) as other:
            for at in range(0, len(given), 20):
                solver.add(given[at : at + 20])
                other.add(given[at : at + 20])
                assumptions = [1 + at % 7, -8 - at % 11]
                answer = solver.solve(assumptions)
                assert answer is other.solve(assumptions)
                answers.append(answer)
                if answer:
                    chosen = {v if v in solver.true else -v for v in range(1, 41)}
                    assert all(chosen & set(clause) for clause in given[: at + 20])
                    assert chosen >= set(assumptions)
                else:
                    assert set(solver.conflict) <= set(assumptions)
                    units = [[literal] for literal in solver.conflict]
                    lemmas = solver.lemmas
                    assert lemmas is not None
                    assert refutes([*given[: at + 20], *units], lemmas)
    assert {True, False} == set(answers)


def test_lemmas_do_not_depend_on_assumptions() -> None:
    switch = 100
    given = [[*clause, switch] for clause in pigeons(6)]
    with Cadical(Search.within(60.0, 0)) as solver:
        solver.add(given)
        assert solver.solve([-switch]) is False
        lemmas = solver.lemmas
    assert lemmas
    assert refutes([*given, [-switch]], lemmas)
    with Sat(Search()) as other:  # all follow without the assumption
        other.add(given)
        assert not any(other.solve([-literal for literal in lemma]) for lemma in lemmas[:200])


def test_it_gives_up_after_conflicts_and_goes_on() -> None:
    with Cadical(Search.within(60.0, 0)) as solver:
        solver.add(pigeons(7))
        solver.ask(conflicts=1)
        assert solver.answer() is None
        assert solver.solve() is False


def test_it_ends_in_time() -> None:
    def solve() -> None:
        with Cadical(Search.within(0.5, 0)) as solver:
            solver.add(pigeons(14))
            assert solver.solve() is None
            assert solver.lemmas is None

    ended_within(1.5, solve)
    assert eventually(lambda: not workers())


def test_threads_use_it_and_stop_it() -> None:
    search = Search.within(60.0, 0)
    answers: list[bool | None] = []

    def solve() -> None:
        with Cadical(search) as solver:
            solver.add(pigeons(14))
            answers.append(solver.solve())

    thread = threading.Thread(target=solve)
    thread.start()
    assert eventually(lambda: any(child.cpu_times().user > 0.3 for child in workers()))
    search.stop()
    thread.join(60.0)
    assert answers == [None]
    assert eventually(lambda: not workers())


def test_too_much_memory_is_no_answer() -> None:
    search = Search.within(60.0, 0)
    with Cadical(search, memory=1 << 20) as solver:
        solver.add(pigeons(30))
        assert solver.solve() is None
    assert not search.out_of_time
    with Cadical(Search.within(60.0, 0)) as solver:
        solver.add([[1], [-1]])
        assert solver.solve() is False


SCRIPT = """
from samapprox.solvers.engine.backends import Cadical
from samapprox.solvers.engine.search import Search

solver = Cadical(Search())
solver.add({clauses})
solver.ask()
import psutil
print(*(child.pid for child in psutil.Process().children()), flush=True)
solver.answer()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere its seconds of CPU are limited")
def test_it_ends_with_a_parent_that_is_killed() -> None:
    script = SCRIPT.format(clauses=pigeons(14))  # without a guard of the main module
    parent = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    (child,) = map(int, parent.stdout.readline().split())
    assert psutil.pid_exists(child)
    os.kill(parent.pid, signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    assert eventually(lambda: not psutil.pid_exists(child) or _zombie(child))


def _zombie(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


@given(clauses)
def test_clauses_survive_the_way(given: Lemmas) -> None:
    assert split_clauses(flatten_clauses(given)) == given


@given(st.lists(st.tuples(st.sampled_from("ad"), st.lists(literals, max_size=5)), max_size=20))
def test_binary_proofs_are_read(steps: list[tuple[str, list[int]]]) -> None:
    data = bytearray()
    for letter, clause in steps:
        data += letter.encode()
        for literal in clause:
            number = 2 * abs(literal) + (literal < 0)
            while number >= 128:
                data.append(number % 128 + 128)
                number //= 128
            data.append(number)
        data.append(0)
    learned = [clause for letter, clause in steps if letter == "a" and clause]
    assert split_clauses(parse_proof(bytes(data))) == learned
    assert split_clauses(parse_proof(bytes(data) + b"a")) == learned
