"""Numbers of different chains, by enumeration, and the dimensions that follow."""

from __future__ import annotations

import dataclasses
import json
from contextlib import suppress
from itertools import combinations, permutations, product

import numpy as np
import pytest
from helpers.commands import refused, run
from helpers.schemas import assert_tight, schema
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from samapprox.attention.reasoning import parse_task
from samapprox.attention.reasoning.arithmetic import Arithmetic
from samapprox.attention.reasoning.base import BAR, Task
from samapprox.attention.reasoning.capacity.bound import (
    LinearModel,
    Model,
    SparseModel,
    bound_dimension,
    make_model,
)
from samapprox.attention.reasoning.capacity.counts import (
    COUNTS,
    count_band_placements,
    count_chains,
    count_lis_tables,
    count_placements,
)
from samapprox.attention.reasoning.edit_distance import BandedEditDistance, EditDistance
from samapprox.attention.reasoning.turing_machine import TuringMachine
from samapprox.errors import InputError


def lis_tables(inputs: NDArray[np.int64]) -> set[bytes]:
    """The different sequences dp of many inputs, by the definition."""
    tables = np.ones(inputs.shape, dtype=np.int8)
    for j in range(inputs.shape[1]):
        for i in range(j):
            longer = (tables[:, i] + 1) * (inputs[:, i] < inputs[:, j])
            tables[:, j] = np.maximum(tables[:, j], longer)
    return set(map(bytes, tables))


def generated(task: Task, inputs: list[list[int]]) -> set[bytes]:
    """The different generated parts of the chains of inputs of one length."""
    chains = task.solve([np.array(one, dtype=np.int64) for one in inputs])
    return {chain.tokens[chain.given :].tobytes() for chain in chains}


@pytest.mark.parametrize("n", range(1, 8))
def test_inputs_have_as_many_lis_tables_as_a_set_has_partitions(n: int) -> None:
    every = np.indices((n,) * n).reshape(n, -1).T  # ties as well
    assert len(lis_tables(every)) == count_lis_tables(n)
    orders = np.array(list(permutations(range(n))))
    assert len(lis_tables(orders)) == count_lis_tables(n)


def test_the_task_writes_these_tables() -> None:
    task = parse_task("lis")
    for n in range(1, 6):
        inputs = [[*numbers, BAR] for numbers in product(range(n), repeat=n)]
        assert len(generated(task, inputs)) == count_chains(task, n).chains


@pytest.mark.parametrize(
    ("name", "one", "other"),
    [
        ("lis", "1 2", "1 3"),
        ("edit-distance", "ab cd", "ab ef"),
        ("banded-edit-distance", "ab cd", "ab ef"),
        ("arithmetic", "1+2", "2+1"),
        ("turing-machine:machine=0RZ0RZ0RZ", "01", "12"),
    ],
)
def test_no_task_is_regular(name: str, one: str, other: str) -> None:
    """Definition 4.3 wants different chains for different inputs."""
    task = parse_task(name)
    first, second = (task.parse(text).tolist() for text in (one, other))
    assert first != second
    assert len(generated(task, [first, second])) == 1


def placements(rows: int, columns: int) -> list[list[int]]:
    """Second strings that use each of so many letters at most once; the letter rows + 1 is free."""
    words = product(range(1, rows + 2), repeat=columns)
    return [
        list(word) for word in words if all(word.count(letter) < 2 for letter in range(1, rows + 1))
    ]


@settings(max_examples=60)
@given(st.tuples(*[st.integers(0, 5)] * 3), st.integers(1, 3), st.integers(1, 4))
def test_matchings_of_letters_have_different_tables(
    costs: tuple[int, int, int], rows: int, columns: int
) -> None:
    insert, delete, replace = costs
    assume(replace and insert + delete)
    task = EditDistance(insert, delete, replace)
    words = placements(rows, columns)
    first = list(range(1, rows + 1))
    found = generated(task, [[*first, BAR, *word, BAR] for word in words])
    assert len(found) == len(words) == count_placements(rows, columns)


def test_more_tables_than_counted_exist() -> None:
    """The count for the edit distance is a lower bound: letters may match several times."""
    task = EditDistance()
    inputs = [
        [*first, BAR, *second, BAR]
        for first in product((1, 2), repeat=2)
        for second in product((1, 2, 3), repeat=4)
    ]
    assert len(generated(task, inputs)) > count_chains(task, 2).chains == count_placements(2, 4)


@pytest.mark.parametrize("costs", [(2, 3, 0), (0, 0, 0), (0, 0, 4)])
@pytest.mark.parametrize("width", [None, 1, 2])
def test_free_edits_leave_one_table(costs: tuple[int, int, int], width: int | None) -> None:
    task = EditDistance(*costs) if width is None else BandedEditDistance(*costs, w=width)
    columns = task.second_length(2)
    inputs = [[1, 2, BAR, *second, BAR] for second in product((1, 2, 3), repeat=columns)]
    count = count_chains(task, 2)
    assert (len(generated(task, inputs)), count.chains, count.is_exact) == (1, 1, True)


@pytest.mark.parametrize("costs", [(2, 2, 3), (0, 0, 3), (0, 0, 0), (5, 0, 0)])
def test_on_the_diagonal_only_replacements_count(costs: tuple[int, int, int]) -> None:
    task = BandedEditDistance(*costs, w=0)
    inputs = [[1, 2, 3, BAR, *second, BAR] for second in product((1, 2, 3), repeat=3)]
    count = count_chains(task, 3)
    assert len(generated(task, inputs)) == count.chains == (8 if task.replace else 1)


@pytest.mark.parametrize("name", sorted(COUNTS))
def test_no_printed_bound_exceeds_the_count(name: str) -> None:
    for size in range(1, 30):
        count = count_chains(parse_task(name), size)
        for digits in (1, 3):
            shown = count.round_bits(digits)
            assert shown <= count.bits or count.is_exact
            assert abs(shown - count.bits) <= 10**-digits
    shown = run("cot", "bound", "arithmetic", "--size", "16").stdout
    assert shown.startswith("chains of arithmetic, size 16: at least 2^84.8\n")
    document = json.loads(run("cot", "bound", "arithmetic", "--size", "16", "--json").stdout)
    assert document["chains"]["log2"] == 84.853


@settings(max_examples=40)
@given(st.tuples(*[st.integers(0, 5)] * 3), st.integers(1, 3), st.integers(0, 3))
def test_matchings_in_the_band_have_different_tables(
    costs: tuple[int, int, int], rows: int, width: int
) -> None:
    insert, delete, replace = costs
    assume(replace and insert + delete)
    task = BandedEditDistance(insert, delete, replace, w=width)
    columns = task.second_length(rows)
    words = [
        word
        for word in placements(rows, columns)
        if all(letter > rows or abs(letter - 1 - j) <= width for j, letter in enumerate(word))
    ]
    first = list(range(1, rows + 1))
    found = generated(task, [[*first, BAR, *word, BAR] for word in words])
    assert len(found) == len(words) == count_band_placements(rows, columns, width)


def test_letters_of_long_banded_strings_repeat() -> None:
    """Letters 25 rows apart never share a column of the band."""
    task = BandedEditDistance(w=1)
    rows, columns = 30, 31
    first = [1 + i % 25 for i in range(rows)]
    words = []
    for pair in combinations([(i, j) for i in range(23, 30) for j in (i - 1, i, i + 1)], 2):
        if len({i for i, _ in pair}) == len({j for _, j in pair}) == 2:
            word = [26] * columns
            for i, j in pair:
                word[j] = first[i]
            words.append(word)
    assert len(generated(task, [[*first, BAR, *word, BAR] for word in words])) == len(words)
    assert (
        count_chains(BandedEditDistance(w=12), 40).bits
        > count_chains(BandedEditDistance(w=13), 40).bits
    )


@pytest.mark.parametrize(("operators", "p"), [(1, 2), (1, 5), (2, 2), (2, 3), (3, 2)])
def test_nested_expressions_have_different_chains(operators: int, p: int) -> None:
    task = Arithmetic(p=p)
    found, signs = set(), "+-*/"
    for numbers in product(range(p), repeat=operators + 1):
        for chosen in product(signs, repeat=operators):
            text = str(numbers[0])
            for k, (sign, number) in enumerate(zip(chosen, numbers[1:], strict=True)):
                text = f"{text if k == 0 else f'({text})'}{sign}{number}"
            with suppress(InputError):  # division by zero
                chain = task.chain(task.parse(text))
                assert chain.given == 4 * operators
                found.add(chain.tokens[chain.given :].tobytes())
    assert len(found) == count_chains(task, operators).chains


@pytest.mark.parametrize("name", ["palindrome", "busy-beaver-2", "random-3x2-5"])
def test_runs_are_those_of_the_task(name: str) -> None:
    task = TuringMachine(machine=name, limit=60)
    symbols = range(3 if name == "palindrome" else 2)
    found = set()
    for tape in product(symbols, repeat=4):
        with suppress(InputError):  # no halt
            chain = task.chain([*tape, BAR])
            found.add(chain.tokens[chain.given :].tobytes())
    count = count_chains(task, 4)
    assert count.is_exact
    assert count.chains == len(found)


def test_long_strings_repeat_letters() -> None:
    """The first 25 letters of a longer string can differ; the last one then matches nothing."""
    assert count_chains(EditDistance(), 40).chains == count_placements(25, 42)


@given(st.integers(0, 4), st.integers(1, 5), st.integers(0, 5))
def test_band_placements(rows: int, columns: int, width: int) -> None:
    cells = [(i, j) for i in range(rows) for j in range(columns) if abs(i - j) <= width]
    count = 0
    for chosen in range(1 << len(cells)) if len(cells) <= 12 else ():
        used = [cell for bit, cell in enumerate(cells) if chosen >> bit & 1]
        count += all(len({cell[axis] for cell in used}) == len(used) for axis in (0, 1))
    if len(cells) <= 12:
        assert count_band_placements(rows, columns, width) == count
    if width >= max(rows, columns):
        assert count_band_placements(rows, columns, width) == count_placements(rows, columns)


def test_the_bound_of_the_paper_s_longest_subsequences() -> None:
    task = parse_task("lis")
    assert 1206 < count_chains(task, 250).bits < 1207
    assert bound_dimension(task, 250, LinearModel(3, 4, 32)).dimension == 8
    assert bound_dimension(task, 250, LinearModel(3, 4, 16)).dimension == 12


@given(st.integers(1, 6), st.integers(1, 6), st.integers(1, 64), st.integers(1, 10**400))
def test_the_least_dimension_is_least(layers: int, heads: int, bits: int, chains: int) -> None:
    model = LinearModel(layers, heads, bits)
    least = model.least_dimension(chains)
    assert least % heads == 0
    assert 2 ** model.capacity(least) >= chains
    assert least == heads or 2 ** model.capacity(least - heads) < chains


@pytest.mark.parametrize(
    ("model", "numbers"),
    [
        (LinearModel(1, 1, 1), 1 + 1),
        (LinearModel(2, 1, 1), 2 * (9 + 3)),
        (LinearModel(2, 3, 1), 2 * 3 * (1 + 1)),
        (SparseModel(1, 1, 1, block=3, given=9), (2 + 2) * 3),  # tokens 2 and 5, then 6 and 7
        (SparseModel(5, 3, 1, block=3, given=9, summaries=0), 5 * 2 * 3),
    ],
)
def test_the_numbers_that_reach_generated_tokens(model: Model, numbers: int) -> None:
    dimension = 1 if numbers == 2 else 3
    assert model.numbers(dimension) == numbers
    wider = dataclasses.replace(model, bits=7)
    assert wider.capacity(dimension) == 7 * numbers
    assert model.least_dimension(2**numbers) == dimension
    assert model.least_dimension(2**numbers + 1) == dimension + model.heads
    assert model.least_dimension(1) == model.heads


def test_excluded_are_the_dimensions_below_the_bound() -> None:
    found = bound_dimension(parse_task("lis"), 250, LinearModel(3, 4, 16))
    tried = found.to_json(range(4, 41, 4))["tried"]
    assert [row["dimension"] for row in tried if row["excluded"]] == [4, 8]
    assert found.dimension == 12


@pytest.mark.parametrize("width", [0, 1, 5])
def test_the_inputs_that_are_counted_are_as_long_as_those_of_the_task(width: int) -> None:
    banded = BandedEditDistance(w=width)
    for task in (parse_task("lis"), EditDistance(), banded, TuringMachine()):
        (chain,) = task.generate(5)
        assert count_chains(task, 5).given == chain.given
    text = "((1+2)*3)-4"
    assert count_chains(Arithmetic(), 3).given == Arithmetic().parse(text).size == len(text) + 1
    model = make_model("sparse", banded, 5, layers=1, heads=1, bits=1, block=2)
    assert isinstance(model, SparseModel)
    assert model.given == count_chains(banded, 5).given


def test_wide_bands_have_as_many_rows_as_different_letters() -> None:
    assert count_chains(BandedEditDistance(w=13), 40).chains == count_band_placements(25, 42, 4)
    assert count_chains(BandedEditDistance(w=12), 40).chains == count_band_placements(40, 42, 4)


def test_runs_beyond_the_limit_of_the_task_do_not_count() -> None:
    """The palindrome machine halts at once on a blank, after three steps on one symbol."""
    counts = [count_chains(TuringMachine(limit=limit), 1).chains for limit in (1, 2, 3)]
    assert counts == [1, 1, 3]


@given(st.integers(1, 9), st.data(), st.integers(2, 60))
def test_visible_tokens_are_those_of_the_mask(block: int, data: st.DataObject, given: int) -> None:
    summaries = data.draw(st.integers(0, block))
    assume(block > 1 or summaries)
    model = SparseModel(3, 4, 32, block, given, summaries)
    attended = {
        j
        for i in range(given - 1, given + 3 * block)
        for j in range(given - 1)
        if i - block < j or j % block >= block - summaries
    }
    assert model.visible == len(attended)


@pytest.mark.parametrize("name", sorted(COUNTS))
@pytest.mark.parametrize("options", [[], ["--model", "sparse", "--block", "4"]])
def test_documents_fit_their_schema(name: str, options: list[str]) -> None:
    done = run("cot", "bound", name, "--size", "6", *options, "--json")
    assert_tight(schema("cot-bound"), json.loads(done.stdout))


def test_the_command_prints_the_bound() -> None:
    words = run("cot", "bound", "lis", "--size", "250", "--bits", "16").stdout.splitlines()
    assert words[0] == "chains of lis, size 250: 2^1206.3"
    assert "least D: 12" in words
    assert "least D: 4" in run("cot", "bound", "edit-distance", "--size", "6").stdout
    wide = run("cot", "bound", "lis", "--size", "9", "--heads", "64")  # 32 is no multiple
    assert [line.split()[0] for line in wide.stdout.splitlines()[-5:]] == [
        *("64", "128", "256", "512", "1024")
    ]
    assert wide.stdout.splitlines()[-6].split()[0] == "D"
    seven = run("cot", "bound", "lis", "--size", "6", "--heads", "7").stdout  # divides no default
    assert (
        seven.splitlines()[-1] == "excluded: nothing: every D is a multiple of the number of heads"
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("lis --size 250 --heads 3 --dimension 32", "32 is not a multiple of 3 heads"),
        ("lis --size 250 --bits 0", "bits must be at least 1, not 0"),
        ("lis --size 250 --layers 0", "layers must be at least 1, not 0"),
        (f"lis --size 9 --bits 1{'0' * 3000}", "bits must be at most 1000000000, not 1000"),
        (f"lis --size 9 --dimension 4{'0' * 3000}", "the dimension must be at most 10000000000000"),
        (f"edit-distance --size 1{'0' * 17}", "the chain has up to 100000"),
        (f"banded-edit-distance --size 1{'0' * 17}", "tokens; at most 4194304 are written"),
        ("lis --size 0", "the size must be at least 1, not 0"),
        ("lis --size 2001", "the size must be in 1..2000, not 2001"),
        ("lis --size 9 --block 4", "only a sparse model has blocks"),
        ("lis --size 9 --model sparse --block 0", "the block must be at least 1 token"),
        ("lis --size 9 --model sparse --summaries -1", "has 0..4 summaries, not -1"),
        ("lis --size 9 --model sparse --block 1 --summaries 0", "see no token of the input"),
        ("sorting --size 9", "unknown task"),
    ],
)
def test_what_the_command_refuses(options: str, message: str) -> None:
    refused(run("cot", "bound", *options.split()), message)


def test_no_model_of_this_name() -> None:
    with pytest.raises(ValueError, match="unknown model 'dense'"):
        make_model("dense", parse_task("lis"), 5, layers=1, heads=1, bits=1)
