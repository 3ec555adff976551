"""The mean recall at K: bounds against brute force, and certificates for both."""

from __future__ import annotations

import json
from fractions import Fraction
from math import ceil, floor

import numpy as np
import pytest
from helpers.checkers.second_checker import Case, answers
from helpers.durations import processor_time
from helpers.paths import ROOT
from helpers.truth.fits import best_recall_at, random_pattern

from samapprox import Pattern, fit
from samapprox.proofs import RecallEmbedding, RecallSets, SplitColumns, check
from samapprox.proofs.fits import partial_embedding
from samapprox.proofs.questions import Recall
from samapprox.reductions.families import generate
from samapprox.results.best_recall import BestRecall, _round
from samapprox.solvers.questions.fits import recall_search
from samapprox.solvers.questions.fits.recall_search import count_first

LIMIT = ROOT / "data" / "limit" / "limit.npz"
Random = np.random.RandomState


def recalls(entries: np.ndarray, scores: np.ndarray, at: int) -> list[Fraction]:
    """Compute the recall of each row by its definition: zeros stand before ones of their score."""
    shares = []
    for row, own in zip(entries.tolist(), scores.tolist(), strict=True):
        ranked = sorted(
            (-score, entry) for score, entry in zip(own, row, strict=True) if entry >= 0
        )
        shares.append(Fraction(sum(entry for _, entry in ranked[:at]), row.count(1)))
    return shares


def confirm(found: BestRecall) -> list[Case]:
    """Check both certificates, and by its definition the recall that is reached."""
    pattern, at = found.question.pattern, found.question.at
    assert at is not None
    assert found.least <= found.most
    if found.question.similarity.name == "dot":
        embedding = found.yes.embedding(pattern)
        logits = embedding.queries.astype(object) @ embedding.keys.T.astype(object)
        shares = recalls(pattern.to_array(), logits, at)
        assert sum(shares, Fraction(0)) / len(shares) >= found.least
    cases = []
    for certificate in (found.yes_certificate, found.no_certificate):
        if certificate is not None:
            assert certificate.verify(pattern)
            cases.append(Case(pattern.to_text(), json.dumps(certificate.to_json())))
    return cases


def accept(cases: list[Case]) -> None:
    assert [answer.status for answer in answers(cases)] == [0] * len(cases)


def test_the_line_is_exact_for_few_keys() -> None:
    random = Random(5)
    cases = []
    for _ in range(10):
        pattern = random_pattern(random, 8, 6)
        at = random.randint(1, 6)
        found = fit(pattern, 1, at=at, time_limit=3).recall
        assert found is not None
        assert found.least == found.most == best_recall_at(pattern.to_array(), at)
        cases += confirm(found)
    accept(cases)


def test_parts_of_the_columns_bound_the_line() -> None:
    """The bound of a part is never below the truth, whatever rows and columns it has."""
    random = Random(6)
    for _ in range(40):
        pattern = random_pattern(random, 8, 6)
        rows, columns = pattern.shape
        at = random.randint(1, 4)
        part = SplitColumns(
            np.flatnonzero(random.rand(rows) < 0.8), np.flatnonzero(random.rand(columns) < 0.7)
        )
        most = RecallSets([part]).most_recall(Recall(pattern, 1, at, 1, 1))
        assert most >= best_recall_at(pattern.to_array(), at)


def test_all_orders_of_seven_keys_are_tried() -> None:
    """So the bound is exact, and the keys at both ends alone would often allow more."""
    random = Random(7)
    between_ends = 0
    for _ in range(4):
        ones = random.rand(6, 7) < 0.4
        ones[~ones.any(axis=1), 0] = True
        pattern = Pattern.from_array(ones)
        proof = RecallSets([SplitColumns(range(6), range(7))])
        most = proof.most_recall(Recall(pattern, 1, 2, 1, 1))
        assert most == best_recall_at(pattern.to_array(), 2)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("samapprox.proofs.fits.recall_sets.ALL_ORDERS", 6)
            between_ends += proof.most_recall(Recall(pattern, 1, 2, 1, 1)) > most
    assert between_ends > 2


def test_long_lines_are_bounded_by_their_ends() -> None:
    random = Random(8)
    for _ in range(10):
        ones = random.rand(9, 12) < 0.3
        ones[~ones.any(axis=1), 0] = True
        pattern = Pattern.from_array(ones, (random.rand(9, 12) < 0.95) | ones)
        question = Recall(pattern, 1, 2, 1, 1)
        most = RecallSets([SplitColumns(range(9), range(12))]).most_recall(question)
        for _ in range(300):
            places = np.broadcast_to(random.permutation(12), (9, 12))
            shares = zip(
                recalls(pattern.to_array(), places, 2),
                recalls(pattern.to_array(), -places, 2),
                strict=True,
            )
            assert sum(map(max, shares)) <= 9 * most


@pytest.mark.parametrize("similarity", ["dot", "cosine", "l2"])
@pytest.mark.parametrize("d", [1, 2, 3])
def test_planted_recalls_are_never_excluded(d: int, similarity: str) -> None:
    random = Random(d)
    cases = []
    for at in (1, 3):
        keys, queries = random.normal(size=(14, d)), random.normal(size=(25, d))
        scores = queries @ keys.T
        if similarity == "cosine":
            scores = scores / np.linalg.norm(keys, axis=1)
        elif similarity == "l2":
            scores = -np.linalg.norm(queries[:, None] - keys[None], axis=2)
        ones = np.zeros(scores.shape, dtype=bool)
        for row, order in zip(ones, np.argsort(-scores, axis=1), strict=True):
            row[order[: random.randint(1, 4)]] = True
            row[random.randint(14)] = True
        pattern = Pattern.from_array(ones, (random.rand(*ones.shape) < 0.95) | ones)
        planted = recalls(pattern.to_array(), scores, at)
        with processor_time():
            found = fit(pattern, d, at=at, similarity=similarity, time_limit=0.1).recall
        assert found is not None
        assert found.most >= sum(planted, Fraction(0)) / len(planted)
        cases += confirm(found)
    accept(cases)


def test_rows_with_too_many_ones_alone() -> None:
    found = fit([[1, 1, 0, 0], [0, 1, 1, 1]], 2, at=1, time_limit=5)
    assert (found.lower, found.upper, found.yes, found.yes_certificate) == (2, 2, None, None)
    assert found.wrong.tolist() == [0, 1]
    assert found.recall is not None
    assert found.recall.least == found.recall.most == Fraction(5, 12)
    assert str(found).splitlines()[:3] == [
        "0 of 2 rows right at K = 1 (0.0 %) with d = 2: no embedding gets more of them right.",
        "2 rows with more than 1 one cannot be right at all.",
        "Mean recall at 1: 41.7 % is reached, and no embedding has more.",
    ]
    accept(confirm(found.recall))


@pytest.mark.parametrize(
    ("d", "at", "least", "most"),
    [
        (1, 2, "0.087", "0.09"),
        pytest.param(2, 2, "0.4", "0.5345", marks=pytest.mark.slow),
        (3, 2, "0.4", "0.566"),
        (4, 10, "1", "1"),
    ],
)
def test_a_retrieval_set(d: int, at: int, least: str, most: str) -> None:
    with processor_time():
        found = fit(LIMIT, d, at=at, time_limit=1).recall
    assert found is not None
    assert found.most == Fraction(most)
    assert found.least >= Fraction(least)
    accept(confirm(found))


def test_more_than_is_proven_is_refused() -> None:
    found = fit(np.eye(9), 1, at=2, time_limit=2).recall
    assert found is not None
    assert found.no is not None
    assert (found.least, found.most) == (Fraction(4, 9), Fraction(4, 9))
    text = found.question.pattern.to_text()
    cases = []
    for certificate, fraction in (
        (found.yes_certificate, (1, 2)),
        (found.no_certificate, (3, 9)),
        (found.no_certificate, (1, 3)),
    ):
        assert certificate is not None
        document = certificate.to_json()
        document["problem"] |= dict(zip(("numerator", "denominator"), fraction, strict=True))
        cases.append(Case(text, json.dumps(document)))
    assert [answer.status for answer in answers(cases)] == [1, 1, 1]
    question = Recall(found.question.pattern, 1, 2, 1, 2)
    assert check(question, found.yes) == "its mean recall is 4/9, less than 1/2"
    less = Recall(found.question.pattern, 1, 2, 1, 3)
    assert check(less, found.no) == "it shows a mean recall of at most 4/9, not 1/3"


def test_faulty_embeddings_are_refused() -> None:
    pattern = Pattern.from_text("110*\n0110")
    found = fit(pattern, 1, at=2, time_limit=2).recall
    assert found is not None
    numbers = found.yes.proof
    question = Recall(pattern, 1, 1, 1, 4)
    faults = {
        "it names entries that are not ones": RecallEmbedding([3], [], numbers),
        "it names entries that are not zeros": RecallEmbedding([], [0], numbers),
        "it names entry 9, which the pattern does not have": RecallEmbedding([9], [], numbers),
        "row 0 has 2 ones and zeros before them, more than 1": RecallEmbedding([], [], numbers),
        "its mean recall is 0, less than 1/4": RecallEmbedding([0, 1, 5, 6], [], numbers),
    }
    cases = []
    for fault, proof in faults.items():
        assert check(question, proof) == fault
        document = found.yes_certificate.to_json() | {"proof": proof.to_json()}
        document["problem"] = question.terms
        cases.append(Case(pattern.to_text(), json.dumps(document)))
    assert [answer.status for answer in answers(cases)] == [1] * len(cases)


def test_fractions_of_certificates_are_safe() -> None:
    value = Fraction(10**12 + 1, 3 * 10**12)
    assert _round(value, floor) < value < _round(value, ceil)
    assert _round(value, ceil) - _round(value, floor) == Fraction(1, 10**9)
    assert _round(Fraction(1, 3), ceil) == _round(Fraction(1, 3), floor) == Fraction(1, 3)


def test_ties_are_counted_against_ones() -> None:
    entries = np.array([[1, 0, 0], [1, 1, 0]], dtype=np.int8)
    found, thresholds = count_first(entries, np.array([[2, 2, 1], [2, 2, 1]]), 1)
    assert found.tolist() == [0, 1]
    assert thresholds.tolist() == [2, 1]


@pytest.mark.parametrize("at", [1, 2])
def test_recall_of_large_patterns_is_proven_by_some_rows(
    monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    """The check writes out few rows; all rows have too many ones to be right, or some have."""
    for module in (partial_embedding, recall_search):
        monkeypatch.setattr(module, "MOST_CHANGED", 100)
    pattern = generate("sparse-rows", rows=30, columns=20, k=2, seed=1).pattern
    found = fit(pattern, 2, at=at, time_limit=0.5).recall
    assert found is not None
    assert 0 < found.least <= found.most <= 1
    assert found.yes_certificate.verify(pattern)
