"""The load of summary tokens against flows through the layers of the mask."""

from __future__ import annotations

import networkx
import pytest
from helpers.attention.dependencies import any_needs, edges_of, needs_of
from hypothesis import assume, given
from hypothesis import strategies as st

from samapprox import InputError
from samapprox.attention.graphs import AttentionGraph, build
from samapprox.attention.reasoning.locality.hearing import SummaryLoad, hear, summary_load


def is_summary(position: int, b: int, c: int) -> bool:
    return position % b >= b - c


def least_flow_load(
    needs: AttentionGraph, values: list[int], b: int, k: int, c: int, layers: int
) -> int:
    """The least load by maximum flow, layer by layer through windows to the first summary read."""
    n = needs.n
    for load in range(1, len(values) + 1):
        network = networkx.DiGraph()
        for value in values:
            network.add_edge("source", (value, 0), capacity=1)
        for layer in range(layers - 1):
            for query in range(n):
                for key in range(max(0, query - k * b + 1), query + 1):
                    network.add_edge((key, layer), (query, layer + 1))
        for position in range(n):
            if is_summary(position, b, c):
                for layer in range(layers):
                    network.add_edge((position, layer), ("summary", position))
                network.add_edge(("summary", position), "sink", capacity=load)
        if networkx.has_path(network, "source", "sink"):
            flow = networkx.maximum_flow_value(network, "source", "sink")
            if flow == len(values):
                return load
    raise AssertionError("some value reaches no summary token")


@given(any_needs(14), st.integers(1, 4), st.integers(1, 2), st.integers(1, 2), st.integers(1, 3))
def test_the_load_is_that_of_a_flow(
    drawn: tuple[AttentionGraph, int], b: int, k: int, c: int, layers: int
) -> None:
    assume(c <= b)
    needs, _ = drawn
    found = summary_load(needs, b=b, k=k, c=c, layers=layers)
    reach = layers * (k * b - 1)
    far = {j for i, j in edges_of(needs) if i - 1 - j > reach}
    assert found.reach == reach
    assert set(found.far.tolist()) == far
    assert found.blocks.tolist() == [
        sum(value // b == block for value in far) for block in range(-(-needs.n // b))
    ]
    carried = [value for value in sorted(far) if value not in found.lost]
    assert (found.load > 0) == (found.crowd is not None) == bool(carried)
    if carried:
        assert found.load == least_flow_load(needs, carried, b, k, c, layers)
        assert_crowd_proves_it(found, carried, b, k, c, layers)


def assert_crowd_proves_it(
    found: SummaryLoad, carried: list[int], b: int, k: int, c: int, layers: int
) -> None:
    """The values of the crowd, and all summary tokens that they can reach, one by one."""
    crowd = found.crowd
    assert crowd is not None
    values = [value for value in carried if crowd.first <= value <= crowd.last]
    end = crowd.last + (layers - 1) * (k * b - 1)
    carriers = [p for p in range(crowd.first, end + 1) if is_summary(p, b, c)]
    assert (len(values), len(carriers)) == (crowd.values, crowd.carriers)
    assert found.load == -(-len(values) // len(carriers))


@given(any_needs(12), st.integers(1, 4), st.integers(0, 2), st.integers(1, 3))
def test_values_are_lost_just_where_steps_cannot_hear(
    drawn: tuple[AttentionGraph, int], b: int, c: int, layers: int
) -> None:
    assume(c <= b)
    needs, _ = drawn
    missing = hear(needs, build(f"block-sparse:b={b},k=1,c={c}", needs.n), layers).missing
    lost = summary_load(needs, b=b, k=1, c=c, layers=layers).lost
    assert {j for _, j in missing.tolist()} == set(lost.tolist())


def test_two_layers_put_a_block_on_its_own_summary_tokens() -> None:
    needs = needs_of(65, [(64, j) for j in range(32)])
    found = summary_load(needs, b=8, c=2, layers=2)
    assert found.blocks.tolist() == [8, 8, 8, 8, 0, 0, 0, 0, 0]
    assert found.load == 4
    assert found.lost.size == 0


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"layers": 0}, "number of layers must be at least 1, not 0"),
        ({"layers": 1, "b": 0}, "b .tokens of a block. must be at least 1, not 0"),
        ({"layers": 1, "k": 0}, "k .blocks behind a query. must be at least 1, not 0"),
        ({"layers": 1, "c": 17}, r"c .summary tokens of a block. must be in 0\.\.16, not 17"),
    ],
)
def test_bad_parameters_are_refused(parameters: dict[str, int], message: str) -> None:
    with pytest.raises(InputError, match=message):
        summary_load(needs_of(3, [(2, 0)]), **parameters)


def test_the_crowd_need_not_begin_with_the_first_value() -> None:
    found = summary_load(needs_of(25, [(24, j) for j in (0, 4, 5, 6, 7)]), layers=2, b=4)
    assert found.load == 4
    assert found.crowd is not None
    assert (found.crowd.first, found.crowd.last) == (4, 7)
