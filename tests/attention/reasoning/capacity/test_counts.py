"""Runs of machines on inputs that are not chosen, against runs on all inputs."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from samapprox.attention.reasoning.capacity.counts import RunCount, Table, count_runs

LIMIT = 25


@st.composite
def machines(draw: st.DrawFn) -> Table:
    states, symbols = draw(st.integers(1, 3)), draw(st.integers(2, 3))
    entry = st.tuples(st.integers(0, symbols - 1), st.sampled_from([-1, 1]), st.integers(0, states))
    row = st.lists(entry, min_size=symbols, max_size=symbols)
    return draw(st.lists(row, min_size=states, max_size=states))


def halting_runs(
    table: Table, cells: int, limit: int = LIMIT
) -> set[tuple[tuple[int, int, int, int], ...]]:
    """The runs on all inputs, with what a chain shows of each step."""
    runs = set()
    for symbols in product(range(len(table[0])), repeat=cells):
        tape = dict(enumerate(symbols))
        state, cell, run = 1, 0, []
        while state and len(run) < limit:
            symbol, move, state = table[state - 1][tape.get(cell, 0)]
            tape[cell] = symbol
            run.append((cell, state, move, symbol))
            cell += move
        if state == 0:
            runs.add(tuple(run))
    return runs


@given(machines(), st.integers(1, 4), st.sampled_from([1, 2, 3, 5, LIMIT]))
def test_all_runs_are_counted(table: Table, cells: int, limit: int) -> None:
    count = count_runs(table, cells, limit, most=1000)
    assert count.is_exact
    assert count.runs == len(halting_runs(table, cells, limit))


@given(machines(), st.integers(1, 4), st.integers(1, 20))
def test_fewer_runs_are_counted_beyond_the_limit(table: Table, cells: int, most: int) -> None:
    count = count_runs(table, cells, LIMIT, most)
    every = len(halting_runs(table, cells))
    assert count.runs == every if count.is_exact else count.runs <= every


@given(machines(), st.integers(1, 4), st.integers(1, 20), st.integers(0, 60))
def test_fewer_runs_are_counted_if_work_is_cut_short(
    table: Table, cells: int, most: int, work: int
) -> None:
    count = count_runs(table, cells, LIMIT, most, work)
    every = len(halting_runs(table, cells))
    assert count.runs == every if count.is_exact else count.runs <= every


def test_long_runs_are_cut_short() -> None:
    """Many long tapes that divide slowly, and runs that never halt, take bounded time."""
    sweep = [[(0, 1, k + 2)] * 2 if k % 9 else [(0, 1, k + 2), (1, 1, k + 2)] for k in range(24)]
    sweep.append([(0, 1, 1)] * 2)
    assert count_runs(sweep, 10**5, 10**5, work=10**5) == RunCount(0, is_exact=False)


def test_a_beginning_counts_once_however_many_symbols_end_it() -> None:
    one_step = [[(0, 1, 0), (0, 1, 0), (0, 1, 0)]]
    assert count_runs(one_step, 1, LIMIT) == RunCount(1, is_exact=True)
    assert count_runs(one_step, 1, LIMIT, most=1) == RunCount(1, is_exact=False)


def test_cells_where_all_symbols_do_the_same_are_not_divided() -> None:
    to_the_right = [[(0, 1, 1), (0, 1, 1)]]
    assert count_runs(to_the_right, 10**5, 10**5 + 1, work=10**5) == RunCount(0, is_exact=True)
    until_one = [[(0, 1, 1), (0, 1, 1), (0, 1, 1)], [(0, 1, 0)] * 3]
    assert count_runs(until_one[1:], 10**5, 10) == RunCount(1, is_exact=True)


def test_a_machine_that_reads_all_has_a_run_for_each_input() -> None:
    copy = [[(0, 1, 0), (1, 1, 1), (2, 1, 1)]]  # to the right, until a blank
    assert count_runs(copy, 5, LIMIT).runs == sum(2**read for read in range(6))
