"""Small documents cannot ask for much work or memory."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from helpers.checkers.forgeries import changed, reason
from helpers.stored import STORED

from samapprox import Pattern
from samapprox.proofs.refutations import propagation


def asked(about: Pattern, proof: dict[str, Any], d: int = 1, d_hid: int | None = None) -> Any:
    return {
        "format": "samapprox-certificate",
        "version": 1,
        "pattern": {
            "rows": about.shape[0],
            "columns": about.shape[1],
            "sha256": about.sha256,
        },
        "problem": {"d": d, "d_hid": d_hid},
        "answer": "NO",
        "proof": proof,
    }


def chirotope(rows: range, columns: range, **others: Any) -> dict[str, Any]:
    return {
        "kind": "chirotope",
        "d": 1,
        "rows": list(rows),
        "columns": list(columns),
        "elements": "columns",
        "relations": False,
        "lemmas": [],
        "polynomials": [],
        **others,
    }


def random_pattern(rows: int, columns: int) -> Pattern:
    entries = np.random.RandomState(0).rand(rows, columns) < 0.5
    entries[:, 0] |= ~entries.any(axis=1)
    return Pattern.from_array(entries)


SQUARE = random_pattern(120, 120)
TALL = random_pattern(60_000, 60)
LARGE = Pattern.from_sparse(scipy.sparse.eye_array(100_000, format="csr"))

SMALL: dict[str, tuple[Pattern, Callable[[], dict[str, Any]], int | None, str]] = {
    "no covectors": (
        TALL,
        lambda: chirotope(range(900), range(0), d=2, elements="rows"),
        None,
        "satisfy every clause",
    ),
    "many covectors": (
        TALL,
        lambda: chirotope(range(60_000), range(60)),
        None,
        "too large to check: 60001 covectors on 34220 circuits",
    ),
    "high rank": (SQUARE, lambda: chirotope(range(3), range(100), d=40), None, "too large"),
    "d beyond all": (SQUARE, lambda: chirotope(range(3), range(100), d=2**40), None, "satisfy"),
    "all relations": (
        SQUARE,
        lambda: chirotope(range(3), range(30), d=2, relations=True),
        None,
        "too large to check",
    ),
    "a relation beyond all": (
        SQUARE,
        lambda: chirotope(range(3), range(9), d=2, relations=[2**70]),
        None,
        "there is no relation",
    ),
    "a long lemma": (
        SQUARE,
        lambda: chirotope(range(2), range(60), lemmas=[[-1, *range(2, 1700)] * 300]),
        None,
        "the lemmas lead to no contradiction",
    ),
    "many faces": (
        SQUARE,
        lambda: {
            "kind": "topological",
            "d": 1000,
            "rows": list(range(120)),
            "columns": list(range(120)),
            "elements": "rows",
            "members": [list(range(1003))] * 100,
        },
        None,
        "too large to check: 100 members with 1002 faces each",
    ),
    "members of another length": (
        SQUARE,
        lambda: {
            "kind": "topological",
            "d": 2**40,
            "rows": list(range(120)),
            "columns": list(range(120)),
            "elements": "columns",
            "members": [[0, 1, 2, 3]] * 100_000,
        },
        None,
        "each member must be a covector and 1099511627778 elements, not 4 numbers",
    ),
    "many splits": (
        LARGE,
        lambda: {
            "kind": "sign-clash",
            "positive": [0, 1, 2],
            "negative": [0, 1, 2],
            "splits": [{"rows": [0, 1], "columns": [0, 1]}] * 20_000,
        },
        1,
        "no split shows that tokens 0 and 1 have the same sign",
    ),
    "a large sparse core": (
        LARGE,
        lambda: {
            "kind": "counting",
            "d": 2**24,
            "rows": list(range(2000)),
            "columns": list(range(2000)),
        },
        None,
        "splits of the columns, which d = 16777216 allows",
    ),
    "a shared core": (
        SQUARE,
        lambda: {
            "kind": "shared-chirotope",
            "d": 20,
            "d_hid": 31,
            "rows": list(range(120)),
            "columns": list(range(120)),
            "relations": True,
            "lemmas": [],
        },
        1,
        "too large to check",
    ),
    "a shared core of one line": (
        SQUARE,
        lambda: {
            "kind": "shared-chirotope",
            "d": 2,
            "d_hid": 3,
            "rows": [],
            "columns": list(range(120)),
            "relations": False,
            "lemmas": [],
        },
        1,
        "too large to check",
    ),
}


@pytest.mark.parametrize("name", SMALL)
def test_small_documents_cannot_ask_for_much_work(name: str) -> None:
    about, proof, d_hid, message = SMALL[name]
    assert message in reason(asked(about, proof(), 1, d_hid), about)


def test_a_narrow_x_with_wide_weights_takes_little_memory() -> None:
    """24,000 numbers, whose queries and keys have 64 million each."""
    tokens = 8000
    wide = {
        "kind": "self-attention",
        "X": [[1]] * tokens,
        "W_Q": [[1] * tokens],
        "W_K": [[1] * tokens],
        "thresholds": [tokens - 1] * tokens,
    }
    ones = Pattern.from_array(np.ones((tokens, tokens), dtype=np.uint8))
    tight = wide | {"thresholds": [tokens] * tokens}
    tracemalloc.start()
    try:
        assert reason(asked(ones, wide, tokens) | {"answer": "YES"}, ones) == ""
        assert "row 0 and column 0" in reason(asked(ones, tight, tokens) | {"answer": "YES"}, ones)
        assert "is for 8000 x 8000" in reason(
            asked(SQUARE, wide, tokens) | {"answer": "YES"}, SQUARE
        )
        assert tracemalloc.get_traced_memory()[1] < 1 << 28
    finally:
        tracemalloc.stop()


def test_deep_lists_are_refused() -> None:
    deep: list[Any] = []
    for _ in range(50_000):
        deep = [deep]
    for kind, member in (("radon", "rows"), ("embedding", "queries"), ("chirotope", "lemmas")):
        forged = changed(STORED[kind].document, ("proof", member), deep)
        assert "nested too deeply" in reason(forged, STORED[kind].pattern)


@pytest.mark.parametrize("other", ["x" * 1_000_000, None, {}])
def test_lists_hold_numbers_alone(other: object) -> None:
    """As an array of text these would take a terabyte."""
    for kind, member in (("radon", "rows"), ("embedding", "queries"), ("chirotope", "lemmas")):
        for value in ([other] + [0] * 250_000, [[other] + [0] * 250_000]):
            forged = changed(STORED[kind].document, ("proof", member), value)
            assert "other things than numbers" in reason(forged, STORED[kind].pattern)


def test_long_refutations_change_over_and_come_to_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """The plain code gives up, the compiled one follows, and gives up in its turn."""
    monkeypatch.setattr(propagation, "_compile", cache(propagation._compile.__wrapped__))
    chain = [[-k, k + 1] for k in range(1, 400)]
    clauses = [*chain, [1, 401], [-400], [-401, 402], [-402, -401]]
    lemmas = [[-k, 400 - k] for k in range(1, 150)]
    assert propagation.first_unfounded(clauses, lemmas) is None
    assert propagation.first_unfounded(chain, [*lemmas, [500]]) == len(lemmas)
    monkeypatch.setattr(propagation, "_MANY_STEPS", 100)
    assert propagation.first_unfounded(clauses, lemmas) is None
    assert propagation.first_unfounded(chain, [*lemmas, [500]]) == len(lemmas)
    monkeypatch.setattr(propagation, "MOST_STEPS", 1000)
    with pytest.raises(propagation.StepsExceededError):
        propagation.first_unfounded(chain, [*lemmas, [500]])
    name = "polynomials"
    long = changed(STORED[name].document, ("proof", "lemmas"), [[1, -2, 3]] * 3000)
    assert "takes too long to check" in reason(long, STORED[name].pattern)


def test_short_refutations_are_compiled_once_a_long_one_was(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(propagation, "_compile", cache(propagation._compile.__wrapped__))
    follow, plain = propagation._follow_in_lists, []

    def follow_in_lists(*arguments: Any) -> int:
        plain.append(follow(*arguments))
        return plain[-1]

    monkeypatch.setattr(propagation, "_follow_in_lists", follow_in_lists)
    short = [[1, 2], [-1, 2], [1, -2], [-1, -2]]
    assert propagation.first_unfounded(short, [[1]]) is None
    assert propagation.first_unfounded(short[1:], [[1]]) == 0
    assert plain == [propagation.FOUNDED, 0]
    assert propagation.first_unfounded(short, [[1]] * (propagation._MANY + 1)) is None
    assert propagation.first_unfounded(short, [[1]]) is None
    assert propagation.first_unfounded(short[1:], [[1]]) == 0
    assert len(plain) == 2
