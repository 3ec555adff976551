"""The method that a mask allows, and its walk."""

from __future__ import annotations

import networkx
import pytest

from samapprox import InputError
from samapprox.attention.graphs import AttentionGraph, SparseAttention, build
from samapprox.attention.transformers.universality.routes import Method, choose_route


def star(*, loop_at_centre: bool) -> SparseAttention:
    """Three leaves around token 0, which see themselves and the centre."""
    graph = networkx.star_graph(3)
    graph.add_edges_from((token, token) for token in range(0 if loop_at_centre else 1, 4))
    return SparseAttention((AttentionGraph.from_networkx(graph),))


def test_the_walk_is_the_default_and_the_star_stands_in_for_a_missing_loop() -> None:
    assert choose_route(star(loop_at_centre=True)).method is Method.WALK
    route = choose_route(star(loop_at_centre=False))
    assert route.method is Method.STAR
    assert route.walk.tokens.tolist() == [1, 0, 2, 0, 3]
    printed = choose_route(build("window:w=3", 4), Method.PRINTED)
    assert printed.walk.tokens.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("attention", "method", "message"),
    [
        (star(loop_at_centre=True), Method.PRINTED, "Hamiltonian path"),
        (star(loop_at_centre=False), Method.WALK, "no self-loop at 0"),
        (build("window:w=3", 5), Method.STAR, "star"),
        (build("window:w=3,causal=1", 5), None, "token 0 never hears of token 1"),
        (build("full", 1), None, "at least 2 tokens"),
    ],
)
def test_what_a_mask_lacks_is_named(
    attention: SparseAttention, method: Method | None, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        choose_route(attention, method)
