"""Certificates as documents: round trips, binding to the pattern, and what is refused."""

from __future__ import annotations

import copy
import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from helpers.stored import STORED
from helpers.strategies import Entries, any_entries
from hypothesis import given

from samapprox import Certificate, Embedding, InputError, Pattern, Problem, Status, decide, verify
from samapprox.proofs import Radon, Shattering
from samapprox.proofs.certificate import FORMAT
from samapprox.proofs.checker import check
from samapprox.proofs.refutations.counting import Counting


def documents() -> dict[str, dict[str, Any]]:
    """One document of each kind of proof."""
    cases = {
        "embedding": ("10\n11", 1, None),
        "self-attention": ("10\n01", 1, 1),
        "radon": ("100\n010\n001", 1, None),
        "shattering": ("1100\n1010", 1, None),
        "sign-clash": ("011\n110\n001", 1, 1),
    }
    found = {}
    for kind, (text, d, d_hid) in cases.items():
        document = decide(Pattern.from_text(text), d, d_hid).certificate.to_json()
        assert document["proof"]["kind"] == kind
        found[kind] = document
    return found


DOCUMENTS = documents()


@given(any_entries())
def test_every_answer_survives_a_round_trip(entries: Entries) -> None:
    for d_hid in {None, 1} if entries.shape[0] == entries.shape[1] else {None}:
        verdict = decide(entries, 1, d_hid)
        document = json.loads(json.dumps(verdict.certificate.to_json()))
        certificate = Certificate.from_json(document)
        assert certificate.to_json() == document
        assert certificate.answer == verdict.status.value
        assert certificate.verify(Pattern.from_array(entries)).valid
        assert verify(entries, certificate)


@given(any_entries(), any_entries())
def test_it_holds_for_its_own_pattern_only(left: Entries, right: Entries) -> None:
    check = decide(left).certificate.verify(Pattern.from_array(right))
    assert check.valid == np.array_equal(left, right)
    assert check.valid or "another pattern" in check.reason


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    verdict = decide(np.eye(3))
    verdict.certificate.save(path)
    assert verify(np.eye(3), path)
    assert not verify(np.eye(2), str(path))
    assert verify([[1, 1], [1, 1]], decide([[1, 1], [1, 1]]).certificate)


def test_unknown_has_none() -> None:
    verdict = decide(np.eye(3), d=2, only=["line"])
    assert verdict.status is Status.UNKNOWN
    assert verdict.certificate is None


def test_a_stronger_question_is_not_proven() -> None:
    certificate = decide(np.eye(3)).certificate
    document = certificate.to_json()
    document["problem"]["d"] = 2
    check = Certificate.from_json(document).verify(Pattern.from_array(np.eye(3)))
    assert not check
    assert "excludes dimension 1, not d = 2" in check.reason


def test_a_question_that_makes_no_sense_is_not_proven() -> None:
    document = copy.deepcopy(DOCUMENTS["self-attention"])
    document["problem"]["d_hid"] = 0
    check = Certificate.from_json(document).verify(Pattern.from_text("10\n01"))
    assert not check
    assert "makes no sense" in check.reason


def test_big_numbers_survive() -> None:
    document = copy.deepcopy(DOCUMENTS["embedding"])
    big = 10**40
    document["proof"] = {
        "kind": "embedding",
        "queries": [[big], [big]],
        "keys": [[1], [0]],
        "thresholds": [big - 1, -1],
    }
    text = json.dumps(Certificate.from_json(document).to_json())
    assert Certificate.from_json(json.loads(text)).verify(Pattern.from_text("10\n11")).valid


def paths(value: Any, prefix: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """List the places of all parts of a JSON document."""
    if isinstance(value, dict):
        children: Any = value.items()
    elif isinstance(value, list):
        children = enumerate(value)
    else:
        return [prefix]
    return [prefix, *(path for key, child in children for path in paths(child, (*prefix, key)))]


def changed(document: dict[str, Any], path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    copied = copy.deepcopy(document)
    target = copied
    for key in path[:-1]:
        target = target[key]
    target[path[-1]] = value
    return copied


@pytest.mark.parametrize("kind", DOCUMENTS)
@pytest.mark.parametrize("value", [None, "x", -1, 10**9, 1.5, [], [[]], {}, True, [[[1]]], 2**70])
def test_no_document_gets_a_traceback_or_a_wrong_answer(kind: str, value: Any) -> None:
    """Each part in turn is replaced by nonsense: refused as input, not proven, or still right."""
    document = DOCUMENTS[kind]
    text = {
        "embedding": "10\n11",
        "self-attention": "10\n01",
        "radon": "100\n010\n001",
        "shattering": "1100\n1010",
        "sign-clash": "011\n110\n001",
    }[kind]
    for path in paths(document):
        mutated = changed(document, path, value)
        try:
            certificate = Certificate.from_json(mutated)
        except InputError:
            continue
        check = certificate.verify(Pattern.from_text(text))
        if check.valid:
            # Whatever still holds is a true claim about this pattern.
            assert certificate.answer == document["answer"]
            if certificate.answer == "NO":
                assert certificate.d == 1
                assert kind != "sign-clash" or certificate.d_hid == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not a JSON certificate"),
        (b"{", "not a JSON certificate"),
        (b"\xff\xfe\x00", "not a JSON certificate"),
        (b"[]", "must be a JSON object"),
        (b"{}", "has no 'format'"),
        (b'{"format": "x", "version": 1}', "not a samapprox-certificate of version 1"),
        (b"[" * 100_000, "not a JSON certificate"),
        (b"1" * 5000, "not a JSON certificate"),
        (b"NaN", "must be a JSON object"),
    ],
)
def test_bad_files(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "bad.json"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        Certificate.load(path)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


def test_missing_files_and_folders(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        Certificate.load(tmp_path / "none.json")
    with pytest.raises(InputError, match="directory"):
        Certificate.load(tmp_path)


def test_claim_and_proof_must_agree() -> None:
    document = changed(DOCUMENTS["radon"], ("answer",), "YES")
    with pytest.raises(InputError, match="claims 'YES' but its proof is one of NO"):
        Certificate.from_json(document)
    assert DOCUMENTS["radon"]["format"] == FORMAT


IDENTITY = Pattern.from_text("100\n010\n001")


@pytest.mark.parametrize(
    ("text", "queries", "keys", "thresholds", "holds"),
    [
        ("10", [[-(2**63)]], [[0], [1]], [1], False),  # 0 > 1 is false
        ("11", [[-1]], [[-1], [0]], [-(2**63)], True),
        ("10", [[-(2**63)]], [[0], [1]], [-1], True),
        (
            "01",
            [
                [2**63],
            ],
            [[0], [2**63 - 1]],
            [0],
            True,
        ),
        ("01", [[1]], [[-1], [2**63]], [2**63 - 1], True),
    ],
)
def test_numbers_at_the_edge_of_64_bits(
    text: str, queries: list[list[int]], keys: list[list[int]], thresholds: list[int], holds: bool
) -> None:
    problem = Problem(Pattern.from_text(text), 1)
    document = Certificate.of(problem, Embedding(queries, keys, thresholds)).to_json()
    certificate = Certificate.from_json(json.loads(json.dumps(document)))
    assert bool(certificate.verify(problem.pattern)) is holds


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (("proof", "rows"), [0, True, 2], "true or false"),
        (("proof", "rows"), [0.0, 1, 2], "array of integers"),
        (("proof", "columns"), [[0], [1], [2]], "1-dimensional array"),
        (("pattern", "sha256"), "ab\ncd", "64 hexadecimal digits"),
        (("pattern", "sha256"), "\ud800", "64 hexadecimal digits"),
        (("problem", "d"), 10**60, "beyond"),
        (("pattern", "rows"), True, "wrong type"),
        (("more",), 1, "members that do not belong"),
        (("proof", "more"), 1, "members that do not belong"),
    ],
)
def test_documents_are_taken_at_their_word(place: tuple[str, ...], value: object, message: str):
    document = decide(IDENTITY).certificate.to_json()
    part = document
    for key in place[:-1]:
        part = part[key]
    part[place[-1]] = value
    with pytest.raises(InputError, match=message):
        Certificate.from_json(document)


@pytest.mark.parametrize(
    "proof",
    [
        Radon([0], range(20_000)),
        Radon(range(30_000), range(30_000)),
        Shattering(range(30_000), range(30_000)),
        Counting(1, range(30_000), range(30_000)),
    ],
)
def test_cores_of_absurd_size_are_refused_unread(proof: object) -> None:
    pattern = Pattern.from_sparse(scipy.sparse.eye_array(100_000, format="csr"))
    assert check(Problem(pattern, 1), proof) is not None


def test_packed_certificates_are_unpacked_up_to_a_size(monkeypatch: pytest.MonkeyPatch) -> None:
    content = json.dumps(STORED["radon"].document).encode()
    packed = gzip.compress(content)
    monkeypatch.setattr("samapprox.proofs.certificate._MOST_UNPACKED", len(content))
    assert Certificate.from_bytes(packed).verify(STORED["radon"].pattern)
    monkeypatch.setattr("samapprox.proofs.certificate._MOST_UNPACKED", len(content) - 1)
    with pytest.raises(InputError, match="it unpacks to more than 0 MB"):
        Certificate.from_bytes(packed)
    for damaged in (packed[:-9], packed[:20], b"\x1f\x8b", packed[:30] + b"?" + packed[31:]):
        with pytest.raises(InputError, match="not a JSON certificate"):
            Certificate.from_bytes(damaged)


@pytest.mark.parametrize("name", ["rank-refutation", "margin-dual"])
def test_other_questions_are_about_no_dimension(name: str) -> None:
    with pytest.raises(InputError, match="is not about a dimension"):
        _ = Certificate.from_json(STORED[name].document).d
