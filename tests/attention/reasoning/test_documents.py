"""Chains as JSON: there and back, and every way to damage them."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from helpers.schemas import assert_tight, schema
from hypothesis import given, settings
from hypothesis import strategies as st

from samapprox import InputError
from samapprox.attention.reasoning import TASKS, documents, make_task
from samapprox.attention.reasoning.base import list_needs, needs_graph
from samapprox.attention.reasoning.documents import (
    mistake_of,
    parse_chains,
    read_chain,
    write_chain,
)

Document = dict[str, Any]


def example(name: str = "lis", size: int = 3) -> Document:
    task = make_task(name)
    document = write_chain(task, next(task.generate(size)), size=size, seed=0)
    read: Document = json.loads(json.dumps(document))
    return read


@pytest.mark.parametrize("name", TASKS)
def test_documents_come_back(name: str) -> None:
    task = make_task(name)
    for chain in task.generate(4, seed=1, count=3):
        document = json.loads(json.dumps(write_chain(task, chain, size=4, seed=1)))
        assert_tight(schema("cot"), document)
        written = read_chain(document)
        assert written.task == task
        assert np.array_equal(written.chain.tokens, chain.tokens)
        assert written.chain.needs == chain.needs
        assert (written.chain.given, written.chain.answer) == (chain.given, chain.answer)
    assert_tight(schema("cot"), write_chain(task, chain))  # of a given input: size and seed null


def test_parameters_come_back() -> None:
    task = make_task("edit-distance", insert=1, replace=5)
    chain = task.chain(task.parse("ab ba"))
    assert read_chain(write_chain(task, chain)).task == task


def change(**members: Any) -> Callable[[Document], object]:
    return lambda document: document.update(members)


def drop(name: str) -> Callable[[Document], object]:
    return lambda document: document.pop(name)


def part(*path: Any, to: Any) -> Callable[[Document], object]:
    def replace(document: Document) -> None:
        parent: Any = document
        for key in path[:-1]:
            parent = parent[key]
        parent[path[-1]] = to

    return replace


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (change(format="samapprox-verdict"), "not what `samapprox cot generate --json` prints"),
        (change(version=2), "version 2 is not known; 1 is"),
        *((drop(name), f"the member '{name}' is missing") for name in ("task", "tokens", "needs")),
        (change(task="sorting"), "unknown task 'sorting'; there are: lis, "),
        (change(task=3), "'task' must be the name of a task"),
        (change(parameters=[]), "'parameters' must be an object"),
        (change(parameters={"w": 3}), "lis has no parameter 'w'"),
        (change(parameters={"values": "150"}), "lis: values must be a whole number, not '150'"),
        (change(parameters={"values": 0}), "lis: values must be in"),
        (change(parts=["input"]), "the parts must be input, j, value, answer"),
        (change(given=3), "'given' must be 4"),
        (change(given="4"), "'given' must be 4"),
        (change(given=4.0), "'given' must be 4"),
        (change(answer="2"), "'answer' must be a whole number"),
        (change(answer=True), "'answer' must be a whole number"),
        (change(tokens=[]), "'tokens' must be a list with at least one token"),
        (change(tokens="none"), "'tokens' must be a list with at least one token"),
        (part("tokens", 2, to=[1]), "token 2 must be a list of 4 whole numbers"),
        (part("tokens", 2, to=None), "token 2 must be a list of 4 whole numbers"),
        (part("tokens", 2, 1, to=0.5), "token 2 must be a list of 4 whole numbers"),
        (part("tokens", 2, 1, to=True), "token 2 must be a list of 4 whole numbers"),
        (part("tokens", 5, 1, to=1 << 70), "token 5: a part has more than 62 bits"),
        (part("tokens", 0, 0, to=-3), "number 0 must be in 0..1000000000, not -3"),
        (part("tokens", 0, 2, to=1), "token 0: all parts of a given token but the first must be 0"),
        (part("tokens", 0, 0, to=-1), "the sequence is empty; give at least one number"),
        (change(words="3 1"), "'words' must be a list of text"),
        (change(words=[3]), "'words' must be a list of text"),
        (change(seed=None), "'size' and 'seed' must be whole numbers, or both null"),
        (change(size="3"), "'size' and 'seed' must be whole numbers, or both null"),
        (change(size=True), "'size' and 'seed' must be whole numbers, or both null"),
        (change(needs=[]), "'needs' must be one list of whole numbers for each token"),
        (part("needs", 4, to=0), "'needs' must be one list of whole numbers for each token"),
        (part("needs", 4, to=["0"]), "'needs' must be one list of whole numbers for each token"),
        (part("needs", 4, to=[4]), "token 4 needs token 4, which does not come before it (a cycle"),
        (part("needs", 4, to=[6]), "token 4 needs token 6, which does not come before it (a cycle"),
        (part("needs", 4, to=[-1]), "token 4 needs token -1, which does not come before it"),
        (part("needs", 4, to=[1 << 80]), "which does not come before it"),
        (part("needs", 4, to=[1, 0]), "the needs of token 4 must ascend, each named once"),
        (part("needs", 4, to=[0, 0]), "the needs of token 4 must ascend, each named once"),
    ],
)
def test_damaged_documents_are_refused(damage: Callable[[Document], object], message: str) -> None:
    document = example()
    damage(document)
    with pytest.raises(InputError) as caught:
        read_chain(document)
    assert message in str(caught.value)


def test_too_many_tokens_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "MOST_TOKENS", 8)
    with pytest.raises(InputError, match="there are 9 tokens; at most 8 are read"):
        read_chain(example())


@pytest.mark.parametrize("document", [None, 3, "text", [], {}, {"format": []}])
def test_other_json_is_refused(document: object) -> None:
    with pytest.raises(InputError, match="not what `samapprox cot generate --json` prints"):
        read_chain(document)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)


@given(st.data())
def test_any_change_is_refused_or_read(data: st.DataObject) -> None:
    """Whatever stands in a document: an InputError, or a chain that the replay can judge."""
    document = example("edit-distance", 2)
    place: Any = document
    key: Any = data.draw(st.sampled_from(sorted(document)))
    while isinstance(place[key], list) and place[key] and data.draw(st.booleans()):
        place = place[key]
        key = data.draw(st.integers(0, len(place) - 1))
    place[key] = data.draw(json_values)
    with suppress(InputError):
        mistake_of(read_chain(document))


@pytest.mark.parametrize(
    ("damage", "position", "message"),
    [
        (part("words", 4, to="9"), 4, "token 4: its word must be '1', not '9'"),
        (change(words=["1"]), 0, "token 0: its word must be"),
        (lambda document: document["words"].pop(), 8, "there are 8 words for 9 tokens"),
        (change(seed=1), 0, "the input is not the random instance of size 3 and seed 1"),
        (change(seed=-1), 0, "the input is not the random instance of size 3 and seed -1"),
        (change(size=4), 0, "the input is not the random instance of size 4 and seed 0"),
        (change(size=1 << 90), 0, "the input is not the random instance"),
        (part("tokens", 4, 2, to=2), 4, "it must be (0, 1, 1, 0)"),  # before its word
    ],
)
def test_what_a_document_says_for_people_is_compared(
    damage: Callable[[Document], object], position: int, message: str
) -> None:
    document = example()
    assert mistake_of(read_chain(document)) is None
    damage(document)
    mistake = mistake_of(read_chain(document))
    assert mistake is not None
    assert mistake.position == position
    assert message in str(mistake)


@pytest.mark.parametrize("members", [("words",), ("size", "seed"), ("words", "size", "seed")])
def test_a_document_without_what_is_for_people(members: tuple[str, ...]) -> None:
    document = example()
    for name in members:
        del document[name]
    assert mistake_of(read_chain(document)) is None


# ---------------------------------------------------------------- text


def test_several_documents_stand_on_lines() -> None:
    documents = [json.dumps(example(name)) for name in TASKS]
    assert [one.task.name for one in parse_chains("\n".join(documents) + "\n\n")] == list(TASKS)
    assert len(list(parse_chains(json.dumps(example(), indent=2)))) == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        (" \n ", "the file is empty"),
        ("{", "not JSON"),
        (json.dumps(example()) + "\n{", "line 2: not JSON"),
        ("{\n}\n{", "not JSON"),
        ("{}\n{}", "line 1: not what `samapprox cot generate"),
        ("[" * 100_000, "nested too deeply"),
        ("[" * 100_000 + "\n[]", "nested too deeply"),
        ("9" * 5000, "a number has more than 4300 digits"),
    ],
)
def test_text_that_holds_no_chains(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        list(parse_chains(text))
    assert message in str(caught.value)


# ---------------------------------------------------------------- needs


@settings(max_examples=30)
@given(st.data())
def test_needs_there_and_back(data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 8))
    needs = [
        sorted(data.draw(st.sets(st.integers(0, token - 1)))) if token else [] for token in range(n)
    ]
    graph = needs_graph(needs)
    assert list_needs(graph) == needs
    assert graph.indices.dtype == np.int32
    assert sorted(graph.to_networkx().edges) == [
        (token, key) for token, keys in enumerate(needs) for key in keys
    ]


def test_no_tokens() -> None:
    with pytest.raises(InputError, match="the number of tokens n must be in"):
        needs_graph([])
