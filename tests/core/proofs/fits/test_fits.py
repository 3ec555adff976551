"""Proofs about wrong rows and entries: what is accepted is true, and forgeries are refused."""

from __future__ import annotations

import copy
import json
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from helpers.durations import takes_less_than
from helpers.paths import STORED_CERTIFICATES
from helpers.truth.fits import fewest_wrong_on_line, random_pattern
from hypothesis import given, settings
from hypothesis import strategies as st

from samapprox import Certificate, Embedding, InputError, Pattern
from samapprox.proofs import (
    Chirotope,
    Core,
    Counting,
    Extended,
    HittingSet,
    Packing,
    PartialEmbedding,
    Radon,
    Shattering,
    check,
)
from samapprox.proofs.fits.recall_embedding import RecallEmbedding
from samapprox.proofs.questions import Fit, Recall
from samapprox.solvers.questions.fits.fit import fit

OLD = json.loads((STORED_CERTIFICATES / "certificates_of_fits.json").read_text())
Random = np.random.RandomState


def stored(name: str) -> tuple[Pattern, dict[str, Any]]:
    return Pattern.from_text("\n".join(OLD[name]["pattern"])), json.loads(OLD[name]["document"])


def reason(pattern: Pattern, document: dict[str, Any]) -> str:
    """Return why a document is refused, "" if it is accepted."""
    try:
        answer = Certificate.from_json(document).verify(pattern)
    except InputError as error:
        return str(error)
    return "" if answer else answer.reason


def change(value: Any, random: Random) -> None:
    """Change a number or a list somewhere in a document."""
    while True:
        keys = list(value) if isinstance(value, dict) else list(range(len(value)))
        keys = [key for key in keys if isinstance(value[key], int | list | dict)]
        if not keys:
            return
        key = keys[random.randint(len(keys))]
        part = value[key]
        if isinstance(part, int):
            value[key] = int(random.choice([part + 1, part - 1, random.randint(-1, 9)]))
            return
        if isinstance(part, list) and part and random.rand() < 0.3:
            one = random.randint(len(part))
            if random.rand() < 0.5:
                del part[one]
            else:
                part.append(copy.deepcopy(part[one]))
            return
        value = part


@settings(max_examples=15)
@given(seed=st.integers(0, 10**6), unit=st.sampled_from(["rows", "entries"]))
def test_accepted_mutations_are_true(seed: int, unit: Any) -> None:
    random = Random(seed)
    pattern = random_pattern(random, 6, 5)
    truth = fewest_wrong_on_line(pattern.to_array(), unit)
    found = fit(pattern, 1, unit=unit, time_limit=10)
    for certificate in (found.yes_certificate, found.no_certificate):
        if certificate is None:
            continue
        for _ in range(25):
            document = certificate.to_json()
            if random.rand() < 0.5:
                document["problem"]["wrong"] += int(random.choice([-1, 1]))
            for _ in range(random.randint(3)):
                change(document["proof"], random)
            if not reason(pattern, document):
                wrong = document["problem"]["wrong"]
                assert (truth <= wrong) == (document["answer"] == "YES"), document


def test_rows_at_k_need_no_list_of_zeros() -> None:
    """Without one, no zero stands before a one: rows with at most K ones are right."""
    pattern = Pattern.from_text("100\n110")
    keys = [[0], [1], [2]]
    whole = PartialEmbedding("rows", [], Embedding([[-1], [-1]], keys, [-1, -2]))
    assert check(Fit(pattern, 1, 0, at=2), whole) is None
    late = "row 1 has 2 ones and zeros before them, more than 1"
    assert check(Fit(pattern, 1, 0, at=1), whole) == late
    part = PartialEmbedding("rows", [1], Embedding([[-1]], keys, [-1]))
    assert check(Fit(pattern, 1, 1, at=1), part) is None


def test_a_tree_needs_every_leaf() -> None:
    pattern, original = stored("hitting-set")
    assert reason(pattern, original) == ""

    def forge(**members: Any) -> str:
        return reason(pattern, {**original, "proof": {**original["proof"], **members}})

    packings = original["proof"]["packings"]
    assert "too few leaves" in forge(tree=[0, -1, 1, -1])
    assert "beyond its last leaf" in forge(tree=[*original["proof"]["tree"], -1])
    assert "leaf 2 has no packing" in forge(packings=packings[:2])
    assert "4 packings, but only 3 leaves" in forge(packings=[*packings, packings[0]])
    assert "decides row 0 twice" in forge(tree=[0, -1, 0, -1, -1])
    assert "names item 5, but there are only 5 rows" in forge(tree=[5, -1, 1, -1, -1])
    assert "which a wrong item hits" in forge(packings=[packings[1], *packings[1:]])
    assert "more than its weight" in forge(
        packings=[{**packings[0], "denominator": 2}, *packings[1:]]
    )
    assert "names core 10" in forge(
        packings=[{**packings[0], "cores": [10, 1, 2, 3]}, *packings[1:]]
    )
    more = {**original, "problem": {**original["problem"], "wrong": 3}}
    assert "more items may be wrong" in reason(pattern, more)
    entries = {**original, "problem": {**original["problem"], "unit": "entries"}}
    assert reason(pattern, entries)


def test_a_hitting_set_has_cores_and_packings() -> None:
    cores, packings = [Core(Radon([0, 1, 2], [0, 1, 2]))], [Packing([0], [1])]
    assert HittingSet(cores, [-1], packings).dimension == 1
    for parts in (([], [-1], packings), (cores, [-1], [])):
        with pytest.raises(InputError, match="there must be cores and packings"):
            HittingSet(*parts)


def test_a_core_that_has_an_embedding_is_refused() -> None:
    pattern, original = stored("hitting-set")
    cores = copy.deepcopy(original["proof"]["cores"])
    cores[3]["proof"]["columns"] = [0, 1, 4]
    forged = {**original, "proof": {**original["proof"], "cores": cores}}
    assert "core 3: the rows make" in reason(pattern, forged)


def test_a_hitting_set_is_no_core() -> None:
    pattern, original = stored("hitting-set")
    forged = {**original, "proof": {**original["proof"], "cores": [{"proof": original["proof"]}]}}
    assert "answers the task fit, not dimension" in reason(pattern, forged)


def test_copies_count_with_their_number_and_no_others() -> None:
    """Rows 0 and 3 are equal, rows 1 and 4 differ in a don't-care only."""
    pattern = Pattern.from_text("100\n010\n001\n100\n01*\n001")
    core = Core(Radon([0, 1, 2], [0, 1, 2]))
    one = HittingSet([core], [-1], [Packing([0], [1])])
    two = HittingSet([core], [-1], [Packing([0], [2])])
    assert check(Fit(pattern, 1, 0), one) is None
    assert check(Fit(pattern, 1, 1), two) == (
        "the packing of leaf 0 gives row 1 more than its weight"
    )


def test_ignored_entries_are_not_read() -> None:
    """A core holds without entry (2, 3), which may be wrong; without (0, 0) it does not."""
    pattern = Pattern.from_text("1100\n1010\n0011")
    core = Core(Shattering([0, 1], [0, 1, 2, 3]), ignored=[11])
    proof = HittingSet([core], [-1], [Packing([0], [1])])
    assert check(Fit(pattern, 1, 0, "entries"), proof) is None
    broken = HittingSet([Core(core.proof, ignored=[0])], [-1], [Packing([0], [1])])
    assert check(Fit(pattern, 1, 0, "entries"), broken) == "core 0: it reads a don't-care entry"
    assert "the items are rows" in str(check(Fit(pattern, 1, 0), proof))
    beyond = HittingSet([Core(core.proof, ignored=[12])], [-1], [Packing([0], [1])])
    assert "which the pattern does not have" in str(check(Fit(pattern, 1, 0, "entries"), beyond))


def test_wrong_items_are_counted_and_exist() -> None:
    pattern = Pattern.from_text("10*\n010\n001")
    embedding = Embedding([[-1], [1]], [[0], [1], [2]], [-1, 1])
    for wrong, unit, message in (
        ([4, 5], "entries", "it has 2 wrong items, more than 1"),
        ([9], "entries", "it names item 9, but there are only 9 entries"),
        ([2], "entries", "item 2 is a don't-care entry, which cannot be wrong"),
        ([1], "rows", "its wrong items are rows, not entries"),
        ([5], "entries", "it is for 2 x 3, the pattern is 3 x 3"),
    ):
        proof = PartialEmbedding(unit, wrong, embedding)  # type: ignore[arg-type]
        assert message in str(check(Fit(pattern, 1, 1, "entries"), proof))
    every = PartialEmbedding("rows", [0, 1, 2], embedding)
    assert check(Fit(pattern, 1, 3), every) == "no row of the pattern is left"


def test_a_larger_dimension_is_refused() -> None:
    pattern, original = stored("partial-embedding")
    proof = copy.deepcopy(original["proof"])
    for name in ("queries", "keys"):
        proof["proof"][name] = [[*line, 0] for line in proof["proof"][name]]
    assert "more than d = 1" in reason(pattern, {**original, "proof": proof})


@pytest.mark.parametrize("name", OLD)
def test_other_similarities_need_their_own_proofs(name: str) -> None:
    pattern, original = stored(name)
    for similarity in ("cosine", "l2"):
        forged = {**original, "problem": {**original["problem"], "similarity": similarity}}
        assert f"is about the similarity dot, not {similarity}" in reason(pattern, forged)


def test_hostile_documents_are_refused_soon() -> None:
    pattern, original = stored("hitting-set")
    count = 1 << 14
    long_tree = [0, -1] * count + [-1]
    many = [{"cores": [], "weights": [], "denominator": 1}] * (count + 1)
    large = {
        "kind": "chirotope",
        "d": 3,
        "rows": [0],
        "columns": list(range(5)),
        "elements": "columns",
        "relations": False,
        "lemmas": [],
        "polynomials": [],
    }
    with takes_less_than(30):
        for members in (
            {"tree": long_tree, "packings": many},
            {"packings": original["proof"]["packings"] * 5_000},
            {"cores": [{"proof": {**large, "d": 2**40}}]},
            {"cores": [{"proof": {**large, "columns": list(range(10**5))}}]},
        ):
            assert reason(pattern, {**original, "proof": {**original["proof"], **members}})


def test_cores_and_weights_are_bounded() -> None:
    pattern = Pattern.from_text("100\n010\n001")
    core = Core(Radon([0, 1, 2], [0, 1, 2]))
    short, long = Packing([0], [2**128]), Packing([0], [2**128 + 1])
    for proof, fault in (
        (HittingSet([core] * ((1 << 16) + 1), [-1], [short]), "it has 65537 cores, more than 655"),
        (HittingSet([core], [-1], [short]), "the packing of leaf 0 gives row 0 more than its wei"),
        (HittingSet([core], [0, -1, -1], [short, long]), "the packing of leaf 1, of up to 129 bi"),
    ):
        assert fault in str(check(Fit(pattern, 1, 0), proof))


def test_cores_exclude_the_dimension_of_the_question() -> None:
    """On a line, one of these rows is wrong; in the plane, none is."""
    pattern = Pattern.from_text("100\n010\n001")
    proof = HittingSet([Core(Radon([0, 1, 2], [0, 1, 2]))], [-1], [Packing([0], [1])])
    assert check(Fit(pattern, 1, 0), proof) is None
    assert check(Fit(pattern, 2, 0), proof) == "core 0: it excludes dimension 1, not d = 2"


def test_work_for_all_cores_together_is_bounded() -> None:
    """Each core and each packing is small enough alone."""
    columns = range(13)
    numbers = np.arange(1, 1 << 12)
    pattern = Pattern.from_array(np.c_[np.ones_like(numbers), numbers[:, None] >> columns[:12] & 1])
    core = Counting(1, range(len(numbers)), columns)
    ignoring = Core(Radon([0, 1, 2], [1, 2, 3]), ignored=[0])
    for unit, cores, packings, fault in (
        ("rows", [Core(core)], 1 << 12, ""),
        ("rows", [Core(core)], (1 << 12) + 2, "its packings are too large to check"),
        ("entries", [Core(core)] * 20, 1, "its cores are too large to check"),
        ("entries", [ignoring] * 6_000, 1, "pattern are too many to be ignored"),
    ):
        proof = HittingSet(cores, [-1], [Packing([0], [1])] * packings)
        found = check(Fit(pattern, 1, 1 << 20, unit), proof)  # type: ignore[arg-type]
        assert fault in str(found)
        assert bool(fault) != ("more items may be wrong" in str(found))


def test_an_item_of_the_tree_stands_for_its_copies() -> None:
    """Three rows on a line, each three times: one kind of rows is wrong, so three rows are."""
    pattern = Pattern.from_text("\n".join(["100", "010", "001"] * 3))
    cores = [Core(Radon([0, 1, 2], [0, 1, 2]))]
    nothing, three = Packing([], []), Packing([0], [3])
    for tree, packings in (
        ([3, -1, -1], [nothing, three]),  # row 3 is a copy of row 0
        ([0, -1, 1, -1, -1], [nothing, nothing, three]),  # then the others may be wrong again
    ):
        proof = HittingSet(cores, tree, packings)
        assert check(Fit(pattern, 1, 2), proof) is None
        assert "more items may be wrong" in str(check(Fit(pattern, 1, 3), proof))
    twice = HittingSet(cores, [0, 3, -1, -1, -1], [nothing, nothing, three])
    assert check(Fit(pattern, 1, 2), twice) == "the tree decides row 0 twice on one way"
    hit = HittingSet(cores, [3, -1, -1], [three, three])
    assert "which a wrong item hits" in str(check(Fit(pattern, 1, 2), hit))


@pytest.mark.parametrize(("columns", "d"), [(range(1025), 1), (range(9), 33), (range(500), 1)])
def test_large_orientations_are_not_counted_out(columns: range, d: int) -> None:
    pattern = Pattern.from_array(np.eye(1100, dtype=np.uint8))
    chirotope = Chirotope(d, range(1), columns, "columns", relations=False, lemmas=[])
    for similarity, proof in (
        ("dot", chirotope),
        ("cosine", Extended("cosine", range(1), range(1025), chirotope)),
    ):
        hitting = HittingSet([Core(proof)], [-1], [Packing([0], [1])])
        found = check(Fit(pattern, 1, 0, similarity=similarity), hitting)  # type: ignore[arg-type]
        assert "too large to check" in str(found)
        assert "core 0" not in str(found)


def test_copies_of_entries_are_those_of_equal_rows_and_columns() -> None:
    identity = np.eye(3, dtype=np.uint8)
    pattern = Pattern.from_array(np.tile(identity, (2, 2)))
    core = Core(Radon([3, 4, 5], [3, 4, 5]))
    for weight, fault in ((4, ""), (5, "the packing of leaf 0 gives entry (0, 0) more than its")):
        proof = HittingSet([core], [-1], [Packing([0], [weight])])
        assert fault in (check(Fit(pattern, 1, 3, "entries"), proof) or "")
        assert (check(Fit(pattern, 1, 3, "entries"), proof) is None) == (weight == 4)
    tree = HittingSet([core], [0, -1, -1], [Packing([], []), Packing([0], [4])])
    assert check(Fit(pattern, 1, 3, "entries"), tree) is None
    stars = Pattern.from_text("11000*\n0*1100\n000*11")  # no two columns are equal
    proof = HittingSet([Core(Radon([0, 1, 2], [0, 2, 4]))], [-1], [Packing([0], [2])])
    assert "entry (0, 0) more than its weight" in str(check(Fit(stars, 1, 1, "entries"), proof))


def test_weights_are_divided() -> None:
    pattern = Pattern.from_text("100\n010\n001")
    proof = HittingSet([Core(Radon([0, 1, 2], [0, 1, 2]))], [-1], [Packing([0], [2], 2)])
    assert check(Fit(pattern, 1, 0), proof) is None
    assert check(Fit(pattern, 1, 1), proof) == (
        "the packing of leaf 0 sums up to 2/2, and 1 more items may be wrong"
    )


def test_words_about_a_single_core_count_no_hitting_set() -> None:
    pattern = Pattern(np.eye(3))
    proof = HittingSet([Core(Radon([0, 1, 2], [0, 1, 2]))], [-1], [Packing([0], [1])])
    words = proof.explain(Fit(pattern, 1, 0))
    assert words[0] == (
        "This core (a part of the pattern) has no embedding in d = 1, so it contains a wrong row:"
    )


def test_words_about_several_cores_count_the_rows_that_cannot_hit_them() -> None:
    pattern = Pattern(np.eye(6))
    cores = [Core(Radon([0, 1, 2], [0, 1, 2])), Core(Radon([3, 4, 5], [3, 4, 5]))]
    proof = HittingSet(cores, [-1], [Packing([0, 1], [1, 1])])
    words = proof.explain(Fit(pattern, 1, 1))
    assert words[0].startswith(
        "2 cores (parts of the pattern) have no embedding in d = 1, so each contains a wrong row;"
    )
    assert words[1] == "The smallest of them:"


def test_a_core_keeps_a_one_in_each_row() -> None:
    """Without entry (2, 2), row 2 has no 1; the core does not read it."""
    pattern = Pattern.from_text("1100\n1010\n0010")
    for ignored, fault in (([9], None), ([10], "core 0: row 2 has no 1")):
        core = Core(Shattering([0, 1], [0, 1, 2, 3]), ignored=ignored)
        proof = HittingSet([core], [-1], [Packing([0], [1])])
        found = check(Fit(pattern, 1, 0, "entries"), proof)
        assert found is None if fault is None else str(found).startswith(fault)


def test_wrong_entries_are_changed_and_rows_without_a_one_dropped() -> None:
    """Row 1 has no 1 then, so the proof is about the other two rows."""
    pattern = Pattern.from_text("100\n010\n001")
    rest = Embedding([[-1], [1]], [[0], [1], [2]], [-1, 1])
    proof = PartialEmbedding("entries", [4], rest)
    assert check(Fit(pattern, 1, 1, "entries"), proof) is None
    for wrong, fault in (([3], "is for 2 x 3, the pattern is 3 x 3"), ([0], "row 0 and column 0")):
        forged = PartialEmbedding("entries", wrong, rest)
        assert fault in str(check(Fit(pattern, 1, 1, "entries"), forged))


def test_some_rows_of_large_patterns_are_changed() -> None:
    """Ones of row 2 are missed, row 5 has a zero above its one, and all other rows miss theirs."""
    size = (1 << 13) + 1
    starts = 2 * np.arange(size + 1)
    columns = np.stack([np.arange(size), (np.arange(size) + 1) % size], axis=1)
    pattern = Pattern.from_csr(starts, np.sort(columns, axis=1).ravel(), None, (size, size))
    others = np.delete(np.arange(size), [2, 5])
    missed = (columns[others] + size * others[:, None]).ravel()
    keys = np.zeros((size, 1), dtype=int)
    keys[2], keys[5:8] = -1, 1
    rest = Embedding([[-1], [1]], keys, [0, 0])
    proof = RecallEmbedding(np.sort([2 * size + 3, *missed]), [5 * size + 7], rest)
    found = Fraction(3, 2 * size)
    assert check(Recall(pattern, 1, 3, found.numerator, found.denominator), proof) is None
    keys[9] = 1
    forged = RecallEmbedding(proof.missed, proof.above, Embedding([[-1], [1]], keys, [0, 0]))
    assert check(Recall(pattern, 1, 3, found.numerator, found.denominator), forged) is not None


def test_entries_of_large_patterns_are_not_changed() -> None:
    size = (1 << 13) + 1
    starts = np.arange(size + 1)
    pattern = Pattern.from_csr(starts, starts[:-1], None, (size, size))
    rest = Embedding(np.zeros((size, 1), int), np.zeros((size, 1), int), np.zeros(size, int))
    found = check(Fit(pattern, 1, 1, "entries"), PartialEmbedding("entries", [1], rest))
    assert found == f"entries of {size} x {size} are too many to be changed"
