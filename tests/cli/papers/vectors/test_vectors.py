"""The commands about vectors: documents, files there and back, one line for bad input."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
from helpers.commands import refused, run
from helpers.schemas import schema
from jsonschema import Draft202012Validator

from samapprox import Certificate, data, decide, load
from samapprox.formats import load_vectors, save_vectors
from samapprox.reductions.vectors import FAMILIES, generate
from samapprox.vectors import VectorSet


def loose(validator: Draft202012Validator, document: dict[str, Any]) -> list[str]:
    """Members that may be missing or may be anything."""
    validator.validate(document)
    assert not validator.is_valid({**document, "more": 1})
    return [
        name
        for name in document
        if validator.is_valid({key: value for key, value in document.items() if key != name})
        or validator.is_valid({**document, name: {"not": "this"}})
    ]


def test_furthest_command(tmp_path: Path) -> None:
    path = str(tmp_path / "v.npz")
    assert (
        run("generate", "furthest-planted", "--n", "12", "--d", "4", "--output", path).exit_code
        == 0
    )
    done = run("furthest", path)
    assert done.stdout.startswith("0: 6 (distance 2)\n")
    assert ".. 2 more" in done.stdout
    assert "agrees with the file: yes" in done.stdout
    assert "12 x 12 of dimension 4" in done.stderr
    document = json.loads(run("furthest", path, "--json", "--threads", "1").stdout)
    assert loose(schema("furthest"), document) == []
    for size in ("queries", "keys", "d", "threads"):
        assert not schema("furthest").is_valid({**document, size: 0}), size
    assert document["furthest"] == [6, 7, 8, 9, 10, 11, 0, 1, 2, 3, 4, 5]
    assert document["agrees"] is True
    two = json.loads(run("furthest", "-", "--json", stdin="0 0\n---\n1 1\n2 2\n").stdout)
    assert (two["furthest"], two["sets"], two["agrees"]) == ([1], 2, None)
    schema("furthest").validate(two)


def test_a_wrong_file_is_noticed(tmp_path: Path) -> None:
    made = generate("furthest-planted", n=4, d=3)
    wrong = VectorSet(made.first, None, np.array([1, 0, 3, 2]))
    save_vectors(wrong, tmp_path / "v.npz")
    assert "agrees with the file: NO" in run("furthest", str(tmp_path / "v.npz")).stdout


def test_orthogonal_command(tmp_path: Path) -> None:
    path = str(tmp_path / "v.npz")
    run("generate", "orthogonal-planted", "--n", "30", "--two-sets", "--output", path)
    i, j = load_vectors(path).known["pair"]
    done = run("orthogonal", path, "--count", "--least", "--exit-code")
    assert done.exit_code == 10
    assert done.stdout == (
        f"YES: vector {i} of the first set and vector {j} of the second are orthogonal.\n"
        f"orthogonal pairs: 1\nleast inner product: 0, of vectors {i} and {j}\n"
    )
    document = json.loads(run("orthogonal", path, "--json", "--count", "--least").stdout)
    assert loose(schema("orthogonal"), document) == []
    plain = run("orthogonal", "-", "--exit-code", stdin="1 1\n1 0\n")
    assert (plain.exit_code, plain.stdout) == (20, "NO: no two vectors are orthogonal.\n")
    schema("orthogonal").validate(json.loads(run("orthogonal", "-", "--json", stdin="1\n1").stdout))
    assert run("orthogonal", "-", stdin="1 0\n0 1\n").stdout.startswith("YES: vectors 0 and 1")


def test_generated_text_is_read_again() -> None:
    for name, command in itertools.product(FAMILIES, ("furthest", "orthogonal")):
        text = run("generate", name, "--n", "6").stdout
        assert text.startswith(f"# family={name}")
        if name.startswith(command):
            assert run(command, "-", stdin=text).exit_code == 0


def test_several_sets_go_to_a_folder(tmp_path: Path) -> None:
    done = run(
        "generate", "orthogonal-none", "--n", "5", "--count", "3", "--output", str(tmp_path / "f")
    )
    assert done.stdout.count("pairs: 0") == 3
    assert len(list((tmp_path / "f").glob("*.npz"))) == 3


def test_reduce_there_and_back(tmp_path: Path) -> None:
    source, target, answer = (str(tmp_path / name) for name in ("s.npz", "t.npz", "a.json"))
    run("generate", "orthogonal-planted", "--n", "50", "--output", source)
    assert run("reduce", "orthogonal-to-furthest", source, "--output", target).exit_code == 0
    Path(answer).write_text(run("furthest", target, "--json").stdout)
    done = run("reduce", "orthogonal-to-furthest", source, "--answer", answer)
    assert json.loads(done.stdout) == load_vectors(source).known["pair"]
    printed = run("reduce", "orthogonal-to-furthest", "-", stdin="1 0\n1 0\n").stdout
    assert printed == "1.0,0.0\n1.0,0.0\n"


def test_reduce_to_patterns(tmp_path: Path) -> None:
    attention = str(tmp_path / "a.npy")
    np.save(attention, [[0.9, 0.1], [0.2, 0.8]])
    command = ["reduce", "attention-to-pattern", attention, "--rule", "top1"]
    assert run(*command).stdout == "10\n01\n"
    target = str(tmp_path / "p.npz")
    run(*command, "--output", target)
    certificate = decide(load(target)).certificate
    assert isinstance(certificate, Certificate)
    certificate.save(tmp_path / "c.json")
    logits = json.loads(run(*command, "--answer", str(tmp_path / "c.json")).stdout)
    assert np.argmax(logits, axis=1).tolist() == [0, 1]
    (tmp_path / "q.tsv").write_text("query-id\tcorpus-id\tscore\nq\tx\t1\nq\ty\t0\n")
    assert run("reduce", "judgements-to-pattern", str(tmp_path / "q.tsv")).stdout == "10\n"
    assert "What it preserves" in run("reduce", "attention-to-pattern", "--help").stdout


def test_what_the_commands_refuse(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"furthest": [0]}')
    (tmp_path / "b.json").write_text("[]")
    bits = str(tmp_path / "v.npz")
    save_vectors(VectorSet(np.eye(2, dtype=np.uint8)), bits)
    refused(run("furthest", "-", stdin="1 2\n"), "-: a single vector has no furthest")
    refused(run("furthest", "-", stdin="1\nnan\n"), "row 1, column 0 is nan")
    refused(run("furthest", str(tmp_path / "none.npz")), "No such file")
    refused(run("orthogonal", "-", stdin="1 2\n1 1\n"), "row 0, column 1 is 2")
    refused(run("orthogonal", "-", stdin="101\n010\n"), "separated by spaces or commas")
    refused(run("orthogonal", bits, "--key", "X"), "no array 'X'")
    refused(run("reduce", "orthogonal-to-furthest", "-", stdin="0.5\n1\n"), "column 0 is 0.5")
    for name, message in (
        ("a", "must hold 2 indices"),
        ("b", "not the output of"),
        ("c", "No such file"),
    ):
        answer = str(tmp_path / f"{name}.json")
        refused(run("reduce", "orthogonal-to-furthest", bits, "--answer", answer), message)
    attention = str(tmp_path / "w.npy")
    np.save(attention, np.eye(2))
    refused(run("reduce", "attention-to-pattern", attention, "--rule", "best"), "unknown rule")
    qrels = str(data.path("limit/limit.npz"))
    refused(run("reduce", "judgements-to-pattern", qrels), "hold patterns, not judgements")
