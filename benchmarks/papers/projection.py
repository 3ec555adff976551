"""One plot of Figure 3: the lazy search for d_min against the plain loop of redraw and check.

    python benchmarks papers.projection [--setting 0] [--sizes 512,1024] [--draws 60]

A plain draw is a QR of a Gaussian and a check of the whole layer, or of blocks of 256 rows until
one breaks a condition. The plain search would take days, so each d of the grid gets --draws lazy
draws and two plain ones, of the same matrix in the same process, and their CPU seconds are added
up for n draws of every d below d_min. One thread.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial
from itertools import takewhile

import numpy as np
from shared.d_min import SIZES, STEP, Setting, read
from threadpoolctl import threadpool_limits

from papers.figure3 import SETTINGS, TABLE, whole_numbers
from samapprox.attention.approximation import Request, Target, check, sample
from samapprox.attention.approximation.methods.lazy_frames import LazyDraws, LazyFrame, haar
from samapprox.attention.approximation.methods.projection import Search, layer_of

BLOCK = 256
PLAIN = 2


def whole_draw(target: Target, setting: Setting, d: int, rng: np.random.Generator) -> None:
    Y = haar(target.n, d // 2, rng)
    layer = layer_of(target, setting.eps1, setting.eps2, Y)
    check(layer, target, setting.eps1, setting.eps2)


def stopping_draw(target: Target, setting: Setting, d: int, rng: np.random.Generator) -> None:
    """As lean as the plain loop can be: row maxima of a block, and stop at the first that fails."""
    layer = layer_of(target, setting.eps1, setting.eps2, haar(target.n, d // 2, rng))
    queries, keys = layer.queries[:, : d // 2], layer.keys[:, : d // 2]
    for start in range(0, target.n, BLOCK):
        logits = queries[start : start + BLOCK] @ keys.T
        part = slice(target.indptr[start], target.indptr[min(start + BLOCK, target.n)])
        rows = target.rows[part] - start
        own = logits[rows, target.columns[part]]
        logits[rows, target.columns[part]] = -np.inf
        if (logits.max(axis=1)[rows] - own >= np.log(setting.eps1)).any():
            return


def seconds(action: Callable[[], object], count: int) -> float:
    start = time.process_time()
    for _ in range(count):
        action()
    return (time.process_time() - start) / count


def lazy_draws(target: Target, setting: Setting, d: int, search: Search, count: int) -> float:
    """With the size of the first look that the search has come to."""
    lazy = LazyDraws(target, setting.eps1, setting.eps2, causal=False)
    rng = np.random.default_rng(d)
    return seconds(lambda: lazy.fails(LazyFrame(target.n, d // 2, rng), search.first_look), count)


def measure(setting: Setting, n: int, d_min: int, draws: int) -> tuple[float, float, float]:
    """CPU seconds of n draws of every d below d_min: lazy, plain, plain with early stop."""
    target = sample(n, setting.k, setting.gamma, seed=0)
    search = Search(Request(target=target, eps1=setting.eps1, eps2=setting.eps2, redraws=draws / n))
    totals = np.zeros(3)
    rng = np.random.default_rng(n)
    for d in takewhile(lambda d: d < d_min, range(STEP, 2 * n, STEP)):
        search.at(d)
        totals += [
            lazy_draws(target, setting, d, search, draws),
            seconds(partial(whole_draw, target, setting, d, rng), PLAIN),
            seconds(partial(stopping_draw, target, setting, d, rng), PLAIN),
        ]
    lazy, plain, stopping = (n * totals).tolist()
    return lazy, plain, stopping


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--setting", type=int, default=0)
    parser.add_argument("--sizes", type=whole_numbers, default=list(SIZES))
    parser.add_argument("--draws", type=int, default=60)
    chosen = parser.parse_args()
    setting = SETTINGS[chosen.setting]
    found = {job.n: m.d_min for job, m in read(TABLE).items() if job.setting == setting}
    print(f"{setting.title}, Q = 1, d = {STEP}, {2 * STEP}, ..: CPU minutes a matrix\n")
    print("| n | d_min | lazy | plain | ratio | plain, early stop | ratio |")
    print("|---|---|---|---|---|---|---|")
    sums = np.zeros(3)
    with threadpool_limits(1):
        for n in chosen.sizes:
            costs = measure(setting, n, found[n], chosen.draws)
            sums += costs
            lazy, plain, stopping = (cost / 60 for cost in costs)
            print(
                f"| {n} | {found[n]} | {lazy:.2f} | {plain:.0f} | {plain / lazy:.0f} | "
                f"{stopping:.1f} | {stopping / lazy:.0f} |",
                flush=True,
            )
    lazy, plain, stopping = sums / 60
    print(
        f"| all | | {lazy:.1f} | {plain:.0f} | **{plain / lazy:.0f}** | {stopping:.0f} | "
        f"{stopping / lazy:.0f} |"
    )
