"""Rows that are right at K: bounds against brute force, and certificates for both."""

from __future__ import annotations

import json
from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
import scipy.sparse
from helpers.checkers.second_checker import Case, answers
from helpers.durations import processor_time, stopped_when
from helpers.paths import ROOT
from helpers.truth.fits import fewest_wrong_at, random_pattern
from numpy.typing import NDArray

from samapprox import BestFit, InputError, Pattern, fit, fit_curve
from samapprox.proofs.questions import Fit
from samapprox.reductions.families import generate
from samapprox.similarities import ATTENTION
from samapprox.solvers.engine.search import Search
from samapprox.solvers.questions.fits.first_keys import leave_out_late, relax
from samapprox.solvers.questions.fits.first_keys_search import CutTemplate, list_embeddings
from samapprox.solvers.questions.fits.fit import _list_fits_at
from samapprox.solvers.questions.fits.placement import make_curve, make_double_polygon

LIMIT = ROOT / "data" / "limit" / "limit.npz"
Random = np.random.RandomState


def rank_of_last(row: list[int], scores: list[int]) -> int:
    """Count the ones, and the zeros that score at least as high as the lowest of them."""
    lowest = min(score for entry, score in zip(row, scores, strict=True) if entry == 1)
    return sum(
        entry == 1 or (entry == 0 and score >= lowest)
        for entry, score in zip(row, scores, strict=True)
    )


def confirm(found: BestFit) -> list[Case]:
    """Check both certificates, and by its definition each row that is right."""
    assert found.at is not None
    cases = []
    for certificate in (found.yes_certificate, found.no_certificate):
        if certificate is not None:
            assert certificate.verify(found.pattern)
            cases.append(Case(found.pattern.to_text(), json.dumps(certificate.to_json())))
    if found.similarity.name == "dot":
        embedding = found.embedding
        logits = (embedding.queries.astype(object) @ embedding.keys.T.astype(object)).tolist()
        right = np.setdiff1d(np.arange(found.total), found.wrong).tolist()
        entries = found.pattern.to_array().tolist()
        assert all(rank_of_last(entries[row], logits[row]) <= found.at for row in right)
    return cases


def test_the_line_is_exact_for_few_keys() -> None:
    random = Random(1)
    cases = []
    for _ in range(20):
        pattern = random_pattern(random, 8, 6)
        at = random.randint(1, 7)
        truth = fewest_wrong_at(pattern.to_array(), at)
        if truth == pattern.shape[0]:
            continue
        found = fit(pattern, 1, at=at, time_limit=10)
        assert (found.lower, found.upper) == (truth, truth)
        cases += confirm(found)
    assert [answer.status for answer in answers(cases)] == [0] * len(cases)
    assert len(cases) > 15


@pytest.mark.parametrize("similarity", ["dot", "cosine", "l2"])
@pytest.mark.parametrize("d", [2, 3])
def test_planted_rows_are_never_called_wrong(d: int, similarity: str) -> None:
    random = Random(d)
    cases = []
    for at in (2, 4):
        keys, queries = random.normal(size=(12, d)), random.normal(size=(30, d))
        scores = queries @ (keys / np.linalg.norm(keys, axis=1, keepdims=True)).T
        if similarity == "l2":
            scores = -np.linalg.norm(queries[:, None] - keys[None], axis=2)
        first = np.argsort(-scores, axis=1)[:, :at]
        ones = np.zeros(scores.shape, dtype=bool)
        for row, keys_of_row in zip(ones, first, strict=True):
            row[random.choice(keys_of_row, size=random.randint(1, at + 1), replace=False)] = True
        care = random.rand(*ones.shape) < 0.95
        pattern = Pattern.from_array(ones, care | ones)
        with processor_time():
            found = fit(pattern, d, at=at, similarity=similarity, time_limit=1)
        assert found.lower == 0
        assert found.upper < 12
        cases += confirm(found)
    assert [answer.status for answer in answers(cases)] == [0] * len(cases)


@pytest.mark.parametrize(
    ("d", "at", "right", "most"),
    [
        *[(1, 3, 6, 6), (2, 2, 69, 69), (3, 2, 132, 132)],
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for case in [(1, 2, 2, 2), (1, 5, 20, 20), (2, 3, 90, 266)]
        ),
    ],
)
def test_a_retrieval_set(d: int, at: int, right: int, most: int) -> None:
    with processor_time():
        found = stopped_when(
            lambda found: found.exact,
            lambda stop: fit(LIMIT, d, at=at, time_limit=2, progress=stop),
        )
    assert found.total - found.lower == most
    assert right <= found.total - found.upper <= most
    confirm(found)


def test_twice_the_ones_of_a_row_are_enough() -> None:
    found = fit(LIMIT, 4, at=10, time_limit=10)
    assert found.upper == 0
    assert "No limit on the rows is proven for this d." in found.explain()


def test_rows_with_too_many_ones_are_wrong_in_every_dimension() -> None:
    pattern = Pattern.from_text("1100\n1000\n0111")
    found = fit(pattern, 4, at=2, time_limit=5)
    assert (found.lower, found.upper, found.wrong.tolist()) == (1, 1, [2])
    assert found.most_recall == pytest.approx(1 - 1 / 9)
    assert "1 row with more than 2 ones cannot be right at all." in found.explain()
    assert "    1 row with more than 2 ones: none is right" in found.explain()
    confirm(found)


@pytest.mark.parametrize("similarity", ["dot", "cosine", "l2"])
def test_all_keys_are_first(similarity: str) -> None:
    found = fit(np.eye(9), 2, at=9, similarity=similarity, time_limit=5)
    assert found.upper == 0
    assert "K = 9 is the number of keys or more, so every row is right." in found.explain()
    confirm(found)


def test_unusable_depths() -> None:
    with pytest.raises(InputError, match="K must be a whole number of at least 1, not 0"):
        fit(np.eye(3), 1, at=0)
    with pytest.raises(InputError, match="K must be at most 1099511627776, as in documents"):
        fit(np.eye(3), 1, at=10**20)
    assert fit(np.eye(3), 1, at=1 << 40).upper == 0
    with pytest.raises(InputError, match="rows are right at K, not entries"):
        fit(np.eye(3), 1, at=2, unit="entries")


def test_a_curve_at_k() -> None:
    curve = fit_curve(np.eye(7), at=2, time_limit=10)
    assert [(found.d, found.lower, found.upper) for found in curve.fits] == [(1, 3, 3), (2, 0, 0)]
    for found in curve.fits:
        confirm(found)
    late = fit_curve([[1, 1, 1, 0], [1, 0, 0, 0]], at=2, time_limit=5)
    assert [found.upper for found in late.fits] == [1]


@pytest.mark.parametrize(("at", "enough"), [(9, 12), (4, 8)])
def test_a_curve_at_k_ends_soon_after_its_time(at: int, enough: int) -> None:
    """The last fit is in twice as many dimensions as rows that can be right have ones."""
    random = Random(0)
    entries = np.zeros((60, 40), dtype=np.int8)
    for row in entries:
        row[random.permutation(40)[: random.randint(1, 7)]] = 1
    curve = fit_curve(entries, at=at, time_limit=1e-6)
    assert [found.d for found in curve.fits] == list(range(1, enough + 1))
    assert [found.d for found in curve.fits if found.seconds] == [1, enough]
    last = curve.fits[-1]
    assert last.upper == (entries.sum(axis=1) > at).sum()
    assert last.recall is not None
    assert last.recall.exact
    for found in curve.fits:
        confirm(found)
        assert found.recall is not None
        assert found.recall.yes_certificate.verify(found.pattern)


def test_a_curve_at_k_keeps_time_for_its_last_fit() -> None:
    """Each fit takes two seconds more than it is given, and so will the last one."""
    pairs = generate("all-subsets", n=7, k=2).pattern
    found: list[BestFit] = []
    search = SimpleNamespace(remaining=10.0)

    def run(d: int, seconds: float) -> BestFit:
        search.remaining -= seconds + 2
        return replace(fit(pairs, d, at=2, time_limit=1e-6), seconds=seconds + 2)

    _list_fits_at(pairs, 2, ATTENTION, 9, cast(Search, search), run, found)
    assert [one.d for one in found] == [1, 2, 3, 4]
    assert [one.d for one in found if one.seconds] == [1, 2, 4]  # with 5.5, 2.1 and 0.1 s left
    assert found[-1].upper == 0


def test_a_late_curve_at_k_of_distances_ends_where_it_is() -> None:
    """No embedding that needs no search is right in all rows."""
    curve = fit_curve(np.eye(9), at=2, similarity="cosine", time_limit=1e-6)
    assert [found.d for found in curve.fits] == [1]
    confirm(curve.fits[0])


def test_the_highest_zeros_are_relaxed() -> None:
    entries = np.array([[1, 0, 0, -1], [1, 1, 0, 0], [0, 1, 0, 0]], dtype=np.int8)
    scores = np.array([[0, 1, 2, 3], [0, 0, 2, 1], [0, 0, 0, 0]])
    assert relax(entries, scores, 2).tolist() == [[1, 0, -1, -1], [1, 1, 0, 0], [-1, 1, 0, 0]]


def test_templates_cut_off_what_halfspaces_do() -> None:
    for plain, pairs in ((make_curve(10, 2), 10), (make_double_polygon(10), 15)):
        cut = CutTemplate.of(plain, 2, [1, 2])
        assert cut is not None
        assert cut.sets is not None
        hashes = np.bitwise_xor.reduce(plain.hashes[cut.sets], axis=1)
        assert plain.find_cut(hashes).all()
        assert len(cut.sets) == pairs


def test_placed_rows_are_right() -> None:
    pattern = Pattern(np.eye(8) + np.eye(8, k=3) > 0)
    question = Fit(pattern, 2, 0, at=3)
    proofs = [
        leave_out_late(pattern, 3, found)
        for found in list_embeddings(question, Search.within(4, 0))
    ]
    assert min(len(proof.wrong) for proof in proofs if proof is not None) == 0


def test_large_patterns_are_not_written_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table of all entries takes seconds and gigabytes, and searches refuse it afterwards."""
    size = 4_100
    pattern = Pattern(scipy.sparse.eye_array(size, format="csr"))
    write_out = Pattern.to_array

    def refuse(one: Pattern) -> NDArray[np.int8]:
        assert one.shape != (size, size)
        return write_out(one)

    monkeypatch.setattr(Pattern, "to_array", refuse)
    found = fit(pattern, 1, at=2, time_limit=1)
    assert found.upper < size
