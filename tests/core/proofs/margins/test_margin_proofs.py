"""Proofs of margins: what their checks accept holds by the definitions, and forgeries do not."""

from __future__ import annotations

import copy
import json
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from helpers.checkers.forgeries import reason
from helpers.checkers.margins import STORED_MARGINS, random_change
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from samapprox import Certificate, Embedding, InputError, Pattern, Problem
from samapprox.proofs import MarginDual, UnitEmbedding
from samapprox.proofs.checker import check
from samapprox.proofs.parts.simplify import simplify
from samapprox.proofs.questions import Margin
from samapprox.solvers.questions.margins.margin import margin

Random = np.random.RandomState

ABOUT = Pattern.from_text("\n".join(STORED_MARGINS["margin-dual"]["pattern"]))
DUAL: dict[str, Any] = json.loads(STORED_MARGINS["margin-dual"]["document"])
UNIT: dict[str, Any] = json.loads(STORED_MARGINS["unit-embedding"]["document"])

IDENTITY = Pattern.from_text("10\n01")
VECTORS = [[1], [-1]]
PLAIN = MarginDual([0, 1], [0, 1], [[1, 1], [1, 1]], [2, 2], [2, 2], [[1, -1, -1, 1]])


def margin_by_definition(pattern: Pattern, proof: UnitEmbedding) -> Fraction | None:
    """The margin in fractions; None if a vector is longer than 1."""
    scales = Fraction(1, proof.query_scale), Fraction(1, proof.key_scale)
    queries, keys = (
        [[int(x) * scale for x in row] for row in part.tolist()]
        for part, scale in zip((proof.queries, proof.keys), scales, strict=True)
    )
    if any(sum(x * x for x in vector) > 1 for vector in (*queries, *keys)):
        return None
    distances = []
    for i, row in enumerate(pattern.to_array().tolist()):
        threshold = int(proof.thresholds[i]) * scales[0] * scales[1]
        for j, entry in enumerate(row):
            logit = sum(x * y for x, y in zip(queries[i], keys[j], strict=True))
            if entry in (0, 1):
                distances.append((logit - threshold) * (1 if entry else -1))
    return min(distances)


def asked(value: Fraction, d: int | None = None) -> Margin:
    return Margin(ABOUT, value.numerator, value.denominator, d)


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_accepted_vectors_have_the_margin(seed: int) -> None:
    forged = random_change(UNIT, Random(seed))
    try:
        certificate = Certificate.from_json(forged)
    except InputError:
        return
    proof = certificate.proof
    assert isinstance(proof, UnitEmbedding)
    value = Fraction(forged["problem"]["numerator"], forged["problem"]["denominator"])
    real = margin_by_definition(ABOUT, proof)
    holds = real is not None and real >= value >= 0 and proof.dimension <= 3
    assert bool(certificate.verify(ABOUT)) == holds


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_accepted_weights_bound_all_margins(seed: int) -> None:
    """By the definition of the bound, with the eigenvalues of numpy."""
    forged = random_change(DUAL, Random(seed))
    try:
        certificate = Certificate.from_json(forged)
    except InputError:
        return
    if not certificate.verify(ABOUT):
        return
    proof = certificate.proof
    assert isinstance(proof, MarginDual)
    entries = ABOUT.submatrix(proof.rows, proof.columns)
    signs = np.where(entries == 1, 1, np.where(entries == 0, -1, 0))
    signed = proof.weights * signs
    assert (proof.weights >= 0).all()
    assert (np.abs(signed) == proof.weights).all()
    assert not signed.sum(axis=1).any()
    diagonal = np.concatenate([proof.row_diagonal, proof.column_diagonal])
    form = np.diag(diagonal).astype(float)
    form[: len(signed), len(signed) :] = -signed
    form[len(signed) :, : len(signed)] = -signed.T
    assert np.linalg.eigvalsh(form)[0] > -1e-6
    value = Fraction(forged["problem"]["numerator"], forged["problem"]["denominator"])
    assert Fraction(int(diagonal.sum()), 2 * int(proof.weights.sum())) <= value
    least = json.loads(STORED_MARGINS["unit-embedding"]["document"])["problem"]
    assert value >= Fraction(least["numerator"], least["denominator"])


# ---------------------------------------------------------------- what is said


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({}, ""),
        ({"thresholds": [0, 1]}, "row 1 and column 1: the logit is too close"),
        ({"thresholds": [-1, 0]}, "row 0 and column 1: the logit is too close"),
        ({"queries": [[1], [2]]}, "query 1 is longer than its scale, 1"),
        ({"keys": [[-2], [1]]}, "key 0 is longer than its scale, 1"),
        ({"keys": [[1], [-1], [0]]}, "it is for 2 x 3, the pattern is 2 x 2"),
        (
            {"queries": [[1, 0], [-1, 0]], "keys": [[1, 0], [-1, 0]]},
            "the vectors have dimension 2, more than d = 1",
        ),
    ],
)
def test_faults_of_vectors_are_named(changes: dict[str, Any], message: str) -> None:
    members = {"query_scale": 1, "key_scale": 1, "queries": VECTORS, "keys": VECTORS}
    proof = UnitEmbedding(**(members | {"thresholds": [0, 0]} | changes))
    assert (check(Margin(IDENTITY, 1, 1, 1), proof) or "").startswith(message)
    assert bool(message) == (check(Margin(IDENTITY, 1, 1, 1), proof) is not None)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({}, ""),
        ({"weights": [[1, 2], [1, 1]]}, "row 0: ones and zeros have different total weights"),
        ({"weights": [[-1, -1], [1, 1]]}, "row 0 and column 0: the weight must be at least 0"),
        ({"row_diagonal": [1, 2]}, "the factor does not show"),
        ({"factor": [[2, -1, -1, 1]]}, "the factor does not show"),
        ({"factor": [[0, 0, 0, 0]]}, ""),  # the form itself is dominant
        ({"row_diagonal": [2, 3]}, "the weights bound the margin by 9/8, not by 1"),
        (
            {"weights": [[0, 0], [0, 0]], "factor": [[0, 0, 0, 0]]},
            "all weights are 0",
        ),
        ({"factor": [[2**40] * 4]}, "its numbers, of up to 81 bits, are too large to check"),
        ({"factor": [[2**28] * 4] * 16}, "its numbers, of up to 61 bits, are too large to check"),
        ({"weights": [[2**60] * 2] * 2}, "its numbers, of up to 61 bits, are too large to check"),
        ({"row_diagonal": [2**60, 2]}, "its numbers, of up to 61 bits, are too large to check"),
        # not semidefinite: the signs of each row cancel, and twice the diagonal would be enough
        (
            {"row_diagonal": [1, 1], "column_diagonal": [1, 1], "factor": [[0] * 4]},
            "the factor does not show",
        ),
    ],
)
def test_faults_of_weights_are_named(changes: dict[str, Any], message: str) -> None:
    proof = MarginDual(**({name: getattr(PLAIN, name) for name in members()} | changes))
    found = check(Margin(IDENTITY, 1, 1), proof)
    assert (found or "").startswith(message)
    assert bool(message) == (found is not None)


def test_a_factor_with_too_many_rows_is_refused_unread() -> None:
    proof = copy.copy(PLAIN)
    many = np.broadcast_to(np.zeros(4, dtype=np.int64), (1 << 27, 4))
    object.__setattr__(proof, "factor", many)
    found = check(Margin(IDENTITY, 1, 1), proof)
    assert (found or "").startswith("its factor of 134217728 x 4 is too large")


def members() -> list[str]:
    return [member.name for member in MarginDual.MEMBERS]


def test_a_margin_between_whole_numbers_is_not_rounded_down() -> None:
    proof = UnitEmbedding(1, 1, [[0], [0]], [[0], [0]], thresholds=[0, 0])
    assert check(Margin(IDENTITY, 0, 1), proof) is None
    assert "too close" in (check(Margin(IDENTITY, 1, 3), proof) or "")


def test_a_weight_at_a_dont_care_is_refused() -> None:
    pattern = Pattern.from_text("10\n*1")
    assert "0 at a don't-care" in (check(Margin(pattern, 1, 1), PLAIN) or "")


@pytest.mark.parametrize("shape", ["weights", "row_diagonal", "column_diagonal", "factor"])
def test_sizes_that_do_not_fit_are_unreadable(shape: str) -> None:
    forged = copy.deepcopy(DUAL)
    forged["proof"][shape] = [[1, 2]] if shape in ("weights", "factor") else [1, 2]
    assert "must fit a core of 4 x 5 entries" in reason(forged, ABOUT)


def test_a_margin_is_no_dimension_and_no_dimension_a_margin() -> None:
    embedding = Embedding(VECTORS, VECTORS, [0, 0])
    assert "answers the task dimension" in (check(Margin(IDENTITY, 1, 1), embedding) or "")
    assert "answers the task margin" in (check(Problem(IDENTITY, 1), PLAIN) or "")
    forged = copy.deepcopy(UNIT)
    forged["problem"] = {"d": 3, "d_hid": None}
    assert "answers the task margin" in reason(forged, ABOUT)


@pytest.mark.parametrize(
    "problem",
    [
        {"numerator": 2, "denominator": 4},
        {"numerator": -1, "denominator": 4},
        {"numerator": 1, "denominator": 0},
        {"numerator": 0, "denominator": 2},
        {"numerator": 1, "denominator": 4, "d": 0},
    ],
)
def test_margins_that_are_none_prove_nothing(problem: dict[str, int]) -> None:
    assert "its question makes no sense" in reason(
        UNIT | {"problem": {"task": "margin"} | problem}, ABOUT
    )


def test_the_dimension_of_the_vectors_counts() -> None:
    assert reason(changed_d(3), ABOUT) == ""
    assert "more than d = 2" in reason(changed_d(2), ABOUT)
    without = copy.deepcopy(UNIT)
    del without["problem"]["d"]
    assert reason(without, ABOUT) == ""


def changed_d(d: int) -> dict[str, Any]:
    forged = copy.deepcopy(UNIT)
    forged["problem"]["d"] = d
    return forged


def test_small_documents_cannot_ask_for_much_work() -> None:
    """Long coordinates times many entries, each beyond 64 bits."""
    size, big = 600, 1 << 39
    pattern = Pattern.from_array(np.ones((size, size), dtype=np.uint8))
    vectors = np.full((size, 120), big // 100)
    proof = UnitEmbedding(big, big, vectors, vectors, [0] * size)
    assert "too large to check" in (check(Margin(pattern, 0, 1), proof) or "")
    long = 10**4000
    proof = UnitEmbedding(1, 1, [[long]] * size, [[long]] * size, [long] * size)
    assert "query 0 is longer" in (check(Margin(pattern, 0, 1), proof) or "")


def test_vectors_without_coordinates_are_work_too() -> None:
    """Each of m n entries is compared, and each product of 64 bits takes its time."""
    size = 1 << 17
    ones = sparse.csr_matrix((np.ones(size), (np.arange(size), np.zeros(size, dtype=int))))
    ones.resize(size, size)
    empty = np.zeros((size, 0), dtype=np.int64)
    proof = UnitEmbedding(1, 1, empty, empty, np.zeros(size, dtype=np.int64))
    found = check(Margin(Pattern.from_sparse(ones), 0, 1), proof)
    assert found == f"{size * size} products are too large to check"


@pytest.mark.parametrize(("columns", "too_large"), [(1 << 11, True), (2047, False)])
def test_a_wide_core_does_not_fill_the_memory(columns: int, too_large: bool) -> None:
    """The form of a short document has the square of its number of entries."""
    pattern = Pattern.from_array(np.ones((1, columns), dtype=np.uint8))
    numbers = np.zeros(columns, dtype=np.int64)
    factor = np.zeros((1, columns + 1), dtype=np.int64)
    proof = MarginDual([0], range(columns), numbers[None], [0], numbers, factor)
    found = check(Margin(pattern, 1, 1), proof)
    expected = f"its core of 1 x {columns} is too large to check"
    assert found == (expected if too_large else "all weights are 0")


# ---------------------------------------------------------------- lifting


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_proofs_of_merged_patterns_hold_for_the_whole(seed: int) -> None:
    """Copies of rows and columns, complements, and rows without a zero."""
    random = Random(seed)
    core = random.rand(random.randint(2, 5), random.randint(2, 5)) < 0.5
    stars = random.rand(*core.shape) < 0.15
    entries = np.where(stars, -1, core).astype(np.int8)
    rows = random.randint(len(core), size=len(core) + 2)
    columns = random.randint(core.shape[1], size=core.shape[1] + 2)
    entries = entries[rows][:, columns]
    turned = random.rand(len(entries)) < 0.4
    entries[turned] = np.where(entries[turned] < 0, -1, 1 - entries[turned])
    entries = np.vstack([entries, np.ones((1, entries.shape[1]), dtype=np.int8)])
    entries[~(entries == 1).any(axis=1), 0] = 1
    pattern = Pattern.from_array(entries == 1, entries >= 0)
    # It checks its certificates. The search ends when its bounds have met, after some hundredths
    # of a second, but a busy machine may take seconds to import it.
    found = margin(pattern, time_limit=60)
    if simplify(pattern).pattern is None:
        assert not found.bounded
        return
    assert found.upper is not None
    assert 0 < found.lower <= found.upper <= 1
    assert found.upper - found.lower <= Fraction(1, 100) * found.upper


@pytest.mark.parametrize(
    ("scale", "query"),
    [
        (2, [2, 1]),  # just longer than the scale
        (1 << 40, [(1 << 40) - 1] * 16),  # the sum of squares exceeds 64 bits
        (1, [-(10**30)]),  # no coordinate fits into 64 bits
        (1, [-(1 << 63)]),
    ],
)
def test_long_queries_are_refused_at_every_size(scale: int, query: list[int]) -> None:
    nothing = [0] * len(query)
    proof = UnitEmbedding(scale, 1, [query, nothing], [nothing, nothing], [0, 0])
    pattern = Pattern.from_text("10\n01")
    assert "query 0 is longer" in (check(Margin(pattern, 0, 1), proof) or "")


@pytest.mark.parametrize("logits", [1, 4, 8, 12, 1 << 20])
def test_vectors_of_every_block_are_checked(logits: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Logits are -9, -3, 3 and 9, and thresholds lie in the middle of the three gaps."""
    monkeypatch.setattr("samapprox.proofs.margins.unit_embedding._BLOCK", logits)
    question = Margin(Pattern.from_text("\n".join(["0111", "0011", "0001"] * 3)), 1, 3)
    thresholds = [-6, 0, 6] * 3
    for row in (None, *range(9)):
        for change in (-1, 1):
            moved = [t + change * (i == row) for i, t in enumerate(thresholds)]
            proof = UnitEmbedding(3, 3, [[3]] * 9, [[-3], [-1], [1], [3]], moved)
            fault = check(question, proof)
            assert fault is None if row is None else str(fault).startswith(f"row {row} and ")
