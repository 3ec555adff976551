"""Runs of Turing machines against a simulator of its own, and known facts about machines."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samapprox import InputError
from samapprox.attention.reasoning.base import BAR
from samapprox.attention.reasoning.replay import first_mistake
from samapprox.attention.reasoning.turing_machine import (
    HALT,
    MACHINES,
    TuringMachine,
    parse_machine,
    random_machine,
)

PALINDROME = TuringMachine()


def simulate(table: str, tape: str, limit: int) -> tuple[int, str, int] | None:
    """Steps, the symbol written last, and ones on the tape; the tape as two stacks of text."""
    rules = {
        (chr(ord("A") + state), str(k)): row[3 * k : 3 * k + 3]
        for state, row in enumerate(table.split("_"))
        for k in range(len(row) // 3)
    }
    left, right, state, steps, written = "", tape, "A", 0, ""
    while any(name == state for name, _ in rules):
        if steps == limit:
            return None
        head, right = (right or "0")[0], right[1:]
        written, move, state = rules[state, head]
        if move == "R":
            left += written
        else:
            left, right = left[:-1], (left or "0")[-1] + written + right
        steps += 1
    return steps, written, (left + right).count("1")


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6])
def test_all_short_words_are_palindromes_or_not(n: int) -> None:
    for letters in product("12", repeat=n):
        word = "".join(letters)
        chain = PALINDROME.chain(PALINDROME.parse(word))
        assert chain.answer == (word == word[::-1])
        assert first_mistake(PALINDROME, chain.tokens, chain.needs, chain.answer) is None


def test_the_run_on_a_palindrome_is_quadratic() -> None:
    """(n + 1)(n + 2)/2 steps."""
    for n in range(1, 31):
        chain = PALINDROME.chain(PALINDROME.parse("12"[n % 2] * n))
        assert len(chain) - n - 3 == (n + 1) * (n + 2) // 2


@pytest.mark.parametrize(("states", "steps", "ones"), [(2, 6, 4), (3, 21, 5), (4, 107, 13)])
def test_busy_beavers(states: int, steps: int, ones: int) -> None:
    """The most steps of machines of 2, 3 and 4 states (Rado; Lin; Brady)."""
    name = f"busy-beaver-{states}"
    task = TuringMachine(name)
    chain = task.chain(task.parse("0"))
    assert len(chain) == 1 + 1 + steps + 2
    assert simulate(MACHINES[name][0], "0", 1000) == (steps, "1", ones)
    assert first_mistake(task, chain.tokens, chain.needs, chain.answer) is None


def test_the_limit_is_the_most_steps() -> None:
    task = TuringMachine("busy-beaver-3", limit=21)
    assert len(task.chain(task.parse("0"))) == 25
    task = TuringMachine("busy-beaver-3", limit=20)
    with pytest.raises(InputError, match="does not halt within 20 steps"):
        task.parse("0")


def test_no_machine_of_two_states_runs_longer() -> None:
    """A sample of the machines of 2 states on a blank tape."""
    longest = 0
    for seed in range(300):
        found = simulate(str(random_machine(2, 2, seed)), "0", 200)
        longest = max(longest, 0 if found is None else found[0])
    assert 3 <= longest <= 6


@given(
    st.integers(1, 4), st.integers(2, 3), st.integers(0, 500), st.integers(1, 6), st.integers(0, 99)
)
def test_random_machines(states: int, symbols: int, seed: int, n: int, tape: int) -> None:
    limit = 60
    name = f"random-{states}x{symbols}-{seed}"
    task = TuringMachine(name, limit)
    word = "".join(map(str, np.random.RandomState(tape).randint(0, symbols, size=n)))
    found = simulate(str(parse_machine(name)), word, limit)
    if found is None:
        with pytest.raises(InputError, match="the machine does not halt within 60 steps"):
            task.parse(word)
        return
    chain = task.chain(task.parse(word))
    assert len(chain) == n + 1 + found[0] + 2
    assert chain.answer == int(found[1])
    assert first_mistake(task, chain.tokens, chain.needs, chain.answer) is None


def test_a_step_needs_the_step_before_and_the_last_visit_of_its_cell() -> None:
    for chain in PALINDROME.generate(9, seed=0, count=10):
        tokens = chain.tokens
        steps = range(chain.given, len(chain) - 2)
        for position in steps:
            cell = tokens[position, 1]
            visits = [
                earlier for earlier in steps if earlier < position and tokens[earlier, 1] == cell
            ]
            visits = visits or [cell for cell in [cell] if 0 <= cell < chain.given - 1]
            before = [position - 1] if position > chain.given else []
            assert chain.needs.keys(position).tolist() == [*visits[-1:], *before]


def test_the_end_of_a_run_needs_the_step_that_halts() -> None:
    """Unlike in other tasks, the input does not say where the separator stands."""
    [chain] = PALINDROME.generate(9, seed=0)
    last = len(chain) - 3
    assert chain.tokens[last, 2] == HALT
    assert chain.needs.keys(last + 1).tolist() == chain.needs.keys(last + 2).tolist() == [last]


def test_random_tapes() -> None:
    answers = [chain.answer for chain in PALINDROME.generate(12, seed=0, count=60)]
    assert 15 < sum(answers) < 45
    for chain in TuringMachine("1RB1LB_1LA1RZ").generate(4, seed=0, count=5):
        assert set(chain.tokens[:4, 0].tolist()) <= {0, 1}


# ---------------------------------------------------------------- machines


@pytest.mark.parametrize("name", [*MACHINES, "random-3x2-5", "random-25x10-0"])
def test_a_machine_is_its_table(name: str) -> None:
    machine = parse_machine(name)
    assert parse_machine(str(machine)).table == machine.table
    assert all(len(row) == machine.symbols for row in machine.table)
    assert set(machine.letters) <= set(range(machine.symbols))
    assert any(state == 0 for row in machine.table for _, _, state in row)


def test_random_machines_are_frozen() -> None:
    assert str(random_machine(3, 2, 1)) == "1LZ0LA_1LZ0RA_0LA0RA"


@pytest.mark.parametrize(
    ("machine", "message"),
    [
        ("", "unknown machine ''; give a table such as 1RB1LB_1LA1RZ, random-3x2-0, or one of"),
        ("busy-beaver-5", "unknown machine 'busy-beaver-5' (did you mean 'busy-beaver-"),
        ("1RB1LB_1LA", "state B of the machine must have 2 entries of three characters"),
        ("1RB1LB_1LA---", "state B of the machine, symbol 1: the entry must be a symbol in 0..1"),
        ("1RB2LB_1LA1RZ", "state A of the machine, symbol 1: the entry must be a symbol in 0..1"),
        ("1RA1RA_" * 30, "at most 25 states and 10 symbols, not 31 and 2"),
        ("random-3x1-0", "a random machine has 1..25 states and 2..10 symbols, not 3 and 1"),
        ("random-26x2-0", "not 26 and 2"),
        ("random-2x2-9999999999", "the seed must be in 0..4294967295"),
    ],
)
def test_bad_machines(machine: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        TuringMachine(machine)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("task", "text", "message"),
    [
        (PALINDROME, "12a", "symbol 2 must be a digit, not 'a'"),
        (PALINDROME, "13", "symbol 1 must be in 0..2, not 3"),
        (PALINDROME, "1\u0662", "symbol 1 must be a digit"),
        (TuringMachine(limit=5), "1221", "the machine does not halt within 5 steps; a larger"),
        (TuringMachine("1RA1RA"), "0", "the machine does not halt within 10000 steps"),
        (TuringMachine("1RZ1RZ", limit=1), "1", ""),
    ],
)
def test_bad_input(task: TuringMachine, text: str, message: str) -> None:
    if not message:
        assert task.chain(task.parse(text)).answer == 1
        return
    with pytest.raises(InputError) as caught:
        task.parse(text)
    assert message in str(caught.value)


def test_a_machine_that_never_halts_has_no_random_tape() -> None:
    task = TuringMachine("1RA1RA", limit=20)
    with pytest.raises(InputError, match="within 20 steps, tried on 100 random tapes"):
        next(task.generate(3))


def test_a_symbol_outside_the_alphabet() -> None:
    with pytest.raises(InputError, match=r"symbol 0 must be in 0\.\.2, not -2"):
        PALINDROME.chain([-2, BAR])
