"""`samapprox heads`: from weights to the least dimension of every head, in one command."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.attention.head_tables import SHIPPED, numbers, weights
from helpers.commands import refused, run
from helpers.programs.terminals import run_at_terminal
from helpers.schemas import assert_tight, schema

from samapprox import load, weak_dimension
from samapprox.attention import Mass, TopK, Uniform, binarize, load_attention
from samapprox.batch import Outcome, Question, Run, Store
from samapprox.batch.heads.answer import describe_map
from samapprox.batch.report.heads import Cell, HeadMap, Interval

pytestmark = pytest.mark.usefixtures("_in_process")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Run in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


# ---------------------------------------------------------------- what is printed


def test_every_head_of_the_shipped_text() -> None:
    done = run("heads", str(SHIPPED), "--top-k", "1")
    assert done.exit_code == 0, done.output
    tensor = load_attention(SHIPPED)
    expected = [[weak_dimension(binarize(head, TopK(1))) for head in layer] for layer in tensor]
    assert all(one.exact for layer in expected for one in layer)
    assert numbers(done.stdout) == [[str(one.lower) for one in layer] for layer in expected]
    most = max(one.lower for layer in expected for one in layer)
    assert (
        f"\nFor this text and rule, every head fits into d = {most}, by some embedding.\n"
        in done.stdout
    )
    assert done.stdout.endswith("Results in att_s02_n11.heads.sqlite\n")
    with Store("att_s02_n11.heads.sqlite") as store:
        for (row,) in store.query("SELECT id FROM result").fetchall():
            evidence = store.evidence(row)
            assert evidence.pattern is not None
            for certificate in (evidence.yes, evidence.no):
                assert certificate is None or certificate.verify(evidence.pattern)


def test_a_table_for_each_rule_and_the_largest_over_texts() -> None:
    np.save("a.npy", weights(2, 2, 2, 5, 5))
    options = ["--axes", "text,layer,head", "--top-k", "2", "--mass", "0.8", "--top-k", "2"]
    done = run("heads", "a.npy", *options)
    assert done.exit_code == 0, done.output
    tensor = np.load("a.npy")
    texts = "(the largest over 2 patterns)"
    for rule, table in zip((Mass(0.8), TopK(2)), done.stdout.split("Least d")[1:], strict=True):
        assert table.startswith(f" by layer and head, attention {rule.name} {texts}:\n")
        cells = [
            [
                str(max(weak_dimension(binarize(tensor[t, at, h], rule)).lower for t in range(2)))
                for h in range(2)
            ]
            for at in range(2)
        ]
        assert numbers(table) == cells


def test_the_document() -> None:
    np.save("a.npy", weights(2, 2, 5, 5))
    done = run("heads", "a.npy", "--top-k", "1", "--uniform", "--json", "--results", "r.sqlite")
    assert done.exit_code == 0, done.output
    document = json.loads(done.stdout)
    assert_tight(schema("heads"), document)
    assert document["rules"] == ["top1", "unif"]
    assert (document["patterns"], document["skipped"]) == (8, 0)
    assert (document["results"], document["head_dimension"]) == ("r.sqlite", None)
    for family, rule in zip(document["families"], (TopK(1), Uniform()), strict=True):
        assert family["family"] == f"attention {rule.name}"
        for head in family["heads"]:
            matrix = np.load("a.npy")[head["layer"], head["head"]]
            found = weak_dimension(binarize(matrix, rule))
            assert (head["lower"], head["upper"]) == (found.lower, found.upper)
        assert family["upper"] == max(head["upper"] for head in family["heads"])
    assert (
        json.loads(run("heads", "a.npy", "--json", "--results", "r.sqlite").stdout)["skipped"] == 4
    )


@pytest.mark.parametrize(("shape", "cells"), [((4, 4), 1), ((3, 4, 4), 3)])
def test_a_lone_matrix_and_a_lone_layer_have_a_map(shape: tuple[int, ...], cells: int) -> None:
    np.save("a.npy", weights(*shape))
    done = run("heads", "a.npy", "-o", "page.html")
    assert [len(row) for row in numbers(done.stdout)] == [cells]
    assert done.stdout.endswith("Results in a.heads.sqlite, page in page.html\n")
    assert '<table class="heads"><caption>attention unif<' in Path("page.html").read_text()


def test_unsettled_heads_are_intervals() -> None:
    cells = {
        (0, 0): Cell(Interval(2, 4), 1),
        (0, 1): Cell(Interval(3, 3), 1),
        (1, 1): Cell(Interval(1, 1), 1),
    }
    assert "\n".join(describe_map(HeadMap("attention unif", cells), 32)) == (
        "Least d by layer and head, attention unif:\n"
        "      H0  H1\n"
        "L0  2..4   3\n"
        "L1         1\n"
        "For this text and rule, every head fits into d = 4, by some embedding, and some head "
        "needs at least 3; the model gives its heads 32 dimensions.\n"
        "1 of 3 heads not settled; a longer --time-limit may settle more."
    )


def test_what_the_answer_leaves_out_is_part_of_it() -> None:
    given = weights(1, 3, 4, 4)
    given[0, 0, 3] = 0
    given[0, 2] *= 3
    np.save("a.npy", given)
    done = run("heads", "a.npy")
    assert done.exit_code == 0
    assert re.search(
        r"every measured head fits into d = \d \(left out: 1 masked row, 1 skipped matrix\), by",
        done.stdout,
    )


def test_patterns_without_an_answer_are_part_of_it() -> None:
    found = HeadMap("attention unif", {(0, 0): Cell(Interval(2, 2), 1)})
    assert (
        "every measured head fits into d = 2 (left out: 2 patterns without an answer), by some "
        in "\n".join(describe_map(found, None, unanswered=2))
    )


def test_a_claim_about_several_texts_says_so() -> None:
    np.save("a.npy", weights(2, 1, 2, 4, 4))
    done = run("heads", "a.npy", "--axes", "text,layer,head")
    assert "\nFor these texts and this rule, every head fits into d = " in done.stdout


@pytest.mark.parametrize("causal", ["--causal", "--no-causal"])
def test_a_rule_that_keeps_every_key_asks_nothing(causal: str) -> None:
    lower = np.tri(4) / np.arange(1, 5)[:, None]
    np.save("a.npy", np.stack([lower, lower]) if causal == "--causal" else weights(2, 4, 4))
    done = run("heads", "a.npy", causal, "--top-k", "100")
    assert "samapprox: note: 2 patterns of attention top100 have no 0, which asks" in done.stderr
    assert "\nNothing was asked of the heads: no pattern has a 0, so any" in done.stdout
    assert "fits into" not in done.stdout
    found = json.loads(run("heads", "a.npy", causal, "--top-k", "100", "--json").stdout)
    assert found["families"][0]["without_zeros"] == found["patterns"]


def test_texts_are_lines_and_not_whatever_unicode_breaks() -> None:
    from samapprox.cli.instances.heads import _read_texts

    Path("t.txt").write_bytes("a\u2028b\r\nc\x0cd\n".encode())
    assert _read_texts("t.txt") == ["a\u2028b", "c\x0cd"]


def test_failures_are_left_out_of_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where there is no answer at all."""
    from samapprox.batch.heads import measure as heads

    def fail(instances: object, question: Question, results: str, **_: object) -> Run:
        done = measure(instances, question, results)
        with Store(results) as store:
            own = [one._replace(**failure) for one in store.outcomes(done.question) if one.head]
        monkeypatch.setattr(Store, "outcomes", lambda *_, **__: iter(kept + own))
        return done

    failure: dict[str, Any] = {"verdict": "ERROR", "error": "killed", "lower": None, "upper": None}
    kept = [Outcome("a/H0_unif.npz", "", "attention unif", 0, 0, verdict="", lower=1, upper=1)]
    measure = heads.run
    monkeypatch.setattr(heads, "run", fail)
    np.save("a.npy", weights(2, 3, 3))
    done = run("heads", "a.npy")
    assert done.exit_code == 1
    assert "fits into d = 1 (left out: 1 pattern without an answer), by" in done.stdout
    kept.clear()
    done = run("heads", "a.npy")
    assert done.exit_code == 1
    assert done.stdout.startswith("No head has an answer.\n")


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_tables_fit_the_terminal(columns: int) -> None:
    program = (
        "from samapprox.batch.report.heads import *\n"
        "from samapprox.batch.report.heads import Interval\n"
        "from samapprox.batch.heads.answer import describe_map\n"
        "from samapprox.cli.terminal import terminal_width\n"
        "for heads in (12, 32, 96):\n"
        "    places = [(layer, head) for layer in (0, 11) for head in range(heads)]\n"
        "    cells = {(at, h): Cell(Interval(1 + h % 3, 1 + h % 13), 1) for at, h in places}\n"
        "    found = HeadMap('attention unif', cells)\n"
        "    print(*describe_map(found, None, width=terminal_width()), sep='\\n')"
    )
    text = run_at_terminal("-c", program, command=Path(sys.executable), columns=columns)
    tables = text.split("Least d by layer and head")[1:]
    for heads, told in zip((12, 32, 96), tables, strict=True):
        table = told.partition("\n")[2].partition("For this text")[0].splitlines()
        assert max(map(len, table)) <= columns
        names = [name for line in table if "H" in line for name in re.findall(r"H\d+", line)]
        assert names == [f"H{head}" for head in range(heads)]


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "name a SOURCE of attention weights, or --model DIR with --texts FILE"),
        (["a.npy", "--model", "m"], "a.npy: give either SOURCE or --model with --texts, not both"),
        (["a.npy", "--texts", "t"], "a.npy: give either SOURCE or --model with --texts, not both"),
        (["--texts", "t"], "name a SOURCE of attention weights, or --model DIR"),
        (["--model", "m"], "--model needs --texts FILE, with one text per line"),
        (["--model", "m", "--texts", "no"], "no: No such file or directory"),
        (["--model", "m", "--texts", "t"], "m: there is no such folder; models are read from"),
        (["--model", ".", "--texts", "t"], ".: there is no config.json"),
        (["--model", "m", "--texts", "void"], "void: holds no text; write one per line"),
        (["--model", "m", "--texts", "gap"], "gap: line 2 is empty; write one text per line"),
        (["--model", "m", "--texts", "a.npy"], "a.npy: byte 0 is not text"),
        (["--model", "m", "--texts", "t", "--logits"], "--logits is about files of attention"),
        (["--model", "m", "--texts", "t", "--select", "0"], "--select is about files of attention"),
        (["no.npy"], "no.npy: No such file"),
        (["a.npy", "--top-k", "0"], "top-k needs k >= 1, not 0"),
        (["a.npy", "--mass", "2"], "the mass must be above 0 and at most 1, not 2.0"),
        (["a.npy", "--select", "x"], "--select takes whole numbers as in 0,8, not 'x'"),
        (["a.npy", "--select", ",1"], "--select takes whole numbers as in 0,8, not ',1'"),
        (["a.npy", "--select", "2"], "a.npy: no layer 2; choose 0 to 1"),
        (["a.npy", "--select", "1,2"], "a.npy: no head 2 in layer 1; choose 0 to 1"),
        (["a.npy", "--time-limit", "0"], "--time-limit: the time limit must be above 0"),
        (["a.npy", "--axes", "layer"], "2 leading axes, not 1"),
        (["a.npy", "--results", "a.npy"], "would be overwritten"),
        (["a.npy", "--results", "x", "-o", "x"], "x: two "),
        (["a.npy", "-o", "no/page.html"], "no/page.html: there is no such folder"),
        (["void.npy"], "void.npy: a tensor of shape (0, 3, 3) holds no matrix"),
    ],
)
def test_bad_input_is_one_line(arguments: list[str], message: str) -> None:
    np.save("a.npy", weights(2, 2, 3, 3))
    np.save("void.npy", np.zeros((0, 3, 3)))
    Path("t").write_text("the cat sat on a mat\na dog\n")
    Path("void").write_text("\n \n")
    Path("gap").write_text("the cat\n\nsat\n")
    before = sorted(Path().iterdir())
    refused(run("heads", *arguments), message)
    assert sorted(Path().iterdir()) == before


def test_a_result_file_of_another_program_is_refused() -> None:
    np.save("a.npy", weights(2, 2, 3, 3))
    Path("a.heads.sqlite").write_text("something else")
    refused(run("heads", "a.npy"), "a.heads.sqlite: ")


def test_what_heads_measures_is_what_dim_says() -> None:
    """The same pattern by binarize and dim, one command after another."""
    run("binarize", str(SHIPPED), "--uniform", "--select", "4,10", "-o", "p.npz")
    found = weak_dimension(load("p.npz"))
    done = json.loads(run("heads", str(SHIPPED), "--select", "4", "--json").stdout)
    (head,) = [one for one in done["families"][0]["heads"] if one["head"] == 10]
    assert (head["layer"], head["lower"], head["upper"]) == (4, found.lower, found.upper)
