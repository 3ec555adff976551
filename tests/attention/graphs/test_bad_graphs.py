"""Specifications and masks that are refused."""

from __future__ import annotations

import networkx
import pytest
import scipy.sparse

from samapprox import InputError, Pattern
from samapprox.attention.graphs import GRAPHS, AttentionGraph, Spec, build


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("ring", "unknown graph 'ring'; there are: full, window, "),
        ("", "unknown graph ''"),
        ("window:q=3", "window has no parameter 'q'; there are: w, heads, pattern, causal"),
        ("window:n=3", "window has no parameter 'n'"),
        ("window:w", "'w' must look like key=value"),
        ("window:w=3,w=4", "w is given twice"),
        ("window:w=3.5", "w must be a whole number, not '3.5'"),
        ("window:w=" + "9" * 5000, "w must be a whole number"),
        ("window:w=0", "window: w .the window's width. must be at least 1, not 0"),
        ("dilated:d=0", "dilated: d .the dilation. must be at least 1"),
        ("star:w=0", "w .neighbours on either side. must be at least 1"),
        ("strided:w=0", "w .neighbours, and the stride. must be at least 1"),
        ("strided:pattern=2", "pattern must be in 0..1, not 2"),
        ("strided:heads=both", "heads must be one of sequential, union, multihead, not 'both'"),
        ("strided:causal=yes", "causal must be 0 or 1, not 'yes'"),
        ("fixed:w=0", "w .the length of a segment. must be at least 1"),
        ("random:sparsity=2", "sparsity must be in 0..1, not 2.0"),
        ("random:sparsity=nan", "sparsity must be a number, not 'nan'"),
        ("random:seed=-1", "seed must be in"),
        ("random-heads:draws=0", "draws must be in 1..1024, not 0"),
        ("random-heads:draws=1025", "draws must be in 1..1024, not 1025"),
        ("random-keys:r=20", "r .random keys. must be in 0..19, not 20"),
        ("longformer:g=21", "g .global tokens. must be in 0..20, not 21"),
        ("bigbird:g=-1", "g .global tokens. must be in 0..20, not -1"),
        ("bigbird:r=-1", "r .random tokens. must be in 0..15, not -1"),
        ("bigbird-block:b=21", "b .tokens of a block. must be in 1..20"),
        ("bigbird-block:b=5", "r .random blocks. must be in 0..0, not 3"),
        ("bigbird-block:b=5,g=-1", "g .global blocks. must be in 0..4"),
        ("block-sparse:b=0", "b .tokens of a block. must be at least 1"),
        ("block-sparse:k=0", "k .blocks behind a query. must be at least 1"),
        ("block-sparse:b=2,c=3", "c .tokens of every block for all. must be in 0..2"),
    ],
)
def test_bad_specs(spec: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        build(spec, 20)


@pytest.mark.parametrize("n", [0, -1, 2**24 + 1])
@pytest.mark.parametrize("name", GRAPHS)
def test_bad_numbers_of_tokens(name: str, n: int) -> None:
    with pytest.raises(InputError, match="n "):
        build(name, n)


def test_bad_masks() -> None:
    with pytest.raises(InputError, match="2 x 3; a graph on tokens needs as many queries as keys"):
        AttentionGraph.from_pattern(Pattern.from_text("110\n011"))
    with pytest.raises(InputError, match="2 x 3; a graph on tokens"):
        AttentionGraph.from_sparse(scipy.sparse.coo_array((2, 3)))
    with pytest.raises(InputError, match="don't-care entries"):
        AttentionGraph.from_pattern(Pattern.from_text("1*\n01"))
    with pytest.raises(InputError, match="given twice"):
        AttentionGraph.from_csr([0, 2, 3], [1, 1, 0])
    with pytest.raises(InputError, match=r"outside 0\.\.1"):
        AttentionGraph.from_csr([0, 2, 3], [1, 2, 0])
    with pytest.raises(InputError, match="tokens n must be in"):
        AttentionGraph.from_csr([0], [])
    with pytest.raises(InputError, match="tokens n must be in"):
        AttentionGraph.from_networkx(networkx.DiGraph())


def test_defaults_stand_where_nothing_is_said() -> None:
    assert Spec.parse("bigbird") == Spec.parse("bigbird:")
    assert build("bigbird", 50).patterns == build("bigbird:w=3,g=2,r=3,seed=0", 50).patterns
