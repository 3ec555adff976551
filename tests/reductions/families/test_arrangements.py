"""Families of arrangements of pseudolines."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samapprox import InputError, Problem, decide
from samapprox.reductions.families import generate

seeds = st.integers(0, 2**32 - 1)


SEARCHES = ["annealing", "best-order", "gradient", "hinge", "projections"]
"""Strategies that spend seconds on the search for an embedding that does not exist."""

ALSO_ALL_STRATEGIES = [
    pytest.param(SEARCHES, id="no-searches"),
    pytest.param([], id="all-strategies", marks=pytest.mark.slow),
]


@pytest.mark.parametrize("without", ALSO_ALL_STRATEGIES)
@pytest.mark.parametrize("resolution", [0, 511])
def test_ringels_arrangement(resolution: int, without: list[str]) -> None:
    """Refuted by a final polynomial and by nothing less; with a dimension more it is shown."""
    instance = generate("stretch", resolution=resolution)
    for fact in instance.facts:
        verdict = decide(instance.pattern, fact.d, without=without if fact.d == 2 else ())
        assert verdict.status.value == fact.answer
        if fact.d == 2:
            assert verdict.proof.polynomials


@pytest.mark.parametrize("without", ALSO_ALL_STRATEGIES)
def test_more_pseudolines_do_not_mend_ringels_arrangement(without: list[str]) -> None:
    more = generate("stretch", lines=9, seed=1)
    assert more.known_answer(Problem(more.pattern, 2)) == "NO"
    assert more.known_answer(Problem(more.pattern, 3)) is None
    assert decide(more.pattern, 2, without=without).status.value == "NO"


@settings(max_examples=15)
@given(st.sampled_from(["pappus", "lines", "pseudolines"]), st.integers(1, 9), seeds)
def test_stretch(kind: str, lines: int, seed: int) -> None:
    if kind == "pappus":
        lines = max(lines, 8)
        parameters = {"lines": lines, "resolution": 1 + seed % 510}
    else:
        parameters = {"lines": lines}
    instance = generate("stretch", kind=kind, seed=seed, **parameters)
    assert instance.pattern.shape == (lines, 1 + lines * (lines + 1) // 2)
    known = instance.known_answer(Problem(instance.pattern, 2))
    assert known == (None if kind == "pseudolines" and lines > 7 else "YES")
    for fact in instance.facts:
        assert decide(instance.pattern, fact.d).status.value == fact.answer


@pytest.mark.parametrize(
    "parameters", [{"lines": 9}, {"kind": "lines"}, {"kind": "pseudolines"}, {"lines": 12}]
)
def test_seeds_choose_the_arrangement(parameters: dict[str, int | str]) -> None:
    one, same, other = (generate("stretch", seed=s, **parameters).pattern for s in (5, 5, 6))
    assert one == same
    assert one != other


@pytest.mark.parametrize(
    ("family", "parameters"),
    [
        ("stretch", {"d": 3}),
        ("stretch", {"d": 4, "resolution": 511}),
        ("stretch", {"d": 3, "kind": "lines", "lines": 4}),
        ("topes", {"d": 4, "elements": 6}),
        ("topes", {"d": 3, "rank": 4, "elements": 6}),
    ],
)
def test_families_are_padded_for_more_dimensions(
    family: str, parameters: dict[str, int | str]
) -> None:
    instance = generate(family, **parameters)
    d = int(parameters["d"])
    assert instance.known_answer(Problem(instance.pattern, d - 1)) == "NO"
    assert instance.known_answer(Problem(instance.pattern, d)) is not None
    for fact in instance.facts:
        if fact.d <= d:
            verdict = decide(instance.pattern, fact.d, time_limit=600)
            assert verdict.status.value == fact.answer


def test_fewer_dimensions_than_the_plane_are_refused() -> None:
    for family, d in (("stretch", 1), ("topes", 1)):
        with pytest.raises(InputError, match="d must be at least"):
            generate(family, d=d)
