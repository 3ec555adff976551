"""`samapprox schema` prints schemas that are complete in themselves."""

from __future__ import annotations

import json
from typing import Any

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from samapprox import schemas
from samapprox.cli.main import cli


def run(*arguments: str) -> Any:
    return CliRunner().invoke(cli, ["schema", *arguments])


def test_the_list() -> None:
    done = run()
    assert done.exit_code == 0
    assert done.stdout.split() == schemas.names()
    assert {"certificate", "proof", "verdict", "dimension"} <= set(schemas.names())


@pytest.mark.parametrize("name", schemas.names())
def test_every_schema_needs_no_other(name: str) -> None:
    document = json.loads(run(name).stdout)
    assert document == schemas.load(name)
    Draft202012Validator.check_schema(document)
    wanted = {target.partition("#")[0] for target in references(document)}
    targets = {target for target in wanted if target.startswith("urn:")}
    bundled = document.get("$defs", {}).values()
    identities = {document["$id"], *(part.get("$id") for part in bundled)}
    assert targets <= identities


def references(value: Any) -> set[str]:
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    found = set().union(*(references(part) for part in parts))
    return found | ({value["$ref"]} if isinstance(value, dict) and "$ref" in value else set())


def test_proofs_are_described_once() -> None:
    for name in ("certificate", "verdict", "dimension"):
        text = run(name).stdout
        assert text.count('"const": "sign-clash"') == 1, name


def test_an_unknown_name_is_one_line() -> None:
    done = run("nothing")
    assert done.exit_code == 2
    assert done.stderr.count("\n") == 1
    assert "unknown schema 'nothing'; there are: approximation, batch, certificate" in done.stderr
