"""`samapprox cot locality`: measures of tasks and files, as text, JSON and pictures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.commands import refused, run
from helpers.durations import ended_within
from helpers.schemas import assert_tight, schema

from samapprox.attention.graphs import build
from samapprox.attention.reasoning import parse_task
from samapprox.attention.reasoning.locality.hearing import wrong_step

SUM = "2 0  # a sum\n2 1\n3 2\n5 4\n"


def printed(*arguments: str, stdin: str | None = None) -> dict[str, Any]:
    done = run("cot", "locality", *arguments, "--json", stdin=stdin)
    assert done.exit_code == 0, done.output
    document: dict[str, Any] = json.loads(done.stdout)
    return document


@pytest.mark.parametrize(
    "arguments",
    [
        ["lis", "--size", "5"],
        ["edit-distance", "--input", "abc de", "--order", "--mask", "full"],
        ["lis", "--size", "12", "--order", "--mask", "block-sparse:b=4", "--layers", "2"],
        ["lis", "--size", "8", "--mask", "window:w=5"],
    ],
)
def test_documents_fit_their_schema(arguments: list[str]) -> None:
    document = printed(*arguments)
    assert_tight(schema("cot-locality"), document)
    for part in ("locality", "live_width", "best_order", "hearing", "summaries"):
        for name in document[part] or {}:
            less = {key: value for key, value in document[part].items() if key != name}
            assert not schema("cot-locality").is_valid({**document, part: less})


def test_paths_of_a_document_are_paths() -> None:
    document = printed("lis", "--size", "12", "--mask", "strided:w=8", "--layers", "4")
    [chain] = parse_task("lis").generate(12)
    attention = build("strided:w=8", len(chain))
    hearing = document["hearing"]
    paths = iter(hearing["paths"])
    pairs = zip(chain.needs.queries.tolist(), chain.needs.indices.tolist(), strict=True)
    rows = [[-1] * 5 if list(pair) in hearing["missing"] else next(paths) for pair in pairs]
    assert wrong_step(chain.needs, attention, np.array(rows, dtype=np.int32)) is None
    assert next(paths, None) is None
    assert hearing["complete"] == (not hearing["missing"])


def test_the_answers_of_the_documentation() -> None:
    arguments = ("edit-distance", "--size", "20", "--order", "--layers", "2")
    done = run("cot", "locality", *arguments, "--mask", "block-sparse:b=22")
    for line in (
        "tokens: 506, 44 of them given",
        "m = 24 among generated tokens (token 68 needs 44), 483 with the input",
        "live width: 64 of 506, before token 68",
        "best order: live width 62, the least possible (",
        "block-sparse:b=22, 2 layers: YES, each step can have heard of all",
        "summary tokens: 42 values must pass, at most 21 of a block (needed over more than 42",
        "load of a summary token: at least 21 (21 values of the tokens 0 to 21 reach 1 summary",
    ):
        assert line in done.stdout
    done = run("cot", "locality", *arguments, "--mask", "window:w=41", "--layers", "3")
    assert "3 layers: NO, position 61, which predicts token 62, cannot have heard of token 0" in (
        done.stdout
    )


def test_files_of_edges_and_of_chains(tmp_path: Path) -> None:
    path = tmp_path / "sum.txt"
    path.write_text(SUM)
    document = printed(str(path))
    assert (document["tokens"], document["given"], document["needs"]) == (6, 2, 4)
    assert document["locality"]["generated_edge"] == [3, 2]
    assert printed("-", stdin=SUM) == {**document, "source": "-"}
    assert printed(str(path), "--given", "0")["given"] == 0
    chain = run("cot", "generate", "lis", "--size", "4", "--json").stdout
    own, read = printed("lis", "--size", "4"), printed("-", stdin=chain)
    assert {**own, "source": "-", "size": None, "seed": None} == read


def test_a_picture_is_written(tmp_path: Path) -> None:
    path = tmp_path / "needs.png"
    done = run("cot", "locality", "lis", "--size", "5", "--order", "-o", str(path))
    assert done.stdout.splitlines()[-1] == str(path)
    assert path.read_bytes().startswith(b"\x89PNG")


def test_bounds_at_the_time_limit(tmp_path: Path) -> None:
    stream = np.random.RandomState(3)
    pairs = [(i, j) for i in range(70) for j in range(i) if stream.rand() < 0.05]
    path = tmp_path / "hard.txt"
    path.write_text("".join(f"{i} {j}\n" for i, j in pairs))
    asked = ("cot", "locality", str(path), "--order", "--time-limit", "0.5")
    done = ended_within(2, lambda: run(*asked))  # reading and modules included
    assert "; proven: at least " in done.stdout


def test_bounds_of_cp_sat_are_marked_as_claims(monkeypatch: pytest.MonkeyPatch) -> None:
    from samapprox.attention.reasoning.locality.down_sets import DownSetSearch

    monkeypatch.setattr(DownSetSearch, "run", lambda _: None)
    done = run("cot", "locality", "edit-distance", "--input", "abc def", "--order")
    assert "live width 9, the least possible as CP-SAT claims (proven: at least 0;" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "stdin", "message"),
    [
        (["lsi", "--size", "3"], None, "lsi: neither a file nor a known task (did you mean 'lis'"),
        (["lis"], None, "lis: give the instance by either --size or --input"),
        (["lis", "--size", "0"], None, "the size must be at least 1, not 0"),
        (["lis", "--size", "3", "--given", "1"], None, "--given is for files of edges"),
        (["lis", "--size", "3", "--layers", "2"], None, "--layers needs --mask"),
        (
            ["lis", "--size", "3", "--mask", "full", "--layers", "0"],
            None,
            "number of layers must be in 1..10000, not",
        ),
        (["lis", "--size", "3", "--mask", "windw"], None, "did you mean 'window'"),
        (["-", "--size", "3"], SUM, "-: --size and --input are for tasks, and this is a file"),
        (["-", "--given", "3"], SUM, "-: token 2 is given, but needs token 0; give at most 2"),
        (
            ["-"],
            "1 2\n2 1\n",
            "-: the needs have a cycle: token 1 needs token 2, token 2 needs token 1",
        ),
        (["-"], "1 2\n", "-: token 1 needs token 2, which comes later; number the tokens"),
        (["-"], "1 0\nx 0\n", "-: line 2: write two numbers"),
        (["-"], "", "-: there are no edges; write a line"),
        (["-"], "{}", "-: not what `samapprox cot generate --json` prints"),
        (["-"], '{"a": ', "-: not JSON"),
        (["lis", "--size", "3", "-o", "x.gif"], None, "x.gif: pictures are written as png"),
        (["lis", "--size", "3", "--order", "--time-limit", "0"], None, "--time-limit: the time"),
    ],
)
def test_bad_input_is_one_line(arguments: list[str], stdin: str | None, message: str) -> None:
    refused(run("cot", "locality", *arguments, stdin=stdin), message)


def test_a_mask_of_another_size(tmp_path: Path) -> None:
    path = tmp_path / "mask.txt"
    path.write_text("10\n11\n")
    result = run("cot", "locality", "lis", "--size", "3", "--mask", str(path))
    refused(result, "the mask has 2 positions, but there are 9 tokens")
