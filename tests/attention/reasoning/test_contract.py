"""Rules for every task: frozen streams, backward needs, and a replay that misses nothing."""

from __future__ import annotations

import hashlib
from dataclasses import fields

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samapprox import InputError
from samapprox.attention.reasoning import TASKS, Chain, Task, make_task, parse_task
from samapprox.attention.reasoning.base import BAR, graph_of_lists, list_needs
from samapprox.attention.reasoning.known_tasks import task_class
from samapprox.attention.reasoning.replay import first_mistake

SMALL = {
    "lis": ("lis", 5),
    "edit-distance": ("edit-distance:letters=3", 4),
    "banded-edit-distance": ("banded-edit-distance:w=2,letters=3", 5),
    "arithmetic": ("arithmetic:p=7", 4),
    "turing-machine": ("turing-machine", 5),
}
"""A task and a size whose chains have some tens of tokens."""

STREAMS = {
    "lis": "69cb9408ceb090ef",
    "edit-distance": "2c5da96dbbf59a9b",
    "banded-edit-distance": "0bde66e469d90331",
    "arithmetic": "7d3a97f47cce8e18",
    "turing-machine": "24816d430b1d8a4a",
}
"""The beginning of the SHA-256 of tokens and needs of three instances of `SMALL`."""


def small(name: str, seed: int = 0) -> tuple[Task, Chain]:
    text, size = SMALL[name]
    task = parse_task(text)
    return task, next(task.generate(size, seed))


def check(task: Task, chain: Chain) -> str | None:
    mistake = first_mistake(task, chain.tokens, chain.needs, chain.answer)
    return None if mistake is None else str(mistake)


def test_every_task_is_tested() -> None:
    assert TASKS.keys() == SMALL.keys() == STREAMS.keys()


@pytest.mark.parametrize("name", TASKS)
def test_the_name_leads_to_the_class_and_back(name: str) -> None:
    assert task_class(name).name == name
    task = make_task(name)
    assert make_task(name, **task.parameters) == task
    assert list(task.parameters) == [field.name for field in fields(task)]  # type: ignore[arg-type]


@pytest.mark.parametrize("name", TASKS)
def test_random_streams_are_frozen(name: str) -> None:
    text, size = SMALL[name]
    digest = hashlib.sha256()
    for chain in parse_task(text).generate(size, seed=1, count=3):
        digest.update(chain.tokens.astype("<i8").tobytes())
        digest.update(chain.needs.indptr.astype("<i8").tobytes())
        digest.update(chain.needs.indices.astype("<i4").tobytes())
    assert digest.hexdigest()[:16] == STREAMS[name]


@pytest.mark.parametrize("name", TASKS)
def test_instances_have_successive_seeds(name: str) -> None:
    text, size = SMALL[name]
    task = parse_task(text)
    for number, chain in enumerate(task.generate(size, seed=5, count=4)):
        [alone] = task.generate(size, seed=5 + number)
        assert np.array_equal(chain.tokens, alone.tokens)
        assert chain.needs == alone.needs
        assert (chain.given, chain.answer) == (alone.given, alone.answer)


@pytest.mark.parametrize("name", TASKS)
def test_chains_have_the_form_of_equation_10(name: str) -> None:
    text, size = SMALL[name]
    task = parse_task(text)
    assert task.parts[0] == "input"
    assert task.parts[-2:] == ("value", "answer")
    for chain in task.generate(size, seed=3, count=20):
        tokens = chain.tokens
        assert tokens.dtype == np.int64
        assert tokens.shape == (len(chain), len(task.parts))
        assert len(chain) <= task.longest(size)
        assert not tokens[: chain.given, 1:].any()
        assert tokens[chain.given - 1, 0] == BAR
        assert (tokens[chain.given :, 0] <= 0).all()  # separators alone have an input part
        assert not tokens[:-1, -1].any()
        assert tokens[-1, -1] == chain.answer
        assert len(task.words(tokens)) == len(chain)
        assert task.read(tokens).tolist() == tokens[: chain.given, 0].tolist()


@pytest.mark.parametrize("name", TASKS)
def test_needs_are_an_acyclic_graph_in_reading_order(name: str) -> None:
    task, chain = small(name)
    needs = chain.needs
    assert needs.edges <= task.most_edges(len(chain))
    assert needs.n == len(chain)
    assert (needs.indices < needs.queries).all()
    assert not needs.out_degrees[: chain.given].any()
    graph = needs.to_networkx()
    assert nx.is_directed_acyclic_graph(graph)
    answer = nx.descendants(graph, len(chain) - 1)  # all that the answer depends on
    assert set(range(chain.given)) - answer <= set(np.flatnonzero(chain.tokens[:, 0] == BAR))


# ---------------------------------------------------------------- the replay


@pytest.mark.parametrize("name", TASKS)
def test_the_replay_agrees_with_every_chain(name: str) -> None:
    text, size = SMALL[name]
    task = parse_task(text)
    for chain in task.generate(size, seed=10, count=30):
        assert check(task, chain) is None


@pytest.mark.parametrize("name", TASKS)
@settings(max_examples=25)
@given(data=st.data())
def test_the_replay_names_the_first_wrong_token(name: str, data: st.DataObject) -> None:
    task, chain = small(name, data.draw(st.integers(0, 20)))
    position = data.draw(st.integers(chain.given, len(chain) - 1))
    part = data.draw(st.integers(0, len(task.parts) - 1))
    tokens = chain.tokens.copy()
    tokens[position, part] += data.draw(st.integers(-9, 9).filter(bool))
    for later in data.draw(st.lists(st.integers(position, len(chain) - 1), max_size=3)):
        if later > position:
            tokens[later] = data.draw(st.integers(-3, 3))
    mistake = first_mistake(task, tokens, chain.needs)
    assert mistake is not None
    assert mistake.position == position
    assert mistake.expected == tuple(chain.tokens[position].tolist())
    assert mistake.found == tuple(tokens[position].tolist())
    assert f"token {position} is (" in str(mistake)


@pytest.mark.parametrize("name", TASKS)
def test_a_chain_that_is_cut_or_too_long_is_wrong(name: str) -> None:
    task, chain = small(name)
    for length in range(chain.given, len(chain)):
        mistake = first_mistake(task, chain.tokens[:length])
        assert mistake is not None
        assert (mistake.position, mistake.found) == (length, None)
    longer = np.concatenate((chain.tokens, chain.tokens[-1:]))
    mistake = first_mistake(task, longer)
    assert mistake is not None
    assert (mistake.position, mistake.expected) == (len(chain), None)


@pytest.mark.parametrize("name", TASKS)
@settings(max_examples=25)
@given(data=st.data())
def test_wrong_needs_are_found(name: str, data: st.DataObject) -> None:
    task, chain = small(name, data.draw(st.integers(0, 20)))
    needs = list_needs(chain.needs)
    position = data.draw(st.integers(1, len(chain) - 1))
    change = set(needs[position]) ^ {data.draw(st.integers(0, position - 1))}
    needs[position] = sorted(change)
    mistake = first_mistake(task, chain.tokens, graph_of_lists(needs))
    assert mistake is not None
    assert mistake.position == position
    assert "the chain lists " in str(mistake)


@pytest.mark.parametrize("name", TASKS)
def test_a_wrong_answer_is_found(name: str) -> None:
    task, chain = small(name)
    mistake = first_mistake(task, chain.tokens, chain.needs, chain.answer + 1)
    assert mistake is not None
    assert "the answer must be" in str(mistake)


@pytest.mark.parametrize("name", TASKS)
def test_a_step_reads_the_tokens_that_it_needs_and_no_others(name: str) -> None:
    """Each need matters to its step, and the rule sees nothing else."""
    task, chain = small(name)
    tokens = [tuple(token) for token in chain.tokens.tolist()]
    position = chain.given
    for step in task.steps(tokens):
        assert step.needs == tuple(chain.needs.keys(position).tolist())
        assert list(step.needs) == sorted(set(step.needs))
        assert step.rule([tokens[need] for need in step.needs]) == tokens[position]
        position += 1
    assert position == len(chain)


# ---------------------------------------------------------------- bad input


@pytest.mark.parametrize("name", TASKS)
def test_given_tokens_are_checked_before_the_replay(name: str) -> None:
    task, chain = small(name)
    loose = chain.tokens.copy()
    loose[0, -1] = 1
    with pytest.raises(InputError, match="token 0: all parts of a given token"):
        first_mistake(task, loose)
    with pytest.raises(InputError, match="each token must have the parts input"):
        first_mistake(task, chain.tokens[:, 1:])
    unended = chain.tokens.copy()
    unended[:, 0][unended[:, 0] == BAR] = 1
    with pytest.raises(InputError, match="separators"):
        first_mistake(task, unended)
    wrong = chain.tokens.copy()
    wrong[0, 0] = -7
    with pytest.raises(InputError, match="must be in"):
        first_mistake(task, wrong)


@pytest.mark.parametrize("name", TASKS)
def test_sizes_seeds_and_counts_out_of_range(name: str) -> None:
    task = make_task(name)
    for size, seed, count, message in [
        (0, 0, 1, "the size must be at least 1, not 0"),
        (10**9, 0, 1, "the chain has up to|the graph has"),
        (3, -1, 1, "the seed must be in"),
        (3, 1 << 32, 1, "the seed must be in"),
        (3, (1 << 32) - 1, 2, "the seed must be in"),
        (3, 0, 0, "the number of instances must be at least 1, not 0"),
    ]:
        with pytest.raises(InputError, match=message):
            next(task.generate(size, seed, count))


def test_a_last_seed_out_of_range_is_refused_before_the_first_chain() -> None:
    chains = make_task("lis").generate(2, seed=(1 << 32) - 999, count=1000)
    with pytest.raises(InputError, match="the seed must be in"):
        next(chains)


@pytest.mark.parametrize("name", TASKS)
def test_an_empty_input_is_refused(name: str) -> None:
    task = make_task(name)
    for text in ("", "  "):
        with pytest.raises(InputError, match=r"empty|two strings"):
            task.parse(text)
    with pytest.raises(InputError, match=r"empty|separator"):
        task.chain([BAR] * task.separators)
    with pytest.raises(InputError, match="separator"):
        task.chain([1, 2, 1])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("lsi", "unknown task 'lsi' (did you mean 'lis'?); there are: lis, edit-distance"),
        ("lis:value=3", "lis has no parameter 'value' (did you mean 'values'?); there are: values"),
        ("lis:values=x", "lis:values=x: values must be a whole number, not 'x'"),
        ("lis:values=0", "lis: values must be in 1..1000000000, not 0"),
        ("edit-distance:insert=-1", "edit-distance: insert must be in 0..1000, not -1"),
        ("lis:name=3", "lis has no parameter 'name'; there are: values"),
        ("edit-distance:letters=27", "edit-distance: letters must be in 1..26, not 27"),
        ("banded-edit-distance:w=-1", "banded-edit-distance: w must be in 0..10000, not -1"),
        ("banded-edit-distance:replace=1001", "replace must be in 0..1000, not 1001"),
        ("arithmetic:p=12", "arithmetic: p must be a prime below 1000000, not 12"),
        ("arithmetic:p=4", "p must be a prime below 1000000, not 4"),
        ("arithmetic:p=994009", "p must be a prime below 1000000, not 994009"),  # 997^2
        ("arithmetic:p=1", "p must be a prime below 1000000, not 1"),
        ("arithmetic:p=1000003", "p must be a prime below 1000000, not 1000003"),
        ("turing-machine:limit=0", "turing-machine: limit must be in 1..4194304, not 0"),
        ("turing-machine:machine=palindrom", "unknown machine 'palindrom' (did you mean"),
    ],
)
def test_unknown_tasks_and_parameters(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_task(text)
    assert message in str(caught.value)


def test_parameters_of_the_wrong_type() -> None:
    for name, parameters in [
        ("lis", {"values": "3"}),
        ("lis", {"values": True}),
        ("turing-machine", {"machine": 3}),
    ]:
        with pytest.raises(InputError, match=r"must be (a whole number|text), not"):
            make_task(name, **parameters)  # type: ignore[arg-type]
