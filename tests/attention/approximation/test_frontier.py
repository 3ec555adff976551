"""Optimised layers, arithmetics, lower bounds, the frontier and its picture."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from helpers.schemas import schema

from samapprox import InputError
from samapprox.attention.approximation import (
    AttentionLayer,
    Request,
    Target,
    approximate,
    check,
    sample,
)
from samapprox.attention.approximation.frontier import (
    Frontier,
    draw_frontier,
    fixed_keys_rank,
    frontier,
    least_bits,
    log2_supports,
    matrices_rank,
    pattern_rank,
)
from samapprox.attention.approximation.methods.optimised import Bounds, descend, random_factors
from samapprox.attention.approximation.precision import (
    balance,
    least_bits_of,
    least_that,
    report_in,
    round_layer,
)
from samapprox.attention.self_attention import sam
from samapprox.cli.main import cli
from samapprox.pictures import svg


def request(n: int, k: int, gamma: float = 1.0, **more: object) -> Request:
    return Request(target=sample(n, k, gamma), eps1=0.1, eps2=1.0, **more)  # type: ignore[arg-type]


def run(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(cli, ["approximate", *arguments])
    return result.exit_code, result.stdout, result.stderr


# ---------------------------------------------------------------- optimisation


def test_what_the_descent_returns_keeps_its_bounds() -> None:
    for k, gamma, causal in ((1, 1.0, False), (2, 2.0, False), (2, 2.0, True)):
        target = sample(50, k, gamma, causal=causal)
        asked = Request(target=target, eps1=0.1, eps2=1.0, causal=causal)
        bounds = Bounds.of(asked, 15.0)
        found = descend(bounds, random_factors(target, 12, 15.0, 0))
        assert found is not None
        logits = found.queries @ found.keys.T - found.offsets[:, None]
        assert np.abs(bounds.violations(logits)).max() <= bounds.safety


def test_an_impossible_spread_is_given_up() -> None:
    asked = request(40, 1)
    assert descend(Bounds.of(asked, 2.4), random_factors(asked.target, 2, 2.4, 0)) is None


def test_the_optimised_rank_is_less_than_half_of_the_projections() -> None:
    asked = Request(target=sample(128, 2, 2.0), eps1=0.5, eps2=1.0, least=True)
    drawn = approximate(asked, "projection")
    bounded = Request(target=asked.target, eps1=0.5, eps2=1.0, spread=drawn.report.spread)
    found = approximate(bounded, "optimised")
    assert found.report.is_proven
    assert found.report.spread <= drawn.report.spread
    assert 2 * found.layer.rank <= drawn.layer.rank


def test_the_spread_at_a_rank_is_less_than_the_rings() -> None:
    rings = approximate(request(60, 2), "rings")
    found = approximate(request(60, 2, d=4), "optimised")
    assert found.report.is_proven
    assert found.layer.rank == 4
    assert found.report.spread < rings.report.spread


def test_optimised_for_an_arithmetic() -> None:
    for arithmetic in ("bfloat16", "int4"):
        asked = request(16, 1, arithmetic=arithmetic)
        found = approximate(asked, "optimised")
        report = report_in(arithmetic, found.layer, asked.target, 0.1, 1.0)
        assert report is not None
        assert report.holds


def test_the_least_that_serves() -> None:
    for most, least in product(range(1, 40), range(1, 40)):
        assert least_that(lambda x, least=least: x >= least, most) == min(most, least)  # type: ignore[misc]


# ---------------------------------------------------------------- arithmetics


def test_balancing_leaves_the_attention_matrix_as_it_is() -> None:
    for method in ("circle", "rings", "line"):
        layer = approximate(request(12, 2), method).layer
        same = balance(layer)
        ours, theirs = (
            sam(*(np.asarray(part, dtype=float) for part in (x.X, x.W_Q, x.W_K)))
            for x in (layer, same)
        )
        assert ours == pytest.approx(theirs, rel=1e-6)


def test_rounded_layers_are_whole_numbers_times_scales() -> None:
    target = sample(30, 2, 3.0)
    layer = approximate(request(30, 2, 3.0), "circle").layer
    for bits in (1, 3, 8, 20):
        small = round_layer(layer, target, 0.1, bits)
        most = max(1, 2 ** (bits - 1) - 1)
        assert (np.abs(small.keys) <= most).all()
        assert (small.keys == np.rint(small.keys)).all()
        for query in small.queries:
            size = np.abs(query).max()
            parts = query / size * most
            scale = np.abs(parts).max() / most
            assert scale == 1
            assert len(np.unique(np.abs(query))) <= most + 1


def test_fewest_bits_hold_and_one_less_does_not() -> None:
    target = sample(40, 2, 2.0)
    layer = approximate(request(40, 2, 2.0), "rings").layer
    bits = least_bits_of(layer, target, 0.1, 1.0)
    assert bits is not None
    assert check(round_layer(layer, target, 0.1, bits), target, 0.1, 1.0).is_proven
    assert not check(round_layer(layer, target, 0.1, bits - 1), target, 0.1, 1.0).holds
    assert layer.rank * bits >= least_bits(40, 2, 1)


def test_arithmetics_that_do_not_exist_are_refused() -> None:
    for name in ("float8", "int0", "int27", "int", "8"):
        with pytest.raises(InputError, match=r"unknown arithmetic .* and int1 to int26$"):
            request(4, 1, arithmetic=name)


def test_large_logits_overflow_in_float16() -> None:
    layer = approximate(request(300, 1), "circle").layer
    target = sample(300, 1, 1.0)
    narrow = report_in("float16", layer, target, 0.1, 1.0)
    assert narrow is None or not narrow.holds
    wide = report_in("float32", layer, target, 0.1, 1.0)
    assert wide is not None
    assert wide.holds


# ---------------------------------------------------------------- lower bounds


def test_supports_are_not_counted_too_high() -> None:
    """OEIS A008300: 0/1 matrices with k ones a row and column."""
    known = {(4, 2): 90, (5, 2): 2040, (6, 2): 67950, (6, 3): 297200, (7, 3): 68938800}
    for (n, k), count in known.items():
        assert 1 <= 2 ** log2_supports(n, k) <= count
    for n, k in product(range(1, 5), range(1, 5)):
        if k <= n:
            count = sum(
                1
                for rows in product(range(1 << n), repeat=n)
                if all(row.bit_count() == k for row in rows)
                and all(sum(row >> j & 1 for row in rows) == k for j in range(n))
            )
            assert 2 ** log2_supports(n, k) <= count * (1 + 1e-9)


def test_no_construction_is_below_a_bound() -> None:
    for n, k in ((30, 1), (30, 2)):
        asked = request(n, k)
        for method in ("circle", "rings"):
            layer = approximate(asked, method).layer
            bits = least_bits_of(layer, asked.target, 0.1, 1.0)
            assert bits is not None
            assert layer.rank >= max(pattern_rank(asked), matrices_rank(n, k))
            assert bits >= least_bits(n, k, layer.rank)
        assert approximate(asked, "circle").layer.rank == fixed_keys_rank(n, k)


@pytest.mark.parametrize("causal", [False, True])
def test_equal_logits_are_not_denied(causal: bool) -> None:
    """Rank 0 is no bound's business where A has no zero that counts."""
    weights = np.tri(6) if causal else np.ones((6, 6))
    target = Target.from_weights(weights)
    nothing = AttentionLayer(np.zeros((6, 2)), np.zeros((2, 1)), np.zeros((2, 1)), causal)
    assert nothing.rank == 0
    assert check(nothing, target, 0.5, 1.0).holds
    bounds = frontier(Request(target=target, eps1=0.5, eps2=1.0, causal=causal), ranks=()).bounds
    assert bounds.pattern_rank == bounds.matrices_rank == 0
    assert bounds.rank_times_bits == 0
    alone = Target.from_weights(np.eye(6))
    assert pattern_rank(Request(target=alone, eps1=0.5, eps2=1.0, causal=causal)) >= 1


def test_bounds_grow_as_they_should() -> None:
    assert least_bits(10**6, 1, 2) > least_bits(10**3, 1, 2) + 2
    assert matrices_rank(10**7, 20) > 5
    assert [fixed_keys_rank(5, k) for k in range(1, 6)] == [2, 4, 4, 4, 4]
    with pytest.raises(InputError):
        least_bits(5, 6, 1)


# ---------------------------------------------------------------- the command


def test_the_frontier_as_table_picture_and_json(tmp_path: Path) -> None:
    drawing = tmp_path / "frontier.svg"
    arguments = ("--sample", "16,2,2", "--eps1", "0.1", "--frontier", "--ranks", "4")
    code, out, _ = run(*arguments, "--plot", str(drawing))
    assert code == 0
    assert drawing.stat().st_size > 1000
    for word in ("projection", "circle", "line", "rings", "optimised, rank", "Equation (6)"):
        assert word in out
    assert "hypercube: left out" in out
    code, out, _ = run(*arguments[:-1], "none", "--json")
    document = json.loads(out)
    schema("frontier").validate(document)
    by_method = {point["method"]: point for point in document["points"]}
    assert by_method["circle"]["rank"] == 4
    assert by_method["line"]["checked_in"] == "exact"
    assert by_method["rings"]["proven"]


def test_a_point_is_what_its_method_builds() -> None:
    asked = request(40, 1)
    (point,) = frontier(asked, methods=["hypercube"], ranks=[]).points
    found = approximate(asked, "hypercube")
    assert (point.rank, point.spread) == (found.layer.rank, found.report.spread)
    assert point.bits == 1
    assert point.arithmetics == ("float64", "float32", "bfloat16", "float16")


@pytest.mark.parametrize(
    "arguments",
    [
        ("--sample", "9,1,1", "--ranks", "4"),
        ("--sample", "9,1,1", "--plot", "x.png"),
        ("--sample", "9,1,1", "--frontier", "--ranks", "x"),
        ("--sample", "9,1,1", "--frontier", "--ranks", "0"),
        ("--sample", "9,1,1", "--frontier", "--output", "x.npz"),
        ("--sample", "9,1,1", "--spread", "0.1"),
        ("--sample", "9,1,1", "--spread", "nan"),
        ("--sample", "9,1,1", "--arithmetic", "float8"),
        ("--sample", "9,1,1", "--method", "optimised", "-d", "3", "--d-hid", "3"),
    ],
)
def test_bad_requests_are_one_line(arguments: tuple[str, ...]) -> None:
    code, out, err = run(*arguments)
    assert code == 2
    assert out == ""
    assert "Traceback" not in err


def found(target: Target, *methods: str) -> Frontier:
    asked = Request(target=target, eps1=0.1, eps2=1.0)
    return frontier(asked, methods=methods, ranks=[4] if "optimised" in methods else [])


def markers(axes: Any) -> set[tuple[float, float]]:
    """The points drawn without a line."""
    return {
        (float(x), float(y))
        for line in axes.get_lines()
        if line.get_linestyle() == "None"
        for x, y in zip(line.get_xdata(), line.get_ydata(), strict=True)
    }


def lines(axes: Any, style: str) -> list[Any]:
    return [line for line in axes.get_lines() if line.get_linestyle() == style]


def test_points_and_bounds() -> None:
    target = sample(24, 2, 2.0)
    what = found(target, "projection", "circle", "line", "rings", "optimised")
    first, *rest = what.points
    what = replace(
        what, points=(replace(first, bits=None), *rest)
    )  # its place is on the left alone
    figure = draw_frontier(what, title="24 tokens")
    spreads, bits = figure.get_axes()
    assert markers(spreads) == {(point.rank, point.spread) for point in what.points}
    assert markers(bits) == {
        (point.rank, point.bits) for point in what.points if point.bits is not None
    }
    (legend,) = figure.legends
    names = [text.get_text() for text in legend.get_texts()]
    assert names == [
        *("projection", "circle", "line", "rings", "optimised"),
        f"least rank for this A: {what.bounds.pattern_rank}",
        "least bits for the worst A of this size",
    ]
    figure.draw_without_rendering()
    box = legend.get_window_extent()
    assert not any(box.overlaps(axes.get_tightbbox()) for axes in (spreads, bits))
    for axes in (spreads, bits):
        (bound,) = lines(axes, ":")
        assert set(bound.get_xdata()) == {what.bounds.pattern_rank}
    (curve,) = lines(bits, "-")
    products = np.array(curve.get_xdata()) * np.array(curve.get_ydata())
    assert products == pytest.approx(what.bounds.rank_times_bits)
    assert figure.get_suptitle() == "24 tokens"


def test_where_there_is_nothing_to_show() -> None:
    full = Target.from_array(np.full((3, 3), 1 / 3))
    what = found(full, "hypercube")
    assert (what.points, what.bounds.pattern_rank) == ((), 0)
    figure = draw_frontier(what)
    assert [markers(axes) | set(lines(axes, ":")) for axes in figure.get_axes()] == [set(), set()]
    named = [text.get_text() for legend in figure.legends for text in legend.get_texts()]
    assert not any("rank" in name or "hypercube" in name for name in named)
    assert svg(figure).startswith("<?xml")
