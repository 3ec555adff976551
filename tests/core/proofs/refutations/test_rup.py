"""Unit propagation: by definition, in Python alone and compiled, the same verdict on each."""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Any

import pytest
from helpers.paths import STORED_CERTIFICATES
from hypothesis import given, settings
from hypothesis import strategies as st
from records.lines import read_lines
from records.questions import questions

from samapprox import Certificate, Pattern
from samapprox.proofs.refutations import propagation

QUESTIONS = {question.name: question for question in questions()}

Clauses = Sequence[Sequence[int]]

MOST_LEMMAS = 2_500
"""Most lemmas of a shipped refutation that Python follows here: 33,000 take a minute."""

MANY_LEMMAS, MOST_COLUMNS = 1_500, 20
"""Slow tests follow shipped refutations with more lemmas, or more columns, than this."""

PLAIN = propagation.first_unfounded


def compiled(clauses: Iterable[Sequence[int]], lemmas: Clauses) -> int | None:
    """The verdict of compiled code, whatever the size."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(propagation, "_MANY", -1)
        return PLAIN(clauses, lemmas)


def plain(clauses: Iterable[Sequence[int]], lemmas: Clauses) -> int | None:
    """The verdict without numba."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(propagation, "_compile", cache(propagation._compile.__wrapped__))
        patch.setitem(sys.modules, "samapprox.support.jit", None)
        return PLAIN(clauses, lemmas)


def defined(clauses: Clauses, lemmas: Clauses) -> int | None:
    """The verdict by the definition: literals are added until nothing changes."""
    known = list(clauses)
    for number, lemma in enumerate([*lemmas, []]):
        true = {-literal for literal in lemma}
        conflict = any(-literal in true for literal in true)
        units: list[int] | None = []
        while units is not None and not conflict:
            true.update(units)
            open_parts = [
                {literal for literal in clause if -literal not in true}
                for clause in known
                if true.isdisjoint(clause)
            ]
            conflict = set() in open_parts
            units = next((list(part) for part in open_parts if len(part) == 1), None)
        if not conflict:
            return number
        known.append(lemma)
    return None


literals = st.integers(1, 6).flatmap(lambda variable: st.sampled_from([variable, -variable]))
clause_lists = st.lists(st.lists(literals, max_size=4), max_size=40)


@settings(max_examples=150)
@given(clause_lists, clause_lists)
def test_random_refutations(clauses: list[list[int]], lemmas: list[list[int]]) -> None:
    """Tautologies, empty clauses and literals that occur twice are among them."""
    assert plain(clauses, lemmas) == compiled(clauses, lemmas) == defined(clauses, lemmas)


def test_long_ones_are_followed_without_numba(monkeypatch: pytest.MonkeyPatch) -> None:
    """More lemmas, and more steps, than are followed in Python while there is compiled code."""
    chain = [[-k, k + 1] for k in range(1, 400)]
    clauses = [*chain, [1, 401], [-400], [-401, 402], [-402, -401]]
    lemmas = [[-k, 400 - k] for k in range(1, 150)]
    monkeypatch.setattr(propagation, "_MANY", 10)
    assert plain(clauses, lemmas) is None
    monkeypatch.setattr(propagation, "_MANY", 10_000)
    monkeypatch.setattr(propagation, "_MANY_STEPS", 100)
    assert plain(clauses, lemmas) is None
    assert plain(chain, [*lemmas, [500]]) == len(lemmas)
    monkeypatch.setattr(propagation, "MOST_STEPS", 1000)
    with pytest.raises(propagation.StepsExceededError):
        plain(chain, [*lemmas, [500]])


# ---------------------------------------------------------------- refutations that are shipped


def shipped() -> Iterator[tuple[str, Pattern, Any]]:
    """Certificates with lemmas, of the table of dimensions and of earlier versions."""
    for line in read_lines().values():
        path = line.certificate("no")
        if path.exists():
            document = json.loads(gzip.decompress(path.read_bytes()))
            if 0 < len(document["proof"].get("lemmas", ())) <= MOST_LEMMAS:
                yield line.name, QUESTIONS[line.name].pattern, document
    for path in STORED_CERTIFICATES.glob("certificates_of_*.json"):
        for name, old in json.loads(path.read_text()).items():
            document = json.loads(old["document"])
            if document["proof"].get("lemmas"):
                yield name, Pattern.from_text("\n".join(old["pattern"])), document


def is_slow(document: Any) -> bool:
    """Whether Python takes seconds, or half a minute: many lemmas, or clauses (star, n = 64)."""
    proof = document["proof"]
    return len(proof["lemmas"]) > MANY_LEMMAS or len(proof.get("columns", ())) > MOST_COLUMNS


SHIPPED = [
    pytest.param(*one, id=one[0], marks=[pytest.mark.slow] if is_slow(one[2]) else [])
    for one in shipped()
]


@pytest.mark.parametrize(("name", "pattern", "document"), SHIPPED)
def test_shipped_refutations(
    name: str, pattern: Pattern, document: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whole, and forged: without a lemma, and with one that says the opposite."""
    followed: list[bool] = []

    def both(clauses: Iterable[Sequence[int]], lemmas: Clauses) -> int | None:
        clauses, lemmas = list(clauses), list(lemmas)
        assert plain(clauses, lemmas) == compiled(clauses, lemmas) is None
        middle = len(lemmas) // 2
        opposite = [-literal for literal in lemmas[middle]]
        for forged in (
            lemmas[:middle],
            lemmas[:middle] + lemmas[middle + 1 :],
            [*lemmas[:middle], opposite, *lemmas[middle + 1 :]],
        ):
            assert plain(clauses, forged) == compiled(clauses, forged)
        followed.append(True)
        return None

    monkeypatch.setattr(propagation, "first_unfounded", both)
    assert Certificate.from_json(document).verify(pattern)
    assert followed, name
