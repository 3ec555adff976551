"""The published JSON Schemas describe exactly what is written."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner
from helpers.schemas import assert_tight, schema
from helpers.strategies import Entries, any_entries
from hypothesis import given
from jsonschema import Draft202012Validator

from samapprox import Certificate, Pattern, decide, save, schemas
from samapprox.cli.main import cli
from samapprox.reductions.families import generate
from samapprox.support.documents import (
    Document,
    choice,
    document_head,
    flag,
    listed,
    nullable,
    one_of,
    text,
    whole,
)

CERTIFICATE, VERDICT = schema("certificate"), schema("verdict")

CHIROTOPE = generate("all-subsets", n=5, k=2).pattern.to_array()
STAR = generate("mask", graph="star", n=12).pattern.to_array()
HADAMARD = generate("hadamard", n=8).pattern.to_array()
SHARED_NO = Pattern.from_text("010011\n101001\n001010\n101011\n100111\n111100").to_array()
PAIRS = generate("all-subsets", n=6, k=2).pattern.to_array()

EXAMPLES = {
    "embedding": ([[1, 0], [0, 1]], 1, None, "line"),
    "self-attention": ([[1, 0], [0, 1]], 1, 1, "line"),
    "radon": ([[1, 0, 0], [0, 1, 0], [0, 0, 1]], 1, None, "line"),
    "shattering": ([[1, 1, 0, 0], [1, 0, 1, 0]], 1, None, "line"),
    "forster": (HADAMARD, 1, None, "forster"),
    "topological": (STAR, 2, None, "topological"),
    "chirotope": (CHIROTOPE, 2, None, "chirotope"),
    "polynomials": (PAIRS, 3, None, "polynomials"),
    "shared-chirotope": (SHARED_NO, 2, 2, "tokens"),
    "sign-clash": ([[0, 1, 1], [1, 1, 0], [0, 0, 1]], 1, 1, "line"),
}


@cache
def _made(kind: str) -> str:
    entries, d, d_hid, strategy = EXAMPLES[kind]
    certificate = decide(entries, d, d_hid, only=[strategy]).certificate
    assert certificate is not None
    return json.dumps(certificate.to_json())


def example(kind: str) -> dict[str, Any]:
    if kind == "counting":  # Radon's case, told as one of counting
        document = example("radon")
        document["proof"] = {**document["proof"], "kind": kind, "d": 1}
        return document
    document: dict[str, Any] = json.loads(_made(kind))
    return document


@pytest.mark.parametrize("kind", [*EXAMPLES, "counting"])
def test_every_kind_of_proof_fits_and_comes_back(kind: str) -> None:
    document = example(kind)
    assert document["proof"]["kind"] == {"polynomials": "chirotope"}.get(kind, kind)
    CERTIFICATE.validate(document)
    assert Certificate.from_json(document).to_json() == document


@given(any_entries())
def test_certificates_fit(entries: Entries) -> None:
    certificate = decide(entries).certificate
    assert certificate is not None
    CERTIFICATE.validate(json.loads(json.dumps(certificate.to_json())))


def parts(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The place of every member of a document, itself apart; of long lists those of some members.

    One schema serves all members of a list.
    """
    if isinstance(value, dict):
        children = list(value.items())
    else:
        children = list(enumerate(value))
        children = [*children[:3], *children[3:][-3:]]
    for key, child in children:
        yield (*path, key)
        if isinstance(child, dict | list):
            yield from parts(child, (*path, key))


@pytest.mark.parametrize("kind", [*EXAMPLES, "counting"])
def test_nothing_is_optional_and_nothing_is_loose(kind: str) -> None:
    for path in parts(example(kind)):
        for change in ("drop", "replace"):
            document = example(kind)
            parent = document
            for key in path[:-1]:
                parent = parent[key]
            if change == "replace":
                parent[path[-1]] = {"not": "this"}
            elif isinstance(parent, dict):
                del parent[path[-1]]
            else:
                continue
            assert not CERTIFICATE.is_valid(document), (path, change)


@pytest.mark.parametrize("kind", [*EXAMPLES, "counting"])
def test_more_than_there_should_be_is_refused(kind: str) -> None:
    for place in ((), ("pattern",), ("problem",), ("proof",)):
        document = example(kind)
        part = document
        for key in place:
            part = part[key]
        part["more"] = 1
        assert not CERTIFICATE.is_valid(document)


@pytest.mark.parametrize(
    ("text", "arguments", "answer"),
    [
        ("10\n01\n", [], "YES"),
        ("10\n01\n", ["--d-hid", "1"], "YES"),
        ("100\n010\n001\n", [], "NO"),
        ("100\n010\n001\n", ["-d", "2"], "YES"),
        ("100\n110\n101\n", ["--causal"], "YES"),
        ("100\n010\n001\n", ["-d", "2", "--only", "line"], "UNKNOWN"),
        ("100\n110\n101\n", ["--causal", "--only", "line"], "UNKNOWN"),
    ],
)
def test_verdicts_fit(tmp_path: Path, text: str, arguments: list[str], answer: str) -> None:
    (tmp_path / "p.txt").write_text(text)
    done = CliRunner().invoke(cli, ["decide", str(tmp_path / "p.txt"), "--json", *arguments])
    document = json.loads(done.stdout)
    VERDICT.validate(document)
    assert document["answer"] == answer
    assert document["weak_dimension"]["lower"] <= document["weak_dimension"]["upper"]
    del document["answer"]
    assert not VERDICT.is_valid(document)


@pytest.mark.parametrize("name", schemas.names())
def test_every_schema_is_one_and_closed(name: str) -> None:
    """The helper compares the schema with that of JSON Schema itself."""
    assert schema(name).schema["$id"].startswith(f"urn:samapprox:{name.replace('_', '-')}:")
    assert not schema(name).is_valid({"more": 1})


def parts_of(part: Any) -> Iterator[dict[str, Any]]:
    """A schema and all schemas in it."""
    if isinstance(part, dict):
        yield part
    if isinstance(part, dict | list):
        for inner in part.values() if isinstance(part, dict) else part:
            yield from parts_of(inner)


@pytest.mark.parametrize("name", schemas.names())
def test_no_count_and_no_index_is_negative(name: str) -> None:
    """Members of topological refutations alone have -1 where they name no row."""
    lowest = -1 if '"topological"' in json.dumps(schemas.load(name)) else 0
    whole_numbers = [one for one in parts_of(schemas.load(name)) if one.get("type") == "integer"]
    assert all(one.get("minimum", lowest) >= lowest for one in whole_numbers)


def test_a_document_has_the_declared_members_alone() -> None:
    document = Document("pair", "Two numbers.", {"a": whole(), "b": whole()}, optional=["b"])
    assert document.write(a=1) == {**document_head("pair"), "a": 1}
    assert document.write(SimpleNamespace(a=1, b=2)) == document.write(a=1)
    validator = Draft202012Validator(document.schema())
    assert_tight(validator, document.write(a=1))
    assert validator.is_valid(document.write(a=1, b=2))
    with pytest.raises(AssertionError, match="c"):
        document.write(a=1, c=3)
    with pytest.raises(AttributeError):
        document.write(b=2)


@pytest.mark.parametrize(
    "form", [whole(1), text(), choice("a", "b"), one_of(whole(1), text()), listed(flag(), least=1)]
)
def test_nullable_allows_null_besides(form: dict[str, Any]) -> None:
    plain, wider = Draft202012Validator(form), Draft202012Validator(nullable(form))
    for value in (0, 1, "a", "c", [], [True], True, {}):
        assert plain.is_valid(value) == wider.is_valid(value)
    assert wider.is_valid(None)
    assert not plain.is_valid(None)


# ---------------------------------------------------------------- show, verify


@pytest.mark.parametrize(
    "text", ["1 0 0\n0 1 0\n", "1 1\n1 1\n", "1 * 0\n0 1 *\n", "1\n"], ids=repr
)
def test_what_show_prints_fits(text: str) -> None:
    done = CliRunner().invoke(cli, ["show", "-", "--json"], input=text)
    assert_tight(schema("show"), json.loads(done.stdout))


def test_facts_and_origin_fit(tmp_path: Path) -> None:
    save(generate("line-coupled", n=6, seed=1), tmp_path / "p.npz")
    document = json.loads(
        CliRunner().invoke(cli, ["show", str(tmp_path / "p.npz"), "--json"]).stdout
    )
    assert document["known"]
    assert document["origin"]
    assert_tight(schema("show"), document)
    for name in ("known", "origin", "ones a row", "merged", "sha256"):
        wrong = ["?"] if isinstance(document[name], list) else "?"
        assert not schema("show").is_valid({**document, name: wrong}), name


@pytest.mark.parametrize(
    ("text", "options", "valid"),
    [
        ("10\n01\n", [], True),
        ("10\n01\n", ["--arithmetic", "float16"], True),
        ("100\n010\n001\n", [], True),
        ("11\n01\n", [], False),
    ],
)
def test_what_verify_prints_fits(
    tmp_path: Path, text: str, options: list[str], valid: bool
) -> None:
    certificate = decide(Pattern.from_text(text if valid else "10\n01")).certificate
    assert certificate is not None
    certificate.save(tmp_path / "c.json")
    done = CliRunner().invoke(
        cli, ["verify", "-", str(tmp_path / "c.json"), "--json", *options], input=text
    )
    document = json.loads(done.stdout)
    assert document["valid"] is valid
    assert_tight(schema("verify"), document)
