"""Attention weights as people save them: every matrix is found, with its layer and head."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.attention.saved_attentions import WAYS, Coordinates, Way
from helpers.commands import run

from samapprox import Instance, Pattern, load_instance
from samapprox.attention import Mass, RowCount, TopK, Uniform, binarize, binarize_set

RULES = [Uniform(), TopK(2), Mass(0.9)]


def coordinates(instance: Instance) -> Coordinates:
    origin = instance.origin
    part = str(origin.get("part", ""))
    return (part, int(origin["layer"]), int(origin["head"]), int(origin.get("text", 0)))


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.name)
def test_every_matrix_is_found_in_its_place(tmp_path: Path, way: Way) -> None:
    source, matrices = way.saved(tmp_path)
    rows = RowCount()
    for rule in RULES:
        entries = list(binarize_set(source, [rule], rows=rows))
        found = {coordinates(entry.instance): entry.instance for entry in entries}
        assert len(found) == len({entry.path for entry in entries}) == len(entries)
        assert found.keys() == matrices.keys()
        for at, weights in matrices.items():
            expected = binarize(weights, rule, causal=way.causal, ties="all", roundoff=2**-8)
            assert found[at].pattern == expected
            family = f"{at[0]} attention {rule.name}".lstrip()
            assert found[at].origin["family"] == family
            assert bool(found[at].origin.get("causal")) == way.causal
    assert not rows.masked.total()
    assert not rows.skipped
    assert bool(rows.causal) == way.causal


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.name)
def test_the_command_saves_every_pattern(tmp_path: Path, way: Way) -> None:
    source, matrices = way.saved(tmp_path / "given")
    out = tmp_path / "set"
    several = len(list(source.iterdir())) > 1 if source.is_dir() else way.name.startswith("safe")
    done = run("binarize", str(source), "--uniform", "--output", str(out))
    assert (done.exit_code, done.exception) == (0, None), done.stderr
    saved = [load_instance(path) for path in out.rglob("*.npz")]
    assert len(saved) == len(matrices)
    assert ("attention is causal" in done.stderr) == way.causal
    if several:
        assert {coordinates(instance) for instance in saved} == matrices.keys()
    assert all(isinstance(instance.pattern, Pattern) for instance in saved)
