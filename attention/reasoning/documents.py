"""Chains of thought as JSON documents; see `samapprox schema cot`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from samapprox.attention.reasoning.base import MOST_TOKENS, Chain, Task, list_needs, needs_graph
from samapprox.attention.reasoning.known_tasks import make_task
from samapprox.attention.reasoning.replay import Mistake, first_mistake
from samapprox.errors import InputError, errors_within
from samapprox.support.documents import document_head, parse_json
from samapprox.support.parameters import random_stream

_LARGEST = 1 << 62

_MEMBERS = ("task", "parameters", "parts", "given", "answer", "tokens", "needs")
"""Members that a document must hold; the others are for readers, and must be right if present."""


@dataclass(frozen=True, slots=True, eq=False)
class Written:
    """A chain that was read from a document, with its task."""

    task: Task
    chain: Chain  # Of the right form, but not replayed: the tokens and the answer may be wrong.
    words: list[str] | None = None  # The words of the document, which may be wrong too
    # The size and the seed of the document, if it says that its instance is a random one.
    origin: tuple[int, int] | None = None


def write_chain(
    task: Task, chain: Chain, *, size: int | None = None, seed: int | None = None
) -> dict[str, Any]:
    """Return the document of a chain."""
    return {
        **document_head("cot"),
        "task": task.name,
        "parameters": task.parameters,
        "size": size,
        "seed": seed,
        "parts": list(task.parts),
        "given": chain.given,
        "answer": chain.answer,
        "tokens": chain.tokens.tolist(),
        "words": task.words(chain.tokens),
        "needs": list_needs(chain.needs),
    }


def read_chain(document: object) -> Written:
    """Read the document of a chain, and check its form.

    Whether the generated tokens are right is the question of `mistake_of`.
    """
    if not isinstance(document, dict) or document.get("format") != "samapprox-cot":
        raise InputError("not what `samapprox cot generate --json` prints")
    if document.get("version") != 1:
        raise InputError(f"version {document.get('version')!r} is not known; 1 is")
    for name in _MEMBERS:
        if name not in document:
            raise InputError(f"the member {name!r} is missing")
    task = _task(document["task"], document["parameters"])
    if document["parts"] != list(task.parts):
        raise InputError(f"the parts must be {', '.join(task.parts)}")
    tokens = _tokens(document["tokens"], len(task.parts))
    given = len(task.read(tokens))
    if type(document["given"]) is not int or document["given"] != given:
        raise InputError(f"'given' must be {given}, the number of tokens up to the separator")
    if type(document["answer"]) is not int:
        raise InputError("'answer' must be a whole number")
    needs = document["needs"]
    if not (isinstance(needs, list) and len(needs) == len(tokens) and all(map(_are_whole, needs))):
        raise InputError("'needs' must be one list of whole numbers for each token")
    chain = Chain(tokens, given, needs_graph(needs), document["answer"])
    return Written(task, chain, _words(document.get("words")), _origin(document))


def mistake_of(written: Written) -> Mistake | None:
    """Replay a chain, and compare what its document adds for readers: words, size and seed.

    As `samapprox.attention.reasoning.replay.first_mistake`, and one random input.
    """
    task, chain = written.task, written.chain
    mistake = first_mistake(task, chain.tokens, chain.needs, chain.answer)
    if mistake is not None:
        return mistake
    if written.words is not None:
        words = task.words(chain.tokens)
        for place, (found, expected) in enumerate(zip(written.words, words, strict=False)):
            if found != expected:
                text = f"token {place}: its word must be {expected!r}, not {found[:40]!r}"
                return _disagreement(chain, place, text)
        if len(written.words) != len(words):
            text = f"there are {len(written.words)} words for {len(words)} tokens"
            return _disagreement(chain, len(chain) - 1, text)
    if written.origin is not None and not _is_drawn(written, *written.origin):
        size, seed = written.origin
        text = f"token 0: the input is not the random instance of size {size} and seed {seed}"
        return _disagreement(chain, 0, text)
    return None


def _disagreement(chain: Chain, place: int, text: str) -> Mistake:
    """Return a mistake in what a document says of a token that is right."""
    token = tuple(chain.tokens[place].tolist())
    return Mistake(place, tuple(chain.needs.keys(place).tolist()), token, token, text)


def _is_drawn(written: Written, size: int, seed: int) -> bool:
    """Return whether an instance is the random one of this size and seed."""
    task, chain = written.task, written.chain
    if not 1 <= size <= len(chain):  # no input is shorter than its size
        return False
    try:
        task.check_size(size)
        inputs = task.draw(size, random_stream(seed))
    except InputError:
        return False
    return np.array_equal(inputs, chain.tokens[: chain.given, 0])


def parse_chains(text: str) -> Iterator[Written]:
    """Read one document, or several ones with one on each line."""
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    if not lines:
        raise InputError("the file is empty")
    if len(lines) > 1 and _is_json(lines[0][1]):
        for number, line in lines:
            with errors_within(f"line {number}"):
                written = read_chain(_parse(line))
            yield written
    else:
        yield read_chain(_parse(text))


def _is_json(line: str) -> bool:
    """Return whether a line is a whole document."""
    try:
        _parse(line)
    except InputError:
        return False
    return True


def _parse(text: str) -> Any:
    try:
        return parse_json(text)
    except RecursionError:
        raise InputError("not JSON that can be read: it is nested too deeply") from None
    except json.JSONDecodeError:
        raise InputError("not JSON") from None


def parse_chain(text: str) -> Written:
    """Read a single document."""
    chains = list(parse_chains(text))
    if len(chains) > 1:
        raise InputError(f"the file has {len(chains)} chains; give one with a single chain")
    return chains[0]


def _words(words: object) -> list[str] | None:
    if words is None or (isinstance(words, list) and all(isinstance(one, str) for one in words)):
        return words
    raise InputError("'words' must be a list of text")


def _origin(document: dict[str, object]) -> tuple[int, int] | None:
    size, seed = document.get("size"), document.get("seed")
    if size is None and seed is None:
        return None
    if type(size) is not int or type(seed) is not int:
        raise InputError("'size' and 'seed' must be whole numbers, or both null")
    return size, seed


def _task(name: object, parameters: object) -> Task:
    if not isinstance(name, str):
        raise InputError("'task' must be the name of a task")
    if not isinstance(parameters, dict):
        raise InputError("'parameters' must be an object with the parameters by name")
    return make_task(name, **parameters)


def _tokens(rows: object, parts: int) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    if not isinstance(rows, list) or not rows:
        raise InputError("'tokens' must be a list with at least one token")
    if len(rows) > MOST_TOKENS:
        raise InputError(f"there are {len(rows)} tokens; at most {MOST_TOKENS} are read")
    for place, row in enumerate(rows):
        if not (_are_whole(row) and len(row) == parts):
            raise InputError(f"token {place} must be a list of {parts} whole numbers")
        if not all(-_LARGEST < part < _LARGEST for part in row):
            raise InputError(f"token {place}: a part has more than 62 bits")
    return np.array(rows, dtype=np.int64)


def _are_whole(row: object) -> bool:
    return isinstance(row, list) and all(type(part) is int for part in row)
