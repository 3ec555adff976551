"""`samapprox graph copy` and `copy-tables`: texts, documents, refusals."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from pathlib import Path

import pytest
from helpers.commands import refused, run
from helpers.schemas import assert_tight, schema

from samapprox import save
from samapprox.attention.graphs import build, copying


def test_a_column_of_the_paper() -> None:
    lines = run("graph", "copy", "star:w=16", "--n", "256", "--layers", "5").stdout.splitlines()
    assert lines[0] == "256 tokens, 127 targets, predicted in place"
    assert lines[1].endswith("measured (Table 1, STAR)")
    assert lines[2].split()[:7] == ["1", "1", "0.79", "%", "1.56", "%", "129"]
    assert lines[2].endswith("1.53 %")
    assert lines[6].split() == ["5", "127", "100.00", "%", "100.00", "%"]


@pytest.mark.parametrize("mask", ["star:w=16", "strided:w=4"])
@pytest.mark.parametrize("options", [[], ["--autoregressive"]])
def test_documents_fit(mask: str, options: list[str]) -> None:
    done = run("graph", "copy", mask, "--n", "256", "--layers", "5", "--json", *options)
    document = json.loads(done.stdout)
    assert_tight(schema("graph-copy"), document)
    for layer in document["layers"]:
        for name in layer:
            less = [{key: value for key, value in layer.items() if key != name}]
            assert not schema("graph-copy").is_valid({**document, "layers": less})
    assert document["autoregressive"] == bool(options)
    assert (document["column"] == "STAR") == (mask == "star:w=16")


def test_a_file(tmp_path: Path) -> None:
    save(build("fixed:w=4", 16).union.pattern(), tmp_path / "mask.npz")
    done = run("graph", "copy", str(tmp_path / "mask.npz"), "--layers", "1")
    assert done.stdout.splitlines()[2].split()[:2] == ["1", "2"]


def test_both_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copying, "compare", lru_cache(copying.compare))  # takes seconds
    text = run("graph", "copy-tables").stdout
    assert "STAR                   1.53 (1.56)" in text
    printed = re.findall(r"by chance with probability below 10\^(-\d+)", text)
    tails = [cell.log10_tail for cell in copying.exceeding()]
    assert len(printed) == len(tails) == 6
    assert all(0 <= int(one) - tail < 1 for one, tail in zip(printed, tails, strict=True))
    assert "STRIDED SEQUENTIAL, 2 layers: 1.57 exceeds 0.78" in text
    document = json.loads(run("graph", "copy-tables", "--json").stdout)
    assert_tight(schema("graph-copy-tables"), document)
    assert [len(table["cells"]) for table in document["tables"]] == [32, 32]
    assert sum(cell["exceeds"] for table in document["tables"] for cell in table["cells"]) == 6


def test_refusals() -> None:
    refused(run("graph", "copy", "star", "--n", "7"), "star: the copying task needs an even number")
    refused(run("graph", "copy", "star", "--n", "8", "--layers", "0"), "layers must be in 1..1000")
