"""`samapprox graph`: sparse attention masks."""

from __future__ import annotations

import json
import sys

import click

from samapprox import InputError
from samapprox.attention.graphs.facts import Degrees, GraphFacts, graph_facts
from samapprox.attention.graphs.universality import universality
from samapprox.cli.commands.graph_build import build
from samapprox.cli.commands.graph_check import Findings, deep, map_option, measure_concentration
from samapprox.cli.completion import complete_files
from samapprox.cli.groups import SuggestingGroup
from samapprox.cli.options import (
    json_option,
    keep_apart,
    picture_option,
    time_limit_option,
)
from samapprox.cli.options.masks import mask_argument, read_mask
from samapprox.cli.printing import print_json
from samapprox.cli.progress import show_activity, show_progress
from samapprox.cli.reading import read_text
from samapprox.cli.terminal import echo, echo_answer
from samapprox.support.plural import plural

__all__ = ["graph"]


@click.group(cls=SuggestingGroup)
def graph() -> None:
    """Analyse sparse attention masks: sizes, pictures, universality.

    MASK is the name of a graph with parameters, such as bigbird:w=3,g=2,r=3 (with --n), or a file
    with a square pattern: rows are queries, columns are keys, and 1 means that the query attends to
    the key.
    """


graph.add_command(build)


@graph.command()
@mask_argument
@json_option
def info(mask: str, n: int | None, file_format: str | None, key: str | None, as_json: bool) -> None:
    """Print the size, degrees, components and diameter of MASK."""
    attention = read_mask(mask, n, file_format, key)
    with show_activity("measuring the graph"):
        facts = graph_facts(attention)
    if as_json:
        print_json(facts.to_json(mask=mask))
        return
    for line in _describe(facts):
        echo(line)


@graph.command()
@mask_argument
@picture_option
def draw(mask: str, n: int | None, file_format: str | None, key: str | None, output: str) -> None:
    """Draw MASK; a small one also as a circle of tokens."""
    from samapprox.attention.graphs.picture import draw_graph
    from samapprox.pictures import save_picture

    attention = read_mask(mask, n, file_format, key)
    with show_activity("drawing"):
        save_picture(draw_graph(attention, title=f"{mask}, {plural(attention.n, 'token')}"), output)
    echo(output)


@graph.command()
@mask_argument
@click.option("--path", is_flag=True, help="Search for a Hamiltonian path (Assumption 1.2).")
@time_limit_option("With --path: stop the search after this many seconds.", default=20.0)
@map_option
@click.option(
    "--d", type=int, help="With --delta: embedding dimension, for the depth of the construction."
)
@click.option("--delta", help="With --d: grid step of the construction, 1/2, 1/3, ..")
@json_option
def check(
    mask: str,
    n: int | None,
    file_format: str | None,
    key: str | None,
    path: bool,
    time_limit: float,
    rho: str | None,
    zeta: float | None,
    eta: float | None,
    d: int | None,
    delta: str | None,
    as_json: bool,
) -> None:
    """Check whether transformers on MASK can approximate every continuous function.

    They can if every token attends to itself and hears of every other, which a walk through all
    tokens shows. Assumption 1 of Yun et al. (2020) also requires a Hamiltonian path, which --path
    searches for. Theorem 1 of Zaheer et al. (2020) requires a star.

    With --zeta and --eta, the command finds t of Assumption 2: the least t for which the
    probability map of t times the scores gives at least 1 - eta to a key that leads by zeta. With
    --d and --delta, it counts the blocks that the theorem needs.
    """
    attention = read_mask(mask, n, file_format, key)
    with show_activity("measuring the probability map"):
        scale = measure_concentration(attention, rho, zeta, eta)
    if path:
        with show_progress(time_limit) as progress:
            found = universality(attention, path=True, time_limit=time_limit, progress=progress)
    else:
        with show_activity("searching for a walk"):
            found = universality(attention)
    depth = deep(attention, found, d, delta)
    name = None if scale is None else rho or "softmax"
    findings = Findings(mask, attention.n, found, name, scale, depth)
    if as_json:
        print_json(findings.document())
        return
    for line in findings.lines():
        echo_answer(line)


@graph.command()
@mask_argument
@click.argument("document", type=click.Path(), shell_complete=complete_files([".json"]))
def verify(
    mask: str, n: int | None, file_format: str | None, key: str | None, document: str
) -> None:
    """Verify DOCUMENT, the output of `graph check --json`, against MASK.

    The check covers self-loops, the walk, the path or the proof that there is none, s, the star,
    and the conclusion. Exit status: 0 valid, 1 not valid.
    """
    from samapprox.attention.graphs.recheck import first_mistake

    keep_apart([mask, document], [])
    attention = read_mask(mask, n, file_format, key)
    text = read_text(document)
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        raise InputError(f"{document}: not JSON") from None
    if not isinstance(said, dict):
        raise InputError(f"{document}: not what `samapprox graph check --json` prints")
    try:
        with show_activity("checking the document"):
            mistake = first_mistake(attention, said)
    except InputError as error:
        raise error.within(document) from None
    if mistake is not None:
        echo_answer(f"NOT VALID: {mistake}")
        sys.exit(1)
    verdict = {True: "YES", False: "NO", None: "UNKNOWN"}[said["universal"]]
    echo_answer(f"VALID: universal: {verdict}")


def _describe(facts: GraphFacts) -> list[str]:
    """Describe the facts, one on a line."""
    several = len(facts.edges) > 1
    union = f" (union: {facts.union_edges})" if several else ""
    loops = ", ".join(
        "all" if not missing else f"all but {missing}" for missing in facts.without_loop
    )
    return [
        f"tokens: {facts.tokens}",
        f"edges: {', '.join(map(str, facts.edges))}{union}",
        f"sparsity: {100 * facts.sparsity:.2f} %",
        f"keys per query: {_range(facts.keys_a_query)}",
        f"queries per key: {_range(facts.queries_a_key)}",
        f"self-loops: {loops}",
        f"strongly connected components: {facts.components}"
        + (f", the largest of {facts.largest_component}" if facts.components > 1 else ""),
        f"diameter: {_diameter(facts)}",
    ]


def _range(degrees: Degrees) -> str:
    return f"{degrees.least}..{degrees.greatest}, {degrees.mean:.2f} on average"


def _diameter(facts: GraphFacts) -> str:
    if facts.diameter is None:
        assert facts.unreachable is not None
        return "infinite: token {} never reaches token {}".format(*facts.unreachable)
    apart = "token {} to token {}".format(*facts.diameter.pair)
    if facts.diameter.exact:
        return f"{facts.diameter.lower} ({apart})"
    return f"at least {facts.diameter.lower} ({apart}), at most {facts.diameter.upper}"
