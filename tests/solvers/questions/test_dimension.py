"""The least dimension: known values, proven bounds, and what is left when time is short."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import numpy as np
import pytest
import scipy.sparse
from click.testing import CliRunner
from helpers.strategies import Entries, any_entries
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from samapprox import (
    Certificate,
    InputError,
    Interrupted,
    Pattern,
    Problem,
    Status,
    Verdict,
    data,
    decide,
    hidden_dimensions,
    load,
    load_instance,
    schemas,
    weak_dimension,
)
from samapprox.cli.main import cli
from samapprox.reductions.families import generate
from samapprox.results.dimension import WeakDimension
from samapprox.solvers.engine.bounds import Bounds
from samapprox.solvers.engine.least import LeastDimension
from samapprox.solvers.engine.portfolio import choose
from samapprox.solvers.engine.search import Search
from samapprox.solvers.questions.hidden_dimensions import HiddenDimension
from samapprox.support.progress import Progress


def certified(found: WeakDimension) -> bool:
    """Whether both bounds have certificates that hold for the pattern, or are trivial."""
    for verdict, bound in ((found.yes, found.upper), (found.no, found.lower - 1)):
        if verdict is not None:
            assert verdict.problem.d == bound
            assert verdict.certificate is not None
            assert verdict.certificate.verify(found.pattern)
    rows, columns = found.pattern.shape
    trivial = max(1, min(rows, columns - 1))
    return (found.no is not None or found.lower == 1) and (
        found.yes is not None or found.upper == trivial
    )


@pytest.mark.parametrize(
    ("n", "k", "least"), [(4, 2, 2), (5, 2, 3), (6, 2, 4), (9, 2, 4), (7, 3, 5), (8, 3, 6)]
)
def test_subsets(n: int, k: int, least: int) -> None:
    """All k-subsets: cyclic polytopes above, short refutations below."""
    found = weak_dimension(generate("all-subsets", n=n, k=k).pattern)
    assert (found.lower, found.upper) == (least, least)
    assert certified(found)


def test_limit() -> None:
    """LIMIT's relevance judgements need exactly four dimensions."""
    found = weak_dimension(load(data.path("limit/limit.npz")))
    assert found.exact
    assert found.upper == 4
    assert certified(found)


def test_shipped_truth_is_inside_the_bounds() -> None:
    for path in [*data.files("minilm")][:12]:
        instance = load_instance(path)
        found = weak_dimension(instance.pattern, time_limit=5.0)
        assert certified(found)
        for fact in instance.facts:
            if fact.answer == "YES":
                assert found.lower <= fact.d
            else:
                assert found.upper > fact.d


@given(any_entries(), st.sampled_from([1, 2]))
def test_the_bounds_agree_with_decisions(entries: Entries, threads: int) -> None:
    found = weak_dimension(entries, threads=threads)
    assert found.exact
    assert certified(found)
    assert decide(entries, found.upper).status.value == "YES"
    if found.lower > 1:
        assert decide(entries, found.lower - 1).status.value == "NO"
    causal = np.vstack([entries, entries])[: entries.shape[1], : entries.shape[0]]
    if causal.shape[0] == causal.shape[1] and (np.tril(causal).sum(axis=1) > 0).all():
        assert weak_dimension(causal, causal=True).upper <= weak_dimension(causal).upper


def test_a_planted_dimension_is_an_upper_bound() -> None:
    for seed in range(2):
        pattern = generate("halfspaces", rows=30, columns=30, d=3, seed=seed).pattern
        found = weak_dimension(pattern, time_limit=600.0)
        assert found.upper <= 3
        assert certified(found)


def test_little_time_leaves_proven_bounds() -> None:
    pattern = generate("random", rows=60, columns=60).pattern
    found = weak_dimension(pattern, time_limit=0.2)
    assert certified(found)
    assert 1 <= found.lower <= found.upper <= 59


def test_one_side_alone() -> None:
    pattern = generate("random", rows=8, columns=8).pattern
    exact = weak_dimension(pattern).upper
    only_yes = weak_dimension(pattern, only=["gradient"], time_limit=2.0)
    assert (only_yes.lower, only_yes.upper) == (1, exact)
    only_no = weak_dimension(pattern, only=["counting", "chirotope"], time_limit=2.0)
    assert (only_no.lower, only_no.upper) == (exact, 7)


@pytest.fixture
def _no_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a thread was asked for")

    monkeypatch.setattr("concurrent.futures.ThreadPoolExecutor", refuse)


@pytest.mark.usefixtures("_no_threads")
@pytest.mark.parametrize("seed", range(4))
def test_one_thread_proves_the_same(seed: int) -> None:
    for pattern in (
        generate("random", rows=8, columns=8, seed=seed).pattern,
        generate("all-subsets", n=5 + seed, k=2).pattern,
    ):
        found = weak_dimension(pattern, threads=1)
        assert found.exact
        assert certified(found)
        for d, answer in ((found.upper, "YES"), (found.lower - 1, "NO")):
            assert decide(pattern, d).status.value == answer


@pytest.mark.usefixtures("_no_threads")
def test_both_sides_take_turns_in_one_thread() -> None:
    pattern = generate("random", rows=30, columns=30).pattern
    found = weak_dimension(pattern, threads=1, only=["gradient", "chirotope"], time_limit=1.0)
    assert {attempt.strategy for _, attempt in found.trail} == {"gradient", "chirotope"}
    assert certified(found)


def test_the_side_that_had_less_time_is_next(monkeypatch: pytest.MonkeyPatch) -> None:
    """Turns of one side take 1 s each, those of the other 3 s: it gets a third as many."""
    module = import_module("samapprox.solvers.engine.engine")
    now, turns = [0.0], []

    def take(side: Status, _clock: object) -> None:
        turns.append(side)
        now[0] += {Status.YES: 1.0, Status.NO: 3.0}[side]

    engine = LeastDimension(Bounds(Pattern(np.eye(9))), [], Search())
    engine._leaves = SimpleNamespace(upper=9)
    engine._queue = SimpleNamespace(
        next=lambda side: (0.0, side) if len(turns) < 20 else None, take_call=take, least=2
    )
    monkeypatch.setattr(module, "search_clock", SimpleNamespace(now=lambda: now[0]))
    engine._work()
    assert [turns.count(side) for side in (Status.YES, Status.NO)] == [15, 5]


@pytest.mark.parametrize("threads", [0, 3, True, "2"])
def test_no_other_number_of_threads(threads: object) -> None:
    with pytest.raises(InputError, match="threads must be 1 or 2, not "):
        weak_dimension(np.eye(3), threads=threads)
    assert weak_dimension(np.eye(3), threads=np.int64(1)).upper == 2


@pytest.mark.parametrize("threads", [1, 2])
def test_an_interrupt_keeps_the_bounds(threads: int) -> None:
    pattern = generate("random", rows=40, columns=40).pattern

    def progress(moment: Progress) -> None:
        so_far: WeakDimension = moment.so_far
        if so_far.lower > 2:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as caught:
        weak_dimension(pattern, threads=threads, progress=progress)
    so_far = caught.value.so_far
    assert isinstance(so_far, WeakDimension)
    assert so_far.lower > 2
    assert certified(so_far)


def test_an_interval_of_thousands_of_dimensions() -> None:
    """The least is refuted first; an embedding is sought within reach of it, not at the far end."""
    pattern = generate("random", rows=1_100, columns=1_101).pattern
    engine = LeastDimension(Bounds(pattern), choose(["gradient", "chirotope"]), Search())
    engine._begin()
    assert engine._queue is not None
    to_refute, to_embed = engine._queue.next(Status.NO), engine._queue.next(Status.YES)
    assert to_refute is not None
    assert to_embed is not None
    assert to_refute[1].problem.d <= 2
    assert 2 < to_embed[1].problem.d <= 8


def test_what_begins_after_the_end_has_no_time() -> None:
    """Ctrl-C may come while the other thread is about to choose its first turn."""
    engine = LeastDimension(Bounds(Pattern(np.eye(9))), choose(["gradient"]), Search())
    engine._begin()
    engine.stop()
    assert not engine.step()
    assert engine.over


def test_the_command(tmp_path: Path) -> None:
    source = str(data.path("minilm/s00_L0_H08_top1_n8.npz"))
    yes, no = str(tmp_path / "yes.json"), str(tmp_path / "no.json")
    result = CliRunner().invoke(cli, ["dim", source, "--yes", yes, "--no", no])
    assert result.exit_code == 0
    assert result.stdout.startswith("2: attention with d = 2 can represent this 8 x 8 pattern, and")
    for path in (yes, no):
        assert Certificate.load(path).verify(load(source))
    one = CliRunner().invoke(cli, ["dim", "-", "--no", no], input="10\n01\n")
    assert one.stdout.startswith("1: attention with d = 1 can represent this 2 x 2 pattern.\n")
    assert "the bound is trivial" in one.stderr


@pytest.fixture
def _ctrl_c_at_two(monkeypatch: pytest.MonkeyPatch) -> None:
    """The table of hidden dimensions learns nothing about d = 1, and is then interrupted."""

    def interrupted(pattern: Pattern, d: int, d_hid: int, **_: Any) -> Verdict:
        if d == 2:
            raise KeyboardInterrupt
        return Verdict(Problem(pattern, d, d_hid), None)

    monkeypatch.setattr(
        import_module("samapprox.solvers.questions.hidden_dimensions"), "decide", interrupted
    )


@pytest.mark.usefixtures("_ctrl_c_at_two")
def test_an_interrupted_table_keeps_the_dimensions_that_were_done() -> None:
    with pytest.raises(Interrupted) as caught:
        hidden_dimensions(np.eye(3), [1, 2])
    assert caught.value.so_far == [HiddenDimension(1, 1, None, None, None)]


@pytest.mark.usefixtures("_ctrl_c_at_two")
def test_an_interrupted_table_keeps_the_bounds() -> None:
    arguments = ["dim", "-", "--d-hid", "--time-limit", "5"]
    done = CliRunner().invoke(cli, arguments, input="100\n010\n001\n", standalone_mode=False)
    assert isinstance(done.exception, click.Abort)
    assert done.stdout.startswith("2: attention with d = 2 can represent this 3 x 3 pattern, and")
    assert done.stdout.endswith("d  least d_hid\n1  at least 1, if any\n")


def test_a_rectangle_has_no_table() -> None:
    """That is said before the bounds take their time."""
    done = CliRunner().invoke(cli, ["dim", "-", "--d-hid"], input="100\n011\n")
    assert done.exit_code == 2
    assert not done.stdout


def test_the_document_has_the_published_form() -> None:
    schema = schemas.load("dimension")
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    for text in ("10\n01\n", "100\n010\n001\n", "1*0\n*10\n011\n"):
        result = CliRunner().invoke(cli, ["dim", "-", "--json"], input=text)
        document = json.loads(result.output)
        validator.validate(document)
        assert document["exact"] is True
    arguments = ["dim", "-", "--json", "--d-hid", "--time-limit", "5"]
    document = json.loads(CliRunner().invoke(cli, arguments, input="011\n110\n001\n").output)
    validator.validate(document)
    (row,) = document["hidden_dimensions"]
    assert (row["d"], row["lower"], row["upper"]) == (1, 2, 2)
    assert row["yes"]["answer"] == "YES"
    assert row["no"]["answer"] == "NO"


def test_the_table_of_hidden_dimensions() -> None:
    arguments = ["dim", "-", "--d-hid", "--time-limit", "5"]
    output = CliRunner().invoke(cli, arguments, input="011\n110\n001\n").output
    assert output.endswith("d  least d_hid\n1            2\n")


@pytest.mark.parametrize(
    ("pattern", "seconds"),
    [
        (Pattern.from_sparse(scipy.sparse.eye_array(5000, format="csr")), 1e-9),
        (Pattern(np.eye(5000, dtype=np.int8)), 0.2),  # a quarter of a second would be needed
    ],
    ids=["sparse", "dense"],
)
def test_large_patterns_are_not_divided_once_time_is_up(
    pattern: Pattern, seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Dividing them takes seconds; an order of the keys gives a bound all the same."""

    def refuse(_pattern: Pattern) -> None:
        raise AssertionError("divided after the end of the time")

    monkeypatch.setattr("samapprox.solvers.division.division.divide_large", refuse)
    found = weak_dimension(pattern, time_limit=seconds)
    assert found.upper == 2
