"""Universality of masks and probability maps: seconds of whole commands, maps against `entmax`.

    python benchmarks/graphs_maps.py [PART]

`maps` needs the extra `peers` (entmax, torch). Times are wall seconds, medians of runs that take
turns; ratios are of these medians. On a busy machine the ratios and processor seconds hold.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial

import networkx
import numpy as np

from samapprox.attention.graphs import AttentionGraph
from samapprox.attention.graphs.paths.hamilton import hamiltonian_path
from samapprox.attention.maps import Entmax, ProbabilityMap, Softmax

ROWS, KEYS = 10_000, 1_024


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


def report(what: str, figure: str, goal: str) -> None:
    print(f"| {what} | {figure} | {goal} |", flush=True)


def maps() -> None:
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
                    report(
                        f"{rho}, {ROWS:,} x {KEYS:,} {dtype.__name__}, {what}, {threads} threads",
                        f"{1000 * seconds['own']:.0f} ms; {', '.join(ratios)} of that",
                        "-" if rho == Softmax() else "at least 1 x",
                    )


def command(*arguments: str) -> tuple[float, float]:
    """Wall and CPU seconds of a whole process, medians of three."""
    code = "import sys; from samapprox.cli.main import main; sys.exit(main())"
    walls, works = [], []
    for _ in range(4):  # the first may compile
        start, before = time.perf_counter(), os.times()
        subprocess.run([sys.executable, "-c", code, *arguments], check=True, capture_output=True)
        walls.append(time.perf_counter() - start)
        after = os.times()
        own = after.children_user - before.children_user
        works.append(own + after.children_system - before.children_system)
    return statistics.median(walls[1:]), statistics.median(works[1:])


def checks() -> None:
    _, empty = command("--version")
    for mask, n, goal in (("bigbird", "4096", "under 2 s"), ("star", "1000000", "under 5 s")):
        wall, work = command("graph", "check", mask, "--n", n)
        report(
            f"graph check {mask} --n {n}, the whole command",
            f"{wall:.2f} s, of the processor {work:.2f} s (samapprox --version: {empty:.2f} s)",
            goal,
        )


def fragments(base: networkx.Graph) -> networkx.Graph:
    """A cubic graph with Petersen graphs less a vertex for vertices: no cut refutes a path."""
    graph, part = networkx.Graph(), networkx.petersen_graph()
    ends = list(part[0])
    part.remove_node(0)
    for token in base:
        graph.update(networkx.relabel_nodes(part, {v: (token, v) for v in part}))
    for one, two in base.edges:
        ports = [(v, ends[list(base[v]).index(w)]) for v, w in ((one, two), (two, one))]
        graph.add_edge(*ports)
    return graph


def hidden_cut(hubs: int, size: int) -> networkx.Graph:
    """Cliques, two more than the tokens that join them; which these are is not seen by degrees."""
    rng = np.random.RandomState(hubs)
    graph = networkx.disjoint_union_all([networkx.complete_graph(size)] * (hubs + 2))
    cliques = list(graph)
    graph.add_edges_from(
        (token, ("hub", hub)) for token in cliques for hub in range(hubs) if rng.rand() < 0.4
    )
    return graph


def paths() -> None:
    spider = networkx.Graph([(0, 1 + 20 * leg) for leg in range(3)])
    for leg in range(3):
        networkx.add_path(spider, range(1 + 20 * leg, 20 + 20 * leg))
    masks = {
        "a spider of three legs": spider,
        "3 hidden tokens join 5 cliques": hidden_cut(3, 11),
        "10 hidden tokens join 12 cliques": hidden_cut(10, 4),
        "6 parts of Petersen graphs as a prism": fragments(networkx.circular_ladder_graph(3)),
        "10 parts of Petersen graphs as a Petersen graph": fragments(networkx.petersen_graph()),
    }
    for what, plain in masks.items():
        graph = AttentionGraph.from_networkx(networkx.convert_node_labels_to_integers(plain))
        start = time.perf_counter()
        proof = hamiltonian_path(graph, 60.0)
        seconds = time.perf_counter() - start
        kind = type(proof).__name__
        report(f"no path: {what}, n = {graph.n}", f"{kind} in {seconds:.2f} s", "under 60 s")


PARTS = {"maps": maps, "checks": checks, "paths": paths}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", nargs="?", choices=list(PARTS))
    chosen = parser.parse_args().part
    print(f"{os.cpu_count()} cores, Python {sys.version.split()[0]}, numpy {np.__version__}\n")
    print("| what | figure | goal |\n|---|---|---|", flush=True)
    for name in [chosen] if chosen else PARTS:
        PARTS[name]()
