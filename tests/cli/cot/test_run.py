"""`samapprox cot run`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers.commands import refused, run
from helpers.schemas import assert_tight, schema

SCHEMA = schema("cot-run")


@pytest.mark.parametrize("model", ["standard", "sparse", "local", "linear"])
@pytest.mark.parametrize("bits", ["32", "64"])
def test_a_decoder_writes_all_tokens_and_says_how_large_it_is(model: str, bits: str) -> None:
    arguments = ("cot", "run", "edit-distance", "--input", "ab abc", "--model", model)
    found = run(*arguments, "--bits", bits)
    assert found.exit_code == 0, found.stderr
    lines = found.stdout.splitlines()
    assert lines[0] == "VALID: all 10 generated tokens are right"
    assert lines[1].startswith(f"{model} decoder for 17 tokens: width ")
    assert lines[2].startswith(f"{bits}-bit numbers, largest weight ")
    assert float(lines[3].removeprefix("least distance of an output from a half-integer: ")) > 0.49
    printed = run(*arguments, "--bits", bits, "--json")
    document = json.loads(printed.stdout)
    assert_tight(SCHEMA, document)
    assert (document["right"], document["mistake"], document["bits"]) == (10, None, int(bits))
    assert f"width {document['width']}, depth {document['depth']}, 5 heads" in lines[1]


def test_blocks_that_are_too_small_give_a_wrong_token_and_exit_status_1() -> None:
    arguments = ("cot", "run", "edit-distance", "--size", "6", "--seed", "3", "--side", "4")
    found = run(*arguments)
    assert found.exit_code == 1
    assert found.stdout.startswith("NOT VALID: ")
    assert " of 56 generated tokens are right; token " in found.stdout
    document = json.loads(run(*arguments, "--json").stdout)
    assert_tight(SCHEMA, document)
    assert document["mistake"]["text"].startswith(f"token {document['mistake']['token']} is (")
    assert document["mistake"]["text"] in found.stdout
    for part in ("token", "text"):
        less = {name: value for name, value in document["mistake"].items() if name != part}
        assert not SCHEMA.is_valid({**document, "mistake": less})
    assert run(*arguments).stdout == found.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("lis:values=512", "--size", "3"), "have a coordinate for each of 513 numbers"),
        (("banded-edit-distance", "--size", "3"), "no decoder is known for the task banded"),
        (("arithmetic:p=37", "--size", "3"), "decoders are built for p of at most 31, not 37"),
        (("edit-distance", "--size", "2", "--model", "standard", "--side", "9"), "has no blocks"),
        (("edit-distance",), "give the instance by either --size or --input"),
        (("edit-distance", "--size", "2", "--side", "1"), "must be in 2..20, not 1"),
        (("edit-distance", "--size", "70"), "decoders of at most 4096 are built"),
        (("edit-distance", "--input", "ab"), "give two strings"),
        (("edit-distance:insert=-1", "--size", "2"), "insert must be in 0..1000, not -1"),
    ],
)
def test_bad_input_is_refused_in_one_line(arguments: tuple[str, ...], message: str) -> None:
    refused(run("cot", "run", *arguments), message)


@pytest.mark.parametrize("kept", [10, 29])
def test_a_file_with_a_chain_that_ends_too_early_lends_its_input(tmp_path: Path, kept: int) -> None:
    printed = run("cot", "generate", "edit-distance", "--size", "3", "--json").stdout
    document = json.loads(printed)
    for part in ("tokens", "words", "needs"):
        document[part] = document[part][:kept]
    path = tmp_path / "chain.json"
    path.write_text(json.dumps(document))
    found = run("cot", "run", str(path))
    assert found.exit_code == 0, found.stderr
    assert found.stdout == run("cot", "run", "edit-distance", "--size", "3").stdout
