"""Attacks on certificates of every kind: refused soon, in little memory, and in one line."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice, product
from math import comb
from typing import Any

import numpy as np
import pytest
from helpers.checkers.forgeries import changed, reason
from helpers.schemas import schema
from helpers.stored import STORED, Stored

from samapprox import Pattern
from samapprox.proofs import KNOWN_KINDS
from samapprox.proofs.base import Proof
from samapprox.proofs.questions import RANK_KINDS, UNITS
from samapprox.similarities import SIMILARITIES


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


@dataclass(frozen=True)
class Forgery:
    """A forged document, the pattern that it is shown with, and words of its refusal.

    Any of the words must occur in the reason. Without words, the document may also be true.
    """

    document: dict[str, Any]
    about: Pattern
    words: tuple[str, ...] = ()


NONSENSE: list[Any] = [None, True, -1, 0, 1.0, 2**40 + 1, 2**70, "1", [], {}, [[]], [[[1]]], [{}]]


def put_nonsense(stored: Stored) -> Iterator[Forgery]:
    """The question stays as it is, and the old proof holds: whatever is accepted is true."""
    for place in islice(places(stored.document["proof"], ("proof",)), 60):
        for value in NONSENSE:
            yield Forgery(changed(stored.document, place, value), stored.pattern)


def stretch(stored: Stored) -> Iterator[Forgery]:
    """A larger d for NO; a margin beyond the bound, which is tight to the last digit."""
    forged = stored.document
    problem, proof = forged["problem"], forged["proof"]
    if problem.get("task") == "margin":
        problem["numerator"] += 1 if forged["answer"] == "YES" else -1
        yield Forgery(forged, stored.pattern, ("",))
    elif forged["answer"] == "NO":
        for member in ("d", "d_hid", "rank"):
            if isinstance(problem.get(member), int):
                problem[member] += 1
        yield Forgery(copy.deepcopy(forged), stored.pattern, ("",))
        for member in ("d", "d_hid"):
            if member in proof:
                proof[member] += 1
        yield Forgery(forged, stored.pattern, ("",))


def turn_answer(stored: Stored) -> Iterator[Forgery]:
    other = "NO" if stored.document["answer"] == "YES" else "YES"
    words = ("but its proof is one of",)
    yield Forgery(changed(stored.document, ("answer",), other), stored.pattern, words)


def show_other_pattern(stored: Stored) -> Iterator[Forgery]:
    """A zero is a one, under the old fingerprint."""
    entries = stored.pattern.to_array().copy()
    entries[tuple(np.argwhere(entries == 0)[0])] = 1
    about = Pattern.from_array(entries == 1, entries >= 0)
    yield Forgery(stored.document, about, ("about another pattern",))


def add_members(stored: Stored) -> Iterator[Forgery]:
    for place in [(), *places(stored.document)]:
        forged = stored.document
        part: Any = forged
        for key in place:
            part = part[key]
        if isinstance(part, dict):
            part["more"] = 1
            words = ("members that do not belong there: 'more'",)
            yield Forgery(forged, stored.pattern, words)


def hide_entries(stored: Stored) -> Iterator[Forgery]:
    """One entry of the core is a don't-care: the proof holds only where it does not read it."""
    proof = stored.document["proof"]
    entries = stored.pattern.to_array()
    for row, column in product(proof["rows"], proof["columns"]):
        care = np.ones(entries.shape, dtype=np.bool_)
        care[row, column] = False
        ones = (entries == 1) & care
        if ones.any(axis=1).all():
            about = Pattern.from_array(ones, care)
            yield Forgery(changed(stored.document, ("pattern", "sha256"), about.sha256), about)


def truncate(stored: Stored) -> Iterator[Forgery]:
    original, lemmas = stored.document, ("proof", "lemmas")
    if original["proof"]["lemmas"]:
        yield Forgery(changed(original, lemmas, []), stored.pattern, ("",))
    words = ("lemma 0 names a variable beyond",)
    yield Forgery(changed(original, lemmas, [[2**31]]), stored.pattern, words)
    rows = list(original["proof"]["rows"])
    rows[0], rows[-1] = rows[-1], rows[0]
    words = ("ascend",) if original["proof"]["kind"] == "shared-chirotope" else ()
    yield Forgery(changed(original, ("proof", "rows"), rows), stored.pattern, words)


_SWAPPED: list[dict[str, Any]] = [
    {"d": 1, "d_hid": None},
    *({"d": 1, "d_hid": None, "similarity": other} for other in SIMILARITIES if other != "dot"),
    *({"task": "rank", "rank": 2, "kind": kind} for kind in RANK_KINDS),
    *(
        {"task": "fit", "d": 1, "wrong": 0, "unit": unit, "similarity": similarity}
        for unit, similarity in product(UNITS, SIMILARITIES)
    ),
    {"task": "margin", "numerator": 0, "denominator": 1},
    {"task": "margin", "numerator": 1, "denominator": 2, "d": 1},
]


def kind_of(stored: Stored) -> type[Proof]:
    return KNOWN_KINDS[stored.document["proof"]["kind"]].load_class()


def swap_question(stored: Stored) -> Iterator[Forgery]:
    """The proof stands under a question that its kind does not answer."""
    kind = kind_of(stored)
    for problem in _SWAPPED:
        similarity = problem.get("similarity", "dot")
        if problem.get("task", "dimension") != kind.TASK or similarity not in kind.SIMILARITIES:
            words = ("answers the task", "is about the similarity")
            yield Forgery(changed(stored.document, ("problem",), problem), stored.pattern, words)


def swap_similarity(stored: Stored) -> Iterator[Forgery]:
    """The question stays, with its dimensions; only the similarity changes."""
    kind = kind_of(stored)
    if kind.TASK in ("dimension", "fit"):
        for similarity in set(SIMILARITIES) - set(kind.SIMILARITIES):
            forged = changed(stored.document, ("problem", "similarity"), similarity)
            yield Forgery(forged, stored.pattern, ("is about the similarity", "d_hid"))


CORES = ("radon", "shattering", "counting", "topological", "chirotope", "forster")
REFUTATIONS = ("chirotope", "polynomials", "shared-chirotope")

ATTACKS: dict[str, tuple[Callable[[Stored], Iterator[Forgery]], tuple[str, ...]]] = {
    "nonsense": (put_nonsense, tuple(STORED)),
    "a stretched claim": (stretch, tuple(STORED)),
    "the other answer": (turn_answer, tuple(STORED)),
    "another pattern": (show_other_pattern, tuple(STORED)),
    "unknown members": (add_members, tuple(STORED)),
    "hidden entries": (hide_entries, CORES),
    "truncated refutations": (truncate, REFUTATIONS),
    "another question": (swap_question, tuple(STORED)),
    "another similarity": (swap_similarity, tuple(STORED)),
}
"""Attack -> its forgeries of a stored document, and the documents that it is made on."""

HARMLESS = {"a stretched claim", "another similarity"}
"""Attacks that have no forgery of some documents: of those for YES, or of ranks and margins."""


@pytest.mark.parametrize("name", STORED)
def test_stored_documents_are_valid(name: str) -> None:
    assert reason(STORED[name].document, STORED[name].pattern) == ""


@pytest.mark.parametrize(
    ("attack", "name"), [(attack, name) for attack in ATTACKS for name in ATTACKS[attack][1]]
)
def test_attacks_are_refused(attack: str, name: str) -> None:
    refused = total = 0
    for forgery in ATTACKS[attack][0](STORED[name]):
        found = reason(forgery.document, forgery.about)
        total += 1
        refused += bool(found)
        if forgery.words:
            assert found, forgery.document
            assert any(words in found for words in forgery.words), found
    if attack == "another question":
        assert refused >= len(_SWAPPED) - len(SIMILARITIES) * len(UNITS)
    assert refused or (not total and attack in HARMLESS)


@pytest.mark.parametrize("problem", _SWAPPED, ids=json.dumps)
def test_the_schema_knows_every_question(problem: dict[str, Any]) -> None:
    certificates = schema("certificate")
    document = STORED["radon"].document
    certificates.validate({**document, "problem": problem})
    assert not certificates.is_valid({**document, "problem": {**problem, "more": 1}})
    assert not certificates.is_valid({**document, "problem": {**problem, "task": "guess"}})


def test_a_polynomial_names_only_orientations_that_there_are() -> None:
    original, about = STORED["polynomials"].document, STORED["polynomials"].pattern
    signs = original["proof"]["polynomials"][0]["signs"]
    elements = len(original["proof"][original["proof"]["elements"]])
    elements += original["proof"]["elements"] == "rows"
    last = comb(elements, 3)
    place = ("proof", "polynomials", 0, "signs")
    for far in (last + 1, 2**31, -(2**31), 2**70):
        forged = changed(original, place, [*signs, far])
        assert "names an orientation beyond" in reason(forged, about), far
