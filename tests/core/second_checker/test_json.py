"""The second checker's parser of JSON keeps integers, and refuses what is ambiguous."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from helpers.checkers.second_checker import evaluate

PLAIN = """
const plain = (value) =>
  value instanceof Map ? Object.fromEntries([...value].map(([name, item]) => [name, plain(item)]))
  : Array.isArray(value) ? value.map(plain)
  : typeof value === "bigint" ? `${value}n` : value;
const parsed = (text) => {
  try { return plain(parseJson(text)); }
  catch (error) { return error.constructor.name; }
};
undefined
"""


def parsed(*texts: str) -> list[object]:
    return evaluate([PLAIN, *(f"parsed({json.dumps(text)})" for text in texts)])[1:]


def with_large_integers(value: object) -> object:
    """The value as `plain` writes it."""
    if isinstance(value, dict):
        return {name: with_large_integers(item) for name, item in value.items()}
    if isinstance(value, list):
        return [with_large_integers(item) for item in value]
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > 2**53 - 1:
        return f"{value}n"
    return value


TEXTS = ["", "a", '"', "\\", "\n\t\0", "\u2028", "\U0001f600", "__proto__", "1", "\ud800"]


def random_value(random: np.random.RandomState, depth: int = 0) -> Any:
    choice = random.randint(7 if depth < 4 else 5)
    if choice < 2:
        size = int(random.choice([1, 8, 52, 53, 54, 80, 300]))
        return int.from_bytes(random.bytes(40), "big") % 2**size * int(random.choice([-1, 1]))
    if choice == 2:
        return [None, True, False][random.randint(3)]
    if choice < 5:
        return TEXTS[random.randint(len(TEXTS))]
    inner = [random_value(random, depth + 1) for _ in range(random.randint(5))]
    if choice == 5:
        return inner
    return {f"{k}{TEXTS[random.randint(7)]}": value for k, value in enumerate(inner)}


def test_documents_are_read_as_by_python() -> None:
    random = np.random.RandomState(0)
    values = [random_value(random) for _ in range(1000)]
    texts = [
        json.dumps(value, indent=[None, 0, 2][k % 3], ensure_ascii=bool(k % 2))
        for k, value in enumerate(values)
    ]
    assert parsed(*texts) == [with_large_integers(value) for value in values]


AMBIGUOUS = [
    "",
    "[1, 2",
    "[1 2]",
    "[1,]",
    "{1: 2}",
    '{"a" 1}',
    '{"a": 1,}',
    '{"a": 1, "a": 1}',
    '{"\\u0061": 1, "a": 1}',
    "1.0",
    "1e3",
    "01",
    "-",
    "+1",
    "NaN",
    "Infinity",
    "nul",
    '"',
    '"\\x"',
    '"\n"',
    "1 1",
    "[" * 202 + "]" * 202,
    "[" * 10**6,
    "9" * 4301,
]


def test_what_is_ambiguous_is_unreadable() -> None:
    found = parsed(*AMBIGUOUS)
    assert [
        text for text, value in zip(AMBIGUOUS, found, strict=True) if value != "Unreadable"
    ] == []


def test_the_longest_integers_are_read() -> None:
    assert parsed("9" * 4300, "-0", "[-9007199254740992]") == [
        "9" * 4300 + "n",
        0,
        ["-9007199254740992n"],
    ]


def test_large_documents_are_refused_before_memory_runs_out() -> None:
    lists = "parsed('[' + '[],'.repeat(9e6) + '[]]')"
    assert evaluate([PLAIN, lists])[1] == "TooLarge"
