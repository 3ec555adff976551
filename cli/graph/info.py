"""`samapprox graph info` and `draw`: a mask in numbers and as a picture."""

from __future__ import annotations

import click

from samapprox.attention.graphs.distance import Degrees, GraphFacts, graph_facts
from samapprox.cli import options
from samapprox.cli.options.masks import Mask, mask_argument
from samapprox.cli.terminal import echo, print_json, show_progress
from samapprox.support.text import plural


@click.command()
@mask_argument
@options.as_json
def info(mask: Mask, as_json: bool) -> None:
    """Print the size, degrees, components and diameter of MASK."""
    attention = mask.read()
    with show_progress("measuring the graph"):
        facts = graph_facts(attention)
    if as_json:
        print_json(facts.to_json(mask=mask.name))
        return
    for line in _describe(facts):
        echo(line)


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


@click.command()
@mask_argument
@options.picture
def draw(mask: Mask, output: str) -> None:
    """Draw MASK; a small one also as a circle of tokens."""
    from samapprox.attention.graphs.picture import draw_graph
    from samapprox.pictures import save_picture

    attention = mask.read()
    with show_progress("drawing"):
        save_picture(
            draw_graph(attention, title=f"{mask.name}, {plural(attention.n, 'token')}"), output
        )
    echo(output)
