"""`samapprox graph build`: texts, documents, exit status, refusals."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from helpers.commands import refused, run
from helpers.schemas import assert_tight, schema

from samapprox.attention.transformers.universality import (
    Method,
    Sampled,
    Verification,
    checks,
)
from samapprox.cli.graph.build import METHODS

SOFTMAX = ("--map", "softmax")
SMALL = ("--n", "3", "--d", "1", "--delta", "1/2")


def test_text() -> None:
    done = run("graph", "build", "strided:w=2", "--n", "6", "--d", "1", "--delta", "1/4")
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines() == [
        "function: random thousandths, seed 0, on 4096 grid points",
        "construction: walk 0, 1, 2, 3, 4, 5",
        "quantization: 24 layers",
        "contextual mapping: 12 layers (as printed: 42), including 2 all-max-shifts",
        "values: 24576 layers",
        "parameters: 98466",
        "ids: up to 48 bits, in units of delta",
        "7.1 ids are distinct within every input: YES",
        "7.2 ids of different inputs are distinct: YES",
        "outputs equal the function: YES",
    ]


@pytest.mark.parametrize("construction", ["walk", "printed", "star"])
@pytest.mark.parametrize("mask", ["full", "star", "fixed:w=3", "bigbird:w=3,g=1,r=0"])
def test_documents_fit(construction: str, mask: str) -> None:
    options = [*SMALL, "--construction", construction, "--json"]
    done = run("graph", "build", mask, *options)
    if construction == "star" and mask == "fixed:w=3":
        refused(done, "fixed:w=3: the mask contains no star")
        return
    document = json.loads(done.stdout)
    assert_tight(schema("graph-build"), document)
    for part in ("layers", "verified", "walk"):
        for name in document[part]:
            less = {key: value for key, value in document[part].items() if key != name}
            assert not schema("graph-build").is_valid({**document, part: less})
    assert document["construction"] == construction
    assert document["verified"]["holds"] is True
    assert document["grid_points"] == 8
    if construction == "printed":
        assert document["layers"]["contextual"] == document["layers"]["contextual_as_printed"]


def test_the_star_to_the_letter(tmp_path: Path) -> None:
    (tmp_path / "star.txt").write_text("0111\n1100\n1010\n1001\n")
    done = run("graph", "build", str(tmp_path / "star.txt"), "--d", "1", "--delta", "1/3")
    assert done.exit_code == 0, done.output
    assert "construction: star 1, 0, 2, 0, 3\n" in done.stdout
    assert "contextual mapping: 6 layers, including 2 all-max-shifts\n" in done.stdout


@pytest.mark.parametrize("ending", ["npy", "npz", "json"])
def test_functions_from_files(tmp_path: Path, ending: str) -> None:
    values = np.arange(24).reshape(8, 1, 3) / 4
    file = tmp_path / f"f.{ending}"
    if ending == "npy":
        np.save(file, values)
    elif ending == "npz":
        np.savez(file, f=values)
    else:
        file.write_text(json.dumps(values.tolist()))
    done = run("graph", "build", "full", *SMALL, "--function", str(file), "--json")
    document = json.loads(done.stdout)
    assert_tight(schema("graph-build"), document)
    assert (document["function"], document["seed"]) == (str(file), None)
    assert document["verified"]["holds"] is True


def test_a_verification_that_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    failed = Verification(8, (1, 0, 2), ((1, 2), (3, 0)), (5, 1))
    monkeypatch.setattr(checks, "verify", lambda *_: failed)
    done = run("graph", "build", "full", *SMALL)
    assert done.exit_code == 1
    assert done.stdout.splitlines()[-3:] == [
        "7.1 ids are distinct within every input: NO (grid point 1, tokens 0 and 2)",
        "7.2 ids of different inputs are distinct: NO (grid points 1 and 3, tokens 2 and 0)",
        "outputs equal the function: NO (grid point 5, token 1)",
    ]
    document = json.loads(run("graph", "build", "full", *SMALL, "--json").stdout)
    assert_tight(schema("graph-build"), document)
    assert document["verified"]["same_between"] == [[1, 2], [3, 0]]


def test_maps_in_place_of_hardmax() -> None:
    printed = run("graph", "build", "window:w=3", *SMALL, "--construction", "printed", *SOFTMAX)
    assert printed.exit_code == 0, printed.output
    assert printed.stdout.splitlines()[-3:] == [
        "softmax for t = 2^6.81: error 0.2495 delta, the least t with an error below delta / 4",
        "softmax for t = 2^7.23: error 0.002066 delta, from eta = 2^-26, which suffices for every "
        "map",
        "softmax for t of Yun et al., F.2: error 32.25 delta; with the printed zeta 2863 delta",
    ]
    walk = run("graph", "build", "full", *SMALL, "--map", "hardmax")
    assert walk.stdout.splitlines()[-2:] == [
        "hardmax for every t: error 0 delta, below delta / 4",
        "hardmax for every t: error 0 delta, from eta = 2^-15, which suffices for every map",
    ]


@pytest.mark.parametrize("construction", ["walk", "printed"])
def test_documents_with_a_map_fit(construction: str) -> None:
    options = [*SMALL, "--construction", construction, *SOFTMAX, "--json"]
    document = json.loads(run("graph", "build", "full", *options).stdout)
    assert_tight(schema("graph-build"), document)
    measured = document["softening"]
    for name in measured:
        less = {key: value for key, value in measured.items() if key != name}
        assert not schema("graph-build").is_valid({**document, "softening": less})
    assert measured["map"] == "softmax"
    assert measured["error"] < 0.25
    assert (measured["published_error"] is None) == (construction == "walk")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["full", *SMALL, "--map", "entmax:alpha=3"], "--map entmax:alpha=3 has no exact form"),
        (["full", *SMALL, "--map", "nothing"], "unknown probability map 'nothing'; there are"),
        (
            ["full", "--n", "5", "--d", "1", "--delta", "1/4", "--map", "softmax"],
            "1024 inputs have 230400 scores in all layers; at most 131072 are computed: reduce",
        ),
        (["full", "--n", "3", "--d", "1", "--delta", "2/3"], "--delta must be 1/2, 1/3"),
        (["full", "--n", "3", "--d", "1", "--delta", "1"], "--delta must be 1/2, 1/3"),
        (
            ["full", "--n", "3", "--d", "1", "--delta", "0." + "0" * 4299 + "1"],
            "--delta must have at most 1000 characters, not 4302",
        ),
        (["full", "--n", "3", "--d", "1", "--delta", "x"], "--delta must be 1/2, 1/3"),
        (["full", "--n", "3", "--d", "0", "--delta", "1/2"], "d (embedding dimension)"),
        (["full", "--n", "0", "--d", "1", "--delta", "1/2"], "the number of tokens n"),
        (["full", "--n", "1", "--d", "1", "--delta", "1/2"], "full: the construction needs at"),
        (["full", "--n", "64", "--d", "2", "--delta", "1/8"], "the grid has 8^128 points"),
        (["window:w=3,causal=1", *SMALL], "token 0 never hears of token 1"),
        (["fixed:w=3", *SMALL, "--construction", "star"], "fixed:w=3: the mask contains no star"),
        (["full", *SMALL, "--seed", "-1"], "the seed must be in 0.."),
        (["full", *SMALL, "--function", "nowhere.npy"], "nowhere.npy: No such file"),
        (["-", "--d", "1", "--delta", "1/2", "--function", "-"], "standard input"),
    ],
)
def test_refusals(arguments: list[str], message: str) -> None:
    refused(run("graph", "build", *arguments), message)


def test_missing_loops_are_named(tmp_path: Path) -> None:
    (tmp_path / "mask.txt").write_text("011\n101\n111\n")
    file = str(tmp_path / "mask.txt")
    refused(
        run("graph", "build", file, "--d", "1", "--delta", "1/2"), f"{file}: no self-loop at 0, 1"
    )


def test_bad_functions_name_the_file(tmp_path: Path) -> None:
    file = tmp_path / "f.npy"
    values = np.zeros((8, 1, 3))
    values[4, 0, 2] = np.nan
    np.save(file, values)
    message = f"{file}: grid point 4, row 0, token 2: nan is no finite number"
    refused(run("graph", "build", "full", *SMALL, "--function", str(file)), message)
    np.save(file, values[:5])
    message = f"{file}: the function has values for 5 of 8 grid points"
    refused(run("graph", "build", "full", *SMALL, "--function", str(file)), message)


def test_the_constructions_are_those_of_the_library() -> None:
    assert list(METHODS) == [method.value for method in Method]


# ---------------------------------------------------------------- expressions

CONTINUOUS = ["window:w=3", "--n", "3", "--d", "1", "--function", "sin(pi * X) * mean(X)"]


def test_a_transformer_within_epsilon_of_an_expression() -> None:
    done = run("graph", "build", *CONTINUOUS, "--epsilon", "1.0", "--json")
    assert done.exit_code == 0, done.output
    document = json.loads(done.stdout)
    assert_tight(schema("graph-build"), document)
    assert document["function"] == "sin(pi * X) * mean(X)"
    assert document["softening"] is None
    found = document["approximation"]
    assert found["map"] == "softmax"
    assert max(found["lemma_5"], found["softened"]) <= 0.5
    assert found["sampled"]["distance"] <= found["lemma_5"]
    assert found["sampled"]["worst"] <= found["id_error"]
    text = run(
        "graph", "build", *CONTINUOUS, "--epsilon", "1.0", "--map", "entmax:alpha=1.5", "--p", "1"
    ).stdout
    assert "Theorem 1: d_1 of the transformer with entmax:alpha=1.5 and ReLUs is at most" in text
    assert text.rstrip().endswith("as proven")


def test_an_expression_with_a_given_delta() -> None:
    done = run("graph", "build", *CONTINUOUS, "--delta", "1/2")
    assert done.exit_code == 0
    assert "Lemma 5: d_2 from the function is at most" in done.stdout
    assert "Theorem 1" not in done.stdout
    document = json.loads(run("graph", "build", *CONTINUOUS, "--delta", "1/2", "--json").stdout)
    schema("graph-build").validate(document)
    assert document["approximation"] is None


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        ([], "give --delta, or --epsilon"),
        (["--delta", "1/2", "--epsilon", "1"], "one of the two"),
        (["--epsilon", "0.001"], "no delta is proven to give 0.0005"),
        (["--function", "open('x')", "--epsilon", "1"], "only calls of abs"),
        (["--function", "values", "--epsilon", "1"], "no file, and unknown name 'values'"),
        (["--function", "gone.npy", "--epsilon", "1"], "files hold grid points only"),
        (["--function", "1 / X", "--epsilon", "1"], "not defined or not bounded"),
        (["--epsilon", "1", "--p", "0.5"], "'--p'"),
    ],
)
def test_expressions_and_options_that_do_not_fit(options: list[str], fault: str) -> None:
    refused(run("graph", "build", *CONTINUOUS, *options), fault)


def test_bounds_that_fail_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Sampled, "agrees_with", lambda *_: False)
    done = run("graph", "build", *CONTINUOUS, "--epsilon", "1.0")
    assert done.exit_code == 1
    assert done.stdout.rstrip().endswith("NOT as proven")
