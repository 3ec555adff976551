"""Probability maps against those of `entmax` and torch.

Times are wall seconds, medians of runs that take turns; ratios are of these medians.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec

import numpy as np
from shared.rows import Row

from samapprox.attention.transformers.maps import Entmax, ProbabilityMap, Softmax

ROWS, KEYS = 10_000, 1_024


def maps() -> Iterator[Row]:
    """Compare with `entmax` and torch, where they are installed (extra `peers`)."""
    if find_spec("entmax") is None:
        yield "probability maps against entmax", "not installed: extra `peers`", "-"
        return
    import entmax
    import torch

    for dtype in (np.float32, np.float64):
        for spread, what in ((1.0, "normal"), (0.01, "nearly equal")):
            scores = (spread * np.random.RandomState(0).randn(ROWS, KEYS)).astype(dtype)
            tensor = torch.tensor(scores)
            peers: list[tuple[ProbabilityMap, dict[str, Callable[[], object]]]] = [
                (
                    Entmax(1.5),
                    {
                        "entmax15": partial(entmax.entmax15, tensor, dim=1),
                        "entmax15(k=200)": partial(entmax.entmax15, tensor, dim=1, k=200),
                    },
                ),
                (
                    Entmax(2),
                    {
                        "sparsemax": partial(entmax.sparsemax, tensor, dim=1),
                        "sparsemax(k=30)": partial(entmax.sparsemax, tensor, dim=1, k=30),
                    },
                ),
                (Softmax(), {"torch.softmax": partial(torch.softmax, tensor, dim=1)}),
            ]
            for rho, others in peers:
                for threads in (1, 2):
                    torch.set_num_threads(threads)
                    own: Callable[[], object] = partial(rho, scores, threads=threads)
                    seconds = interleaved({"own": own, **others}, 3)
                    ratios = (f"{name} {seconds[name] / seconds['own']:.1f} x" for name in others)
                    yield (
                        f"{rho}, {ROWS:,} x {KEYS:,} {dtype.__name__}, {what}, {threads} threads",
                        f"{1000 * seconds['own']:.0f} ms; {', '.join(ratios)} of that",
                        "-" if rho == Softmax() else "at least 1 x",
                    )


def interleaved(actions: dict[str, Callable[[], object]], runs: int) -> dict[str, float]:
    """Medians of actions that take turns; the first turn warms up."""
    seconds: dict[str, list[float]] = {name: [] for name in actions}
    for run in range(runs + 1):
        for name, action in actions.items():
            start = time.perf_counter()
            action()
            if run:
                seconds[name].append(time.perf_counter() - start)
    return {name: statistics.median(values) for name, values in seconds.items()}
