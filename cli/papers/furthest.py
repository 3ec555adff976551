"""`samapprox furthest`: the furthest vectors, with full attention or on attention graphs."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from samapprox import InputError
from samapprox.attention.graphs import read_attention
from samapprox.attention.graphs.heads import Relabelled
from samapprox.attention.vectors.furthest_vectors import KERNELS, Furthest, choose_kernel, distances
from samapprox.attention.vectors.furthest_vectors import furthest as find_furthest
from samapprox.attention.vectors.layers import Layers
from samapprox.attention.vectors.relay import Graphs
from samapprox.cli.files import PICTURE, keep_apart
from samapprox.cli.options.given_vectors import VECTOR_ENDINGS, vectors_options
from samapprox.cli.options.masks import complete_mask
from samapprox.cli.terminal import echo, print_json, print_table, show_progress
from samapprox.cli.values import complete_files, complete_names, gather
from samapprox.errors import errors_within
from samapprox.formats import load_vectors
from samapprox.reductions.orthogonal_to_furthest import UnitVectors
from samapprox.reductions.vectors import FAMILIES, family
from samapprox.schemas.vectors import FURTHEST_LAYERS
from samapprox.support.parallel import cores
from samapprox.support.parameters import parse_spec, read_parameters
from samapprox.support.text import plural
from samapprox.vectors import VectorSet

MOST_SHOWN = 10
"""The most queries whose answers are printed."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """The options for graphs."""

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


@click.command()
@vectors_options
@click.argument(
    "source",
    metavar="[VECTORS]",
    required=False,
    shell_complete=complete_files(VECTOR_ENDINGS),
)
@click.option(
    "--family",
    shell_complete=complete_names(lambda: FAMILIES),
    help="Generate the vectors from a family, such as furthest-clustered:n=1000,d=16.",
)
@click.option(
    "--kernel",
    type=click.Choice(list(KERNELS)),
    help="Implementation to use; by default the one expected to finish first.",
)
@click.option(
    "--graph",
    "graphs",
    multiple=True,
    shell_complete=complete_mask,
    help="Relay candidates on this mask, layer by layer (may be repeated for a comparison).",
)
@click.option(
    "--layers",
    type=click.IntRange(1, 10**6),
    default=16,
    show_default=True,
    help="With --graph: the most layers.",
)
@click.option("--cycle", is_flag=True, help="Use the graphs in turn, one in each layer.")
@click.option(
    "--relabel",
    type=int,
    metavar="SEED",
    help="Put the tokens at random places of the graph in every layer.",
)
@click.option("--plot", type=PICTURE, help="Draw recall and pairs to this png, svg or pdf file.")
@gather("wanted", Wanted)
def furthest(
    source: str | None,
    key: str | None,
    as_json: bool,
    family: str | None,
    kernel: str | None,
    wanted: Wanted,
) -> None:
    """Find the vector furthest from each of VECTORS, exactly as with real numbers.

    VECTORS is a file (npz with vectors, or queries and keys; npy; numbers as text) or - for
    standard input. Among equally far vectors, the first one is the
    answer.

    With --graph, each token attends only to its neighbours: in every layer it keeps the furthest of
    their vectors and of the candidates that they hold. A graph is a mask as in `samapprox graph`,
    such as bigbird:w=3,g=2,r=3, or a file. Boolean vectors become unit vectors, and the command
    looks for an orthogonal pair.
    """
    if (source is None) == (family is None):
        raise InputError("give VECTORS or --family, one of the two")
    if not wanted.graphs and (wanted.cycle or wanted.plot or wanted.relabel is not None):
        raise InputError("--cycle, --relabel and --plot need a --graph")
    keep_apart([source, *wanted.graphs], [wanted.plot])
    if family is not None:
        vectors, source = family_vectors(family), family
    else:
        assert source is not None
        vectors = load_vectors(source, key=key)
    if wanted.graphs:
        if kernel is not None:
            raise InputError("--kernel applies only to full attention; leave it out with --graph")
        _run_layers(source, vectors, wanted, as_json=as_json)
        return
    queries, d = vectors.first.shape
    keys = queries if vectors.second is None else len(vectors.second)
    kernel = choose_kernel(queries, keys, d, kernel)
    with show_progress("compiling kernels (once on this machine)"):  # or loading them, in no time
        find_furthest(np.zeros((2, 1), vectors.first.dtype), kernel=kernel)
    start = time.perf_counter()
    with errors_within(source), show_progress() as progress:
        answer = find_furthest(
            vectors.first, vectors.second, threads=wanted.threads, progress=progress, kernel=kernel
        )
    seconds = time.perf_counter() - start
    document = answer.to_json(vectors, source=source, seconds=seconds, threads=wanted.threads)
    if as_json:
        print_json(document)
    else:
        _print(document, vectors, answer)


def _print(document: dict[str, Any], vectors: VectorSet, answer: Furthest) -> None:
    away = distances(vectors.first, vectors.second, answer.indices)
    for query, index in enumerate(answer.indices[:MOST_SHOWN].tolist()):
        echo(f"{query}: {index} (distance {away[query]:.6g})")
    if len(away) > MOST_SHOWN:
        echo(f".. {len(away) - MOST_SHOWN} more; --json prints all")
    most = int(away.argmax())
    echo(f"greatest distance: {away[most]:.6g}, from {most} to {answer.indices[most]}")
    if document["agrees"] is not None:
        echo(f"agrees with the file: {'yes' if document['agrees'] else 'NO'}")
    echo(
        f"samapprox: {document['queries']} x {document['keys']} of dimension {document['d']} in "
        f"{document['seconds']:.3g} s, {document['pairs_per_second']:.2g} pairs a second "
        f"({document['kernel']}, {plural(document['threads'], 'thread')}, "
        f"{plural(document['near_ties'], 'near tie')})",
        err=True,
    )


MOST_AGAINST_FULL = 100_000
"""The most vectors for which full attention is also searched, to measure recall."""

_MOST_SHOWN = 40
_LITTLE = "recall below 50%"
_UNKNOWN = f"recall is printed up to n = {MOST_AGAINST_FULL:,}"


def _answers(vectors: UnitVectors, threads: int | None) -> NDArray[np.int64] | None:
    """The furthest vectors, if they are known or can be found quickly."""
    if len(vectors.rows) > MOST_AGAINST_FULL:
        return vectors.known
    with show_progress() as progress:
        return find_furthest(vectors.rows, threads=threads, progress=progress).indices


def _run_layers(source: str, vectors: VectorSet, wanted: Wanted, *, as_json: bool) -> None:
    """Run all graphs, and print and draw the results."""
    start = time.perf_counter()
    with errors_within(source):
        instance = UnitVectors(vectors)
    n, d = instance.rows.shape
    graphs = wanted.graphs_of(n)
    answers = _answers(instance, wanted.threads)
    found = {}
    for name, layered in graphs.items():
        with errors_within(name), show_progress() as progress:
            found[name] = instance.relay(
                layered, wanted.layers, answers, threads=wanted.threads, progress=progress
            )
    document = FURTHEST_LAYERS.write(
        source=source,
        n=n,
        d=d,
        orthogonal=instance.is_reduced,
        relabel=wanted.relabel,
        threads=wanted.threads or cores(),
        graphs=[_graph(name, graphs[name], result, instance) for name, result in found.items()],
        seconds=time.perf_counter() - start,
    )
    if wanted.plot is not None:
        _draw(found, f"{source}: {n} vectors of dimension {d}", wanted.plot)
    if as_json:
        print_json(document)
    else:
        _print_layers(document)


def _graph(name: str, graphs: Graphs, result: Layers, instance: UnitVectors) -> dict[str, Any]:
    """Make the document of one graph; see `samapprox schema furthest-layers`."""
    period = graphs.graphs if isinstance(graphs, Relabelled) else graphs
    assert not callable(period)
    edges = [len(graph.indices) for graph in period]
    return result.to_json(graph=name, edges=edges, pair=instance.pair(result.held))


def _draw(found: dict[str, Layers], title: str, target: str) -> None:
    from samapprox.pictures import save_picture
    from samapprox.pictures.charts import LayerCurve, draw_layers

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


def _print_layers(document: dict[str, Any]) -> None:
    """Print a table for each graph."""
    for graph in document["graphs"]:
        edges = ", ".join(map(str, graph["edges"]))
        echo(f"{graph['graph']}: {edges} edges, n(n-1)/(2|E|) = {graph['bound']:.4g} layers")
        rows = graph["layers"]
        header = ["layer", "pairs compared", "inner products"]
        if rows[0]["recall"] is not None:
            header[1:1] = ["recall", "mean regret", "worst regret"]
        header += ["found"] * document["orthogonal"]
        cells = [_layer_cells(row, graph) for row in rows]
        left_out = len(rows) - _MOST_SHOWN
        if left_out > 0:
            cells[_MOST_SHOWN - 2 : -2] = [[".."] + [""] * (len(header) - 1)]
        print_table(header, cells)
        if left_out > 0:
            echo(f"{plural(left_out, 'layer')} left out; --json prints all")
        echo(_end(graph, document["orthogonal"]))


def _layer_cells(row: dict[str, Any], graph: dict[str, Any]) -> list[str]:
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


def family_vectors(text: str) -> VectorSet:
    """Generate the vectors that a line of text describes; see `samapprox generate`.

    >>> family_vectors("furthest-planted:n=6,d=3,double=1").shape
    (6, 3)
    """
    name, _ = parse_spec(text)
    make = family(name)
    values = read_parameters(text, make)
    with errors_within(name):
        return make(**values)
