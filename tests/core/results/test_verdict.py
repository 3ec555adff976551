"""Results state bounds, words, pictures and documents of their pattern, and no truth value."""

from __future__ import annotations

import ast
import json
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from helpers.schemas import schema
from helpers.strategies import Entries, any_entries
from hypothesis import given

from samapprox import (
    CertificateError,
    InputError,
    Interrupted,
    Pattern,
    Problem,
    Status,
    Verdict,
    WeakDimension,
    decide,
    weak_dimension,
)
from samapprox.cli.main import cli
from samapprox.proofs import Radon
from samapprox.results.verdict import Attempt
from samapprox.support.progress import Progress

IDENTITY = Pattern.from_text("1000\n0100\n0010\n0001")
TRIPLES = Pattern([[i in (a, b, c) for i in range(7)] for a, b, c in combinations(range(7), 3)])
LINE = Verdict(Problem(IDENTITY, 1), Radon([0, 1, 2], [0, 1, 2]))
OPEN = Verdict(Problem(IDENTITY, 2), None, (Attempt("rank", 0.5, "gave up"),), below=LINE)


# ---------------------------------------------------------------- bounds


def test_a_refuted_smaller_d_bounds_an_open_question_from_below() -> None:
    assert Verdict(Problem(IDENTITY, 2), None).lower == 1
    assert OPEN.lower == 2
    assert Verdict(Problem(IDENTITY, 3), decide(IDENTITY, 2).proof, below=LINE).lower == 2


@pytest.mark.parametrize(
    ("problem", "below"),
    [
        (Problem(IDENTITY, 2), Verdict(Problem(IDENTITY, 1), None)),
        (Problem(IDENTITY, 1), LINE),
        (Problem(Pattern.from_text("1000\n0100\n0011\n0001"), 2), LINE),
    ],
    ids=["undecided", "no smaller d", "another pattern"],
)
def test_no_other_verdict_bounds_it(problem: Problem, below: Verdict) -> None:
    with pytest.raises(CertificateError, match="from below"):
        Verdict(problem, None, below=below)


# ---------------------------------------------------------------- words


def test_a_verdict_reads_well() -> None:
    assert repr(LINE) == (
        "<Verdict NO: no attention with d = 1 represents this 4 x 4 pattern; "
        "2 <= weak dimension <= 3>"
    )
    assert str(LINE).splitlines()[0] == LINE.headline
    assert str(LINE).splitlines()[1:] == LINE.explain()
    assert repr(decide([[1, 0]])).endswith("; weak dimension = 1>")


def test_an_open_question_says_what_is_proven_and_why() -> None:
    assert OPEN.headline == (
        "UNKNOWN: d = 2 is undecided for this 4 x 4 pattern; "
        "its weak dimension is proven to lie in 2..3."
    )
    assert OPEN.explain()[:2] == ["rank: gave up", "NO for d = 1:"]
    assert OPEN.explain()[2:] == [f"  {line}" for line in LINE.explain()]
    assert str(OPEN).splitlines()[1] == "  rank: gave up"


def test_a_dimension_that_suffices_is_not_called_undecided() -> None:
    assert Verdict(Problem(IDENTITY, 3), None).headline == (
        "UNKNOWN: d = 3 suffices for this 4 x 4 pattern, but no embedding was found; "
        "its weak dimension is proven to lie in 1..3."
    )
    assert "is undecided" in Verdict(Problem(IDENTITY, 3, 3), None).headline


def test_a_weak_dimension_reads_well() -> None:
    found = WeakDimension(IDENTITY, None, LINE)
    assert repr(found) == ("<WeakDimension: 2 <= weak dimension <= 3 for this 4 x 4 pattern>")
    assert found.explain()[0] == "NO for d = 1:"
    assert found.explain()[-1] == "YES for d = 3: it suffices for every 4 x 4 pattern."
    assert str(found).splitlines() == [found.headline, *found.explain()]


@pytest.mark.parametrize("result", [LINE, OPEN, WeakDimension(IDENTITY, None, LINE)], ids=repr)
def test_no_result_is_true_or_false(result: Verdict | WeakDimension) -> None:
    with pytest.raises(TypeError, match="neither true nor false"):
        bool(result)


def test_nothing_is_raised_where_truth_is_not_asked_for() -> None:
    assert LINE in [OPEN, LINE]
    assert {LINE.status: LINE}[Status.NO] is LINE


# ---------------------------------------------------------------- pictures


def test_results_draw_themselves(tmp_path: Path) -> None:
    for number, result in enumerate([LINE, OPEN, weak_dimension(IDENTITY)]):
        figure = result.draw(tmp_path / f"{number}.svg")
        assert "<svg" in (tmp_path / f"{number}.svg").read_text()
        assert figure.get_size_inches().min() > 1
    with pytest.raises(InputError, match="no row 7"):
        LINE.draw(rows=[7])


# ---------------------------------------------------------------- documents


@given(any_entries())
def test_documents_fit_their_schemas(entries: Entries) -> None:
    for document, name in (
        (decide(entries).to_json(), "verdict"),
        (weak_dimension(entries, only=["line", "rank"]).to_json(), "dimension"),
    ):
        schema(name).validate(json.loads(json.dumps(document)))
        assert document["pattern"]["source"] is None


def test_the_document_of_a_bound_from_below_holds_its_certificate() -> None:
    document = json.loads(json.dumps(OPEN.to_json()))
    schema("verdict").validate(document)
    assert document["weak_dimension"] == {"lower": 2, "upper": 3}
    assert LINE.certificate is not None
    assert document["below"] == json.loads(json.dumps(LINE.certificate.to_json()))
    document["below"] = {"d": 1}
    assert not schema("verdict").is_valid(document)


def timeless(document: dict[str, Any]) -> dict[str, Any]:
    """A document without what changes from run to run."""
    steps = [{**step, "seconds": 0} for step in document["trail"]]
    return {**document, "seconds": 0, "trail": steps}


@pytest.mark.parametrize("command", ["decide", "dim"])
@pytest.mark.parametrize("text", ["10\n01\n", "100\n010\n001\n", "1*0\n011\n101\n"])
def test_commands_print_the_documents_of_results(tmp_path: Path, command: str, text: str) -> None:
    source = str(tmp_path / "p.txt")
    Path(source).write_text(text)
    printed = json.loads(CliRunner().invoke(cli, [command, source, "--json"]).stdout)
    result = {"decide": decide, "dim": weak_dimension}[command](source)
    document = json.loads(json.dumps(result.to_json(source=source)))
    assert timeless(document) == timeless(printed)
    assert list(document) == list(printed)


# ---------------------------------------------------------------- interrupts


def test_an_interrupt_says_what_is_known_so_far() -> None:
    def progress(_moment: Progress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(Interrupted) as caught:
        decide(TRIPLES, 3, progress=progress)
    assert isinstance(caught.value, Interrupted)
    assert isinstance(caught.value, KeyboardInterrupt)
    assert caught.value.so_far.status is Status.UNKNOWN


# ---------------------------------------------------------------- what depends on what


def test_pictures_know_nothing_of_results() -> None:
    """Results draw themselves by them, so the other way would be a circle."""
    import samapprox.pictures

    for path in Path(samapprox.pictures.__path__[0]).glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom):
                assert node.module not in (
                    "samapprox.results.verdict",
                    "samapprox.results.dimension",
                ), path
