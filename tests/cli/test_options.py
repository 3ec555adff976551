"""Options that commands share: checked before any file is read, and blamed by name."""

from __future__ import annotations

import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import click
import numpy as np
import pytest
from helpers.commands import refused, run

from samapprox import Certificate, Embedding, Pattern, Problem, data, save
from samapprox.cli.main import cli
from samapprox.version import __version__

YES = str(data.path("minilm/s02_L4_H10_unif_n11.npz"))
NO = str(data.path("minilm/s00_L0_H08_top1_n8.npz"))
TALL = str(data.path("oriented-matroids/rank3_n8_0001.npz"))  # 28 x 8
ATTENTION = str(data.path("attention/att_s02_n11.npz"))


def all_options(command: click.Command) -> Iterator[click.Parameter]:
    yield from command.params
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from all_options(below)


def test_an_option_means_one_thing() -> None:
    found = defaultdict(set)
    for option in all_options(cli):
        for name in option.opts:
            found[name].add((type(option.type), option.type.name, getattr(option, "is_flag", None)))
    for name in ("--time-limit", "--json", "--causal", "--only", "--exit-code", "--memory-limit"):
        assert len(found[name]) == 1, name


# ---------------------------------------------------------------- whom an error blames


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["decide", "p", "-d", "0"], "-d: d must be a whole number of at least 1, not 0"),
        (["decide", "p", "--d-hid", "0"], "--d-hid: d_hid must be a whole number of at least 1"),
        (["decide", "p", "-d", "2", "--d-hid", "1"], "d_hid must be at least d, but d_hid = 1"),
        (["decide", "p", "--time-limit", "0"], "--time-limit: the time limit must be above 0"),
        (["decide", "p", "--time-limit", "nan"], "--time-limit: the time limit must be above 0"),
        (["decide", "p", "--only", "guess"], "--only: unknown strategy 'guess'; there are: line"),
        (["decide", "p", "--without", "lin"], "--without: unknown strategy 'lin' (did you mean"),
        (["decide", "p", "--arithmetic", "float8"], "--arithmetic: unknown arithmetic 'float8'"),
        (["verify", "p", "c", "--arithmetic", "float8"], "--arithmetic: unknown arithmetic"),
        (
            ["dim", "p", "--arithmetic", "int8", "--arithmetic", "float16"],
            "--arithmetic: this command takes only one, but got int8, float16",
        ),
        (
            ["approximate", "p", "--arithmetic", "int8", "--arithmetic", "int4"],
            "--arithmetic: this command takes only one, but got int8, int4",
        ),
        (
            ["dim", "p", "--arithmetic", "int8", "--similarity", "l2"],
            "--arithmetic tests dot products, and the similarity is l2",
        ),
        (
            ["decide", "p", "--arithmetic", "int8", "--similarity", "cosine"],
            "--arithmetic tests dot products, and the similarity is cosine",
        ),
        (
            ["dim", "p", "--margin", "0.1", "--arithmetic", "binary"],
            "--margin is about dot products of real vectors, not about binary",
        ),
        (
            ["batch", "p", "--task", "fit", "-d", "1", "--at", "9" * 20],
            "at (--at) must be at most 1099511627776",
        ),
        (
            [*("batch", "p", "--task", "furthest", "--graph", "star"), "--relabel", "9" * 20],
            "the seed must fit into 64 bits",
        ),
        (["rank", "p", "--exit-code"], "--exit-code needs --rank"),
        (["approximate", "p", "--ranks", "2"], "--ranks and --plot need --frontier"),
        (
            ["approximate", "p", "--frontier", "--output", "l.npz"],
            "--frontier compares layers and saves none: leave out --output",
        ),
        (["approximate", "p", "--weak", "q"], "--weak takes only a pattern: leave out A"),
        (["approximate", "p", "-d", "3", "--d-min"], "give -d or --d-min, not both"),
        (["binarize", "p"], "name one rule: --top-k K, --threshold T, --uniform or --mass P"),
        (["dim", "p", "--margin", "0.1", "--arithmetic", "int8"], "state --margin or --arithmetic"),
        (["margin", "p", "--dimensions", "8..1"], "--dimensions: the range 8..1 is empty; swap"),
        (["margin", "p", "--bits"], "--bits and --output need --dimensions"),
        (["plot", "p", "--d-hid", "2", "-o", "p.png"], "--d-hid needs -d: give both"),
        (
            ["batch", "p", "--task", "furthest", "--graph", "-"],
            "a batch cannot read its graph (--graph) from standard input",
        ),
        (
            ["batch", "p", "--cluster", "--scheduler", "tcp://x:1"],
            "give the address of a scheduler or ask for a local cluster, not both",
        ),
        (["approximate", "p", "--arithmetic", "float8"], "--arithmetic: unknown arithmetic"),
        (["approximate", "p", "--time-limit", "-1"], "--time-limit: the time limit must be above"),
        (["dim", "p", "--time-limit", "1e10"], "--time-limit: the time limit must be above 0"),
        (["dim", "p", "--only", "guess"], "--only: unknown strategy 'guess'"),
        (["encode", "p", "--to", "opb", "-d", "-1"], "-d: d must be a whole number"),
        (["encode", "p", "--to", "smtlib", "--rows", "1"], "smtlib has no choice of rows"),
        (["plot", "p", "-d", "0", "-o", "p.png"], "-d: d must be a whole number of at least 1"),
        (["plot", "p", "-d", "2", "--d-hid", "1", "-o", "p.png"], "d_hid must be at least d"),
        (["graph", "check", "p", "--time-limit", "0"], "--time-limit: the time limit must be"),
        (["batch", "p", "--time-limit", "0"], "--time-limit: the time limit must be above 0"),
        (["decode", "p", "a", "--encoding", "e", "--time-limit", "0"], "--time-limit: the time"),
    ],
)
def test_an_option_is_refused_before_any_file_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    """None of the files is there: an error about one of them would come first."""
    monkeypatch.chdir(tmp_path)
    done = run(*arguments)
    refused(done, message)
    assert done.stderr.startswith(f"samapprox: error: {message[:20]}")
    assert list(tmp_path.iterdir()) == []


def test_a_pattern_that_does_not_fit_the_question_is_named() -> None:
    wide = str(data.path("limit/limit.npz"))
    for arguments in (["decide", wide, "--d-hid", "1"], ["dim", wide, "--d-hid"]):
        done = run(*arguments)
        refused(done, "needs a square pattern")
        assert done.stderr.startswith(f"samapprox: error: {wide}: ")


def test_an_option_of_approximate_does_not_blame_the_matrix(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.full((3, 3), 1 / 3))
    matrix = str(tmp_path / "a.npy")
    refused(run("approximate", matrix, "--eps1", "2"), "samapprox: error: eps1 ")
    refused(run("approximate", matrix, "-d", "4", "--d-hid", "2"), "error: d_hid must be")
    refused(run("approximate", matrix, "--k", "1"), f"error: {matrix}: k = 1 is less than A's")


def test_a_memory_limit_does_not_blame_the_pattern() -> None:
    done = run("decide", YES, "--memory-limit", "1M")
    refused(done, "error: --memory-limit: the memory limit must be at least 100 MB, not 1 MB")
    assert YES not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["decide", YES, "--format", "npx"],
            "--format: unknown format 'npx' (did you mean 'npz'?)",
        ),
        (["graph", "info", YES, "--format", "npx"], "--format: unknown format 'npx'"),
        (
            ["decide", YES, "--memory-limit", "1"],
            "--memory-limit: the memory limit must be at least 100 MB, not 1 byte",
        ),
        (["batch", YES, "--memory-limit", "1M"], "--memory-limit: the memory limit must be"),
        (["batch", YES, "-d", "0"], "-d: d must be"),
        (["plot", YES, "-d", "0", "-o", "p.png"], "-d: d must be"),
        (["plot", YES, "-d", "1", "--d-hid", "0", "-o", "p.png"], "--d-hid: d_hid must be"),
        (["plot", YES, "--row", "-1", "-o", "p.png"], "--row: there is no row -1; rows are 0.."),
        (
            ["plot", TALL, "--row", "28", "-o", "p.png"],
            "--row: there is no row 28; rows are 0..27",
        ),
        (
            ["encode", TALL, "--to", "dimacs", "--rows", "28"],
            "--rows: there is no row 28; rows are 0..27",
        ),
        (
            ["encode", TALL, "--to", "dimacs", "--columns", "0,8"],
            "--columns: there is no column 8; columns are 0..7",
        ),
        (["encode", YES, "--to", "dimacs", "--rows", "0,00"], "--rows must name each index once"),
        (["schema", "verdct"], "unknown schema 'verdct' (did you mean 'verdict'?); there are: "),
    ],
)
def test_a_wrong_value_names_its_option(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    refused(run(*arguments), f"samapprox: error: {message}")
    assert not list(tmp_path.iterdir())


def test_an_encoding_of_another_pattern_is_blamed_itself(tmp_path: Path) -> None:
    encoding = str(tmp_path / "e")
    run("encode", NO, "-d", "2", "--to", "dimacs", "-o", encoding)
    done = run("decode", YES, "-", "--encoding", encoding, stdin="s UNSATISFIABLE\n")
    refused(done, f"{encoding}: the encoding is about another pattern")


# ---------------------------------------------------------------- mistyped names


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["decid", YES], "No such command 'decid'. Did you mean 'decide'?"),
        (["graph", "chek"], "No such command 'chek'. Did you mean 'check'?"),
        (["generate", "randm"], "No such command 'randm'. Did you mean 'random'?"),
        (["reduce", "attention-to-patern"], "Did you mean 'attention-to-pattern'?"),
        (["decide", YES, "--time-limt", "3"], "No such option"),  # click chooses the words
        (["decide", YES, "--time-limt", "3"], "--time-limit"),
        (["qqqqq"], "samapprox: error: No such command 'qqqqq'. See `"),
    ],
)
def test_a_mistyped_command_or_option_names_the_nearest(arguments: list[str], message: str) -> None:
    done = run(*arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    assert message in done.stderr


def test_the_mask_of_a_graph_names_the_nearest() -> None:
    done = run("graph", "info", "bigbrid:w=3", "--n", "9")
    refused(
        done, "neither a file nor a known graph (did you mean 'bigbird'?); known graphs: full, "
    )


# ---------------------------------------------------------------- work that nobody asked for


def test_no_fingerprint_is_computed_unless_a_certificate_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: Pattern) -> str:
        raise AssertionError("a fingerprint")

    monkeypatch.setattr(Pattern, "sha256", property(refuse))
    for source in (YES, NO):
        assert run("decide", source).exit_code == 0
        assert run("decide", source, "--json").exit_code == 0
        assert run("dim", source).exit_code == 0
        assert run("plot", source, "-d", "1", "-o", str(tmp_path / "p.svg")).exit_code == 0
        assert run("decide", source, "--certificate", "-").exit_code != 0


# ---------------------------------------------------------------- numbers beyond all bounds


def huge(digits: int) -> tuple[Pattern, Certificate]:
    """A proof whose coordinates have so many digits, and whose logits have twice as many."""
    far = 10 ** (digits - 1)
    pattern = Pattern.from_text("10\n01")
    proof = Embedding([[far], [-far]], [[far], [-far]], [0, 0])
    return pattern, Certificate.of(Problem(pattern, 1), proof)


@pytest.mark.parametrize("digits", [30, 2000, 3000, 4300])
def test_a_valid_certificate_of_long_numbers_is_valid(tmp_path: Path, digits: int) -> None:
    pattern, certificate = huge(digits)
    source, path = str(tmp_path / "p.npz"), str(tmp_path / "c.json")
    save(pattern, source)
    certificate.save(path)
    done = run("verify", source, path, "--arithmetic", "float32")
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("VALID: YES for d = 1\n")
    assert "In float32, every row comes out right." in done.stdout
    exponent = f"{2 * digits - 2}.0"
    if 2 * digits - 1 > 4300:
        assert "logits have more than 4,300 digits" in done.stdout
    else:
        assert f"logits lie in -10^{exponent}..10^{exponent}" in done.stdout
    document = run("verify", source, path, "--json")
    assert document.exit_code == 0
    logit = 10 ** (2 * digits - 2)
    shown = "null" if 2 * digits - 1 > 4300 else str(logit)
    assert f'"highest": {shown}' in document.stdout


def test_longer_numbers_are_refused_both_ways_in_one_line(tmp_path: Path) -> None:
    pattern, certificate = huge(4301)
    save(pattern, tmp_path / "p.npz")
    assert certificate.verify(pattern)
    with pytest.raises(ValueError, match="more than 4300 digits"):
        certificate.save(tmp_path / "c.json")
    assert not (tmp_path / "c.json").exists()
    (tmp_path / "c.json").write_text('{"format": ' + "1" * 4301 + "}")
    done = run("verify", str(tmp_path / "p.npz"), str(tmp_path / "c.json"))
    refused(done, "c.json: not a JSON certificate: a number has more than 4300 digits")


# ---------------------------------------------------------------- python -m samapprox


def module(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "samapprox", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_module_is_the_command() -> None:
    assert module("--version").stdout == f"samapprox, version {__version__}\n"
    assert module("decide", NO, "--exit-code").returncode == 20
    assert module("fly").stderr.endswith("No such command 'fly'. See `samapprox --help`.\n")
    assert module("--fly").stderr == (
        "samapprox: error: No such option '--fly'. See `samapprox --help`.\n"
    )
    assert module("decide", "missing.npz").returncode == 2
