"""Step 3 of Yun et al. (2020): errors of a probability map in place of hardmax, and scales."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import pairwise, product
from typing import Any

import mpmath
import networkx
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from samapprox import InputError
from samapprox.attention.graphs import build
from samapprox.attention.graphs.graph import AttentionGraph
from samapprox.attention.graphs.heads import SparseAttention
from samapprox.attention.transformers.maps import (
    Entmax,
    ProbabilityMap,
    Softmax,
    SparselinGen,
    TopKSoftmax,
)
from samapprox.attention.transformers.maps.base import Scores
from samapprox.attention.transformers.universality import (
    Method,
    choose_route,
    least_scale,
    measure_softening,
)
from samapprox.attention.transformers.universality.construction import build_mapping
from samapprox.attention.transformers.universality.contextual import ContextualMapping
from samapprox.attention.transformers.universality.least_scale import (
    LEAST_BITS,
    SufficientEta,
    find_least_scale,
    find_sufficient_eta,
    measure_errors,
)
from samapprox.attention.transformers.universality.softening_report import (
    SlowMap,
    most_keys,
    published_etas,
    published_scales,
    required_gap,
)

QUARTER = Fraction(1, 4)
WINDOW = build("window:w=3", 3)


def star_to_the_letter() -> SparseAttention:
    """Two leaves around a centre that does not attend to itself."""
    return SparseAttention((AttentionGraph.from_csr([0, 2, 4, 6], [1, 2, 0, 1, 0, 2]),))


MULTIHEAD = build("fixed:w=2,heads=multihead", 4)


def printed(attention: SparseAttention, d: int, steps: int) -> ContextualMapping:
    return build_mapping(attention, choose_route(attention, Method.PRINTED), d, steps)


def along_walk(attention: SparseAttention, d: int, steps: int) -> ContextualMapping:
    return build_mapping(attention, choose_route(attention), d, steps)


def cycle_with_loops() -> SparseAttention:
    """A directed cycle, in which every token attends to itself and to the next one."""
    return SparseAttention((AttentionGraph.from_csr([0, 2, 4, 6], [0, 1, 1, 2, 0, 2]),))


def three_leaves() -> SparseAttention:
    """No Hamiltonian path: three leaves that see the centre and are seen by it."""
    keys = [0, 1, 2, 3, 0, 1, 0, 2, 0, 3]
    return SparseAttention((AttentionGraph.from_csr([0, 4, 6, 8, 10], keys),))


# -------------------------------------------------------------------- errors of ids


def plain_errors(scale: Any, steps: int = 2) -> list[Any]:
    """F.2 for the window of three tokens and d = 1, not in units of delta, entry by entry."""
    delta, n, s = mpmath.mpf(1) / steps, 3, 2
    attended = [[0, 1], [0, 1, 2], [1, 2]]
    factor = 2 * s * n * delta ** (-n - 1)

    def psi(z: list[Any], k: int, b: Any, t: Any) -> Any:
        if t is None:
            choose = max if z[k] > b else min
            return choose(z[j] for j in attended[k])
        scores = [t * z[j] * (z[k] - b) for j in attended[k]]
        weights = [mpmath.exp(v - max(scores)) for v in scores]
        return mpmath.fsum(w * z[j] for w, j in zip(weights, attended[k], strict=True)) / sum(
            weights
        )

    worst: list[Any] = [0] * (steps * (n - 1) + s)
    for digits in product(range(steps), repeat=n):
        starts = [n - 1, *range(n - 1)]  # gamma is the identity
        soft = hard = [start + digit * delta for start, digit in zip(starts, digits, strict=True)]
        layer = 0
        for i in range(1, n):
            for step in range(steps):
                b = i - 1 + step * delta
                low, high = b - delta / 2, b + delta / 2
                soft, hard = (
                    [z[k] + (psi(z, k, low, t) - psi(z, k, high, t)) / delta for k in range(n)]
                    for z, t in ((soft, scale), (hard, None))
                )
                worst[layer] = max(
                    worst[layer], *(abs(a - b) for a, b in zip(soft, hard, strict=True))
                )
                layer += 1
        for _ in range(s):
            soft, hard = (
                [z[k] + factor * psi(z, k, 0, t) for k in range(n)]
                for z, t in ((soft, scale), (hard, None))
            )
            worst[layer] = max(worst[layer], *map(abs, np.subtract(soft, hard)))
            layer += 1
    return [error / delta for error in worst]


@pytest.mark.parametrize("scale", [40, 73, 150])
def test_errors_equal_those_of_the_equations(scale: int) -> None:
    mapping = printed(WINDOW, 1, 2)
    found = measure_errors(mapping, WINDOW, Softmax(), [scale] * len(mapping.layers))
    with mpmath.workprec(400):
        expected = plain_errors(mpmath.mpf(scale))
    assert len(found) == len(expected) == 6
    for one, other in zip(found, expected, strict=True):
        assert abs(one - other) < 1e-20 + 1e-12 * other


@pytest.mark.parametrize("rho", [Softmax(), SlowMap()])
def test_rounding_errors_are_far_below_what_is_measured(
    rho: ProbabilityMap, monkeypatch: pytest.MonkeyPatch
) -> None:
    mapping = printed(WINDOW, 1, 2)
    scales = published_scales(mapping, WINDOW, rho, Fraction(1, 8))
    coarse = measure_errors(mapping, WINDOW, rho, scales)[-1]
    monkeypatch.setattr(least_scale, "working_bits", lambda _: 900)
    fine = measure_errors(mapping, WINDOW, rho, scales)[-1]
    assert abs(coarse - fine) < 1e-12


# -------------------------------------------------------------------- errata of F.2


def test_scores_differ_by_half_of_delta_squared() -> None:
    """F.2 takes zeta = delta / 2, the least distance of queries; scores differ by delta^2 / 2."""
    mapping = printed(WINDOW, 1, 2)
    gaps = []
    columns = least_scale.all_points(mapping).astype(object)
    for layer in mapping.layers[:4]:
        (ids,) = columns
        for head in layer.heads:
            doubled = head.query[0, 0] * ids + head.query_bias[0]  # type: ignore[index]
            for k in range(3):
                scores = np.sort(ids[:, WINDOW.patterns[0].keys(k)] * doubled[:, k, None], axis=1)
                gaps += (scores[:, -1] - scores[:, -2]).tolist()
        columns = layer.apply(columns, WINDOW.patterns, least_scale.Hardmax())
    delta = Fraction(1, 2)
    assert min(gaps) * delta**2 / 2 == delta**2 / 2 < delta / 2


def test_later_layers_amplify_earlier_errors() -> None:
    """F.2 adds up the errors that layers make; here they are made early and grow by 1 + c each."""
    mapping = printed(WINDOW, 1, 2)
    scales = published_scales(mapping, WINDOW, SlowMap(), Fraction(1, 8))
    errors = measure_errors(mapping, WINDOW, SlowMap(), scales)
    assert errors[3] < 0.125  # after the selective shifts F.2 is right, with delta~ / 8
    assert mapping.factor == 192
    for before, after in pairwise(errors[3:]):
        assert 0.99 * 193 * before < after < 1.01 * 193 * before
    assert float(errors[-1] / QUARTER) == pytest.approx(1809, abs=1)


@pytest.mark.parametrize(
    ("rho", "right", "misprinted"),
    [
        (Softmax(), 129.0, 11450.0),
        (SparselinGen(), 145.4, 1117901.9),
        (Entmax(1.5), 125.3, 592550.8),
        (SlowMap(), 1808.8, 1809.1),
    ],
)
def test_the_published_eta_misses_the_bound(
    rho: ProbabilityMap, right: float, misprinted: float
) -> None:
    found = measure_softening(printed(WINDOW, 1, 2), WINDOW, rho)
    assert float(found.published_error / QUARTER) == pytest.approx(right, rel=1e-3)
    assert float(found.misprinted_error / QUARTER) == pytest.approx(misprinted, rel=1e-3)
    assert found.least.error < 0.25 <= found.least.error_below
    assert float(found.sufficient_error) <= float(found.sufficient.error) <= 0.25
    assert found.sufficient_bits > found.least.bits


def test_published_etas_are_those_of_the_paper() -> None:
    n, d, steps, s = 3, 2, 4, 2
    delta = 1 / steps
    *selective, last = published_etas(n, d, steps, s)
    for j, eta in enumerate(selective, 1):
        inner = math.log1p(delta ** ((j + 1) * d) * delta / (8 * n**2))
        assert float(eta) == pytest.approx(delta ** (2 * d) * inner / 2, rel=1e-12)
    inner = math.log1p(
        delta ** (s * (n * d + 1) + n * d) * delta / (2 ** (s + 3) * s**s * n ** (s + 1))
    )
    assert float(last) == pytest.approx(delta ** (n * d) / (s * n) * inner, rel=1e-12)


# -------------------------------------------------------------------- scales that suffice


MAPPINGS = {
    "printed window": (WINDOW, printed(WINDOW, 1, 2)),
    "window by walk, d = 2": (WINDOW, along_walk(WINDOW, 2, 2)),
    "full": (build("full", 3), printed(build("full", 3), 1, 2)),
    "strided in turn": (build("strided:w=2", 4), along_walk(build("strided:w=2", 4), 1, 2)),
    "star": (build("star", 4), along_walk(build("star", 4), 1, 2)),
    "fixed in several heads": (MULTIHEAD, along_walk(MULTIHEAD, 1, 2)),
    "star without a loop": (star_to_the_letter(), along_walk(star_to_the_letter(), 1, 2)),
    "cycle": (cycle_with_loops(), along_walk(cycle_with_loops(), 1, 2)),
    "walk that returns": (three_leaves(), along_walk(three_leaves(), 1, 2)),
}


LARGER = ("strided in turn", "fixed in several heads", "walk that returns")


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] * (name in LARGER))
        for name in sorted(MAPPINGS.keys() - {"window by walk, d = 2"})
    ],
)
def test_the_least_scale_is_below_the_bound_and_just_so(name: str) -> None:
    attention, mapping = MAPPINGS[name]
    found = find_least_scale(mapping, attention, Softmax(), QUARTER)
    assert found.error < 0.25 <= found.error_below
    again = measure_errors(mapping, attention, Softmax(), [found.scale] * len(mapping.layers))
    assert again[-1] == found.error


@dataclass(frozen=True, slots=True)
class Adversary(ProbabilityMap):
    """All that Assumption 2 allows for an eta and a t: where eta goes depends on the scores."""

    eta: Fraction
    gap: Fraction
    seed: int

    def _exact_row(self, gaps: list[Any]) -> list[Any]:
        order = sorted(range(len(gaps)), key=gaps.__getitem__)
        gap = mpmath.mpmathify(self.gap)
        assert len(gaps) == 1 or gaps[order[1]] >= gap, "the proof promises this gap"
        rng = np.random.RandomState(hash((self.seed, *map(int, gaps))) % (1 << 32))
        row: list[Any] = [mpmath.mpf(0)] * len(gaps)
        row[order[0]] = mpmath.mpf(1)
        share = mpmath.mpf(self.eta.numerator) / self.eta.denominator * rng.randint(0, 2)
        if len(gaps) > 1:
            row[order[0]] -= share
            row[order[rng.choice([-1, rng.randint(1, len(gaps))])]] += share
        return row

    def _fill(self, scores: Scores, tops: Scores, out: Scores) -> None:
        raise NotImplementedError

    def _gap(self, keys: int, eta: float) -> float:
        raise NotImplementedError

    def _published_gap(self, keys: int, eta: float) -> float:
        raise NotImplementedError


@cache
def sufficient(name: str) -> SufficientEta:
    attention, mapping = MAPPINGS[name]
    return find_sufficient_eta(mapping, attention, QUARTER)


@given(st.sampled_from(sorted(MAPPINGS)), st.integers(0, 10**6))
@settings(max_examples=12, deadline=None)
def test_the_sufficient_eta_suffices_for_every_map(name: str, seed: int) -> None:
    """No adversary exceeds the bound; and the gap of scores is never below zeta."""
    attention, mapping = MAPPINGS[name]
    enough = sufficient(name)
    assert enough.error <= QUARTER
    rho = Adversary(enough.eta, enough.zeta, seed)
    error = measure_errors(mapping, attention, rho, [1] * len(mapping.layers))[-1]
    assert error <= mpmath.mpmathify(enough.error)


def test_the_sufficient_eta_is_not_far_from_necessary() -> None:
    """Some map of Assumption 2 with 16 times this eta misses the bound."""
    for name in ("printed window", "full", "walk that returns"):
        attention, mapping = MAPPINGS[name]
        eta = 16 * find_sufficient_eta(mapping, attention, QUARTER).eta
        scale = required_gap(
            SlowMap(), most_keys(attention), mpmath.mpf(eta.numerator) / eta.denominator
        )
        scales = [scale * 2 * mapping.encoding.steps**2] * len(mapping.layers)
        assert measure_errors(mapping, attention, SlowMap(), scales)[-1] > 0.25


@given(
    st.lists(  # further apart than the resolution of floats
        st.fractions(-50, 50, max_denominator=1000), min_size=2, max_size=6, unique=True
    ),
    st.fractions(Fraction(1, 400), Fraction(1, 3)),
)
@example([Fraction(0), Fraction(-50), Fraction(-49_999, 1000)], Fraction(1, 400))
def test_the_slow_map_satisfies_assumption_2(row: list[Fraction], eta: Fraction) -> None:
    top, second = sorted(row)[-1], sorted(row)[-2]
    best = row.index(top)
    scale = SlowMap().exact_gap(eta) / mpmath.mpmathify(top - second)
    weights = SlowMap().apply_exact([[scale * mpmath.mpmathify(v) for v in row]])[0]
    assert min(weights) >= 0
    assert abs(sum(weights) - 1) < 1e-12
    assert weights[best] >= float(1 - eta) - 1e-12
    assert sum(weights) - weights[best] == pytest.approx(float(eta), abs=1e-9)  # and no better
    floats = SlowMap()([[float(v) for v in row]])[0]
    exact = SlowMap().apply_exact([row])[0]
    assert floats == pytest.approx(exact.astype(float), abs=1e-9)


@dataclass(frozen=True, slots=True)
class Uniform(ProbabilityMap):
    """A map without Assumption 2: all keys alike, whatever the scores."""

    def _exact_row(self, gaps: list[Any]) -> list[Any]:
        return [mpmath.mpf(1) / len(gaps)] * len(gaps)

    def _fill(self, scores: Scores, tops: Scores, out: Scores) -> None:
        raise NotImplementedError

    def _gap(self, keys: int, eta: float) -> float:
        raise NotImplementedError

    def _published_gap(self, keys: int, eta: float) -> float:
        raise NotImplementedError


def test_a_map_without_assumption_2_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(least_scale, "MOST_BITS", 1 << 8)  # 2^48 takes as long as 40 more runs
    attention, mapping = MAPPINGS["full"]
    with pytest.raises(InputError) as error:
        find_least_scale(mapping, attention, Uniform(), QUARTER)
    assert "Uniform() comes no closer to hardmax than" in str(error.value)
    assert "does not satisfy Assumption 2" in str(error.value)


def test_scores_are_counted_before_an_eta_is_sought() -> None:
    """Ids of more than a thousand bits would need an eta that no float holds."""
    caterpillar = networkx.path_graph(5)
    caterpillar.add_edges_from((k, k + 5) for k in range(5))
    caterpillar.add_edges_from((k, k) for k in range(10))
    mask = SparseAttention((AttentionGraph.from_networkx(caterpillar),))
    mapping = build_mapping(mask, choose_route(mask), d=1, steps=2)
    with pytest.raises(InputError, match=r"1024 inputs have .* scores in all layers; at most"):
        measure_softening(mapping, mask, Softmax())


def test_bad_requests() -> None:
    attention, mapping = MAPPINGS["full"]
    with pytest.raises(InputError, match=r"Entmax\(alpha=3\) has no exact form"):
        find_least_scale(mapping, attention, Entmax(3), QUARTER)
    with pytest.raises(InputError, match=r"the bound must be in \(0, 1/4\], not 1/2"):
        find_sufficient_eta(mapping, attention, Fraction(1, 2))
    walk = along_walk(attention, 1, 2)
    with pytest.raises(InputError, match=r"F\.2 of Yun et al\. chooses eta for the printed"):
        published_scales(walk, attention, Softmax(), Fraction(1, 8))
    wide = build("full", 6)
    large = along_walk(wide, 1, 4)
    with pytest.raises(InputError, match="4096 inputs have 1622016 scores in all layers; at most"):
        measure_errors(large, wide, Softmax(), [1] * len(large.layers))
    found = measure_softening(walk, attention, TopKSoftmax(1))  # any t > 0 suffices
    assert found.least.error_below is None
    assert found.least.bits == found.sufficient_bits == LEAST_BITS
    assert found.least.error == found.sufficient_error == 0
