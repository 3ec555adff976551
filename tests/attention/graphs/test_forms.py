"""Forms of graphs: arrays, files, other views."""

from __future__ import annotations

import networkx
import numpy as np
import pytest
import scipy.sparse
from helpers.attention.masks import edges, graph
from hypothesis import given, settings
from hypothesis import strategies as st

from samapprox import InputError, Pattern, load, save
from samapprox.attention.graphs import AttentionGraph, build

random_masks = st.integers(1, 12).flatmap(
    lambda n: st.lists(st.lists(st.booleans(), min_size=n, max_size=n), min_size=n, max_size=n)
)


@settings(max_examples=60)
@given(random_masks)
def test_there_and_back(rows: list[list[bool]]) -> None:
    mask = np.array(rows)
    made = AttentionGraph.from_sparse(scipy.sparse.coo_array(mask))
    assert edges(made) == {tuple(pair) for pair in np.argwhere(mask).tolist()}
    assert AttentionGraph.from_sparse(made.to_sparse()) == made
    assert (made.to_sparse().toarray() == mask).all()
    assert AttentionGraph.from_networkx(made.to_networkx()) == made
    assert edges(made.causal()) == {(i, j) for i, j in edges(made) if j <= i}
    assert edges(made.reverse()) == {(j, i) for i, j in edges(made)}
    assert made.out_degrees.tolist() == mask.sum(axis=1).tolist()
    assert made.in_degrees.tolist() == mask.sum(axis=0).tolist()
    assert made.without_loop.tolist() == np.flatnonzero(~mask.diagonal()).tolist()
    if mask.any(axis=1).all():
        assert made.pattern() == Pattern.from_array(mask)
        assert AttentionGraph.from_pattern(made.pattern()) == made
    else:
        first = int(np.flatnonzero(~mask.any(axis=1))[0])
        with pytest.raises(InputError, match=f"token {first} attends to no token"):
            made.pattern()


def test_masks_in_files(tmp_path: object) -> None:
    made = graph("bigbird", 40)
    for ending in ("npz", "csv"):
        save(made.pattern(), f"{tmp_path}/mask.{ending}")
        assert AttentionGraph.from_pattern(load(f"{tmp_path}/mask.{ending}")) == made


def test_undirected_edges_go_both_ways() -> None:
    star = AttentionGraph.from_networkx(networkx.star_graph(3))
    assert edges(star) == {(0, 1), (0, 2), (0, 3), (1, 0), (2, 0), (3, 0)}


@pytest.mark.parametrize("spec", ["bigbird:r=2", "strided:w=3", "star:w=1", "block-sparse:b=3"])
def test_causal_versions(spec: str) -> None:
    for whole, causal in zip(
        build(spec, 15).patterns, build(f"{spec},causal=1", 15).patterns, strict=True
    ):
        assert causal == whole.causal()


def test_graphs_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        graph("window", 4).indices[0] = 3
