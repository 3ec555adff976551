"""`samapprox cot generate`, `replay` and `show`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers.commands import refused, run
from helpers.schemas import assert_tight, schema

from samapprox.attention.reasoning import TASKS

FIVE = "3 1 4 1 5"


def test_a_chain_is_printed_for_people() -> None:
    done = run("cot", "generate", "lis", "--input", FIVE)
    assert done.exit_code == 0
    assert done.stdout == "13 tokens, answer 3:\n3 1 4 1 5 | 1 1 2 1 3 | 3\n"


@pytest.mark.parametrize("task", [*TASKS, "edit-distance:insert=1,delete=3", "arithmetic:p=101"])
def test_what_is_generated_can_be_replayed(task: str, tmp_path: Path) -> None:
    path = str(tmp_path / "chains.jsonl")
    done = run("cot", "generate", task, "--size", "5", "--seed", "2", "--count", "3", "-o", path)
    assert (done.exit_code, done.stdout) == (0, f"{path}: 3 chains\n")
    replayed = run("cot", "replay", path)
    assert replayed.exit_code == 0
    assert replayed.stdout.startswith("VALID: 3 chains, ")
    document = json.loads(run("cot", "replay", path, "--json").stdout)
    assert_tight(schema("cot-replay"), document)
    assert (document["valid"], document["chains"]) == (True, 3)


def test_json_is_the_file(tmp_path: Path) -> None:
    path = tmp_path / "chain.json"
    arguments = ["cot", "generate", "arithmetic", "--size", "4", "--seed", "9"]
    printed = run(*arguments, "--json").stdout
    assert run(*arguments, "-o", str(path)).exit_code == 0
    assert path.read_text() == printed
    document = json.loads(printed)
    assert_tight(schema("cot"), document)
    assert (document["size"], document["seed"]) == (4, 9)
    assert run("cot", "replay", "-", stdin=printed).stdout.startswith("VALID: 1 chain, ")
    given = json.loads(run("cot", "generate", "lis", "--input", "1 2", "--json").stdout)
    assert (given["size"], given["seed"]) == (None, None)


def test_the_second_of_two_instances_is_the_next_seed() -> None:
    both = run("cot", "generate", "lis", "--size", "4", "--seed", "6", "--count", "2", "--json")
    second = run("cot", "generate", "lis", "--size", "4", "--seed", "7", "--json")
    assert both.stdout.splitlines()[1] == second.stdout.strip()


def test_a_wrong_token_is_named() -> None:
    text = run("cot", "generate", "lis", "--input", FIVE, "--json").stdout
    assert text.count("[0, 3, 2, 0]") == 1
    wrong = text + text.replace("[0, 3, 2, 0]", "[0, 3, 1, 0]")
    done = run("cot", "replay", "-", stdin=wrong)
    assert done.exit_code == 1
    assert done.stdout == (
        "NOT VALID: chain 1: token 8 is (0, 3, 1, 0); it must be (0, 3, 2, 0), "
        "computed from tokens 0, 1, 2, 6, 7\n"
    )
    printed = run("cot", "replay", "-", "--json", stdin=wrong)
    assert printed.exit_code == 1
    document = json.loads(printed.stdout)
    assert_tight(schema("cot-replay"), document)
    assert document["mistake"] == {
        "chain": 1,
        "token": 8,
        "found": [0, 3, 1, 0],
        "expected": [0, 3, 2, 0],
        "needs": [0, 1, 2, 6, 7],
        "text": done.stdout.removeprefix("NOT VALID: chain 1: ").strip(),
    }


def test_a_chain_that_ends_early_and_one_with_other_parameters() -> None:
    document = json.loads(
        run("cot", "generate", "edit-distance", "--input", "a b", "--json").stdout
    )
    short = {**document, "tokens": document["tokens"][:-1], "needs": document["needs"][:-1]}
    done = run("cot", "replay", "-", stdin=json.dumps(short))
    assert done.exit_code == 1
    wrong = "NOT VALID: token 7 is missing; it must be (0, 0, 0, 0, 3), computed from token 4\n"
    assert done.stdout == wrong
    cheap = {**document, "parameters": {**document["parameters"], "replace": 1}}
    done = run("cot", "replay", "-", stdin=json.dumps(cheap))
    assert done.exit_code == 1
    assert "token 4 is (0, 1, 1, 3, 0); it must be (0, 1, 1, 1, 0), computed from" in done.stdout


def test_show_is_a_line_for_each_token(tmp_path: Path) -> None:
    done = run("cot", "show", "lis", "--input", "3 1 2")
    assert done.stdout.splitlines() == [
        "9 tokens, 4 of them given; answer 2",
        "token  word  input  j  value  answer  needs",
        "    0  3         3  0      0       0",
        "    1  1         1  0      0       0",
        "    2  2         2  0      0       0",
        "    3  |        -1  0      0       0",
        "    4  1         0  1      1       0  0",
        "    5  1         0  2      1       0  0 1 4",
        "    6  2         0  3      2       0  0 1 2 4 5",
        "    7  |        -1  0      0       0",
        "    8  2         0  0      0       2  4 5 6",
    ]
    path = str(tmp_path / "chain.json")
    run("cot", "generate", "lis", "--input", "3 1 2", "-o", path)
    assert run("cot", "show", path).stdout == done.stdout
    assert ".. (21)" in run("cot", "show", "lis", "--size", "11").stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["generate", "lis"], "lis: give the instance by either --size or --input"),
        (["generate", "lis", "--size", "3", "--input", "1"], "by either --size or --input"),
        (["generate", "lis", "--size", "0"], "the size must be at least 1, not 0"),
        (["generate", "lis", "--size", "9999"], "up to 99990000 needs; at most 33554432 are"),
        (["generate", "edit-distance", "--size", "99999"], "at most 4194304 are written"),
        (["generate", "lis", "--size", "3", "--seed", "-1"], "the seed must be in 0..4294967295"),
        (["generate", "sort", "--size", "3"], "unknown task 'sort'; there are: lis, "),
        (["generate", "lis", "--input", ""], "--input: the sequence is empty"),
        (["generate", "edit-distance", "--input", "ab"], "--input: give two strings"),
        (["generate", "arithmetic", "--input", "1/0"], "--input: division by zero: 1/0 modulo 11"),
        (["generate", "arithmetic", "--input", "(1+2"], "the bracket ( is never closed"),
        (["generate", "arithmetic:p=9", "--size", "3"], "arithmetic: p must be a prime"),
        (["generate", "turing-machine:limit=3", "--input", "11"], "does not halt within 3 steps"),
        (["generate", "turing-machine:machine=1RA1RA", "--size", "2"], "tried on 100 random tapes"),
        (["generate", "lis", "--input", "1", "--count", "2"], "--count is for random instances"),
        (["generate", "lis", "--size", "3", "-o", "no/such/file"], "there is no such folder"),
        (["replay", "missing.json"], "missing.json: No such file or directory"),
        (
            ["show", "lsi", "--size", "3"],
            "lsi: neither a file nor a known task (did",
        ),
    ],
)
def test_bad_input(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    refused(run("cot", *arguments), message)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "f: the file is empty"),
        (b"{", "f: not JSON"),
        (b"\xff\x00", "f: byte 0 is not text"),
        (b'{"format": "samapprox-verdict"}', "f: not what `samapprox cot generate --json` prints"),
        (b"[" * 10**6, "f: not JSON that can be read: it is nested too deeply"),
    ],
)
@pytest.mark.parametrize("command", ["replay", "show"])
def test_files_that_hold_no_chain(
    command: str, content: bytes, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("f").write_bytes(content)
    refused(run("cot", command, "f"), message)


def test_a_file_with_a_cycle_or_several_chains(tmp_path: Path) -> None:
    document = json.loads(run("cot", "generate", "lis", "--input", "1 2", "--json").stdout)
    document["needs"][3], document["needs"][4] = [4], [3]
    message = "token 3 needs token 4, which does not come before it (a cycle or a forward edge)"
    for command in ("replay", "show"):
        refused(run("cot", command, "-", stdin=json.dumps(document)), f"-: {message}")
    two = run("cot", "generate", "lis", "--size", "2", "--count", "2", "--json").stdout
    refused(run("cot", "show", "-", stdin=two), "-: the file has 2 chains; give one with a single")
    path = tmp_path / "chain.json"
    path.write_text(two)
    refused(run("cot", "show", str(path), "--size", "2"), "--size and --input are for tasks")


def test_interrupted_output_leaves_no_file(tmp_path: Path) -> None:
    path = str(tmp_path / "chains.jsonl")
    text = ["cot", "generate", "turing-machine:machine=random-3x2-0,limit=1", "--size", "2"]
    refused(run(*text, "--count", "3", "-o", path), "does not halt within 1 steps")
    assert not list(tmp_path.iterdir())
