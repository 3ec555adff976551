"""`samapprox margin`, and `dim --arithmetic`: words, documents, certificates, refusals."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from helpers.commands import refused, run
from helpers.schemas import assert_tight, schema

from samapprox import Certificate, Embedding, Pattern
from samapprox.cli.pattern import margin as command
from samapprox.errors import Interrupted
from samapprox.precision import EMBEDDING_FORMATS, rows_lost

IDENTITY = "1000\n0100\n0010\n0001\n"


def test_both_bounds_and_their_certificates(tmp_path: Path) -> None:
    source, yes, no = (str(tmp_path / name) for name in ("s.txt", "yes.json", "no.json"))
    Path(source).write_text(IDENTITY)
    done = run("margin", source, "--yes", yes, "--no", no)
    assert done.exit_code == 0, done.output
    lower, upper = done.stdout.split(":")[0].split("..")
    assert "unit queries and keys in any dimension for this" in done.stdout.splitlines()[0]
    assert float(lower) <= 2 / 3 <= float(upper) < float(lower) + 0.007
    assert f"at least {2 * float(lower):.6f}".rstrip("0") in done.stdout
    assert run("verify", source, yes).stdout.startswith("VALID: a margin of at least ")
    assert run("verify", source, no).stdout.startswith("VALID: no margin above ")
    other = tmp_path / "o.txt"
    other.write_text("1000\n0100\n0010\n0011\n")
    assert run("verify", str(other), no).exit_code == 1


def test_a_certificate_on_standard_output() -> None:
    done = run("margin", "-", "--no", "-", stdin=IDENTITY)
    assert json.loads(done.stdout)["answer"] == "NO"
    assert "lies in this range" in done.stderr
    refused(run("margin", "-", "--no", "-", "--json", stdin=IDENTITY), "--json")


def test_the_document(tmp_path: Path) -> None:
    done = run("margin", "-", "--dimensions", "2..3", "--bits", "--json", stdin=IDENTITY)
    document = json.loads(done.stdout)
    assert_tight(schema("margin"), document)
    assert [each["d"] for each in document["dimensions"]] == [2, 3]
    pattern = Pattern.from_text(IDENTITY)
    for each in document["dimensions"]:
        assert Certificate.from_json(each["yes"]).verify(pattern)
        assert each["margin"] <= each["upper"]
        assert Certificate.from_json(each["embedding"]).verify(pattern)
        assert set(each["formats"]) == set(EMBEDDING_FORMATS)
    assert document["formats"] == {name: {"lower": 1, "upper": 2} for name in EMBEDDING_FORMATS}
    free = json.loads(run("margin", "-", "--dimensions", "1", "--json", stdin="11\n").stdout)
    assert_tight(schema("margin"), free)
    assert (free["bounded"], free["lower"], free["upper"]) == (False, None, None)


def test_one_dimension_alone() -> None:
    one, same = (
        json.loads(run("margin", "-", *given, "--json", stdin=IDENTITY).stdout)["dimensions"]
        for given in (("-d", "2"), ("--dimensions", "2..2"))
    )
    assert [each["d"] for each in one] == [2]
    assert [each["yes"] for each in one] == [each["yes"] for each in same]
    refused(run("margin", "-", "-d", "2", "--dimensions", "3", stdin=IDENTITY), "give one of them")
    refused(run("margin", "-", "-d", "0", stdin=IDENTITY), "-d")


def test_the_table_and_the_picture(tmp_path: Path) -> None:
    source, picture = tmp_path / "s.txt", tmp_path / "p.svg"
    source.write_text(IDENTITY)
    done = run("margin", str(source), "--dimensions", "2", "--bits", "-o", str(picture))
    lines = done.stdout.splitlines()
    header, line, plane = lines[3:6]
    assert header.split() == [
        "d",
        "margin",
        "found",
        "at",
        "most",
        "bits",
        "found",
        *EMBEDDING_FORMATS,
    ]
    assert line.split() == ["1", "impossible"]
    assert plane.split()[0] == "2"
    assert plane.split()[4:] == ["right"] * len(EMBEDDING_FORMATS)
    intervals = ", ".join(f"{name} 2" for name in EMBEDDING_FORMATS)
    assert lines[6] == f"Least d in each format: {intervals}."
    assert "bits found" in picture.read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--dimensions", "3..2"], "the range 3..2 is empty"),
        (["--dimensions", "0"], "must be a whole number of at least 1"),
        (["--dimensions", "-1"], "must be a number or a range such as 1..8"),
        (["--dimensions", "1...3"], "must be a number or a range such as 1..8"),
        (["--dimensions", "999999999999"], "--dimensions must be at most 16777216"),
        (["--dimensions", "1..1000000000"], "--dimensions must be at most 16777216"),
        (["--dimensions", "5"], "5 exceeds min(m, n) = 4"),
        (["--bits"], "need --dimensions"),
        (["-o", "a.png"], "need --dimensions"),
        (["--dimensions", "2", "-o", "a.txt"], "a.txt"),
        (["--time-limit", "0"], "time"),
    ],
)
def test_refusals(arguments: list[str], message: str) -> None:
    refused(run("margin", "-", *arguments, stdin=IDENTITY), message)


def test_an_interrupt_prints_the_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    real = command.bound_margin

    def interrupted(*arguments: object, **options: object) -> object:
        options.pop("dimensions")
        raise Interrupted(real(*arguments, **options))  # type: ignore[arg-type]

    monkeypatch.setattr(command, "bound_margin", interrupted)
    done = run("margin", "-", stdin=IDENTITY)
    assert "lies in this range" in done.stdout
    assert done.exit_code != 0


# ---------------------------------------------------------------- dim --arithmetic


def test_dim_saves_the_embedding_that_is_right_in_the_format(tmp_path: Path) -> None:
    source, saved = tmp_path / "s.txt", str(tmp_path / "yes.json")
    pattern = Pattern.from_array(np.eye(9))
    source.write_text(pattern.to_text())
    done = run("dim", str(source), "--arithmetic", "float8_e5m2", "--yes", saved)
    assert done.exit_code == 0
    certificate = Certificate.load(saved)
    assert certificate.verify(pattern)
    assert isinstance(certificate.proof, Embedding)
    assert rows_lost(pattern, certificate.proof, "float8_e5m2") == []
    assert f"In float8_e5m2, an embedding with d = {certificate.d} represents" in done.stdout
    assert (
        "In float8_e5m2, every row comes out right"
        in run("verify", str(source), saved, "--arithmetic", "float8_e5m2").stdout
    )


def test_dim_states_the_format_in_its_document() -> None:
    plain = json.loads(run("dim", "-", "--json", stdin=IDENTITY).stdout)
    assert "arithmetic" not in plain
    document = json.loads(run("dim", "-", "--json", "--arithmetic", "int8", stdin=IDENTITY).stdout)
    schema("dimension").validate(document)
    assert document["arithmetic"]["format"] == "int8"
    assert document["arithmetic"]["d"] >= document["lower"] == 2


def test_dim_refuses_unknown_formats() -> None:
    refused(
        run("dim", "-", "--arithmetic", "float8", stdin=IDENTITY), "unknown arithmetic 'float8'"
    )


# ---------------------------------------------------------------- dim --margin


def test_dim_bounds_the_dimension_of_a_margin(tmp_path: Path) -> None:
    source, yes, no = (str(tmp_path / name) for name in ("s.txt", "yes.json", "no.json"))
    pattern = Pattern.from_array(np.eye(9))
    Path(source).write_text(pattern.to_text())
    done = run("dim", source, "--margin", "0.4", "--yes", yes, "--no", no, "--time-limit", "10")
    assert done.exit_code == 0, done.output
    assert "least d with a margin of 0.4" in done.stdout.splitlines()[-1]
    assert run("verify", source, yes).stdout.startswith("VALID: a margin of at least 0.4 in d = ")
    assert run("verify", source, no).stdout.startswith("VALID: no margin above 0.")
    document = json.loads(
        run("dim", source, "--margin", "0.4", "--json", "--time-limit", "10").stdout
    )
    schema("dimension").validate(document)
    member = document["margin"]
    assert 3 <= member["lower"] <= member["upper"] <= 8
    for side in ("yes", "no"):
        assert Certificate.from_json(member[side]).verify(pattern)


def test_no_dimension_has_too_large_a_margin() -> None:
    done = run("dim", "-", "--margin", "0.7", "--time-limit", "10", stdin=IDENTITY)  # above 2 / 3
    assert done.stdout.splitlines()[-1].startswith("No dimension has unit queries and keys with")
    free = run("dim", "-", "--margin", "7", "--time-limit", "10", stdin="11\n11\n")
    assert "A margin of 7 needs d = 1" in free.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--margin", "0"], "must be above 0"),
        (["--margin", "wide"], "must be a number such as 0.05"),
        (["--margin", "nan"], "must be a number such as 0.05"),
        (["--margin", "0.1", "--similarity", "cosine"], "--margin is about dot products"),
        (["--margin", "0.1", "--arithmetic", "int8"], "--margin or --arithmetic"),
    ],
)
def test_dim_refuses_margins_that_are_none(arguments: list[str], message: str) -> None:
    refused(run("dim", "-", *arguments, stdin=IDENTITY), message)
