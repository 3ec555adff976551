"""The command line, through click's runner."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import click
import numpy as np
import pytest
from helpers.commands import refused, run

from samapprox import (
    Certificate,
    Fact,
    Instance,
    Pattern,
    data,
    decide,
    load,
    load_instance,
    save,
)
from samapprox.cli.main import COMMANDS, cli

YES = str(data.path("minilm/s02_L4_H10_unif_n11.npz"))
NO = str(data.path("minilm/s00_L0_H08_top1_n8.npz"))
ATTENTION = str(data.path("attention/att_s02_n11.npz"))


# ---------------------------------------------------------------- decide and verify


def test_yes_prints_the_order_of_the_keys() -> None:
    done = run("decide", YES)
    assert done.exit_code == 0
    assert done.stdout.startswith("YES: attention with d = 1 can represent this 11 x 11 pattern.\n")
    assert "4 'on' < 5 'the' < 10 '[SEP]' < 9 '.' < 0 '[CLS]'" in done.stdout


def test_no_prints_three_named_rows() -> None:
    done = run("decide", NO)
    assert done.exit_code == 0
    assert done.stdout.startswith("NO: no attention with d = 1 represents this 8 x 8 pattern.\n")
    for label in ("row 0 ('[CLS]')", "row 1 ('the')", "row 5 ('day')", "column 5 ('day')"):
        assert label in done.stdout


def test_unknown_says_what_is_proven() -> None:
    done = run("decide", NO, "-d", "2", "--only", "line")
    assert done.exit_code == 0
    assert done.stdout.startswith(
        "UNKNOWN: d = 2 is undecided for this 8 x 8 pattern; its weak dimension is proven to lie"
    )
    assert "line: " not in done.stdout
    assert (
        "(no strategy has more to try in this time; --verbose says why strategies gave up"
        in done.stdout
    )
    verbose = run("decide", NO, "-d", "2", "--only", "line", "--verbose")
    assert "\n  line: " in verbose.stdout
    assert "--verbose" not in verbose.stdout
    document = json.loads(run("decide", NO, "-d", "2", "--only", "line", "--json").stdout)
    assert [step["strategy"] for step in document["trail"]] == ["line"]


@pytest.mark.parametrize(
    ("source", "arguments", "status"),
    [(YES, [], 10), (NO, [], 20), (NO, ["-d", "2", "--only", "line"], 30)],
)
def test_exit_codes_on_demand(source: str, arguments: list[str], status: int) -> None:
    assert run("decide", source, "--exit-code", *arguments).exit_code == status


def test_certificates_verify_for_their_pattern_alone(tmp_path: Path) -> None:
    for source, other in ((YES, NO), (NO, YES)):
        path = str(tmp_path / "c.json")
        saved = run("decide", source, "--certificate", path)
        assert f"certificate saved to {path}" in saved.stderr
        good = run("verify", source, path)
        assert (good.exit_code, good.stdout[:6]) == (0, "VALID:")
        bad = run("verify", other, path)
        assert (bad.exit_code, bad.stdout[:10]) == (1, "NOT VALID:")
        assert "it is about another pattern" in bad.stdout


def test_verify_says_why_a_changed_certificate_fails(tmp_path: Path) -> None:
    certificate = decide(load(YES)).certificate
    assert certificate is not None
    document = certificate.to_json()
    document["proof"]["thresholds"][3] += 100
    (tmp_path / "c.json").write_text(json.dumps(document))
    done = run("verify", YES, str(tmp_path / "c.json"), "--json")
    assert done.exit_code == 1
    answer = json.loads(done.stdout)
    assert answer["valid"] is False
    assert "row 3 ('softly')" in answer["reason"]


def test_coupled_and_causal_questions() -> None:
    assert run("decide", "-", "--d-hid", "1", stdin="011\n110\n001\n").stdout.startswith("NO")
    assert run("decide", "-", "--causal", stdin="10\n11\n").exit_code == 0


def test_json_is_one_line_of_json(tmp_path: Path) -> None:
    done = run("decide", NO, "--json", "--certificate", str(tmp_path / "c.json"))
    document = json.loads(done.stdout)
    assert done.stdout.count("\n") == 1
    assert (document["answer"], document["proof"]["kind"]) == ("NO", "radon")
    assert Certificate.load(tmp_path / "c.json").answer == "NO"


def test_no_certificate_for_unknown(tmp_path: Path) -> None:
    target = str(tmp_path / "c.json")
    done = run("decide", NO, "-d", "2", "--only", "line", "--certificate", target)
    assert "UNKNOWN has no certificate to save" in done.stderr
    assert not (tmp_path / "c.json").exists()


def test_algorithm1_as_published() -> None:
    assert run("decide", NO, "--method", "algorithm1").stdout.startswith("NO")
    assert run("decide", YES, "--method", "algorithm1").stdout.startswith("YES")


# ---------------------------------------------------------------- bad questions


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["decide", "missing.npz"], "missing.npz: No such file"),
        (["decide", YES, "-d", "0"], "d must be a whole number of at least 1"),
        (["decide", YES, "-d", "2", "--d-hid", "1"], "d_hid must be at least d"),
        (["decide", str(data.path("limit/limit.npz")), "--d-hid", "1"], "needs a square pattern"),
        (["decide", str(data.path("limit/limit.npz")), "--causal"], "as many queries as keys"),
        (["decide", YES, "--method", "magic"], "unknown strategy 'magic'; there are: line"),
        (["decide", YES, "--key", "Q"], "no array 'Q'; there are: S"),
        (["decide", YES, "--format", "x"], "unknown format 'x'"),
        (["decide", YES, "--certificate", "/no/such/folder/c.json"], "/no/such/folder/c.json"),
        (["verify", YES, "missing.json"], "missing.json: No such file"),
        (["verify", YES, YES], "not a JSON certificate"),
        (["binarize", ATTENTION], "name one rule"),
        (["binarize", ATTENTION, "--top-k", "1", "--uniform"], "name one rule"),
        (["binarize", ATTENTION, "--top-k", "1"], "72 matrices of shape (11, 11); name a folder"),
        (["binarize", ATTENTION, "--top-k", "1", "--select", "9,9"], "has no position 9 on axis 0"),
        (["binarize", ATTENTION, "--top-k", "1", "--select", "a"], "whole numbers"),
        (["binarize", ATTENTION, "--top-k", "0", "--select", "0,0"], "k >= 1"),
        (["generate", "random", "--density", "2"], "density must be in"),
        (["generate", "line", "--count", "2"], "name one with --output"),
        (["generate", "line", "--rows", "3", "--causal"], "as many queries as keys, not 3 x 20"),
        (["generate", "topes", "--chirotope", "+-"], "rank 3 on 9 elements needs 84 signs, not 2"),
        (["generate", "line", "--count", "2", "--output", YES], "File exists"),
        (["generate", "all-subsets", "--n", "300000000", "--k", "150000000"], "more than"),
        (["binarize", ATTENTION, "--uniform", "--output", YES], "several patterns go to a folder"),
        (["decide", YES, "-d", "9" * 30, "--d-hid", "9" * 30], "d must be at most"),
        (["decide", YES, "--time-limit", "0"], "time limit must be above 0"),
        (["plot", YES, "--output", "p.xyz"], "p.xyz: pictures are written as"),
        (["plot", YES, "--certificate", "missing.json", "--output", "p.png"], "missing.json"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(arguments: list[str], message: str) -> None:
    refused(run(*arguments), message)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fly"], "error: No such command 'fly'. See `"),
        (["graph", "check"], "error: Missing argument 'MASK'. See `"),
        (["decide", YES, "-d", "x"], "Invalid value for '-d': 'x' is not a valid integer. See `"),
        (["decide", YES, "-d"], "error: Option '-d' requires an argument. See `samapprox decide"),
        (["fit", YES, "--similarity", "l1"], "'l1' is not one of 'dot', 'cosine', 'l2', 'all'."),
        (["margin", YES, "--similarity", "l2"], "than dot products are for decide, dim, fit, plot"),
    ],
)
def test_bad_usage_is_one_line_and_exit_2(arguments: list[str], message: str) -> None:
    refused(run(*arguments), message)


def test_a_group_without_a_command_prints_its_help() -> None:
    assert "\nCommands:\n" in run("graph").stderr


def test_left_out_queries_are_noted(tmp_path: Path) -> None:
    (tmp_path / "a.qrels").write_text("q1 0 a 1\nq2 0 a 0\n")
    done = run("decide", str(tmp_path / "a.qrels"))
    assert done.exit_code == 0
    assert done.stderr == (
        f"samapprox: note: {tmp_path}/a.qrels: 1 of 2 queries has no relevant document and is left "
        "out: 'q2'\n"
    )


# ---------------------------------------------------------------- the other commands


def test_show() -> None:
    done = run("show", YES)
    for line in ("rows: 11", "merged: 5 x 6", "origin: layer = 4", "10001100011"):
        assert line in done.stdout.splitlines()
    document = json.loads(run("show", YES, "--json").stdout)
    assert document["sha256"] == load(YES).sha256
    assert document["ones a row"] == "1..5"
    assert document["parts"] is None  # so small a pattern is decided as a whole


def test_show_names_the_parts(tmp_path: Path) -> None:
    ring = np.eye(20, dtype=int) + np.roll(np.eye(20, dtype=int), 1, axis=1)
    entries = np.zeros((41, 41), dtype=int)
    entries[:20, :20], entries[20:40, 19:39], entries[40, 39:] = ring, ring, 1
    (tmp_path / "p.txt").write_text(Pattern(entries).to_text())
    done = run("show", str(tmp_path / "p.txt"))
    assert (
        "parts: 3 (20 x 20, 20 x 20, 1 x 1); 1 cut column (shared by parts)"
        in done.stdout.splitlines()
    )
    document = json.loads(run("show", str(tmp_path / "p.txt"), "--json").stdout)
    assert document["parts"] == {
        "number": 3,
        "different": 2,
        "cut columns": 1,
        "largest": ["20 x 20", "20 x 20", "1 x 1"],
    }


def test_show_of_a_causal_view_keeps_only_what_follows(tmp_path: Path) -> None:
    pattern = Pattern.from_text("100\n110\n101")
    facts = (Fact(1, None, "YES", "a line"), Fact(1, 1, "NO", "not really"))
    save(Instance(pattern, facts), tmp_path / "p.npz")
    done = run("show", str(tmp_path / "p.npz"), "--causal", "--json")
    assert [line[:3] for line in json.loads(done.stdout)["known"]] == ["YES"]


@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_plot(tmp_path: Path, kind: str) -> None:
    magic = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[kind]
    path = tmp_path / f"p.{kind}"
    assert run("plot", YES, "-d", "1", "--output", str(path)).stdout.strip() == str(path)
    assert path.read_bytes().startswith(magic)


def test_plot_refuses_a_proof_of_something_else(tmp_path: Path) -> None:
    run("decide", YES, "--certificate", str(tmp_path / "c.json"))
    refused(
        run("plot", NO, "--certificate", str(tmp_path / "c.json"), "--output", "p.png"),
        "it is about another pattern",
    )
    picture = str(tmp_path / "p.png")
    assert run("plot", YES, "--certificate", str(tmp_path / "c.json"), "--output", picture).stdout


def test_binarize_one_head(tmp_path: Path) -> None:
    target = tmp_path / "head.npz"
    done = run("binarize", ATTENTION, "--uniform", "--select", "4,10", "--output", str(target))
    assert done.stdout == f"{target}: 11 x 11, 28 ones\n"
    assert load(target) == load(YES)
    assert load_instance(target).origin == {
        "attention": "att_s02_n11.npz",
        "rule": "unif",
        "position": "4,10",
    }
    printed = run("binarize", ATTENTION, "--uniform", "--select", "4,10").stdout
    assert printed.strip() == load(YES).to_text()


def test_binarize_a_layer(tmp_path: Path) -> None:
    done = run(
        "binarize", ATTENTION, "--top-k", "2", "--select", "4", "--output", str(tmp_path / "out")
    )
    assert done.exit_code == 0, done.stderr
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert len(names) == 12
    assert names[0] == "att_s02_n11_4_0_top2.npz"


def test_binarize_counts_ties(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.full((2, 2, 2), 0.5))
    arguments = ["binarize", str(tmp_path / "a.npy"), "--top-k", "1", "--output", str(tmp_path)]
    for ties, which in (([], "all"), (["--ties", "first"], "the first")):
        done = run(*arguments, *ties)
        assert done.exit_code == 0
        note = f"equal weights at the cut in 4 rows: {which} of the tied keys are kept"
        assert note in done.stderr
        assert load(tmp_path / "a_0_top1.npz").count == (2 if ties else 4)


def test_generate_prints_what_is_read_again() -> None:
    text = run("generate", "line", "--rows", "4", "--columns", "6", "--seed", "3").stdout
    assert text.startswith("# family=line rows=4 columns=6 seed=3\n# YES for d = 1\n")
    assert run("decide", "-", stdin=text).stdout.startswith("YES")


def test_generate_a_causal_view(tmp_path: Path) -> None:
    options = ["generate", "line", "--rows", "4", "--columns", "4", "--causal"]
    text = run(*options).stdout
    assert text.startswith(
        "# family=line rows=4 columns=4 seed=0 causal=1\n# YES for d = 1\n1***\n"
    )
    done = run(*options, "--output", str(tmp_path))
    assert done.stdout.endswith("line_rows4_columns4_seed0_causal1.npz: YES for d = 1\n")
    saved = run("show", str(next(tmp_path.iterdir()))).stdout
    assert "origin: causal = 1" in saved


def test_generate_topes_of_a_chirotope_that_begins_with_a_minus() -> None:
    done = run("generate", "topes", "--elements", "4", "--chirotope", "----")
    assert done.stdout == run(
        "generate", "topes", "--elements", "4", "--chirotope=++++"
    ).stdout.replace("++++", "----")


def test_generate_many(tmp_path: Path) -> None:
    done = run("generate", "random", "--count", "3", "--seed", "7", "--output", str(tmp_path))
    assert done.stdout.count("nothing known") == 3
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names[0] == "random_rows20_columns20_density0.5_seed7.npz"
    assert load_instance(tmp_path / names[2]).origin["seed"] == 9


@pytest.mark.parametrize("command", [[], *([name] for name in COMMANDS), ["generate", "line"]])
def test_help(command: list[str]) -> None:
    done = run(*command, "--help")
    assert done.exit_code == 0
    assert done.stdout.startswith("Usage: ")


def test_help_lists_what_there_is() -> None:
    text = run("--help").stdout
    assert all(name in text for name in COMMANDS)


# ---------------------------------------------------------------- options of one name


def all_commands(command: click.Command, name: str) -> Iterator[tuple[str, click.Command]]:
    yield name, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for one in command.list_commands(context):
            below = command.get_command(context, one)
            assert below is not None
            yield from all_commands(below, f"{name} {one}")


def test_whatever_writes_to_output_does_so_under_its_short_name() -> None:
    found = {
        name: option.opts
        for name, command in all_commands(cli, "samapprox")
        for option in command.params
        if "--output" in option.opts
    }
    assert len(found) > 20
    assert {name for name, options in found.items() if "-o" not in options} == set()
