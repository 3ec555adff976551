"""Decoders write chains, every token right; weakened ones do not."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from itertools import product
from math import isqrt

import numpy as np
import pytest
from helpers.attention.decoders import TASK, build_pair, count_wrong, write
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from samapprox import InputError
from samapprox.attention.graphs.heads import SparseAttention
from samapprox.attention.graphs.masks import block_sparse
from samapprox.attention.reasoning.arithmetic import Arithmetic
from samapprox.attention.reasoning.base import Chain, Task
from samapprox.attention.reasoning.decoders import classes
from samapprox.attention.reasoning.decoders.decoder import Generation, generate
from samapprox.attention.reasoning.decoders.edit_distance import EditDistanceProgram
from samapprox.attention.reasoning.decoders.mlp import Affine
from samapprox.attention.reasoning.decoders.program import (
    BITS,
    MODELS,
    PROGRAMS,
    Program,
    build_decoder,
    make_program,
    run_decoder,
    solve_again,
)
from samapprox.attention.reasoning.edit_distance import EditDistance
from samapprox.attention.reasoning.known_tasks import TASKS, make_task
from samapprox.attention.reasoning.lis import LongestIncreasingSubsequence
from samapprox.attention.reasoning.replay import first_mistake
from samapprox.attention.reasoning.turing_machine import TuringMachine
from samapprox.attention.transformers.maps import Softmax

WORDS = st.text("abcz", min_size=1, max_size=4)


@pytest.mark.parametrize("size", [3, 6])
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_know_how_long_chains_are_and_how_far_their_needs_reach(
    name: str, size: int
) -> None:
    task = make_task(name)
    (chain,) = task.generate(size, seed=1, count=1)
    program = make_program(task, chain)
    assert (program.length, program.reach) == solve_again(task, chain)


# ---------------------------------------------------------------- every token right


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(("size", "count"), [(1, 20), (2, 40), (3, 40), (4, 30), (6, 10)])
def test_every_token_of_random_instances_is_right(model: str, size: int, count: int) -> None:
    decoder, chains = build_pair(size, count, model)
    found = write(decoder, chains)
    assert count_wrong(found, chains) == 0
    assert found.margin > 0.499
    for tokens in found.tokens[:5]:
        assert first_mistake(TASK, tokens) is None


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("size", EditDistance.sizes)
def test_every_token_is_right_at_the_sizes_of_the_paper(model: str, size: int) -> None:
    decoder, chains = build_pair(size, 10, model)
    for bits, margin in ((64, 0.499), (32, 0.45)):
        found = write(decoder.with_bits(bits), chains)
        assert count_wrong(found, chains) == 0
        assert found.margin > margin


@settings(max_examples=12)
@given(WORDS, WORDS, st.tuples(*[st.integers(0, 9)] * 3), st.sampled_from([*MODELS]), st.booleans())
def test_any_strings_and_costs(
    first: str, second: str, costs: tuple[int, int, int], model: str, single: bool
) -> None:
    task = EditDistance(*costs)
    run = run_decoder(
        task, task.chain(task.parse(f"{first} {second}")), model, bits=32 if single else 64
    )
    assert run.mistake is None
    assert run.right == run.generated
    assert run.generation.margin > 0.45  # 1/2 less the error of what is read


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("costs", [(1000, 1000, 1000), (0, 1000, 1), (1000, 0, 999), (0, 0, 0)])
def test_large_costs_need_64_bits_if_values_are_multiplied(
    model: str, costs: tuple[int, int, int]
) -> None:
    task = EditDistance(*costs)
    chain = task.chain(task.parse("abcab bcabbb"))
    run = run_decoder(task, chain, model)
    assert run.mistake is None
    assert run.generation.margin > 0.499
    single = run_decoder(task, chain, model, bits=32)
    copied = model in ("standard", "local")
    assert (single.mistake is None) == (copied or max(costs[:2]) == 0)
    assert (single.right == single.generated) == (single.mistake is None)


@pytest.mark.parametrize("model", MODELS)
def test_the_answer_does_not_depend_on_tokens_that_the_decoder_was_not_given(model: str) -> None:
    decoder, chains = build_pair(2, 1, model)
    [chain] = chains
    spoilt = replace(
        chain, tokens=np.where(np.arange(len(chain))[:, None] < chain.given, chain.tokens, 77)
    )
    np.testing.assert_array_equal(write(decoder, [spoilt]).tokens, write(decoder, chains).tokens)


@pytest.mark.parametrize("model", MODELS)
def test_the_layers_run_on_whole_chains_as_token_by_token(model: str) -> None:
    decoder, chains = build_pair(3, 4, model)
    found, tokens = write(decoder, chains), np.stack([chain.tokens for chain in chains])
    graph = block_sparse(decoder.length, 6) if decoder.graph is None else decoder.graph
    states = decoder.transformer().forward(
        decoder.embed(tokens), SparseAttention((graph,)), Softmax()
    )
    outputs = (decoder.projection @ states).transpose(0, 2, 1)
    given = chains[0].given
    np.testing.assert_allclose(outputs[:, given - 1 : -1], found.outputs[:, given:], atol=1e-6)


def assert_right(task: Task, text: str, model: str, *, bits: int = 64) -> None:
    run = run_decoder(task, task.chain(task.parse(text)), model, bits=bits)
    assert (run.mistake, run.right) == (None, run.generated)
    assert run.generation.margin > 0.45


@pytest.mark.parametrize("sizes", [(1, 2, 3, 5), pytest.param((8,), marks=pytest.mark.slow)])
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_every_token_of_every_task_is_right(name: str, model: str, sizes: tuple[int, ...]) -> None:
    """Each decoder writes all chains of its shape, with weights of either size."""
    task: Task = make_task(name)
    for size in sizes:
        alike: defaultdict[Program, list[Chain]] = defaultdict(list)
        for chain in task.generate(size, seed=size, count=2 if size < 8 else 1):
            alike[make_program(task, chain)].append(chain)
        for program, chains in alike.items():
            decoder = build_decoder(program, model)
            for bits in BITS:
                found = write(decoder.with_bits(bits), chains)
                assert count_wrong(found, chains) == 0
                for tokens in found.tokens:
                    assert first_mistake(task, tokens) is None
                assert found.margin > 0.45


@pytest.mark.parametrize("model", MODELS)
def test_subsequences_of_all_short_sequences(model: str) -> None:
    task = LongestIncreasingSubsequence(values=4)
    for n in (1, 2, 3, 4):
        inputs = [np.array([*numbers, -1]) for numbers in product(range(5), repeat=n)]
        chains = task.solve(inputs)
        found = write(build_decoder(make_program(task, chains[-1]), model), chains)
        assert count_wrong(found, chains) == 0


def test_numbers_may_be_as_large_as_the_task_allows() -> None:
    task = LongestIncreasingSubsequence(values=1)
    assert_right(task, "999999999 1000000000 0 512 511 1000000000 7", "standard")


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("p", [2, 3, pytest.param(31, marks=pytest.mark.slow)])
def test_expressions_modulo_other_primes(p: int, model: str) -> None:
    task = Arithmetic(p)
    for text in ("1+1", "(1-0)*1", "1*((0+1)*1-1)", "0-1*(1+1)/1-(0-1)"):
        assert_right(task, text, model)


@settings(max_examples=10)
@given(st.integers(1, 9), st.integers(0, 10**6), st.sampled_from([*MODELS]))
def test_random_expressions(size: int, seed: int, model: str) -> None:
    task = Arithmetic()
    [chain] = task.generate(size, seed)
    assert run_decoder(task, chain, model).mistake is None


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("machine", ["busy-beaver-2", "busy-beaver-3", "busy-beaver-4"])
def test_busy_beavers_leave_the_input_on_both_sides(machine: str, model: str) -> None:
    assert_right(TuringMachine(machine), "0", model)


@settings(max_examples=25)
@given(
    st.integers(1, 4),
    st.integers(2, 4),
    st.integers(0, 10**6),
    st.text("01", min_size=1),
    st.sampled_from(["standard", "sparse", "linear"]),
)
def test_random_machines(states: int, symbols: int, seed: int, tape: str, model: str) -> None:
    task = TuringMachine(f"random-{states}x{symbols}-{seed}", limit=60)
    try:
        chain = task.chain(task.parse(tape[:9]))
    except InputError:
        assume(False)
    assert run_decoder(task, chain, model).mistake is None


# ---------------------------------------------------------------- sizes


@pytest.mark.parametrize(
    ("name", "width", "depth", "heads"),
    [
        ("edit-distance", 30, 6, 5),
        ("lis", 56, 23, 9),
        ("arithmetic", 67, 6, 5),
        ("turing-machine", 24, 6, 1),
    ],
)
@pytest.mark.parametrize("model", ["standard", "local"])
def test_the_standard_decoder_has_one_size(
    name: str, width: int, depth: int, heads: int, model: str
) -> None:
    task: Task = make_task(name)
    hidden = set()
    for size in (4, 9, 16):
        [chain] = task.generate(size)
        decoder = build_decoder(make_program(task, chain), model)
        assert (decoder.width, decoder.depth, decoder.heads) == (width, depth, heads)
        hidden.add(decoder.hidden)
    assert len(hidden) == 1


def test_the_local_mask_has_linear_size_where_the_needs_are_local() -> None:
    """Propositions 5.1 and 5.4: blocks of O(sqrt(L)) tokens, so O(L sqrt(L)) edges."""
    expressions, tapes = Arithmetic(), TuringMachine()
    for task, chain, share in (
        (expressions, next(expressions.generate(16, seed=3)), 4.0),
        (tapes, tapes.chain(tapes.parse("1221" * 5)), 3.0),
    ):
        program = make_program(task, chain)
        graph = build_decoder(program, "local").graph
        assert graph is not None
        assert program.reach <= share * program.length**0.5
        full = program.length * (program.length + 1) // 2
        assert graph.edges < 0.5 * full


@pytest.mark.parametrize("name", ["arithmetic", "turing-machine", "lis", "edit-distance"])
def test_blocks_shorter_than_the_reach_are_not_enough(name: str) -> None:
    task: Task = make_task(name)
    [chain] = task.generate(9, seed=1)
    reach = make_program(task, chain).reach
    assert run_decoder(task, chain, "local", side=reach).mistake is None
    assert run_decoder(task, chain, "local", side=reach // 2).mistake is not None


@pytest.mark.parametrize(
    ("model", "slope", "rest", "depth"), [("linear", 18, 57, 10), ("sparse", 19, 57, 11)]
)
def test_the_width_is_linear_in_the_root_of_the_length(
    model: str, slope: int, rest: int, depth: int
) -> None:
    for size, side in zip(TASK.sizes, (9, 15, 19, 23), strict=True):
        [chain] = TASK.generate(size)
        decoder = build_decoder(make_program(TASK, chain), model)
        assert (side - 1) ** 2 < decoder.length == len(chain) <= side**2
        assert decoder.width == slope * side + rest
        assert (decoder.depth, decoder.heads) == (depth, 5)
        assert decoder.hidden <= 24 * side + 24
        assert 200 < decoder.largest_weight / decoder.length**2 < 320


# ---------------------------------------------------------------- what a decoder cannot do without


def test_the_margin_is_that_of_the_worst_output() -> None:
    tokens = np.array([[[3, 0], [1, 7]]])
    outputs = np.array([[[3, 0.125], [0.75, 7]]])
    assert Generation(tokens, outputs).margin == 0.25


def test_the_largest_weight_is_sought_in_all_arrays() -> None:
    [chain] = TASK.generate(1)
    decoder = build_decoder(make_program(TASK, chain), "linear")
    block = next(block for block in decoder.blocks if block.heads)
    arrays = [decoder.positions, decoder.projection]
    arrays += [block.heads[-1].query, block.heads[-1].key, block.heads[-1].value]
    arrays += [block.heads[-1].output, block.feed_forward.w_1, block.feed_forward.b_1]
    arrays += [block.feed_forward.w_2, block.feed_forward.b_2]
    for k, array in enumerate(arrays):
        array[(0,) * array.ndim] = -1e30 * 2**k
        assert decoder.largest_weight == 1e30 * 2**k


def test_the_mask_is_equation_6_for_the_least_side_with_side_squared_at_least_the_length() -> None:
    for strings, side in (("a abcde", 4), ("a abcdef", 5), ("ab abc", 5)):  # 16, 18, 17 tokens
        chain = TASK.chain(TASK.parse(strings))
        graph = build_decoder(make_program(TASK, chain), "sparse").graph
        assert graph is not None
        for i in range(1, len(chain.tokens) + 1):
            keys = [j for j in range(1, i + 1) if i - side < j or (j - 1) % side == side - 1]
            assert (graph.keys(i - 1) + 1).tolist() == keys


def test_a_chain_lends_its_input_alone() -> None:
    """A chain from a file may be wrong, or end too early or too late."""
    [chain] = TASK.generate(2)
    wrong = chain.tokens + 5 * (np.arange(len(chain.tokens)) >= chain.given)[:, None]
    for tokens in (wrong, chain.tokens[: chain.given], np.vstack([chain.tokens, wrong])):
        run = run_decoder(TASK, replace(chain, tokens=tokens), "sparse")
        assert (run.right, run.mistake) == (run.generated, None)


def test_a_programme_may_write_constants() -> None:
    class Constants(EditDistanceProgram):
        def build(self, *_: object) -> list[Affine]:
            return [Affine(constant=float(k)) for k in range(5)]

    found = generate(build_decoder(Constants(TASK, 1, 1), "linear"), np.ones((1, 4, 5), np.int64))
    assert found.tokens[0, 4:].tolist() == [[0, 1, 2, 3, 4]] * 4


# ---------------------------------------------------------------- bad input


def test_what_cannot_be_built_is_refused() -> None:
    [chain] = TASK.generate(2)
    with pytest.raises(InputError, match="one of standard, sparse, local, linear, not 'full'"):
        run_decoder(TASK, chain, "full")
    with pytest.raises(InputError, match=r"side of a block must be in 2\.\.20, not 1"):
        run_decoder(TASK, chain, "linear", side=1)
    [large] = TASK.generate(20)  # of 506 tokens
    with pytest.raises(InputError, match=r"side of a block must be in 2\.\.128, not 506"):
        run_decoder(TASK, large, "sparse", side=506)
    with pytest.raises(InputError, match="a standard decoder has no blocks; leave out the side"):
        run_decoder(TASK, chain, "standard", side=5)
    with pytest.raises(InputError, match=r"side of a block must be in 2\.\.20, not 21"):
        run_decoder(TASK, chain, "local", side=21)
    with pytest.raises(InputError, match="32 or 64, not 16"):
        run_decoder(TASK, chain, "linear", bits=16)
    [long] = TASK.generate(63)
    with pytest.raises(InputError, match="has 4290 tokens; decoders of at most 4096"):
        run_decoder(TASK, long, "sparse")


def test_tasks_without_a_decoder_are_refused() -> None:
    banded: Task = make_task("banded-edit-distance")
    [chain] = banded.generate(3)
    with pytest.raises(InputError, match="for the task banded-edit-distance; there are: lis, edit"):
        run_decoder(banded, chain, "sparse")
    assert set(PROGRAMS) < set(TASKS)


@pytest.mark.parametrize("model", ["sparse", "linear"])
def test_too_many_numbers_or_cells_are_refused(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(classes, "MOST_CLASSES", 16)
    lis, machine = LongestIncreasingSubsequence(values=1), TuringMachine("busy-beaver-2")
    assert_right(lis, "7 15 14", model)
    for task, text, what in ((lis, "7 16", "17 numbers"), (machine, "0" * 14, "17 cells")):
        with pytest.raises(InputError, match=f"each of {what}; at most 16 are built"):
            run_decoder(task, task.chain(task.parse(text)), model)


def test_the_widths_by_classes_do_not_depend_on_the_number_of_steps() -> None:
    """More symbols in the same cells or more numbers of the same range add O(sqrt(L))."""
    task = LongestIncreasingSubsequence(values=9)
    for model, most in (("sparse", 30), ("linear", 30)):
        sides, widths = zip(
            *(
                (isqrt(2 * n + 2) + 1, build_decoder(program, model).width)
                for n in (20, 30, 40)
                for program in [make_program(task, next(iter(task.generate(n))))]
            ),
            strict=True,
        )
        assert all(
            (widths[i + 1] - widths[i]) <= most * (sides[i + 1] - sides[i]) for i in range(2)
        )
