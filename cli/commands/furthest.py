"""`samapprox furthest`."""

from __future__ import annotations

import time
from typing import Any

import click
import numpy as np

from samapprox import InputError
from samapprox.attention.vectors.furthest_vectors import KERNELS, Furthest, choose_kernel, distances
from samapprox.attention.vectors.furthest_vectors import furthest as find_furthest
from samapprox.cli.commands.furthest_layers import Wanted, run_layers
from samapprox.cli.completion import complete_files, complete_names
from samapprox.cli.family_vectors import family_vectors
from samapprox.cli.masks import complete_mask
from samapprox.cli.options import keep_apart, vectors_options
from samapprox.cli.options.vectors import VECTOR_ENDINGS
from samapprox.cli.printing import print_json
from samapprox.cli.progress import COMPILING, show_activity, show_parts
from samapprox.cli.terminal import echo
from samapprox.cli.written import PICTURE
from samapprox.formats import load_vectors
from samapprox.reductions.vectors.known_families import FAMILIES
from samapprox.support.plural import plural
from samapprox.vectors import VectorSet

__all__ = ["furthest"]

MOST_SHOWN = 10
"""The most queries whose answers are printed."""


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
def furthest(
    source: str | None,
    key: str | None,
    threads: int | None,
    as_json: bool,
    family: str | None,
    kernel: str | None,
    graphs: tuple[str, ...],
    layers: int,
    cycle: bool,
    relabel: int | None,
    plot: str | None,
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
    if not graphs and (cycle or plot or relabel is not None):
        raise InputError("--cycle, --relabel and --plot need a --graph")
    keep_apart([source, *graphs], [plot])
    if family is not None:
        vectors, source = family_vectors(family), family
    else:
        assert source is not None
        vectors = load_vectors(source, key=key)
    if graphs:
        if kernel is not None:
            raise InputError("--kernel applies only to full attention; leave it out with --graph")
        wanted = Wanted(graphs, layers, cycle, relabel, threads, plot)
        run_layers(source, vectors, wanted, as_json=as_json)
        return
    queries, d = vectors.first.shape
    keys = queries if vectors.second is None else len(vectors.second)
    kernel = choose_kernel(queries, keys, d, kernel)
    with show_activity("compiling kernels (once on this machine)"):  # or loading them, in no time
        find_furthest(np.zeros((2, 1), vectors.first.dtype), kernel=kernel)
    start = time.perf_counter()
    try:
        with show_parts(COMPILING) as progress:
            answer = find_furthest(
                vectors.first, vectors.second, threads=threads, progress=progress, kernel=kernel
            )
    except InputError as error:
        raise error.within(source) from None
    seconds = time.perf_counter() - start
    document = answer.to_json(vectors, source=source, seconds=seconds, threads=threads)
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
