"""Forged certificates of every kind are refused: soon, in little memory, and in one line."""

from __future__ import annotations

import copy
import json
import time
import tracemalloc
from collections.abc import Callable, Iterator
from itertools import islice
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse

from samapprox import Certificate, InputError, Pattern
from samapprox.proofs.refutations import propagation as rup

OLD: dict[str, Any] = {
    name: certificate
    for path in sorted(Path(__file__).parent.glob("certificates_of_*.json"))
    for name, certificate in json.loads(path.read_text()).items()
}

SECONDS = 60
"""Far more than any of these takes, and far less than unbounded work would."""


def document(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(OLD[name]["document"])
    return found


def pattern(name: str) -> Pattern:
    return Pattern.from_text("\n".join(OLD[name]["pattern"]))


def reason(forged: dict[str, Any], about: Pattern) -> str:
    """Return why a certificate is refused, as input or by the checker; "" if it holds."""
    start = time.perf_counter()
    try:
        check = Certificate.from_json(forged).verify(about)
    except InputError as error:
        found = str(error)
    else:
        found = "" if check else check.reason
    assert time.perf_counter() - start < SECONDS
    assert "\n" not in found
    assert len(found) < 1000
    return found


def places(value: Any, before: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """List the places of the parts of a document; the first two and the last of each list."""
    if isinstance(value, dict):
        keys: list[Any] = list(value)
    elif isinstance(value, list):
        keys = sorted({*range(min(2, len(value))), len(value) - 1} - {-1})
    else:
        return
    for key in keys:
        yield (*before, key)
        yield from places(value[key], (*before, key))


def changed(original: dict[str, Any], place: tuple[Any, ...], value: Any) -> dict[str, Any]:
    forged = copy.deepcopy(original)
    part: Any = forged
    for key in place[:-1]:
        part = part[key]
    part[place[-1]] = value
    return forged


NONSENSE: list[Any] = [None, True, -1, 0, 1.0, 2**40 + 1, 2**70, "1", [], {}, [[]], [[[1]]], [{}]]


@pytest.mark.parametrize("name", OLD)
def test_nonsense_anywhere_gets_no_traceback(name: str) -> None:
    """The question stays as it is, and the old proof holds: whatever is accepted is true."""
    original, about = document(name), pattern(name)
    for place in islice(places(original["proof"], ("proof",)), 60):
        for value in NONSENSE:
            reason(changed(original, place, value), about)


@pytest.mark.parametrize("name", OLD)
def test_no_proof_is_stretched(name: str) -> None:
    """A larger d for NO, a smaller one for YES, and another pattern."""
    forged, about = document(name), pattern(name)
    if forged["problem"].get("task") == "margin":  # both bounds are tight to the last digit
        forged["problem"]["numerator"] += 1 if forged["answer"] == "YES" else -1
        assert reason(forged, about)
        return
    if forged["answer"] == "YES":
        return
    for member in ("d", "d_hid", "rank"):
        if isinstance(forged["problem"].get(member), int):
            forged["problem"][member] += 1
    assert reason(forged, about)
    for member in ("d", "d_hid"):
        if member in forged["proof"]:
            forged["proof"][member] += 1
    assert reason(forged, about)


@pytest.mark.parametrize("name", OLD)
def test_unknown_members_are_named(name: str) -> None:
    original = document(name)
    for place in [(), *places(original)]:
        forged = copy.deepcopy(original)
        part: Any = forged
        for key in place:
            part = part[key]
        if isinstance(part, dict):
            part["more"] = 1
            assert "members that do not belong there: 'more'" in reason(forged, pattern(name))


@pytest.mark.parametrize(
    "name", ["radon", "shattering", "counting", "topological", "chirotope", "forster"]
)
def test_entries_that_do_not_matter_prove_nothing(name: str) -> None:
    """One entry of the core is a don't-care: the proof holds only where it does not read it."""
    proof = document(name)["proof"]
    entries = pattern(name).to_array()
    refused = 0
    for row in proof["rows"]:
        for column in proof["columns"]:
            care = np.ones(entries.shape, dtype=np.bool_)
            care[row, column] = False
            ones = (entries == 1) & care
            if not ones.any(axis=1).all():
                continue
            about = Pattern.from_array(ones, care)
            forged = document(name)
            forged["pattern"]["sha256"] = about.sha256
            refused += bool(reason(forged, about))
    assert refused


@pytest.mark.parametrize("name", ["chirotope", "polynomials", "shared-chirotope"])
def test_truncated_refutations_fail(name: str) -> None:
    original = document(name)
    lemmas = original["proof"]["lemmas"]
    if lemmas:
        assert reason(changed(original, ("proof", "lemmas"), []), pattern(name))
    far = changed(original, ("proof", "lemmas"), [[2**31]])
    assert "lemma 0 names a variable beyond" in reason(far, pattern(name))
    swapped = copy.deepcopy(original)
    rows = swapped["proof"]["rows"]
    rows[0], rows[-1] = rows[-1], rows[0]
    if name == "shared-chirotope":
        assert "ascend" in reason(swapped, pattern(name))


def test_a_polynomial_names_only_orientations_that_there_are() -> None:
    original, about = document("polynomials"), pattern("polynomials")
    signs = original["proof"]["polynomials"][0]["signs"]
    elements = len(original["proof"][original["proof"]["elements"]])
    elements += original["proof"]["elements"] == "rows"
    last = comb(elements, 3)
    place = ("proof", "polynomials", 0, "signs")
    for far in (last + 1, 2**31, -(2**31), 2**70):
        forged = changed(original, place, [*signs, far])
        assert "names an orientation beyond" in reason(forged, about), far


# ---------------------------------------------------------------- small documents, much work


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

ATTACKS: dict[str, tuple[Pattern, Callable[[], dict[str, Any]], int | None, str]] = {
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


@pytest.mark.parametrize("name", ATTACKS)
def test_small_documents_cannot_ask_for_much_work(name: str) -> None:
    about, proof, d_hid, message = ATTACKS[name]
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
        forged = changed(document(kind), ("proof", member), deep)
        assert "nested too deeply" in reason(forged, pattern(kind))


@pytest.mark.parametrize("other", ["x" * 1_000_000, None, {}])
def test_lists_hold_numbers_alone(other: object) -> None:
    """As an array of text these would take a terabyte."""
    for kind, member in (("radon", "rows"), ("embedding", "queries"), ("chirotope", "lemmas")):
        for value in ([other] + [0] * 250_000, [[other] + [0] * 250_000]):
            forged = changed(document(kind), ("proof", member), value)
            assert "other things than numbers" in reason(forged, pattern(kind))


def test_long_refutations_change_over_and_come_to_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """The plain code gives up, the compiled one follows, and gives up in its turn."""
    chain = [[-k, k + 1] for k in range(1, 400)]
    clauses = [*chain, [1, 401], [-400], [-401, 402], [-402, -401]]
    lemmas = [[-k, 400 - k] for k in range(1, 150)]
    assert rup.first_unfounded(clauses, lemmas) is None
    assert rup.first_unfounded(chain, [*lemmas, [500]]) == len(lemmas)
    monkeypatch.setattr(rup, "_MANY_STEPS", 100)
    assert rup.first_unfounded(clauses, lemmas) is None
    assert rup.first_unfounded(chain, [*lemmas, [500]]) == len(lemmas)
    monkeypatch.setattr(rup, "MOST_STEPS", 1000)
    with pytest.raises(rup.StepsExceededError):
        rup.first_unfounded(chain, [*lemmas, [500]])
    name = "polynomials"
    long = changed(document(name), ("proof", "lemmas"), [[1, -2, 3]] * 3000)
    assert "takes too long to check" in reason(long, pattern(name))
