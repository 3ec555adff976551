"""The shipped instances: files as listed, and every stated fact that d = 1 can check holds."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import pytest

from samapprox import Fact, InputError, Instance, Problem, data, decide, load, load_instance
from samapprox.attention import Mass, Rule, TopK, Uniform, binarize, load_attention

FILES = [(entry["kind"], file) for entry in data.manifest()["sets"] for file in entry["files"]]
PATTERNS = [file for kind, file in FILES if kind == "pattern"]


def label(value: dict[str, str] | str) -> str:
    return value if isinstance(value, str) else value["file"]


def stated(file: dict[str, Any]) -> tuple[Fact, ...]:
    return tuple(Fact(**fact) for fact in file["facts"])


@pytest.mark.parametrize(("kind", "file"), FILES, ids=label)
def test_files_are_as_listed(kind: str, file: dict[str, Any]) -> None:
    path = data.path(file["file"])
    assert hashlib.sha256(path.read_bytes()).hexdigest() == file["sha256"]
    shape = load_attention(path).shape if kind == "attention" else load(path).shape
    assert list(shape) == file["shape"]
    if path.suffix == ".npz" and kind == "pattern":
        assert load_instance(path).facts == stated(file)


def test_every_file_is_listed() -> None:
    listed = {data.path(file["file"]) for _, file in FILES}
    there = {path for path in data.path("manifest.json").parent.glob("*/*") if path.is_file()}
    assert {path for path in there if "__pycache__" not in path.parts} == listed


def test_every_set_names_its_source_and_licence() -> None:
    for entry in data.manifest()["sets"]:
        assert entry["source"]
        assert entry["licence"] in ("Apache-2.0", "CC-BY-4.0", "MIT")


def test_all_of_it_is_small() -> None:
    root = data.path("manifest.json").parent
    assert sum(path.stat().st_size for path in root.rglob("*") if path.is_file()) < 3_000_000


@pytest.mark.parametrize("file", PATTERNS, ids=label)
def test_decisions_agree_with_the_stated_truth(file: dict[str, Any]) -> None:
    instance = Instance(load(data.path(file["file"])), stated(file))
    known = instance.known_answer(Problem(instance.pattern, 1))
    if known is None:  # rank 3 topes are YES for d = 2, rank 4 ones for d = 3: no word on d = 1
        assert file["file"].startswith("oriented-matroids/")
    verdict = decide(instance.pattern, 1)
    assert known in (None, verdict.status.value)
    for fact in instance.facts:
        if fact.answer == "YES":
            assert verdict.lower <= fact.d
        else:
            assert fact.d < min(instance.pattern.shape)


def test_both_answers_occur() -> None:
    answers = [decide(load(path)).status.value for path in data.files("minilm")]
    assert answers.count("YES") == 3
    assert answers.count("NO") == 28


def test_patterns_come_from_the_shipped_attention() -> None:
    """Binarizing the raw tensors gives the patterns that others made from them."""
    compared = 0
    for path in data.files("minilm"):
        instance = load_instance(path)
        raw = [p for p in data.files("attention") if p.stem.split("_")[1] == path.stem[:3]]
        if not raw:
            continue
        layer, head, rule = (instance.origin[key] for key in ("layer", "head", "rule"))
        weights = load_attention(raw[0], select=(int(layer), int(head)))
        pattern = binarize(weights, rule_named(str(rule)))
        assert np.array_equal(pattern.to_array(), instance.pattern.to_array())
        compared += 1
    assert compared == 7


def rule_named(name: str) -> Rule:
    if name.startswith("top"):
        return TopK(int(name[3:]))
    return {"unif": Uniform(), "mass90": Mass(0.9)}[name]


def test_limit_is_the_same_in_both_files() -> None:
    archive, lines = data.files("limit")
    assert load(archive) == load(lines)
    assert load(archive).row_names == load(lines).row_names
    assert load(archive).column_names == load(lines).column_names


def test_what_is_not_there_is_named() -> None:
    with pytest.raises(InputError, match="no data set 'imagenet'; there are: minilm"):
        data.files("imagenet")
    with pytest.raises(InputError, match=r"no data file 'x\.npz'"):
        data.path("x.npz")
