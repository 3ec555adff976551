"""Padded patterns are recognised in any order of their lines, and decided without padding."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.durations import processor_time

from samapprox import Pattern, Problem, Status, decide, weak_dimension
from samapprox.pattern import UNSPECIFIED
from samapprox.proofs import Embedding, Padded, check
from samapprox.reductions.families import generate
from samapprox.reductions.padding import pad_pattern
from samapprox.solvers.engine.search import Search
from samapprox.solvers.similarity import padded

RINGEL = generate("stretch").pattern
EYE = Pattern(np.eye(3))


def pad(pattern: Pattern, times: int) -> Pattern:
    for _ in range(times):
        pattern = pad_pattern(pattern)
    return pattern


def shuffle(pattern: Pattern, random: np.random.RandomState) -> Pattern:
    """Permute rows and columns, and complement some rows."""
    entries = pattern.to_array()
    entries = entries[random.permutation(len(entries))][:, random.permutation(entries.shape[1])]
    turned = (random.rand(len(entries)) < 0.5) & (entries == 0).any(axis=1)
    entries = np.where(turned[:, None] & (entries != UNSPECIFIED), 1 - entries, entries)
    return Pattern.from_array(entries == 1, entries != UNSPECIFIED)


@pytest.mark.parametrize("times", [1, 2, 3])
def test_ringels_arrangement_is_a_no_in_every_dimension(times: int) -> None:
    pattern = shuffle(pad(RINGEL, times), np.random.RandomState(times))
    with processor_time():
        verdict = decide(pattern, 2 + times, time_limit=60)
    assert verdict.status is Status.NO
    assert isinstance(verdict.proof, Padded)
    assert verdict.proof.dimension == 2 + times


def test_the_least_dimension_is_found() -> None:
    with processor_time():
        found = weak_dimension(pad(RINGEL, 1), time_limit=60)
    assert (found.lower, found.upper) == (4, 4)


@pytest.mark.parametrize("seed", range(10))
def test_random_patterns_are_decided_without_their_padding(seed: int) -> None:
    random = np.random.RandomState(seed)
    entries = np.where(random.rand(5, 5) < 0.2, UNSPECIFIED, random.randint(2, size=(5, 5)))
    entries[range(5), random.randint(5, size=5)] = 1
    inner = Pattern.from_array(entries == 1, entries != UNSPECIFIED)
    for d in (1, 2):
        wanted = decide(inner, d, time_limit=20)
        found = decide(shuffle(pad_pattern(inner), random), d + 1, only=["padded"], time_limit=20)
        assert found.status is wanted.status
        assert isinstance(found.proof, Padded | Embedding)


def test_rows_beside_the_padding_leave_a_no_and_no_yes() -> None:
    entries = np.vstack([pad_pattern(EYE).to_array(), [[1, 1, 0, 1]]])
    pattern = Pattern(entries)
    found = padded.find_proof(Problem(pattern, 2), Search())
    assert isinstance(found, Padded)
    assert check(Problem(pattern, 2), found) is None
    assert "proves nothing here" in str(padded.find_proof(Problem(pattern, 3), Search()))


def test_what_lacks_a_part_of_the_padding_is_left() -> None:
    """Without the last row, or with one copy of each row, there is nothing to find."""
    entries = pad(RINGEL, 1).to_array()
    for rows in (entries[:-1], entries[[*range(8), -1]]):
        assert "no key" in str(padded.applies(Problem(Pattern(rows), 3)))


def test_it_goes_on_in_its_next_turn() -> None:
    pattern = Problem(pad(RINGEL, 1), 3)
    with processor_time():
        search = Search.within(30, 0)
        found = padded.find_proof(pattern, search.slice(0.0, 0))
        assert isinstance(found, Padded) or "not decided" in found or "undecided" in found
        while isinstance(found, str) and "not decided" in found:
            found = padded.find_proof(pattern, search)
    assert isinstance(found, Padded)


@pytest.mark.parametrize("text", ["10", "1", "10\n01", "11\n1*", "1*\n*1", "100\n010\n001"])
def test_small_patterns_have_no_padding_that_refutes(text: str) -> None:
    pattern = Pattern.from_text(text)
    assert padded.find_padding(pattern, 2) is None
