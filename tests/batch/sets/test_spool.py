"""Sets of instances that a program makes: answered once, whenever and wherever they were made."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samapprox import InputError, Instance, Pattern, weak_dimension
from samapprox.batch import Question, Store, run, spool
from samapprox.batch.sets.entry import place

pytestmark = pytest.mark.usefixtures("_in_process")

DIM = Question("dim", time_limit=20.0)
TRIANGLE, SQUARE = Pattern.from_text("100\n010\n001"), Pattern.from_text("10\n01")


def named(**patterns: Pattern) -> list[tuple[str, Instance]]:
    return [(name, Instance(pattern)) for name, pattern in patterns.items()]


def test_the_answers_of_the_library(tmp_path: Path) -> None:
    with spool(named(a=TRIANGLE, b=SQUARE)) as instances:
        done = run(instances, DIM, tmp_path / "r.sqlite", jobs=1)
    assert done.names == {"a", "b"}
    with Store(tmp_path / "r.sqlite") as store:
        found = {one.name: (one.lower, one.upper) for one in store.outcomes(done.question)}
    expected = weak_dimension(TRIANGLE), weak_dimension(SQUARE)
    assert list(found.values()) == [(one.lower, one.upper) for one in expected]


def test_a_result_counts_while_the_pattern_is_the_same(tmp_path: Path) -> None:
    results = tmp_path / "r.sqlite"
    with spool(named(a=TRIANGLE, b=SQUARE)) as instances:
        run(instances, DIM, results, jobs=1)
    with spool(named(b=SQUARE, a=SQUARE, c=SQUARE)) as instances:
        done = run(instances, DIM, results, jobs=1)
    assert (done.skipped, done.names) == (1, {"a", "b", "c"})
    with Store(results) as store:
        assert {one.columns for one in store.outcomes(done.question)} == {2}


def test_no_file_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with spool(named(a=TRIANGLE)):
        assert len(list(tmp_path.rglob("*.npz"))) == 1
    assert not list(tmp_path.iterdir())
    for wrong in ("two", "failing"):
        with pytest.raises(InputError), spool(_wrong(wrong)):
            raise AssertionError("no set should be there")
        assert not list(tmp_path.iterdir())


def _wrong(how: str):  # type: ignore[no-untyped-def]
    yield "a", Instance(TRIANGLE)
    if how == "failing":
        raise InputError("no more")
    yield "a", Instance(SQUARE)


@settings(max_examples=20, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.text(min_size=1),
            st.lists(st.sampled_from(["1*", "10", "01", "11"]), min_size=1, max_size=3),
        ),
        unique_by=lambda pair: pair[0],
        max_size=5,
    )
)
def test_names_and_patterns_come_back(given_names: list[tuple[str, list[str]]]) -> None:
    made = [
        (name, Instance(Pattern.from_text("\n".join(rows)), origin={"layer": at}))
        for at, (name, rows) in enumerate(given_names)
    ]
    with spool(made) as instances:
        entries = [entry for some in instances for entry in some]
        assert instances.count == len(entries)
        assert [(entry.name, entry.load()) for entry in entries] == [
            (name, one) for name, one in made
        ]


def test_layer_and_head_of_the_origin_come_first() -> None:
    assert place("L1_H2", {"layer": 3, "head": 4}) == (3, 4)
    assert place("L1_text0_H2", {"layer": 1, "head": 2}) == (1, 2)
    assert place("L1_H2", {"layer": 3}) == (1, 2)
    assert place("noise", {"layer": "3", "head": 4}) == (None, None)
