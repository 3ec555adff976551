"""The least number of wrong rows and entries, against enumeration and the exact checks."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from helpers.durations import ended_within, processor_time
from helpers.truth.fits import (
    fewest_wrong_in_orders,
    fewest_wrong_on_line,
    fewest_wrong_rows,
    random_pattern,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from samapprox import BestFit, FitCurve, InputError, Pattern, fit, fit_curve
from samapprox.errors import Interrupted
from samapprox.problem import Problem, trivial_dimension
from samapprox.proofs.checker import check
from samapprox.proofs.fits.items import Items
from samapprox.proofs.questions import Fit, Unit
from samapprox.similarities import find_similarity
from samapprox.solvers.questions.fits import hitting_search, turns
from samapprox.solvers.questions.fits.first_embeddings import list_starts
from samapprox.solvers.questions.fits.remainders import count_wrong
from samapprox.solvers.questions.fits.turns import Refuted
from samapprox.support.progress import Progress

Random = np.random.RandomState


def confirm(found: BestFit) -> None:
    """Both certificates hold, and the embedding has as many wrong items as stated."""
    assert found.lower <= found.upper
    assert found.yes_certificate.verify(found.pattern)
    assert (found.no_certificate is None) == (found.lower == 0)
    if found.no_certificate is not None:
        assert found.no_certificate.verify(found.pattern)
    items = Items.of(found.pattern, found.unit)
    wrong = count_wrong(found.pattern, items, found.embedding)
    assert wrong.tolist() == sorted(found.wrong.tolist())
    assert len(wrong) == found.upper
    assert found.yes.dimension <= found.d
    assert found.embedding.keys.shape[0] == found.pattern.shape[1]


@pytest.mark.parametrize("unit", ["rows", "entries"])
@settings(max_examples=8)
@given(seed=st.integers(0, 10**6))
def test_the_line_is_exact(unit: str, seed: int) -> None:
    """Don't-cares, equal rows and equal columns included."""
    pattern = random_pattern(Random(seed), 6, 5)
    found = fit(pattern, 1, unit=unit)  # type: ignore[arg-type]
    confirm(found)
    assert found.exact
    assert found.upper == fewest_wrong_on_line(pattern.to_array(), unit)


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["rows", "entries"])
def test_hundreds_of_patterns_on_the_line_are_exact(unit: str) -> None:
    random = Random(5)
    for _ in range(300):
        pattern = random_pattern(random, 7, 6)
        found = fit(pattern, 1, unit=unit)  # type: ignore[arg-type]
        confirm(found)
        assert found.exact
        assert found.upper == fewest_wrong_on_line(pattern.to_array(), unit)


ORDERED = [("cosine", 2), ("l2", 1)]
"""Caps of a circle are arcs, and balls of a line are intervals."""


@pytest.mark.parametrize("unit", ["rows", "entries"])
@pytest.mark.parametrize(("similarity", "d"), ORDERED)
@settings(max_examples=4)
@given(seed=st.integers(0, 10**6))
def test_circles_and_lines_are_right(similarity: str, d: int, unit: str, seed: int) -> None:
    check_orders(random_pattern(Random(seed), 6, 5), similarity, d, unit)


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["rows", "entries"])
@pytest.mark.parametrize(("similarity", "d"), ORDERED)
def test_many_circles_and_lines_are_right(similarity: str, d: int, unit: str) -> None:
    random = Random(6)
    for _ in range(60):
        check_orders(random_pattern(random, 7, 6), similarity, d, unit)


def check_orders(pattern: Pattern, similarity: str, d: int, unit: str) -> None:
    """Compare with all orders; patterns with don't-cares may stay open."""
    found = fit(pattern, d, unit=unit, similarity=similarity, time_limit=20)  # type: ignore[arg-type]
    confirm(found)
    circular = similarity == "cosine"
    fewest = fewest_wrong_in_orders(pattern.to_array(), unit, circular=circular)
    assert found.lower <= fewest <= found.upper
    assert found.exact or pattern.unspecified is not None or unit == "entries"


@settings(max_examples=4)
@given(seed=st.integers(0, 10**6))
def test_similarities_differ_by_one_dimension(seed: int) -> None:
    """Halfspaces are balls of the same dimension; balls are caps of one more, as points are."""
    pattern = random_pattern(Random(seed), 6, 6)
    dot, lines, circles, planes = (
        fit(pattern, d, similarity=similarity, time_limit=3)
        for similarity, d in (("dot", 1), ("l2", 1), ("cosine", 2), ("dot", 2))
    )
    assert lines.lower <= dot.upper
    assert circles.lower <= lines.upper
    assert planes.lower <= circles.upper


def test_two_points_of_cosines_split_the_keys_in_one_way() -> None:
    found = fit(np.eye(5), 1, similarity="cosine")
    confirm(found)
    assert (found.lower, found.upper) == (4, 4)


def test_searches_for_dot_products_serve_the_other_similarities() -> None:
    """Without cores: what a search finds becomes balls, or caps of one dimension more."""
    entries = Random(4).rand(30, 20) < 0.5
    for similarity, d in (("l2", 2), ("cosine", 3)):
        found = fit(entries, d, similarity=similarity, time_limit=0.5)
        confirm(found)
        assert found.upper < 29


def test_rows_in_the_plane_are_exact() -> None:
    entries = Random(0).rand(5, 8) < 0.5
    entries[~entries.any(axis=1), 0] = True
    pattern = Pattern.from_array(entries)
    found = fit(pattern, 2)
    confirm(found)
    assert found.exact
    assert found.upper == fewest_wrong_rows(pattern, 2)


@pytest.mark.parametrize("d", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_random_14_x_14_is_exact(d: int) -> None:
    entries = Random(1).rand(14, 14) < 0.5
    found = fit(entries, d, time_limit={1: 20, 2: 60}[d])
    confirm(found)
    assert found.exact
    assert found.upper == {1: 12, 2: 7}[d]


def test_equal_rows_count_with_their_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three classes of four rows: one class is wrong; without weights, one row would be proven."""
    monkeypatch.setattr("samapprox.solvers.questions.fits.hitting_search.BOUNDS", {})
    found = fit(np.repeat(np.eye(3, dtype=int), 4, axis=0), 1)
    confirm(found)
    assert (found.lower, found.upper) == (4, 4)


def test_nothing_is_wrong_in_the_weak_dimension() -> None:
    found = fit(np.eye(6), 2)
    confirm(found)
    assert (found.lower, found.upper, found.no) == (0, 0, None)
    assert check(Problem(found.pattern, 2), found.embedding) is None


def test_a_curve_never_rises() -> None:
    entries = Random(3).rand(6, 7) < 0.5
    entries[~entries.any(axis=1), 0] = True
    curve = fit_curve(entries)
    for found in curve.fits:
        confirm(found)
    for bound in ("lower", "upper"):
        numbers = [getattr(found, bound) for found in curve.fits]
        assert numbers == sorted(numbers, reverse=True)
    assert [found.d for found in curve.fits] == list(range(1, len(curve.fits) + 1))
    assert curve.fits[-1].upper == 0


def test_bounds_move_along_a_curve() -> None:
    """An embedding in d = 1 counts in d = 2, and a refutation of d = 2 in d = 1."""
    pattern = Pattern.from_array(np.eye(5))
    one, two = fit(pattern, 1), fit(pattern, 2)
    assert (one.upper, two.upper) == (3, 0)
    worse = replace(two, yes=fit(np.eye(5)[[0, 0, 0, 0, 0]], 1).yes, upper=5)
    assert FitCurve.of([one, worse]).fits[1].upper == 3
    open_below = replace(one, no=None, lower=0)
    better = replace(two, no=one.no, lower=one.lower, upper=one.upper, yes=one.yes)
    assert FitCurve.of([open_below, better]).fits[0].lower == 3


@pytest.mark.parametrize("unit", ["rows", "entries"])
@pytest.mark.parametrize("size", [60, 600])
def test_the_time_limit_holds(size: int, unit: Unit) -> None:
    entries = Random(0).rand(size, size) < 0.5
    asked = partial(fit, entries, 3, unit=unit, time_limit=0.4)
    found = ended_within(2.4, asked)
    if size == 60:
        confirm(found)


def test_a_curve_takes_its_time_once() -> None:
    """Not once for each of its 16 dimensions, which all are there."""
    entries = Random(0).rand(60, 60) < 0.5
    fit_curve(np.eye(4), time_limit=1)  # compiled functions
    curve = ended_within(4.5, lambda: fit_curve(entries, time_limit=1.5))
    assert [found.d for found in curve.fits] == list(range(1, len(curve.fits) + 1))
    assert len(curve.fits) > 5
    assert curve.fits[-1].upper == 0
    for found in curve.fits[:3]:
        confirm(found)


def test_a_curve_has_all_dimensions_however_short_the_time() -> None:
    for entries in (np.eye(4), Random(3).rand(60, 60) < 0.5):
        curve = fit_curve(entries, time_limit=1e-6)
        assert [found.d for found in curve.fits] == list(range(1, len(curve.fits) + 1))
        assert curve.fits[-1].upper == 0
        for found in curve.fits[:3]:
            confirm(found)


def test_a_curve_says_what_it_has_and_keeps_it_if_interrupted() -> None:
    """The bounds of one dimension are words, and the dimensions before it are the result."""
    entries = Random(1).rand(9, 9) < 0.5
    entries[~entries.any(axis=1), 0] = True
    seen: list[Progress] = []
    curve = fit_curve(entries, progress=seen.append)
    assert seen[0].what == "searching for the dimension in which nothing is wrong"
    assert any(moment.what.startswith("d = 1: ") for moment in seen)
    later = [moment.so_far for moment in seen if moment.what.startswith("d = 2: ")]
    assert later
    assert all(isinstance(so_far, FitCurve) and len(so_far.fits) == 1 for so_far in later)

    def stop(moment: Progress, at: str) -> None:
        if moment.what.startswith(at):
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as caught:
        fit_curve(entries, progress=partial(stop, at="d = 2: "))
    kept = caught.value.so_far.fits
    assert [found.d for found in kept] == list(range(1, len(kept) + 1))
    assert kept[0].upper >= curve.fits[0].lower
    for found in kept:
        confirm(found)
    with pytest.raises(KeyboardInterrupt) as early:  # before anything is known of d = 1
        fit_curve(entries, progress=partial(stop, at="searching"))
    assert not isinstance(early.value, Interrupted)


def test_a_curve_ends_at_its_largest_dimension() -> None:
    curve = fit_curve(np.eye(9)[:, ::-1], similarity="cosine", largest_d=1, time_limit=2)
    assert [(found.d, found.upper) for found in curve.fits] == [(1, 8)]


@pytest.mark.parametrize("largest_d", [0, -1, "x", 1.5])
def test_what_is_no_largest_dimension(largest_d: int) -> None:
    with pytest.raises(InputError, match="largest_d must be a whole number of at least 1"):
        fit_curve(np.eye(3), largest_d=largest_d)


def test_a_curve_refuses_what_a_fit_refuses() -> None:
    with pytest.raises(InputError, match="K"):
        fit_curve(np.eye(3), at="x")  # type: ignore[arg-type]


def test_better_results_are_passed_on() -> None:
    """With certificates that hold, and bounds that only get better."""
    entries = Random(0).rand(20, 20) < 0.5
    seen: list[BestFit] = []

    def report(progress: Progress) -> None:
        if progress.so_far is not None:
            seen.append(progress.so_far)

    found = fit(entries, 2, time_limit=1.5, progress=report)
    assert seen
    for before, after in zip(seen, [*seen[1:], found], strict=True):
        assert before.lower <= after.lower
        assert after.upper <= before.upper
    for one in seen:
        confirm(one)


def test_large_patterns_are_decided_as_a_whole_before_cores_are_listed() -> None:
    random = np.random.default_rng(0)
    scores = random.normal(size=(150, 2)) @ random.normal(size=(2, 150))
    cut_off = scores >= np.sort(scores, axis=1)[:, [120]]
    seen: list[str] = []
    with processor_time():
        found = fit(cut_off, 2, time_limit=10, progress=lambda moment: seen.append(moment.what))
    assert (found.upper, found.exact) == (0, True)
    assert "deciding the whole" in seen
    assert "listing cores" not in seen


def test_large_patterns_are_searched_though_no_cores_are() -> None:
    """Entries of 330 x 330: a planted embedding with 1 % of the entries flipped."""
    random = np.random.default_rng(0)
    keys, queries = random.normal(size=(330, 2)), random.normal(size=(330, 2))
    ones = queries @ keys.T > 0
    flipped = random.random(ones.shape) < 0.01
    with processor_time():
        found = fit(ones ^ flipped, 2, unit="entries", time_limit=1)
    assert found.upper <= 1.2 * flipped.sum()
    assert found.yes_certificate.verify(found.pattern)


def test_an_interrupt_keeps_the_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = Random(2).rand(14, 14) < 0.5
    seen: list[str] = []

    def interrupt(progress: Progress) -> None:
        seen.append(progress.what)
        if len(seen) == 3:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as caught:
        fit(entries, 2, progress=interrupt)
    found = caught.value.so_far
    assert isinstance(found, BestFit)
    confirm(found)
    assert found.lower > 0


def test_wrong_bounds_of_others_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bound that returns a proof of too little, and a search whose embedding is bad."""
    right, larger = fit(np.eye(4), 1), fit(np.eye(4), 2).embedding

    def find_bound(_question: object, _search: object) -> Refuted:
        assert right.no is not None
        return Refuted(2, right.no)

    wrong = {"bound": find_bound, "search": lambda _question, _search: larger}
    monkeypatch.setattr(hitting_search, "BOUNDS", {"bound": ""})
    monkeypatch.setattr(hitting_search, "SEARCHES", {"search": ""})
    monkeypatch.setattr(turns, "SEARCHES", {"search": ""})
    monkeypatch.setattr(turns, "look_up", lambda name, _table, _what: wrong[name])
    found = fit(np.eye(4), 1)
    confirm(found)
    assert (found.lower, found.upper) == (2, 2)


def test_cores_with_dont_cares_count_their_specified_entries() -> None:
    """Found by enumeration: cores of chirotopes may contain don't-cares of the pattern."""
    random = Random(11)
    for _ in range(6):
        entries = (random.rand(6, 5) < 0.5).astype(np.int8)
        entries[random.rand(6, 5) < 0.25] = -1
        entries[~(entries == 1).any(axis=1), 0] = 1
        pattern = Pattern.from_array(entries == 1, entries >= 0)
        found = fit(pattern, 1, unit="entries")
        confirm(found)
        assert found.upper == fewest_wrong_on_line(entries, "entries")


def test_too_many_entries_are_refused_before_they_are_written_out() -> None:
    pattern = Pattern.from_sparse(sparse.eye_array(3_000, format="csr"))
    with pytest.raises(InputError, match="3000 x 3000 different rows and columns are too many"):
        fit(pattern, 2, unit="entries", time_limit=1)


def test_words_list_the_first_wrong_rows_and_documents_all() -> None:
    found = fit(np.eye(40), 1, time_limit=2)
    assert len(found.wrong) == 38
    assert ", .. and 26 more]." in str(found)
    assert len(found.to_json()["wrong"]) == 38


@pytest.mark.parametrize("similarity", ["dot", "cosine", "l2"])
@pytest.mark.parametrize("unit", ["rows", "entries"])
@pytest.mark.parametrize("shape", [(30, 8), (8, 30), (20, 20)])
def test_nothing_is_wrong_in_the_trivial_dimension(
    shape: tuple[int, int], unit: Unit, similarity: str
) -> None:
    entries = np.random.RandomState(0).randint(0, 2, shape)
    entries[:, 0] |= ~entries.any(axis=1)
    pattern = Pattern.from_array(entries)
    enough = trivial_dimension(shape, find_similarity(similarity))
    for d in (enough, enough + 1):
        question = Fit(pattern, d, 0, unit, similarity)
        start = next(list_starts(question, Items.of(pattern, unit)))
        assert not len(start.wrong)
        assert check(question, start) is None
