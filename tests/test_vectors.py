"""Vectors in files, their families, the reduction between their problems, and the layer."""

from __future__ import annotations

import hashlib
import inspect
import io
import itertools
import json
import zipfile
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from hypothesis import example, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from samapprox import Certificate, InputError, data, decide, load
from samapprox.attention import FurthestLayer, TopK, softmax_scale
from samapprox.attention.binarize import Mass, Rule, Threshold, Uniform, binarize, rule_named
from samapprox.cli.main import cli
from samapprox.formats import load_judgements, load_vectors, save_vectors
from samapprox.formats.vectors import write_text
from samapprox.reductions.orthogonal_to_furthest import OrthogonalToFurthest
from samapprox.reductions.table import REDUCTIONS, reduction
from samapprox.reductions.to_pattern import AttentionToPattern, JudgementsToPattern
from samapprox.reductions.vectors import FAMILIES, generate
from samapprox.reductions.vectors.orthogonal import threshold_density
from samapprox.reductions.vectors.table import family
from samapprox.solvers.furthest import furthest
from samapprox.solvers.orthogonal_vectors import (
    count_orthogonal,
    least_inner_product,
    orthogonal_pair,
)
from samapprox.vectors import VectorSet

seeds = st.integers(0, 2**32 - 1)


def run(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(cli, arguments, input=stdin)


def refused(result: Result, message: str) -> None:
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert message in result.stderr


# ---------------------------------------------------------------- files


def npz(**arrays: Any) -> io.BytesIO:
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    stream.seek(0)
    return stream


def same(one: VectorSet, other: VectorSet) -> bool:
    def equal(a: Any, b: Any) -> bool:
        return (a is None) == (b is None) and (a is None or (np.array_equal(a, b)))

    return (
        equal(one.first, other.first)
        and equal(one.second, other.second)
        and equal(one.furthest, other.furthest)
        and dict(one.known) == dict(other.known)
        and dict(one.origin) == dict(other.origin)
    )


@pytest.mark.parametrize("name", FAMILIES)
def test_saving_loses_nothing_and_equal_sets_give_equal_bytes(tmp_path: Path, name: str) -> None:
    made = generate(name, seed=3)
    for path in ("a.npz", "b.npz"):
        save_vectors(made, tmp_path / path)
    loaded = load_vectors(tmp_path / "a.npz")
    assert same(loaded, made)
    assert loaded.first.dtype == made.first.dtype
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    assert np.array_equal(load_vectors(io.BytesIO(write_text(made).encode())).first, made.first)


def test_names_of_arrays() -> None:
    one, two = np.eye(3), np.ones((2, 3))
    for names in (("queries", "keys"), ("A", "B")):
        loaded = load_vectors(npz(**dict(zip(names, (one, two), strict=True))))
        assert same(loaded, VectorSet(one, two))
    assert same(load_vectors(npz(vectors=one, A=two)), VectorSet(one))
    assert same(load_vectors(npz(anything=one)), VectorSet(one))
    assert same(load_vectors(npz(a=one, b=two), key="b"), VectorSet(two))
    assert same(load_vectors(npz(a=one, b=two), key="b,a"), VectorSet(two, one))
    stream = io.BytesIO()
    np.save(stream, one)
    stream.seek(0)
    assert same(load_vectors(stream), VectorSet(one))


def test_text() -> None:
    text = b"\xef\xbb\xbf# two sets\n1 2.5\n-3,1e3  # the second\n\n---\n0\t0\n"
    loaded = load_vectors(io.BytesIO(text))
    assert loaded.first.tolist() == [[1, 2.5], [-3, 1000]]
    assert loaded.second is not None
    assert loaded.second.tolist() == [[0, 0]]


def bomb() -> bytes:
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (200000000, 1), }"
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    content = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header
    stream = io.BytesIO()
    with (
        zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as file,
        file.open("vectors.npy", "w", force_zip64=True) as member,
    ):
        member.write(content)
        for _ in range(100):
            member.write(bytes(16_000_000))
    return stream.getvalue()


@pytest.mark.parametrize(
    ("content", "key", "message"),
    [
        (b"", None, "the file is empty"),
        (b"1 2\n3\n", None, "line 2 has 1 numbers, the first vector has 2"),
        (b"1 2\n3 x\n", None, "line 2, column 1: 'x' is not a number"),
        (b"# nothing\n", None, "one set of vectors, or two"),
        (b"1\n---\n2\n---\n3\n", None, "one set of vectors, or two"),
        (b"1 2\n---\n3\n", None, "different dimensions, 2 and 1"),
        (b"\xff\xfe1", None, "is not UTF-8"),
        (b"1 2\n", "A", "drop 'A'"),
        (b"PK\x03\x04 not a zip", None, "not a readable npz"),
        (b"\x93NUMPY\x01\x00", None, "damaged"),
        (npz(a=np.eye(2), b=np.eye(2)).getvalue(), None, "is named vectors"),
        (npz(a=np.eye(2)).getvalue(), "c", "no array 'c'"),
        (npz(a=np.eye(2)).getvalue(), "a,a,a", "take one set or two"),
        (npz(a=np.zeros(3)).getvalue(), None, "vectors are a matrix of numbers"),
        (npz(a=np.array([["x"]])).getvalue(), None, "vectors are a matrix of numbers"),
        (npz(a=np.array([[{}]], dtype=object)).getvalue(), None, "pickled objects are never"),
        (npz(vectors=np.eye(2), furthest=np.eye(2)).getvalue(), None, "an index for each"),
        (npz(vectors=np.eye(2), known=np.array("{")).getvalue(), None, "is not JSON"),
        (npz(A=np.eye(2), B=np.eye(3)).getvalue(), None, "different dimensions"),
        (bomb(), None, "refused"),
    ],
)
def test_hostile_files(tmp_path: Path, content: bytes, key: str | None, message: str) -> None:
    path = tmp_path / "v.npz"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        load_vectors(path, key=key)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


def test_only_npz_is_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"written as \.npz"):
        save_vectors(VectorSet(np.eye(2)), tmp_path / "v.csv")


# ---------------------------------------------------------------- families


@settings(max_examples=60)
@given(st.integers(2, 30), st.integers(2, 12), st.floats(0, 1), st.booleans(), seeds)
def test_one_planted_pair(n: int, d: int, density: float, two: bool, seed: int) -> None:
    made = generate("orthogonal-planted", n=n, d=d, density=density, two_sets=two, seed=seed)
    assert list(orthogonal_pair(made.first, made.second) or ()) == made.known["pair"]
    assert count_orthogonal(made.first, made.second) == made.known["pairs"] == 1
    assert least_inner_product(made.first, made.second).value == made.known["least"] == 0


@settings(max_examples=60)
@given(st.integers(2, 30), st.integers(1, 12), st.floats(0, 1), st.booleans(), seeds)
def test_no_pair(n: int, d: int, density: float, two: bool, seed: int) -> None:
    made = generate("orthogonal-none", n=n, d=d, density=density, two_sets=two, seed=seed)
    assert count_orthogonal(made.first, made.second) == made.known["pairs"] == 0


def test_threshold_density() -> None:
    """One pair on average, over many instances."""
    counts = [
        count_orthogonal(generate("orthogonal-random", n=40, d=10, seed=seed).first)
        for seed in range(400)
    ]
    assert 0.7 < np.mean(counts) < 1.4
    assert abs(780 * (1 - threshold_density(780, 10) ** 2) ** 10 - 1) < 1e-9


def test_dimensions_by_the_logarithm() -> None:
    assert generate("orthogonal-none", n=64, c=3.0).shape == (64, 18)


@settings(max_examples=40)
@given(st.integers(1, 12), st.integers(2, 9), st.floats(0.001, 0.2), st.booleans(), seeds)
def test_known_furthest_vectors(half: int, d: int, gap: float, double: bool, seed: int) -> None:
    try:
        made = generate("furthest-planted", n=2 * half, d=d, gap=gap, double=double, seed=seed)
    except InputError as error:
        assert "lower the gap" in str(error)  # noqa: PT017
        return
    assert made.first.dtype == (np.float64 if double else np.float32)
    assert made.furthest is not None
    assert furthest(made.first).indices.tolist() == made.furthest.tolist()
    gram = made.first.astype(np.float64) @ made.first.T
    ordered = np.sort(gram, axis=1)
    assert (ordered[:, 1] - ordered[:, 0] >= gap - 1e-6).all()
    assert np.allclose(np.diag(gram), 1)


@settings(max_examples=30)
@given(st.integers(3, 60), st.integers(2, 60), st.booleans(), seeds)
def test_simplex(n: int, m: int, double: bool, seed: int) -> None:
    made = generate("furthest-simplex", n=n, m=m, double=double, seed=seed)
    assert made.furthest is not None
    found = furthest(made.first)
    assert found.indices.tolist() == made.furthest.tolist()
    i, j = made.known["pair"]
    squares = (made.first.astype(np.int64) ** 2).sum(axis=1)
    assert set(squares.tolist()) == {(m * m + 1) ** 2}
    assert abs(-(made.first[i] @ made.first[j]) / (m * m + 1) ** 2 - made.known["gap"]) < 1e-6


@settings(max_examples=20)
@given(st.integers(2, 80), st.integers(1, 9), st.floats(0, 2), seeds)
def test_clusters(n: int, d: int, spread: float, seed: int) -> None:
    made = generate("furthest-clustered", n=n, d=d, clusters=2, spread=spread, seed=seed)
    assert np.allclose(np.linalg.norm(made.first, axis=1), 1)
    plain = furthest(made.first, kernel="plain")
    assert furthest(made.first).indices.tolist() == plain.indices.tolist()


FROZEN = {
    "orthogonal-planted": "556d7504965ce720",
    "orthogonal-none": "5f9a99d389e1d278",
    "orthogonal-random": "c85c3563460349ce",
    "furthest-planted": "20d092bb56b751da",
    "furthest-clustered": "23b2d9e9a245693e",
    "furthest-simplex": "b3402e73a24dd851",
}
"""The bytes of seed 7 for ever, on every machine."""


@pytest.mark.parametrize("name", FAMILIES)
def test_seeds_are_kept(name: str) -> None:
    made = generate(name, n=20, seed=7)
    content = b"".join(part.tobytes() for part in (made.first, made.second) if part is not None)
    assert hashlib.sha256(content).hexdigest()[:16] == FROZEN[name]
    assert made.origin["family"] == name
    assert made.origin["seed"] == 7


@pytest.mark.parametrize("name", FAMILIES)
def test_parameters_are_checked(name: str) -> None:
    bad: dict[str, list[Any]] = {
        "n": [0, 1, 2**40],
        "d": [-1, 2**40],
        "c": [0.0, 1e9],
        "density": [-0.1, 1.1],
        "gap": [0.0, 1.5],
        "m": [1, 10**6],
        "clusters": [0, 10**6],
        "spread": [-1.0],
        "seed": [-1, 2**32],
    }
    for parameter in inspect.signature(family(name)).parameters:
        for value in bad.get(parameter, []):
            if name == "orthogonal-none" and (parameter, value) == ("n", 1):
                continue  # no pair is not orthogonal either
            arguments: dict[str, Any] = {parameter: value}
            if parameter in ("c",):
                arguments["d"] = 0
            try:
                generate(name, **arguments)
            except InputError:
                continue
            assert (name, parameter, value) in {("orthogonal-random", "n", 1)}


# ---------------------------------------------------------------- the reduction


@st.composite
def boolean_sets(draw: st.DrawFn) -> VectorSet:
    d = draw(st.integers(1, 8))
    rows = st.lists(st.lists(st.integers(0, 1), min_size=d, max_size=d), min_size=2, max_size=12)
    first = np.array(draw(rows), dtype=np.uint8)
    return VectorSet(first, np.array(draw(rows), dtype=np.uint8) if draw(st.booleans()) else None)


@settings(max_examples=300)
@given(boolean_sets())
@example(VectorSet(np.zeros((3, 2), dtype=np.uint8)))
@example(VectorSet(np.array([[0, 0], [1, 1]], dtype=np.uint8)))
@example(VectorSet(np.zeros((1, 1), dtype=np.uint8), np.ones((1, 1), dtype=np.uint8)))
def test_furthest_vectors_tell_orthogonal_ones(vectors: VectorSet) -> None:
    reduced = OrthogonalToFurthest().apply(vectors)
    assert np.allclose(np.linalg.norm(reduced.target.first, axis=1), 1)
    pair = reduced.lift(furthest(reduced.target.first).indices)
    right = vectors.first if vectors.second is None else vectors.second
    if pair is None:
        assert count_orthogonal(vectors.first, vectors.second) == 0
    else:
        assert not (vectors.first[pair[0]] & right[pair[1]]).any()
        assert vectors.second is not None or pair[0] != pair[1]


@pytest.mark.parametrize("two", [False, True])
def test_planted_pairs_survive(two: bool) -> None:
    made = generate("orthogonal-planted", n=300, d=40, two_sets=two, seed=1)
    reduced = OrthogonalToFurthest().apply(made)
    pair = reduced.lift(furthest(reduced.target.first).indices)
    assert list(pair or ()) == made.known["pair"]
    assert reduced.target.origin["reduction"] == "orthogonal-to-furthest"


def test_the_reduction_checks_both_ends() -> None:
    with pytest.raises(InputError, match="row 0, column 0 is 2"):
        OrthogonalToFurthest().apply(VectorSet(np.full((2, 2), 2)))
    with pytest.raises(InputError, match="single vector"):
        OrthogonalToFurthest().apply(VectorSet(np.ones((1, 2), dtype=np.uint8)))
    reduced = OrthogonalToFurthest().apply(VectorSet(np.ones((3, 2), dtype=np.uint8)))
    for answer in ([0], [0, 1, 3], [0, 1, -1], [0.0, 1.0, 2.0]):
        with pytest.raises(InputError, match="the answer"):
            reduced.lift(answer)  # type: ignore[arg-type]


def test_reductions_to_patterns_and_back() -> None:
    weights = np.array([[0.6, 0.3, 0.1], [0.1, 0.3, 0.6], [0.2, 0.7, 0.1]])
    reduced = AttentionToPattern(TopK(2)).apply(weights)
    assert reduced.target == binarize(weights, TopK(2))
    proof = decide(reduced.target, 2).proof
    logits = reduced.lift(proof)  # type: ignore[arg-type]
    assert np.array_equal(np.argsort(-logits, axis=1)[:, 2], [2, 0, 2])
    judgements = load_judgements(data.path("limit/limit.qrels.jsonl"))
    other = JudgementsToPattern().apply(judgements)
    assert other.target == load(data.path("limit/limit.qrels.jsonl"))
    named = other.lift(decide(other.target, 4).proof)  # type: ignore[arg-type]
    assert set(named["documents"]) == set(other.target.column_names or ())


def test_every_reduction_says_what_it_is() -> None:
    for name in REDUCTIONS:
        assert reduction(name).name == name
        assert len(reduction(name).preserves) > 20
    with pytest.raises(InputError, match="unknown reduction"):
        reduction("nothing")


@pytest.mark.parametrize("rule", [TopK(3), Threshold(0.25), Uniform(), Mass(0.9)])
def test_rules_by_their_names(rule: Rule) -> None:
    assert rule_named(rule.name) == rule


@pytest.mark.parametrize("name", ["", "top", "top0", "topx", "min2", "mass0", "best"])
def test_names_of_no_rule(name: str) -> None:
    with pytest.raises(InputError):
        rule_named(name)


# ---------------------------------------------------------------- the layer


@settings(max_examples=30)
@given(st.integers(1, 15), st.integers(2, 6), seeds)
def test_the_layer_of_proposition_1(half: int, d: int, seed: int) -> None:
    try:
        made = generate("furthest-planted", n=2 * half, d=d, gap=0.01, double=True, seed=seed)
    except InputError:
        return
    layer = FurthestLayer(d)
    partners = made.first[furthest(made.first).indices]
    assert np.array_equal(layer(made.first), np.hstack([made.first, partners]))
    # 0.0099: the gap that is left when the logits are rounded
    exact = layer(made.first, scale=softmax_scale(0.0099, 2 * half))
    assert np.array_equal(exact, np.hstack([made.first, partners]))
    near = layer(made.first, scale=softmax_scale(0.0099, 2 * half, error=1e-3))
    assert np.linalg.norm(near[:, d:] - partners, axis=1).max() <= 1e-3 + 1e-12


def test_the_layer_is_its_matrices() -> None:
    layer = FurthestLayer(3)
    u = np.random.RandomState(0).standard_normal((8, 3))
    u /= np.linalg.norm(u, axis=1)[:, None]
    a = u @ layer.W_E
    logits = (a @ layer.W_Q) @ (a @ layer.W_K).T
    weights = np.eye(8)[logits.argmax(axis=1)]
    assert np.allclose(a + weights @ (a @ layer.W_V), layer(u))
    assert layer.W_Q.shape == layer.W_K.shape == layer.W_V.shape == (6, 6)


def test_softmax_needs_the_whole_scale() -> None:
    """With half of it the bound on the error fails: the bound is not idle."""
    n, gap = 50, 0.5
    logits = np.full(n, -gap)
    logits[0] = 0
    for share, holds in ((1.0, True), (0.5, False)):
        weights = np.exp(share * softmax_scale(gap, n, error=0.01) * logits)
        error = 2 * weights[1:].sum() / weights.sum()
        assert bool(error <= 0.01) is holds


@pytest.mark.parametrize("arguments", [(0.0, 5), (-1.0, 5), (0.1, 0), (0.1, 5, -1.0)])
def test_scales_are_checked(arguments: tuple[Any, ...]) -> None:
    with pytest.raises(InputError):
        softmax_scale(*arguments)


def test_the_layer_checks_its_input() -> None:
    with pytest.raises(InputError, match="dimension 3, not 2"):
        FurthestLayer(3)([[1.0, 0.0]])
    with pytest.raises(InputError, match="at least 1"):
        FurthestLayer(0)


# ---------------------------------------------------------------- the command line


def schema(name: str) -> Draft202012Validator:
    document = json.loads((files("samapprox") / "schemas" / f"{name}.schema.json").read_text())
    Draft202012Validator.check_schema(document)
    return Draft202012Validator(document)


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
    assert "as the file says: yes" in done.stdout
    assert "12 x 12 of dimension 4" in done.stderr
    document = json.loads(run("furthest", path, "--json", "--threads", "1").stdout)
    assert loose(schema("furthest"), document) == []
    assert document["furthest"] == [6, 7, 8, 9, 10, 11, 0, 1, 2, 3, 4, 5]
    assert document["agrees"] is True
    two = json.loads(run("furthest", "-", "--json", stdin="0 0\n---\n1 1\n2 2\n").stdout)
    assert (two["furthest"], two["sets"], two["agrees"]) == ([1], 2, None)
    schema("furthest").validate(two)


def test_a_wrong_file_is_noticed(tmp_path: Path) -> None:
    made = generate("furthest-planted", n=4, d=3)
    wrong = VectorSet(made.first, None, np.array([1, 0, 3, 2]))
    save_vectors(wrong, tmp_path / "v.npz")
    assert "as the file says: NO" in run("furthest", str(tmp_path / "v.npz")).stdout


def test_orthogonal_command(tmp_path: Path) -> None:
    path = str(tmp_path / "v.npz")
    run("generate", "orthogonal-planted", "--n", "30", "--two-sets", "--output", path)
    i, j = load_vectors(path).known["pair"]
    done = run("orthogonal", path, "--count", "--least", "--exit-code")
    assert done.exit_code == 10
    assert done.stdout == (
        f"YES: vector {i} of the first set and {j} of the second.\n"
        f"orthogonal pairs: 1\nleast inner product: 0, of {i} and {j}\n"
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
    refused(run("orthogonal", bits, "--key", "X"), "no array 'X'")
    refused(run("reduce", "orthogonal-to-furthest", "-", stdin="0.5\n1\n"), "column 0 is 0.5")
    for name, message in (("a", "must hold 2 indices"), ("b", "not what"), ("c", "No such file")):
        answer = str(tmp_path / f"{name}.json")
        refused(run("reduce", "orthogonal-to-furthest", bits, "--answer", answer), message)
    attention = str(tmp_path / "w.npy")
    np.save(attention, np.eye(2))
    refused(run("reduce", "attention-to-pattern", attention, "--rule", "best"), "unknown rule")
    qrels = str(data.path("limit/limit.npz"))
    refused(run("reduce", "judgements-to-pattern", qrels), "hold patterns, not judgements")
