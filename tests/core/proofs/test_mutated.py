"""Valid proofs, changed at random: what the checks accept holds by the definitions, and no less."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from helpers.checkers.plain_checks import Entries, represents
from helpers.solvers.divisions import undivided
from hypothesis import given, settings
from hypothesis import strategies as st

from samapprox import Certificate, InputError, Pattern, Problem, decide, weak_dimension
from samapprox.pattern import UNSPECIFIED
from samapprox.proofs.base import Proof, Witness
from samapprox.proofs.checker import check
from samapprox.proofs.parts.merged import Merged
from samapprox.proofs.parts.simplify import simplify
from samapprox.solvers.division.division import divide

Random = np.random.RandomState


def random_pattern(random: Random) -> Pattern:
    """Equal blocks and others, some of which share a column; lines copied, rows complemented."""
    block = random.rand(random.randint(1, 4), random.randint(1, 4)) < 0.6
    rows: list[list[int]] = []
    columns = 0
    for number in range(random.randint(1, 5)):
        if random.rand() < 0.5:
            block = random.rand(random.randint(1, 4), random.randint(1, 4)) < 0.6
        own = list(range(columns, columns + block.shape[1]))
        if number and random.rand() < 0.6:
            own[random.randint(len(own))] = random.randint(columns)
        columns += block.shape[1]
        rows += [[own[j] for j in np.flatnonzero(line)] for line in block if line.any()]
    entries = np.zeros((max(1, len(rows)), columns), dtype=np.int8)
    entries[0, 0] = 1
    for row, own in enumerate(rows):
        entries[row, own] = 1
    entries = entries[random.randint(len(entries), size=len(entries) + random.randint(3))]
    if random.rand() < 0.5:
        entries = entries[:, np.sort(random.randint(columns, size=columns + random.randint(3)))]
    entries[random.rand(len(entries)) < 0.15] ^= 1
    entries[~entries.any(axis=1), random.randint(entries.shape[1])] = 1
    stars = (random.rand(*entries.shape) < random.choice([0, 0.1])) & (entries == 0)
    return Pattern.from_array(entries, ~stars)


def witnesses(pattern: Pattern, random: Random) -> Iterator[tuple[int, Proof]]:
    """Proofs for the pattern: of its division, of the merged pattern, of orders."""
    only = [["orders"], [], ["rank"]][random.randint(3)]
    division = divide(pattern)
    with undivided(), pytest.MonkeyPatch.context() as patch:
        patch.setattr("samapprox.solvers.engine.bounds.write_out", lambda verdict: verdict)
        found = []
        for leaf in division.leaves:
            yes = weak_dimension(leaf, only=only, time_limit=2, threads=1).yes
            found.append(None if yes is None else yes.proof)
        if all(isinstance(proof, Witness) for proof in found):
            glued = division.glue(found)  # type: ignore[arg-type]
            assert isinstance(glued, Proof)
            yield glued.dimension, glued
        d = random.randint(1, 4)
        proof = decide(pattern, d, only=only or ["line", "rank", "projections"], time_limit=2).proof
        if isinstance(proof, Witness):
            yield d, proof
        simplified = simplify(pattern)
        if simplified.pattern is not None:
            proof = decide(simplified.pattern, d, only=["orders"], time_limit=2).proof
            if isinstance(proof, Witness):
                yield d, Merged.of(simplified, proof)


def numbers(value: Any, before: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """List the places of the numbers and lists of a document."""
    if isinstance(value, int | list):
        yield before
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from numbers(value[key], (*before, key))


def mutate(proof: dict[str, Any], random: Random) -> dict[str, Any]:
    """A document with one number or list changed, or some of them."""
    forged = copy.deepcopy(proof)
    for _ in range(random.choice([1, 1, 1, 2, 3])):
        places = list(numbers(forged))
        if not places:
            break
        place = places[random.randint(len(places))]
        holder: Any = forged
        for key in place[:-1]:
            holder = holder[key]
        value = holder[place[-1]]
        if isinstance(value, int):
            small = int(random.randint(-2, 8))
            holder[place[-1]] = [value + 1, value - 1, -value, small][random.randint(4)]
        elif value:
            one, two = random.randint(len(value), size=2)
            change = random.randint(4)
            if change == 0:
                del value[one]
            elif change == 1:
                value.insert(two, copy.deepcopy(value[one]))
            elif change == 2:
                value[one], value[two] = value[two], value[one]
            else:
                value[one] = copy.deepcopy(value[two])
        else:
            value.append(int(random.randint(4)))
    return forged


def as_lists(pattern: Pattern) -> Entries:
    return [
        [None if entry == UNSPECIFIED else int(entry) for entry in row]
        for row in pattern.to_array().tolist()
    ]


def certificate(pattern: Pattern, d: int, proof: dict[str, Any]) -> dict[str, Any]:
    rows, columns = pattern.shape
    return {
        "format": "samapprox-certificate",
        "version": 1,
        "pattern": {"rows": rows, "columns": columns, "sha256": pattern.sha256},
        "problem": {"d": d, "d_hid": None},
        "answer": "YES",
        "proof": proof,
    }


def confirm(pattern: Pattern, d: int, proof: dict[str, Any]) -> bool:
    """Whether the library accepts a proof; then the definitions and its numbers agree."""
    document = json.dumps(certificate(pattern, d, proof)).encode()
    try:
        read = Certificate.from_bytes(document)
    except InputError:
        return False
    accepted = bool(read.verify(pattern))
    if accepted:
        assert represents(as_lists(pattern), d, proof), (pattern.to_text(), proof)
        assert isinstance(read.proof, Witness)
        embedding = read.proof.embedding(pattern)
        assert embedding.dimension <= d
        assert check(Problem(pattern, d), embedding) is None
    return accepted


def change_entries(pattern: Pattern, random: Random) -> Pattern | None:
    """The pattern with an entry of another value."""
    entries = pattern.to_array().copy()
    row, column = random.randint(pattern.shape[0]), random.randint(pattern.shape[1])
    entries[row, column] = random.choice([0, 1, UNSPECIFIED])
    if not (entries == 1).any(axis=1).all():
        return None
    return Pattern.from_array(entries == 1, entries != UNSPECIFIED)


def forge(seed: int, count: int) -> int:
    """Proofs of one pattern, each changed so many times; how many of those were accepted."""
    random = Random(seed)
    pattern = random_pattern(random)
    accepted = 0
    for d, proof in witnesses(pattern, random):
        document = proof.to_json()
        assert confirm(pattern, d, document)
        for _ in range(count):
            about = change_entries(pattern, random) if random.rand() < 0.3 else None
            forged = document if about and random.rand() < 0.5 else mutate(document, random)
            lower = int(random.rand() < 0.05 and d > 1)
            accepted += confirm(about or pattern, d - lower, forged)
    return accepted


@settings(max_examples=15)
@given(st.integers(0, 10**6))
def test_what_is_accepted_holds(seed: int) -> None:
    forge(seed, 20)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100))
def test_much_that_is_accepted_holds(seed: int) -> None:
    forge(10**7 + seed, 300)


def test_some_changes_are_accepted() -> None:
    """Count the mutations that leave the proof true: without any, the other tests prove nothing."""
    assert sum(forge(seed, 10) for seed in range(10)) > 20
