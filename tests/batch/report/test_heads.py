"""Head maps: the same from a result file as from results in memory."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from samapprox.batch import Outcome, Question, Store
from samapprox.batch.report.heads import Cell, HeadMap, Interval, head_maps, head_maps_of
from samapprox.batch.report.selection import Selection

SIZES = st.integers(1, 6)


@st.composite
def outcomes(draw: st.DrawFn) -> list[Outcome]:
    found = []
    for number in range(draw(st.integers(0, 12))):
        lower = draw(st.integers(1, 5))
        shape = draw(st.none() | st.tuples(SIZES, SIZES))
        found.append(
            Outcome(
                f"t{number}",
                "",
                draw(st.sampled_from([None, "top1", "unif"])),
                draw(st.sampled_from([None, 0, 1])),
                draw(st.sampled_from([None, 0, 7])),
                rows=None if shape is None else shape[0],
                columns=None if shape is None else shape[1],
                verdict="INTERVAL",
                lower=draw(st.sampled_from([None, lower])),
                upper=draw(st.sampled_from([None, lower, lower + 1, lower + 3])),
            )
        )
    return found


def maps_of_file(given: list[Outcome], most: int = 9) -> list[HeadMap]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "r.sqlite")
        with Store(path, write=True) as store:
            number = store.question(Question("dim"))
            store.save(number, given)
            return head_maps(store, number, Question("dim"), Selection(), most)


@settings(max_examples=30, deadline=None)
@given(outcomes())
def test_a_file_has_the_maps_of_its_results(given: list[Outcome]) -> None:
    assert maps_of_file(given) == head_maps_of(given)


def test_a_trivial_bound_counts_where_it_is_the_greatest() -> None:
    """A pattern of 3 x 8 fits into d = 3; one of 9 x 9 that fits into d = 4 is no trivial case."""
    trivial = Outcome("a", "", "unif", 0, 0, rows=3, columns=8, lower=1, upper=3)
    proven = Outcome("b", "", "unif", 0, 0, rows=9, columns=9, lower=2, upper=4)
    for some, bounds in (
        ([trivial], Interval(1, 3, has_trivial_upper=True)),
        ([trivial, proven], Interval(2, 4)),
        ([proven._replace(upper=3, lower=3), trivial], Interval(3, 3)),
        ([proven._replace(upper=3), trivial], Interval(2, 3, has_trivial_upper=True)),
    ):
        expected = [HeadMap("unif", {(0, 0): Cell(bounds, len(some))})]
        assert maps_of_file(some) == head_maps_of(some) == expected


def test_the_bounds_of_a_map_are_those_of_all_heads() -> None:
    cells = {(0, 0): Cell(Interval(2, 3), 1), (0, 1): Cell(Interval(1, 7), 1)}
    assert HeadMap("unif", cells).bounds == Interval(2, 7)


def test_at_most_so_many_maps() -> None:
    some = [Outcome(name, "", name, 0, 0, lower=1, upper=1) for name in "abc"]
    assert [found.family for found in maps_of_file(some, most=2)] == ["a", "b"]


def test_only_an_open_lower_bound_of_1_is_trivial() -> None:
    assert Interval(1, 2).has_trivial_lower
    assert not Interval(1, 1).has_trivial_lower
    assert not Interval(2, 3).has_trivial_lower
