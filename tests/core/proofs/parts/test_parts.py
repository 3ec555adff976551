"""Proofs that hold proofs of smaller patterns: forged ones are refused, in time."""

from __future__ import annotations

import copy
import json
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from helpers.durations import ended_within
from helpers.paths import STORED_CERTIFICATES

from samapprox import Certificate, Embedding, Pattern, Problem, Status, decide
from samapprox.errors import InputError
from samapprox.proofs import Components, Copies, Merged
from samapprox.proofs.base import Witness
from samapprox.proofs.checker import check
from samapprox.proofs.parts.gluing import round_halfspaces
from samapprox.proofs.parts.simplify import simplify
from samapprox.storage.sparse import SparseMatrix

PARTS = json.loads((STORED_CERTIFICATES / "certificates_of_parts.json").read_text())
SINGLE = Embedding([[1], [-1]], [[1], [-1]], [0, 0])
"""For [1, 0; 0, 1]."""


def fault(text: str, proof: Witness, d: int = 2) -> str:
    return check(Problem(Pattern.from_text(text), d), proof) or ""


def identity(rows: object, columns: object, width: int = 3) -> Components:
    return Components(width, [Copies(SINGLE, rows, columns)])  # type: ignore[arg-type]


IDENTITY = "100\n010\n001"
EACH = [[0], [1], [2]]


@pytest.mark.parametrize(
    ("text", "proof", "message"),
    [
        ("100\n010\n011", identity(EACH, EACH), "row 2 and column 1"),
        ("100\n010\n001\n001", identity(EACH, EACH), "row 3 lies in 0 parts"),
        (IDENTITY, identity([[0], [1], [1]], EACH), "row 1 lies in 2 parts"),
        (IDENTITY, identity([[0], [1], [3]], EACH), "outside the 3 x 3 pattern"),
        (IDENTITY, identity(EACH, [[0], [1], [2**70]]), "outside the 3 x 3 pattern"),
        (IDENTITY, identity(EACH, EACH, 4), "about 4 columns"),
        ("1000\n0100\n0010", identity(EACH, [[0], [1], [3]], 4), "row 2 and column 2"),
        ("10\n01", identity([[0], [1]], [[0, 1], [1, 0]], 2), "do not form a forest"),
        ("100\n010\n001", identity(EACH, [[0], [1], [1]]), "the columns that they share"),
        ("1000\n0100\n0011", identity(EACH, [[0, 0], [1, 1], [2, 3]], 4), "a column twice"),
        ("1000\n0110", identity([[0], [1]], [[0, 3], [1, 2]], 4), "copies differ in their ones"),
        ("1000\n0010", identity([[0], [1]], [[0, 3], [1, 2]], 4), "copies differ in their ones"),
        ("1*00\n0010", identity([[0], [1]], [[0, 1], [2, 3]], 4), "copies differ in their don't"),
        ("10\n11", Components(2, [Copies(SINGLE, [[0, 1]], [[0, 1]])]), "part 0: it is for"),
    ],
)
def test_forged_components(text: str, proof: Components, message: str) -> None:
    assert message in fault(text, proof)


def test_copies_have_the_same_cut_columns() -> None:
    """One copy stands alone, and the other two share a column, for which they need a border."""
    block = ["11111", "10100", "11110", "10001", "01000"]
    joined = [f"{row}0000" for row in block] + [f"00{row[2]}00{row[:2]}{row[3:]}" for row in block]
    pattern = Pattern.from_text(
        "\n".join([f"{row}{9 * '0'}" for row in block] + [f"00000{row}" for row in joined])
    )
    bordered = Pattern.from_text("\n".join([f"{row}0" for row in block] + ["000001"]))
    witness = decide(bordered, 2).proof
    assert isinstance(witness, Witness)
    columns = [range(5), range(5, 10), [10, 11, 7, 12, 13]]
    proof = Components(14, [Copies(witness, np.arange(15).reshape(3, 5), [*map(list, columns)])])
    assert decide(pattern, 2).status is Status.NO
    assert "columns that they share" in (check(Problem(pattern, 2), proof) or "")


def test_components_need_a_plane() -> None:
    proof = identity([[0], [1]], [[0], [1]], 2)
    assert fault("10\n01", proof) == ""
    assert "it has dimension 2, more than d = 1" in fault("10\n01", proof, 1)


def test_a_part_may_be_the_shared_column_alone() -> None:
    pattern = Pattern.from_text("110\n011\n101\n100")
    corner = decide(Pattern.from_text("1100\n0110\n1010\n1001\n1000\n0001"), 2).proof
    alone = decide(Pattern.from_text("10\n11\n10\n01"), 2).proof
    assert isinstance(corner, Witness)
    assert isinstance(alone, Witness)
    parts = [Copies(corner, [[0, 1, 2]], [[0, 1, 2]]), Copies(alone, [[3]], [[0]])]
    proof = Components(3, parts)
    assert check(Problem(pattern, 2), proof) is None
    assert check(Problem(pattern, 2), proof.embedding(pattern)) is None


def test_three_parts_with_a_common_column_need_three_dimensions() -> None:
    pattern = "1100\n1010\n1001"
    corner = Embedding(  # [1, 1, 0; {c, z}; {c}; {z}]: any three keys
        [[0, -2], [-2, 0], [-2, -2], [-2, 2]],
        [[0, 0], [1, 0], [0, 1]],
        [-1, -1, -1, 1],
    )
    proof = Components(4, [Copies(corner, [[0], [1], [2]], [[0, 1], [0, 2], [0, 3]])])
    assert proof.dimension == 3
    assert fault(pattern, proof, 3) == ""
    assert "has dimension 3" in fault(pattern, proof, 2)
    pattern = Pattern.from_text(pattern)  # type: ignore[assignment]
    assert check(Problem(pattern, 3), proof.embedding(pattern)) is None  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "members", "message"),
    [
        ("110\n001", {}, ""),
        ("110\n101", {}, "row 1 is no complement of row 0"),
        ("110\n110", {}, "row 1 is no complement of row 0"),
        ("110\n110", {"flipped": []}, ""),
        ("110\n001", {"flipped": []}, "row 1 is no copy of row 0"),
        ("110\n001", {"flipped": [0]}, "row 0 and column 0: the entry is 0"),
        ("100\n011", {}, "column 1 is no copy of column 0 in row 0"),
        ("110\n001", {"row_of": [0, -1]}, "row 1 has a zero"),
        ("110\n111", {"row_of": [0, -1], "flipped": []}, ""),
        ("110\n001", {"row_of": [0, 1]}, "has no row 1"),
        ("110\n001", {"row_of": [0]}, "it merges 1 x 3"),
        ("110\n001", {"rows": [2]}, "rows names a line outside"),
        ("110\n001", {"columns": [0, 1]}, "column 1 does not represent itself"),
        ("110\n001", {"column_of": [0, 0, 2]}, "has no column 2"),
        ("11*\n001", {}, "row 1 is no complement of row 0"),
        ("1*0\n0*1", {"columns": [0, 1, 2], "column_of": [0, 1, 2]}, "it is for"),
    ],
)
def test_forged_merging(text: str, members: dict[str, Any], message: str) -> None:
    proof = {"rows": [0], "columns": [0, 2], "row_of": [0, 0], "flipped": [1]}
    smaller = Embedding([[1]], [[1], [0]], [0])
    merged = Merged(**{**proof, "column_of": [0, 0, 1], "proof": smaller, **members})
    found = fault(text, merged, 1)
    assert message in found
    assert bool(message) == bool(found)
    pattern = Pattern.from_text(text)
    if pattern.is_specified:
        csr = pattern.to_sparse()
        stored = SparseMatrix(csr.indptr.astype(np.int64), csr.indices, pattern.shape[1])
        problem = Problem(Pattern.from_storage(stored), 1)
        assert (check(problem, merged) or "") == found


def test_large_sparse_patterns_are_merged_and_checked_fast() -> None:
    random = np.random.RandomState(0)
    rows = np.repeat(np.arange(60_000), 3)
    columns = random.randint(0, 300, size=len(rows)) * 100
    ones = scipy.sparse.coo_array((np.ones(len(rows)), (rows, columns)), shape=(60_000, 30_000))
    pattern = Pattern.from_sparse(ones.tocsr().astype(bool))
    simplified = simplify(pattern)
    proof = Merged.of(simplified, SINGLE)
    said = ended_within(20, lambda: check(Problem(pattern, 1), proof))
    assert "it is for 2 x 2" in (said or "")


def test_proofs_lie_only_so_deep() -> None:
    document = json.loads(PARTS["merged"]["document"])
    inner = document["proof"]
    for _ in range(20):
        inner = {**copy.copy(document["proof"]), "proof": inner}
    with pytest.raises(InputError, match="more than 8 proofs lie in one another"):
        Certificate.from_json({**document, "proof": inner})


def test_only_proofs_of_yes_lie_in_others() -> None:
    document = json.loads(PARTS["merged"]["document"])
    document["proof"]["proof"] = {"kind": "radon", "rows": [0, 1, 2], "columns": [0, 1, 2]}
    with pytest.raises(InputError, match="proof must be a proof of YES"):
        Certificate.from_json(document)


def test_explanations() -> None:
    pattern = Pattern.from_text("\n".join(PARTS["components"]["pattern"]))
    certificate = Certificate.from_json(json.loads(PARTS["components"]["document"]))
    lines = certificate.proof.explain(Problem(pattern, 2))
    assert lines[0] == "The 7 x 7 pattern falls into 3 parts (2 distinct); the largest is 3 x 3."


def test_embeddings_that_are_too_large_are_refused() -> None:
    proof = Components(10**8, [Copies(SINGLE, EACH, EACH)])
    with pytest.raises(InputError, match="more than 67108864 are not written out"):
        proof.embedding(Pattern.from_text("1"))


def test_rounding_falls_back_on_whole_numbers() -> None:
    """Points so close together that no float tells them apart."""
    near = 10**40
    points = np.array([[near], [near + 1], [0]], dtype=object)
    inside = np.array([[False, True, False]])
    rounded = round_halfspaces(
        points, np.array([1, 1, 1], dtype=object), np.array([[1]], dtype=object), inside
    )
    logits = rounded.normals @ rounded.points.T
    assert (logits > rounded.bounds[:, None]).tolist() == inside.tolist()
