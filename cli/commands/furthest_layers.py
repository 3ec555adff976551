"""`samapprox furthest --graph`: Task 1 on attention graphs, layer by layer."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox import InputError
from samapprox.attention.graphs.relabel import Relabelled
from samapprox.attention.vectors.furthest_vectors import furthest
from samapprox.attention.vectors.layers import Layers, furthest_layers
from samapprox.attention.vectors.relay import Graphs
from samapprox.cli.masks import read_attention
from samapprox.cli.printing import print_json
from samapprox.cli.progress import COMPILING, show_parts
from samapprox.cli.tables import print_table
from samapprox.cli.terminal import echo
from samapprox.reductions.orthogonal_to_furthest import OrthogonalToFurthest
from samapprox.support.document import document_head
from samapprox.support.parallel import cores
from samapprox.support.plural import plural
from samapprox.vectors import VectorSet

__all__ = ["Wanted", "run_layers"]

MOST_AGAINST_FULL = 100_000
"""The most vectors for which full attention is also searched, to measure recall."""

_MOST_SHOWN = 40
_LITTLE = "recall below 50%"
_UNKNOWN = f"recall is printed up to n = {MOST_AGAINST_FULL:,}"


@dataclass(frozen=True, slots=True)
class Wanted:
    """The options of the command."""

    graphs: tuple[str, ...]
    layers: int
    cycle: bool
    relabel: int | None
    threads: int | None
    plot: str | None

    def graphs_of(self, n: int) -> dict[str, Graphs]:
        """Return the graphs of the layers by name."""
        read = [read_attention(name, n).by_layer() for name in self.graphs]
        seen = dict(zip(self.graphs, read, strict=True))
        if self.cycle:
            seen = {", ".join(self.graphs): tuple(graph for graphs in read for graph in graphs)}
        if self.relabel is None:
            return dict(seen)
        return {name: Relabelled(graphs, self.relabel) for name, graphs in seen.items()}


class _Instance:
    """Unit vectors, and the targets of the search among them."""

    def __init__(self, vectors: VectorSet, threads: int | None) -> None:
        self.threads = threads
        self.reduced = OrthogonalToFurthest().apply(vectors) if vectors.is_boolean else None
        if self.reduced is None and vectors.second is not None:
            raise InputError("a graph needs one set of vectors; the file holds two")
        self.vectors = self.reduced.target if self.reduced else vectors

    @cached_property
    def answers(self) -> NDArray[np.int64] | None:
        """The furthest vectors, if they are known or can be found quickly."""
        if len(self.vectors.first) > MOST_AGAINST_FULL:
            return self.vectors.furthest
        with show_parts(COMPILING) as progress:
            return furthest(self.vectors.first, threads=self.threads, progress=progress).indices

    def pair(self, held: NDArray[np.int64]) -> tuple[int, int] | None:
        """Return an orthogonal pair among the candidates, if any."""
        return self.reduced.lift(held) if self.reduced else None

    def run(self, graphs: Graphs, layers: int) -> Layers:
        """Run this many layers on graphs."""
        with show_parts(COMPILING) as progress:
            return furthest_layers(
                self.vectors.first,
                graphs,
                layers=layers,
                answers=self.answers,
                against_full=False,
                goal=(lambda held: self.pair(held) is not None) if self.reduced else None,
                threads=self.threads,
                progress=progress,
            )


def run_layers(source: str, vectors: VectorSet, wanted: Wanted, *, as_json: bool) -> None:
    """Run all graphs, and print and draw the results."""
    start = time.perf_counter()
    try:
        instance = _Instance(vectors, wanted.threads)
    except InputError as error:
        raise error.within(source) from None
    n, d = instance.vectors.first.shape
    graphs = wanted.graphs_of(n)
    found = {}
    for name, layered in graphs.items():
        try:
            found[name] = instance.run(layered, wanted.layers)
        except InputError as error:
            raise error.within(name) from None
    document = {
        **document_head("furthest-layers"),
        "source": source,
        "n": n,
        "d": d,
        "orthogonal": instance.reduced is not None,
        "relabel": wanted.relabel,
        "threads": wanted.threads or cores(),
        "graphs": [_graph(name, graphs[name], result, instance) for name, result in found.items()],
        "seconds": time.perf_counter() - start,
    }
    if wanted.plot is not None:
        _draw(found, f"{source}: {n} vectors of dimension {d}", wanted.plot)
    if as_json:
        print_json(document)
    else:
        _print(document)


def _graph(name: str, graphs: Graphs, result: Layers, instance: _Instance) -> dict[str, Any]:
    """Make the document of one graph; see `schemas/furthest-layers.schema.json`."""
    held = np.where(result.held < 0, np.arange(len(result.held)), result.held)
    pair = instance.pair(held)
    period = graphs.graphs if isinstance(graphs, Relabelled) else graphs
    assert not callable(period)
    edges = [len(graph.indices) for graph in period]
    return result.to_json(graph=name, edges=edges, pair=pair)


def _draw(found: dict[str, Layers], title: str, target: str) -> None:
    from samapprox.pictures import save_picture
    from samapprox.pictures.layers import LayerCurve, draw_layers

    curves = [
        LayerCurve(
            name,
            [layer.recall for layer in result.layers if layer.recall is not None],
            [layer.pairs / result.possible_pairs for layer in result.layers],
            result.bound,
        )
        for name, result in found.items()
    ]
    save_picture(draw_layers(curves, title=title), target)


def _print(document: dict[str, Any]) -> None:
    """Print a table for each graph."""
    for graph in document["graphs"]:
        edges = ", ".join(map(str, graph["edges"]))
        echo(f"{graph['graph']}: {edges} edges, n(n-1)/(2|E|) = {graph['bound']:.4g} layers")
        rows = graph["layers"]
        header = ["layer", "pairs compared", "inner products"]
        if rows[0]["recall"] is not None:
            header[1:1] = ["recall", "mean regret", "worst regret"]
        header += ["found"] * document["orthogonal"]
        cells = [_cells(row, graph) for row in rows]
        left_out = len(rows) - _MOST_SHOWN
        if left_out > 0:
            cells[_MOST_SHOWN - 2 : -2] = [[".."] + [""] * (len(header) - 1)]
        print_table(header, cells)
        if left_out > 0:
            echo(f"{plural(left_out, 'layer')} left out; --json prints all")
        echo(_end(graph, document["orthogonal"]))


def _cells(row: dict[str, Any], graph: dict[str, Any]) -> list[str]:
    """Return the cells of a layer."""
    cells = [str(row["layer"])]
    if row["recall"] is not None:
        cells.append(f"{100 * row['recall']:.2f}%")
        cells += [f"{row['mean_regret']:.6f}", f"{row['worst_regret']:.6f}"]
    pairs = row["pairs"] / graph["possible_pairs"]
    cells.append(f"{'' if graph['pairs_exact'] else '~'}{100 * pairs:.4f}%")
    cells.append(str(row["inner_products"]))
    return cells if row["reached"] is None else [*cells, "yes" if row["reached"] else "no"]


def _end(graph: dict[str, Any], orthogonal: bool) -> str:
    """Describe how the search ended."""
    parts = []
    if graph["settled"]:
        parts.append("settled: further layers change nothing")
    if orthogonal and graph["pair"]:
        parts.append("orthogonal: {} and {}".format(*graph["pair"]))
    elif orthogonal:
        parts.append("no orthogonal pair found")
    needed = [
        f"{100 * entry['recall']:g}% after {entry['layers']}"
        for entry in graph["needed"]
        if entry["layers"] is not None
    ]
    return "; ".join([*parts, *needed] or [_LITTLE if graph["needed"] else _UNKNOWN])
