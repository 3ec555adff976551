"""Topological refutations: what the check accepts, refuses and says, against plain Python."""

from __future__ import annotations

import copy
import json
from typing import Any

import numpy as np
import pytest
from helpers.checkers.plain_checks import Entries, refutes
from helpers.durations import takes_less_than
from helpers.paths import STORED_CERTIFICATES
from hypothesis import given
from hypothesis import strategies as st

from samapprox import Certificate, Embedding, Pattern, Problem, Verdict
from samapprox.pattern import UNSPECIFIED
from samapprox.proofs import Topological
from samapprox.proofs.checker import check
from samapprox.proofs.parts.simplify import simplify
from samapprox.proofs.refutations.orientation_clauses import sign_matrix
from samapprox.proofs.refutations.topological import Topological as Kind
from samapprox.reductions.families import generate
from samapprox.solvers.engine.search import Search
from samapprox.solvers.refutations.topological import Part, Suspension, suspend

Random = np.random.RandomState

OLD = json.loads((STORED_CERTIFICATES / "certificates_of_topology.json").read_text())
PATTERN = Pattern.from_text("\n".join(OLD["topological"]["pattern"]))
DOCUMENT: dict[str, Any] = json.loads(OLD["topological"]["document"])["proof"]

IDENTITY = Pattern.from_text("100\n010\n001")
MEMBERS = [[0, 0, 1, 2], [1, 0, 1, 2], [2, 0, 1, 2], [3, 0, 1, 2]]


def eliminate(pattern: Pattern, d: int, side: Any = "columns") -> Topological | None:
    """The refutation that elimination on the whole pattern finds."""
    signs = sign_matrix(pattern.to_array(), side)
    lines = [np.arange(size) for size in signs.shape]
    found = suspend(Part(d, side, signs, *lines), Search())
    return found.proof() if isinstance(found, Suspension) else None


def as_lists(pattern: Pattern) -> Entries:
    return [
        [None if entry == UNSPECIFIED else int(entry) for entry in row]
        for row in pattern.to_array().tolist()
    ]


def planted(random: Random, d: int, rows: int, columns: int) -> tuple[Pattern, Embedding]:
    """A pattern with an embedding in d dimensions, some entries of which are don't-cares."""
    queries, keys = random.randint(-9, 10, (rows, d)), random.randint(-9, 10, (columns, d))
    logits = queries @ keys.T
    thresholds = np.array([np.sort(row)[random.randint(columns - 1)] for row in logits])
    ones = logits > thresholds[:, None]
    care = random.rand(rows, columns) >= random.choice([0, 0.1])
    ones[~(ones & care).any(axis=1)] = True
    thresholds[ones.all(axis=1)] = -(10**6)
    care[~(ones & care).any(axis=1)] = True
    return Pattern.from_array(ones & care, care), Embedding(queries, keys, thresholds)


# ---------------------------------------------------------------- what is said


@pytest.mark.parametrize(
    ("members", "message"),
    [
        (MEMBERS, ""),
        (MEMBERS[:3], "the face +0 +1 lies in 1 member, an odd number"),
        ([*MEMBERS, MEMBERS[1]], "member 4 repeats member 1"),
        ([[0, 0, 1]], "each member must be a covector and 3 elements, not 3 numbers"),
        ([[0, 0, 1, 2, 3]], "each member must be a covector and 3 elements, not 5 numbers"),
        ([[]], "each member must be a covector and 3 elements, not 0 numbers"),
        ([[0, 0, 0, 1]], "the elements of member 0 do not ascend"),
        ([MEMBERS[0], [0, 0, 2, 1]], "the elements of member 1 do not ascend"),
        ([[0, 0, 1, 3]], "member 0 names an element beyond 0..2"),
        ([MEMBERS[0], [4, 0, 1, 2]], "member 1 names a covector beyond 0..3"),
        ([[0, -1, 1, 2]], "member 0 names an element beyond 0..2"),
        ([[-1, 0, 1, 2]], "member 0 names a covector beyond 0..3"),
        ([[0, 0, 1, 2**40]], "member 0 names an element beyond 0..2"),
        ([[2**70, 0, 1, 2]], "member 0 names a covector beyond 0..3"),
        ([[10**4000, 0, 1, 2]], "member 0 names a covector beyond 0..3"),
    ],
)
def test_the_first_reason_is_named(members: list[list[int]], message: str) -> None:
    proof = Topological(1, range(3), range(3), "columns", members)
    assert (check(Problem(IDENTITY, 1), proof) or "") == message


def test_evenly_many_alternating_members_are_no_refutation() -> None:
    """All faces of a pattern on four elements pair up, but none of them is needed."""
    pattern = Pattern.from_text("1010\n0001")
    members = [[1, 0, 1, 2], [1, 0, 1, 3], [1, 0, 2, 3], [1, 1, 2, 3]]
    proof = Topological(1, range(2), range(4), "columns", members)
    assert check(Problem(pattern, 1), proof) == "2 of the members alternate, an even number"


def test_members_read_specified_entries_alone() -> None:
    stars = Pattern.from_text("1*0\n010\n001")
    proof = Topological(1, range(3), range(3), "columns", MEMBERS)
    expected = "member 1 reads the don't-care entry at row 0 and column 1"
    assert check(Problem(stars, 1), proof) == expected


def test_the_core_places_the_members() -> None:
    pattern = Pattern.from_text("1111\n0001\n0100\n1000")
    proof = Topological(1, [3, 2, 1], [0, 1, 3], "columns", MEMBERS)
    assert check(Problem(pattern, 1), proof) is None
    assert proof.entries_read() == [(i, j) for i in (1, 2, 3) for j in (0, 1, 3)]
    assert "outside" in str(check(Problem(IDENTITY, 1), proof))
    assert "excludes dimension 1" in str(check(Problem(pattern, 2), proof))


def test_words() -> None:
    proof = Topological(1, range(3), range(3), "columns", MEMBERS)
    lines = proof.explain(Problem(IDENTITY, 1))
    assert "4 sign patterns" in lines[0]
    assert len(lines) == 5
    proof = Certificate.from_json(json.loads(OLD["topological"]["document"])).proof
    assert "queries" in proof.caption
    assert "24 sign patterns on 4 queries" in proof.explain(Problem(PATTERN, 2))[0]


# ---------------------------------------------------------------- what is accepted


def mutate(proof: dict[str, Any], random: Random, rows: int, columns: int) -> dict[str, Any]:
    forged = copy.deepcopy(proof)
    members = forged["members"]
    for _ in range(random.randint(1, 4)):
        member = members[random.randint(len(members))]
        change = random.randint(7)
        if change == 0:
            member[random.randint(len(member))] += random.choice([-1, 1])
        elif change == 1:
            member[0] = int(random.randint(rows + 1))
        elif change == 2 and len(members) > 1:
            members.remove(member)
        elif change == 3:
            members.append([int(random.randint(rows + 1)), *member[1:]])
        elif change == 4:
            for name, size in (("rows", rows), ("columns", columns)):
                forged[name][random.randint(len(forged[name]))] = int(random.randint(size))
        elif change == 5:
            forged["rows"] = random.permutation(forged["rows"]).tolist()
        else:
            forged["elements"] = ["rows", "columns"][random.randint(2)]
    return forged


def judge(pattern: Pattern, d: int, document: dict[str, Any]) -> bool:
    """Whether the library accepts a document; plain Python has to agree."""
    names = [tuple(document[name]) for name in ("rows", "columns")]
    if any(len(set(lines)) < len(lines) for lines in names):
        return False
    members = {name: value for name, value in document.items() if name != "kind"}
    accepted = check(Problem(pattern, d), Kind(**members)) is None
    assert accepted == refutes(as_lists(pattern), d, document)
    return accepted


def refuted_patterns(random: Random, d: int) -> tuple[Pattern, Topological]:
    while True:
        entries = (random.rand(9, 8) < 0.5).astype(np.int8)
        entries[~entries.any(axis=1), 0] = 1
        pattern = Pattern.from_array(entries)
        side = ["columns", "rows"][random.randint(2)]
        if (proof := eliminate(pattern, d, side)) is not None:
            return pattern, proof


@given(st.integers(0, 10**6))
def test_mutated_proofs_are_judged_by_the_definition(seed: int) -> None:
    random = Random(seed)
    pattern, proof = refuted_patterns(random, 2)
    document = proof.to_json()
    assert judge(pattern, 2, document)
    for _ in range(10):
        judge(pattern, 2, mutate(document, random, *pattern.shape))


def test_some_mutations_are_accepted() -> None:
    """Without any, the comparison would not show that what is accepted is right."""
    random, accepted = Random(0), 0
    for _ in range(20):
        pattern, proof = refuted_patterns(random, 2)
        for _ in range(30):
            accepted += judge(pattern, 2, mutate(proof.to_json(), random, *pattern.shape))
    assert accepted > 10


def forge(random: Random) -> int:
    """Forgeries for a pattern with an embedding; none is accepted. How many there were."""
    d = 2
    pattern, embedding = planted(random, d, 8, 8)
    assert check(Problem(pattern, d), embedding) is None
    for side in ("columns", "rows"):
        assert eliminate(pattern, d, side) is None
    added = np.vstack([pattern.to_array(), random.rand(4, 8) < 0.5]).astype(np.int8)
    added[8:][~(added[8:] == 1).any(axis=1), 0] = 1
    larger = Pattern.from_array(added == 1, added != UNSPECIFIED)
    side = ["columns", "rows"][random.randint(2)]
    proof = eliminate(larger, d, side)
    if proof is None:
        return 0
    document = proof.to_json()
    assert judge(larger, d, document)
    forged = {**document, "rows": [min(row, 7) for row in document["rows"]]}
    moved = np.append(np.arange(8), random.randint(8, size=4))
    swapped = {**document, "rows": moved[document["rows"]].tolist()}
    for one in (forged, swapped, *(mutate(document, random, 8, 8) for _ in range(8))):
        if max(one["rows"]) < 8:
            assert not judge(pattern, d, one)
        else:
            one["rows"] = [row % 8 for row in one["rows"]]
            assert not judge(pattern, d, one)
    return 1


@given(st.integers(0, 10**6))
def test_no_forgery_onto_a_pattern_with_an_embedding_is_accepted(seed: int) -> None:
    forge(Random(seed))


@pytest.mark.slow
def test_no_forgery_onto_a_thousand_patterns_with_embeddings_is_accepted() -> None:
    random = Random(1)
    assert sum(forge(random) for _ in range(1000)) > 100


@given(st.integers(0, 10**6))
def test_a_proof_of_the_merged_pattern_is_one_of_the_original(seed: int) -> None:
    """Rows are complemented and lines repeated; the members stay as they are."""
    random = Random(seed)
    pattern, _ = refuted_patterns(random, 2)
    entries = pattern.to_array()[random.randint(9, size=14)][:, random.randint(8, size=11)]
    entries[random.rand(14) < 0.5] ^= 1
    entries[~entries.any(axis=1)] ^= 1
    original = Pattern.from_array(entries)
    simplified = simplify(original)
    assert simplified.pattern is not None
    for side in ("columns", "rows"):
        proof = eliminate(simplified.pattern, 2, side)
        if proof is not None:
            assert check(Problem(original, 2), proof.lift(simplified)) is None


@given(st.integers(0, 10**6))
def test_the_order_of_the_elements_and_their_signs_do_not_matter(seed: int) -> None:
    random = Random(seed)
    pattern, proof = refuted_patterns(random, 2)
    document = proof.to_json()
    rows, columns = (random.permutation(document[name]).tolist() for name in ("rows", "columns"))
    turned = Pattern.from_array(_complement(pattern.to_array(), random))
    lines = {"rows": rows, "columns": columns}
    places = {name: {line: at for at, line in enumerate(lines[name])} for name in lines}
    element, covector = proof.elements, "columns" if proof.elements == "rows" else "rows"

    def move(number: int, name: str) -> int:
        extra = int(name == "rows")  # row 0 stays the first
        return number if number < extra else places[name][document[name][number - extra]] + extra

    members = [
        [move(member[0], covector), *sorted(move(e, element) for e in member[1:])]
        for member in document["members"]
    ]
    moved = {**document, **lines, "members": members}
    assert judge(pattern, 2, moved)
    assert judge(turned, 2, moved)


def _complement(entries: np.ndarray, random: Random) -> np.ndarray:
    """Complement some rows that have a zero, so that all have a one."""
    entries = entries.copy()
    entries[(random.rand(len(entries)) < 0.5) & ~entries.all(axis=1)] ^= 1
    return entries


# ---------------------------------------------------------------- size


def test_large_proofs_are_read_and_checked_in_seconds() -> None:
    """3,000 refutations with no key in common, an even number, and one less."""
    triangles = 3_000
    pattern = Pattern.from_array(np.eye(3 * triangles, dtype=np.int8))
    first = 3 * np.arange(triangles)[:, None]
    keys = first + np.arange(3)
    members = np.concatenate(
        [np.hstack([covector, keys]) for covector in (0 * first, first + 1, first + 2, first + 3)]
    )
    proof = Topological(1, range(3 * triangles), range(3 * triangles), "columns", members)
    one_less = members[members[:, 1] > 0]
    with takes_less_than(20):
        found = check(Problem(pattern, 1), proof)
        assert found == f"{triangles} of the members alternate, an even number"
        verdict = Verdict(
            Problem(pattern, 1),
            Topological(1, range(3 * triangles), range(3 * triangles), "columns", one_less),
        )
        certificate = verdict.certificate
        assert certificate is not None
        assert Certificate.from_bytes(certificate.to_bytes()).verify(pattern)


def test_absurd_sizes_are_refused_at_once() -> None:
    pattern = generate("random", rows=50, columns=50).pattern
    wide = np.arange(3000)[None, :].repeat(200, axis=0)
    many = np.tile([0, 0, 1, 2, 3], ((1 << 20) + 1, 1))
    with takes_less_than(5):
        for d, members, message in (
            (2**40, MEMBERS, "each member must be"),
            (2997, wide, "it is too large to check: 200 members with 2999 faces each"),
            (2, many, "reads 4194308 entries"),
        ):
            proof = Topological(d, range(50), range(50), "rows", members)
            assert message in str(check(Problem(pattern, 1), proof))
