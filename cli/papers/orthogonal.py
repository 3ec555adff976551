"""`samapprox orthogonal`."""

from __future__ import annotations

import time
from typing import Any

import click

from samapprox.attention.vectors import orthogonal_vectors as solver
from samapprox.cli import options
from samapprox.cli.options import given_vectors
from samapprox.cli.terminal import echo, echo_answer, print_json, show_progress
from samapprox.errors import errors_within
from samapprox.formats import load_vectors
from samapprox.schemas.vectors import ORTHOGONAL
from samapprox.vectors import VectorSet


@click.command()
@given_vectors.vectors
@click.option("--count", "count", is_flag=True, help="Count all orthogonal pairs.")
@click.option("--least", "least", is_flag=True, help="Find the least inner product.")
@click.option(
    "--method", type=click.Choice(solver.METHODS), help="Search method; the faster one by default."
)
@click.option(
    "--exit-code", is_flag=True, help="Exit with 10 if a pair is orthogonal, otherwise 20."
)
def orthogonal(
    source: str,
    key: str | None,
    threads: int | None,
    as_json: bool,
    count: bool,
    least: bool,
    method: str | None,
    exit_code: bool,
) -> int:
    """Decide whether two of the Boolean VECTORS are orthogonal: YES with the first pair, or NO.

    VECTORS is a file (npz with vectors, or A and B; npy; zeros and ones as text) or - for standard
    input. With two sets, a pair has one vector from each.
    """
    vectors = load_vectors(source, key=key)
    start = time.perf_counter()
    with errors_within(source), show_progress() as progress:
        limits = {"method": method, "threads": threads, "progress": progress}
        found = _search(vectors, count, least, limits)
    document = ORTHOGONAL.write(
        source=source,
        shape=list(vectors.shape),
        sets=1 if vectors.second is None else 2,
        **found,
        seconds=time.perf_counter() - start,
    )
    if as_json:
        print_json(document)
    else:
        _print(document)
    return options.EXIT_CODES[document["answer"]] if exit_code else 0


def _search(vectors: VectorSet, count: bool, least: bool, limits: dict[str, Any]) -> dict[str, Any]:
    """Compute the requested answers."""
    sets = vectors.first, vectors.second
    found: dict[str, Any] = {"pairs": None, "least": None}
    if least:
        product = solver.least_inner_product(*sets, **limits)
        found["least"] = {"value": product.value, "pair": list(product.pair)}
        pair = product.pair if product.value == 0 else None
    else:
        pair = solver.orthogonal_pair(*sets, **limits)
    if count:
        found["pairs"] = solver.count_orthogonal(*sets, **limits)
    return {
        "answer": "NO" if pair is None else "YES",
        "pair": None if pair is None else list(pair),
        **found,
    }


def _print(document: dict[str, Any]) -> None:
    pair, least = document["pair"], document["least"]
    if pair is None:
        echo_answer("NO: no two vectors are orthogonal.")
    elif document["sets"] == 1:
        echo_answer(f"YES: vectors {pair[0]} and {pair[1]} are orthogonal.")
    else:
        echo_answer(
            f"YES: vector {pair[0]} of the first set and vector {pair[1]} of the second are "
            "orthogonal."
        )
    if document["pairs"] is not None:
        echo(f"orthogonal pairs: {document['pairs']}")
    if least is not None:
        echo(
            f"least inner product: {least['value']}, of vectors {least['pair'][0]} and "
            f"{least['pair'][1]}"
        )
