"""Step 3 of the universality theorem: errors of probability maps in place of hardmax.

Errors are multiples of delta~/4, and must be below 1.
"""

from __future__ import annotations

import time
from typing import Any

from shared.rows import Row

from samapprox.attention.graphs import build
from samapprox.attention.transformers.maps import Entmax, ProbabilityMap, Softmax, SparselinGen
from samapprox.attention.transformers.universality import Method, choose_route, measure_softening
from samapprox.attention.transformers.universality.construction import build_mapping
from samapprox.attention.transformers.universality.softening_report import BOUND, SlowMap, Softening

MAPS: tuple[ProbabilityMap, ...] = (Softmax(), SparselinGen(), Entmax(1.5), SlowMap())


def softenings() -> list[Row]:
    """The window of three tokens for all maps, and other masks for softmax."""
    rows = [row for rho in MAPS for row in _window_rows(rho)]
    for spec, n, steps in (
        ("window:w=3", 3, 2),
        ("window:w=3", 3, 4),
        ("window:w=3", 4, 2),
        ("full", 4, 2),
        ("strided:w=2", 4, 2),
    ):
        found, seconds, bits = _measure(spec, n, steps, Method.WALK, Softmax())
        measured = f"{_share(found.least.error):.3f} at t = 2^{found.least.bits:.2f}"
        measured += (
            f" (sufficient: 2^{found.sufficient_bits:.2f}), ids {bits} bits, {seconds:.1f} s"
        )
        rows.append((f"softmax, least t, {spec}, n = {n}, delta = 1/{steps}", measured, "below 1"))
    return rows


def _window_rows(rho: ProbabilityMap) -> list[Row]:
    found, seconds, _ = _measure("window:w=3", 3, 2, Method.PRINTED, rho)
    assert found.published_error is not None
    assert found.misprinted_error is not None
    published = f"{_share(found.published_error):,.1f}"
    misprinted = f"{_share(found.misprinted_error):,.1f}"
    least = f"{_share(found.least.error):.5f} at t = 2^{found.least.bits:.2f}, {seconds:.1f} s"
    return [
        (f"{rho}, window n = 3, F.2's eta", f"{published} ({misprinted} with its zeta)", "above 1"),
        (f"{rho}, window n = 3, least t", least, "below 1"),
    ]


def _measure(
    spec: str, n: int, steps: int, method: Method, rho: ProbabilityMap
) -> tuple[Softening, float, int]:
    """Measure a mapping with d = 1; with the CPU seconds and the bits of its ids."""
    start, attention = time.process_time(), build(spec, n)
    mapping = build_mapping(attention, choose_route(attention, method), 1, steps)
    found = measure_softening(mapping, attention, rho)
    return found, time.process_time() - start, mapping.greatest_id.bit_length()


def _share(error: Any) -> float:
    return float(error / BOUND)
