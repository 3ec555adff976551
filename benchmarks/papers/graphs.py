"""One layer of relay tokens at n = 10^6, d = 64: edges a second, against the limit of the memory.

    python benchmarks papers.graphs [--n 1000000] [--runs 5]

The limit is a loop that does nothing but read the rows (256 bytes each) that the random edges name,
asking for them ahead, at the best of several distances. All take turns in one process on one
thread; figures are medians of CPU seconds.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from samapprox.attention.graphs import AttentionGraph, build
from samapprox.attention.vectors.near_ties import Rows
from samapprox.attention.vectors.relay_kernel import meet

Numbers = np.ndarray[Any, np.dtype[Any]]

D = 64
GRAPHS = {"window": "window:w=20", "random": "random-keys:r=20"}
DISTANCES = (8, 16, 32, 64)


def ask_for_line(_typing: Any, rows: Any, row: Any, column: Any) -> Any:
    """Ask for the cache line at a place of a matrix."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        matrix, row, column = arguments
        struct = context.make_array(signature.args[0])(context, builder, matrix)
        width = builder.extract_value(struct.shape, 1)
        place = builder.add(builder.mul(row, width), column)
        line = builder.bitcast(builder.gep(struct.data, [place]), ir.IntType(8).as_pointer())
        word = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [line.type, word, word, word])
        insert: Any = cgutils.get_or_insert_function
        builder.call(
            insert(builder.module, kind, "llvm.prefetch.p0"), [line, word(0), word(2), word(1)]
        )
        return context.get_dummy_value()

    return types.void(rows, types.int64, types.int64), generate


ask_for: Callable[..., None] = intrinsic(ask_for_line)


@numba.njit(nogil=True)  # type: ignore[untyped-decorator, unused-ignore]
def gather(rows: Numbers, indices: Numbers, ahead: int) -> int:
    """Read every row that is named, whole, as whole numbers: their sum."""
    total = 0
    for edge in range(len(indices) - ahead):
        for column in range(0, rows.shape[1], 8):
            ask_for(rows, indices[edge + ahead], column)
        row = rows[indices[edge]]
        for column in range(len(row)):
            total += row[column]
    return total


def layer(rows: Numbers, graph: AttentionGraph, shown: Numbers) -> Numbers:
    """All comparisons of a layer: with the neighbours, or with what they show."""
    greatest = np.full(graph.n, -np.inf, dtype=rows.dtype)
    second, best = greatest.copy(), np.full(graph.n, -1, dtype=np.int32)
    meet(rows, graph.indptr, graph.indices, shown, 0, graph.n, greatest, second, best)
    return best


def seconds(action: Callable[[], object]) -> float:
    start = time.process_time()
    action()
    return time.process_time() - start


def main(n: int, runs: int) -> None:
    rng = np.random.RandomState(0)
    rows = Rows.of(rng.standard_normal((n, D)).astype(np.float32)).values
    itself = np.empty(0, dtype=np.int32)
    graphs = {name: build(text, n).union for name, text in GRAPHS.items()}
    held = {name: layer(rows, graph, itself) for name, graph in graphs.items()}  # compiles, too
    named = graphs["random"].indices
    words = rows.view(np.int64)
    gather(words, named[:100], 8)
    actions: dict[str, tuple[int, Callable[[], object]]] = {}
    for name, graph in graphs.items():
        actions[f"{name}, vectors"] = graph.edges, partial(layer, rows, graph, itself)
        actions[f"{name}, candidates"] = graph.edges, partial(layer, rows, graph, held[name])
    for ahead in DISTANCES:
        actions[f"limit {ahead}"] = len(named), partial(gather, words, named, ahead)
    taken: dict[str, list[float]] = {name: [] for name in actions}
    for _ in range(runs):
        for name, (_edges, action) in actions.items():
            taken[name].append(seconds(action))
    rates = {name: actions[name][0] / statistics.median(times) for name, times in taken.items()}
    limit = max(rate for name, rate in rates.items() if name.startswith("limit"))
    print(f"n = {n:,}, d = {D}, float32, one thread, medians of {runs}\n")
    print("| edges | million a second | share of the limit | goal |\n|---|---|---|---|")
    goals = {"window, vectors": "200 million", "random, vectors": "90 % of the limit"}
    for name, rate in rates.items():
        if not name.startswith("limit"):
            share = f"{100 * rate / limit:.0f} %" if name.startswith("random") else "-"
            print(f"| {name} | {rate / 1e6:.1f} | {share} | {goals.get(name, '-')} |")
    print(f"| random gather alone: the limit | {limit / 1e6:.1f} | 100 % | - |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    print(f"Python {sys.version.split()[0]}, numpy {np.__version__}, numba {numba.__version__}")
    main(options.n, options.runs)
