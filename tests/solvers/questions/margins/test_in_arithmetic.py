"""Dimensions in number formats: the embedding is right there, and the bound below is proven."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.durations import ended_within, processor_time

from samapprox import Embedding, InputError, Pattern, dimension_in_arithmetic, weak_dimension
from samapprox.errors import Interrupted
from samapprox.precision import EMBEDDING_FORMATS, rows_lost
from samapprox.reductions.families import generate
from samapprox.solvers.questions.margins import in_arithmetic

Random = np.random.RandomState


def random_pattern(seed: int, rows: int, columns: int) -> Pattern:
    random = Random(seed)
    entries = random.rand(rows, columns) < 0.4
    entries[~entries.any(axis=1), 0] = True
    return Pattern.from_array(entries, (random.rand(rows, columns) < 0.9) | entries)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("arithmetic", ["bfloat16", "float8_e5m2", "int8"])
def test_the_embedding_is_right_in_the_format(seed: int, arithmetic: str) -> None:
    pattern = random_pattern(seed, 9, 8)
    found = dimension_in_arithmetic(pattern, arithmetic, time_limit=3)
    assert isinstance(found.yes.proof, Embedding)
    assert rows_lost(pattern, found.yes.proof, arithmetic) == []
    assert found.yes.verify(pattern)
    assert found.lower == found.weak.lower <= found.d <= 9


def test_a_known_weak_dimension_is_used() -> None:
    pattern = Pattern.from_array(np.eye(12))
    weak = weak_dimension(pattern)
    found = dimension_in_arithmetic(pattern, "bfloat16", weak=weak)
    assert found.weak is weak
    assert (found.lower, found.d) == (2, 2)
    assert "no smaller d can in exact arithmetic" in str(found)


def test_more_keys_on_a_circle_than_a_format_tells_apart_need_more_dimensions() -> None:
    """float8_e5m2 has 3 significant bits: 40 keys in the plane cannot all be corners."""
    with processor_time():
        found = dimension_in_arithmetic(np.eye(40), "float8_e5m2", time_limit=3)
        precise = dimension_in_arithmetic(np.eye(40), "float64", time_limit=1.5)
    assert found.lower == 2 < found.d < 40
    assert "none was found" in str(found)
    assert precise.d == 2


def test_a_short_limit_ends_with_less_than_a_coordinate_a_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where the least dimension takes all the time, a larger one was tried briefly before."""
    pattern = Pattern.from_array(np.eye(40))
    weak = weak_dimension(pattern)
    tried = in_arithmetic._FormatSearch._try

    def refuse_small(
        self: in_arithmetic._FormatSearch, d: int, *args: float, **named: bool
    ) -> bool:
        return d >= 8 and tried(self, d, *args, **named)

    monkeypatch.setattr(in_arithmetic._FormatSearch, "_try", refuse_small)
    monkeypatch.setattr(in_arithmetic, "_TRIED", 0.0)
    with processor_time():
        found = dimension_in_arithmetic(pattern, "float8_e5m2", weak=weak, time_limit=20)
    assert found.d == 8


@pytest.mark.parametrize("arithmetic", EMBEDDING_FORMATS)
def test_a_pattern_without_zeros_is_right_everywhere(arithmetic: str) -> None:
    assert dimension_in_arithmetic([[1, 1], [1, 1]], arithmetic).d == 1


def test_refusals_and_limits() -> None:
    with pytest.raises(InputError, match="unknown arithmetic"):
        dimension_in_arithmetic(np.eye(3), "float12")
    with pytest.raises(InputError, match="too many to be tested in int8"):
        dimension_in_arithmetic(Pattern.from_array(np.ones((3000, 3000), dtype=np.uint8)), "int8")
    pattern = random_pattern(0, 60, 60)
    ended_within(4, lambda: dimension_in_arithmetic(pattern, "float8_e5m2", time_limit=1))


def test_an_interrupt_keeps_what_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_arguments: object) -> None:
        raise KeyboardInterrupt

    pattern = Pattern.from_array(np.eye(30))
    weak = weak_dimension(pattern)
    monkeypatch.setattr(in_arithmetic, "climb", interrupt)
    with pytest.raises(Interrupted) as caught:
        dimension_in_arithmetic(pattern, "float8_e5m2", weak=weak)
    assert caught.value.so_far.d >= 2


def test_large_margins_of_large_patterns_are_rounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """All pairs of 10 keys are small, but treated like larger ones here."""
    monkeypatch.setattr(in_arithmetic, "_MOST_ANNEALED", 0)
    monkeypatch.setattr(in_arithmetic._FormatSearch, "_embeddings", lambda *_: iter(()))
    pattern = generate("all-subsets", n=10, k=2).pattern
    found = dimension_in_arithmetic(pattern, "float8_e4m3", time_limit=8)
    assert found.lower == 4 <= found.d <= 8  # without a search in single dimensions, 10
    assert isinstance(found.yes.proof, Embedding)
    assert rows_lost(pattern, found.yes.proof, "float8_e4m3") == []


def test_fewer_keys_than_queries_bound_the_dimension() -> None:
    """All pairs of 30 keys: 435 rows, but keys can be unit vectors, exact in 8 bits."""
    pattern = generate("all-subsets", n=30, k=2).pattern
    found = dimension_in_arithmetic(pattern, "int8", time_limit=0.1)
    assert found.d <= 30


@pytest.mark.parametrize(("arithmetic", "n"), [("float8_e5m2", 90), ("float8_e4m3", 190)])
def test_a_line_holds_as_many_keys_as_the_format_has_numbers(arithmetic: str, n: int) -> None:
    """Causal masks need d = 1: only the order of their keys matters."""
    pattern = Pattern.from_array(np.tri(n))
    found = dimension_in_arithmetic(pattern, arithmetic, time_limit=10)
    assert found.d == 1
    assert isinstance(found.yes.proof, Embedding)
    assert rows_lost(pattern, found.yes.proof, arithmetic) == []
