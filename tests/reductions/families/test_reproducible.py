"""Families make the same instances again, and refuse parameters out of range."""

from __future__ import annotations

import hashlib
import inspect
from pathlib import Path

import numpy as np
import pytest

from samapprox import InputError, save
from samapprox.reductions.families import FAMILIES, family, generate

GOLDEN = {
    "coupled": "61a664363525fdf88ff198eb22c5d695ee9189ce76b73887c43b9ebf1ca4cde5",
    "line": "b0c55fc6d306f836f2d4f4154260ce01661e85aea78e54ecf1fd66908d8b308e",
    "line-broken": "b8279dc7749abfef11327fa45b34919bd1c81818a7d52e69d906842987a54579",
    "line-coupled": "f427799ac7f036e216dbe7670c82ff6aba442365b68ac47e752abcf823a2c5e6",
    "random": "e3a963d16f7fa07a10fec156f16ead1389f52c02c19faa9863618c50908a15de",
    "sparse-rows": "5c92600362c32c41fc1d53917dfcb5d19fb172bd80092624a846a62d9b101aa3",
    "permutations": "38b76c5364a9e32a4291b11852fe1c0b3dfc96b325449a8bea0fdbd3e4c7ef57",
    "halfspaces": "9eebada580d3c2b9db014da5036f8916907930b66d745ec4047744fe12e93a6f",
    "halfspaces-flipped": "83e9cfc631b522cb6867f90747e7ef8178fec44b11fdd52fa3282e0e8ef5748c",
    "shattered": "eac062a289440a5b91208fbd9e68cb1685ef92d8cf6578e93d6e2a9c7a468bb4",
    "hadamard": "3de39794284fd5e8a3321a96b770114a2e00e5ea7c4f7ceb3ee0d7c1adab61df",
    "projective-plane": "6243fdf6751b3d5444ffc20b42cc499aeeab63d9ac548bb8d4a8044fe91df539",
    "shattered-causal": "6993373ab226fa3ab27ff28b18d4231ad7da61ba0c181c3382b9ad4a3a391276",
    "stretch": "2d364cfd75e9c860986ef8769e052a258064315512ace66c0c146b16fffe6f8b",
    "topes": "fbc5a2b69ce63ffce401fd2d698a8bf47d0290fe9eb442776286447b5c993714",
    "arcs": "b0cf376f67273617d5f3e02e3b3815d25c813c952cabbd615cdcba995a8b1b1f",
    "all-subsets": "01c81f6c0b26f7fd0bfbf2a755a45e71647cd517ca67801a669fe5eff76cbb2c",
    "mask": "a37289371441a4c85dffef26f3da30b76f959ff4b083b6d74a556e95da19f734",
    "identity": "34585f5b89e81e788aeddab193f9ff9aadb3ce276d2b9f454d41132fec55cc2e",
    "equality": "443f3be7cf8705a2c258e7700d90b55154fb1791dad68717c78c26304be2f5ee",
    "greater-than": "2ecd7faf5d4248c7d8403ad4e632c45c8f61dd4bae968b69c90c2f63977cd347",
    "disjointness": "448f71ed02522b1dae0872bf66ae3ceb253aa01cc8106e1e549ca9b6830f3e6a",
    "sign-vectors": "5e65376b5d818e3784e2995f1a57ff4efb37b294203fe629e3bc682cc7ac22fe",
    "hamming": "15a5823747ce56e7f086eaccd0897c662624c820a008191846f571c16d28084f",
    "gap-hamming": "7f6a838fedd09671ac309aec1ad1fa91d2e9ac070dae54a519aa77ea5b8c7367",
    "all": "8262a7476a75a1a573105a23b21a6bcd8d0d0d658ea1e05d0557049995188f79",
}
"""sha256 of the npz of every family's default instance."""


@pytest.mark.parametrize("name", FAMILIES)
def test_the_same_bytes_on_every_machine(tmp_path: Path, name: str) -> None:
    save(generate(name), tmp_path / "p.npz")
    assert hashlib.sha256((tmp_path / "p.npz").read_bytes()).hexdigest() == GOLDEN[name]


# A "stretch" differs by more than its seed: see above.
NO_SEED = (
    "all-subsets",
    "mask",
    "shattered",
    "shattered-causal",
    "hadamard",
    "projective-plane",
    "stretch",
    "identity",
    "equality",
    "greater-than",
    "disjointness",
    "sign-vectors",
    "hamming",
    "gap-hamming",
    "all",  # its instances have numbers
)


@pytest.mark.parametrize("name", [n for n in FAMILIES if n not in NO_SEED])
def test_seeds_choose_the_instance(name: str) -> None:
    one, same, other = (generate(name, seed=seed).pattern for seed in (5, 5, 6))
    assert one == same
    assert one != other


@pytest.mark.parametrize("name", FAMILIES)
def test_the_origin_makes_the_instance_again(name: str) -> None:
    parameters = dict(generate(name).origin)
    assert parameters.pop("family") == name
    assert set(parameters) == set(inspect.signature(family(name)).parameters)
    assert generate(name, **parameters).pattern == generate(name).pattern


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("cube", {}, "unknown family 'cube'; there are: line, "),
        ("line", {"rows": 0}, "rows and columns must be >= 1"),
        ("line", {"rows": 10**6, "columns": 10**6}, "more than"),
        ("line", {"seed": -1}, "seed must be in"),
        ("line-broken", {"rows": 2}, "at least 3 rows"),
        ("line-broken", {"core": "soft"}, "core must be one of three-rows, two-rows, none"),
        ("line-broken", {"flips": -1}, "flips must be in"),
        ("line-coupled", {"n": 2, "feasible": False}, "at least 3 tokens"),
        ("random", {"density": 1.5}, "density must be in"),
        ("sparse-rows", {"k": 0}, "k must be in"),
        ("permutations", {"k": 21}, "k must be in"),
        ("all-subsets", {"k": 7}, "k must be in"),
        ("halfspaces", {"d": 0}, "d must be in"),
        ("halfspaces", {"margin": 2.0}, "margin must be in"),
        ("halfspaces-flipped", {"flips": -1}, "flips must be in"),
        ("arcs", {"d": 3}, "d must be an even number"),
        ("shattered", {"n": 21}, "n must be in"),
        ("hadamard", {"n": 10}, "n must be the order of a Sylvester or Paley matrix"),
        ("hadamard", {"n": 92}, "n must be the order of a Sylvester or Paley matrix"),
        ("hadamard", {"n": 0}, "n must be the order of a Sylvester or Paley matrix"),
        ("hadamard", {"n": 8192}, "n must be the order of a Sylvester or Paley matrix"),
        ("projective-plane", {"q": 6}, "q must be a prime power in 2..32, not 6"),
        ("projective-plane", {"q": 37}, "q must be a prime power in 2..32, not 37"),
        ("shattered-causal", {"n": 13}, "n must be in"),
        ("shattered", {"causal": True}, "as many queries as keys"),
        ("stretch", {"kind": "circles"}, "kind must be one of pappus, lines, pseudolines"),
        ("stretch", {"lines": 7}, "pappus has 8..30 lines, not 7"),
        ("stretch", {"kind": "lines", "lines": 0}, "lines has 1..200 lines"),
        ("stretch", {"resolution": 512}, "resolution must be in"),
        ("stretch", {"kind": "lines", "resolution": 1}, "lines have no resolution"),
        ("topes", {"rank": 1}, "rank must be a whole number of at least 2, not 1"),
        ("topes", {"chirotope": "+-"}, "needs 84 signs, not 2"),
        ("topes", {"elements": 300}, "too many orientations"),
        ("all-subsets", {"n": 200, "k": 100}, "more than"),
        ("hamming", {"n": 14}, "n must be in 1..13, not 14"),
        ("hamming", {"k": 5}, "k must be in 0..4, not 5"),
        ("gap-hamming", {"n": 4, "k": 2}, "k must be in 0..1, not 2"),
        ("all", {"number": 65}, "number must be in 0..64, not 65"),
        ("all", {"columns": 8}, "columns must be in 1..7, not 8"),
        ("all", {"rows": 9, "columns": 7}, "has more than 10000000 patterns"),
        ("all", {"symmetry": "rows"}, "symmetry must be one of none, order, complements"),
        ("mask", {"graph": "ring"}, "unknown graph 'ring'; there are: full, "),
        ("mask", {"graph": "bigbird:r=9", "n": 9}, "r .random tokens. must be in"),
        ("mask", {"graph": "random:sparsity=1", "n": 9}, "token 0 attends to no token"),
        ("mask", {"graph": None}, "^mask: graph must be a text, not None$"),
        ("hamming", {"n": 4.0}, r"^hamming: n must be a whole number, not 4\.0$"),
        ("gap-hamming", {"k": "1"}, "^gap-hamming: k must be a whole number, not '1'$"),
        ("random", {"density": "0.5"}, r"^random: density must be a number, not '0\.5'$"),
        ("projective-plane", {"sign_rank": 2}, "sign_rank must be True or False, not 2"),
        ("hamming", {"bits": 3}, "hamming has no parameter 'bits'; there are: n, k"),
    ],
)
def test_parameters_out_of_range(
    name: str, parameters: dict[str, int | float | str | bool], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        generate(name, **parameters)


def test_parameters_may_be_numbers_of_numpy() -> None:
    made = generate("random", rows=np.int8(5), columns=np.uint16(6), density=np.float32(0.5))
    assert made.pattern == generate("random", rows=5, columns=6, density=0.5).pattern
    assert type(made.origin["rows"]) is int


def test_every_family_describes_its_parameters() -> None:
    from samapprox.cli.instances.generate import _descriptions

    for name in FAMILIES:
        make = family(name)
        assert set(_descriptions(make)) == set(inspect.signature(make).parameters)
