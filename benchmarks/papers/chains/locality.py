"""Locality and live width of chains of thought, at the largest sizes of Yang et al. (2024)."""

from __future__ import annotations

import time
from collections.abc import Iterator

from shared.rows import Row

from samapprox.attention.graphs import build
from samapprox.attention.reasoning import parse_task
from samapprox.attention.reasoning.locality.dependencies import live_width, locality
from samapprox.attention.reasoning.locality.hearing import hear, summary_load
from samapprox.attention.reasoning.locality.order import best_order

LARGEST = (("edit-distance", 20, "64 of 506"), ("lis", 250, "499 of 503"))
BLOCK, LAYERS = 23, 2  # blocks of about sqrt(L) tokens


def locality_of_chains() -> Iterator[Row]:
    """Yield the measurements of both tasks."""
    for task, size, goal in LARGEST:
        [chain] = parse_task(task).generate(size)
        needs, given, what = chain.needs, chain.given, f"{task}, size {size}"
        yield (
            f"{what}: live width",
            f"{live_width(needs).greatest} of {len(chain)}",
            goal,
        )
        found = locality(needs, given)
        yield (f"{what}: m among generated tokens", str(found.generated), "")
        yield (f"{what}: m with the input", str(found.everything), "")
        start = time.process_time()
        best = best_order(needs, given)
        seconds = time.process_time() - start
        proven = "proven least" if best.width == best.lower else f"at least {best.lower}"
        yield (
            f"{what}: live width of the best order",
            f"{best.width} ({proven}, {seconds:.1f} s)",
            "",
        )
        heard = hear(needs, build(f"block-sparse:b={BLOCK}", len(chain)), LAYERS)
        load = summary_load(needs, layers=LAYERS, b=BLOCK)
        yield (
            f"{what}: block-sparse, B = {BLOCK}, {LAYERS} layers",
            f"{len(heard.missing)} needs missing, {len(load.far)} values pass summary tokens, "
            f"load {load.load}",
            "0 needs missing",
        )
