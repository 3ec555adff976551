"""`samapprox approximate`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from samapprox import InputError
from samapprox.attention import load_attention
from samapprox.attention.approximation.checker import factor
from samapprox.attention.approximation.known_methods import METHODS
from samapprox.attention.approximation.known_methods import approximate as run
from samapprox.attention.approximation.pattern_layer import save_layer
from samapprox.attention.approximation.precision import require_arithmetic
from samapprox.attention.approximation.request import Approximation, Request
from samapprox.attention.approximation.target import Target, sample
from samapprox.cli import options
from samapprox.cli.files import LAYER, PICTURE, keep_apart
from samapprox.cli.terminal import echo, print_json, show_progress
from samapprox.cli.values import (
    PATTERN_ENDINGS,
    Checked,
    ParamType,
    complete_files,
    complete_names,
    take_one,
)
from samapprox.errors import errors_within
from samapprox.precision import ARITHMETICS

if TYPE_CHECKING:
    from samapprox.attention.approximation.checker import Worst


class Sample(ParamType[tuple[int, int, float]]):
    """The numbers n,k,gamma of a random matrix."""

    name = "n,k,gamma"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int, float]:
        """Return the three numbers."""
        try:
            n, k, gamma = str(value).split(",")
            return int(n), int(k), float(gamma)
        except ValueError:
            self.fail(f"{value!r} is not n,k,gamma such as 512,2,3", param, ctx)


@click.command()
@click.argument(
    "source",
    metavar="[A]",
    required=False,
    shell_complete=complete_files([".npy", ".npz", ".safetensors"]),
)
@click.option(
    "--sample",
    "sampled",
    type=Sample(),
    help="Draw a random A as the paper does, with these parameters.",
)
@click.option("--key", help="Array of an npz or safetensors file to read.")
@click.option(
    "--eps1", type=float, default=0.5, show_default=True, help="Precision of zeros, condition (7)."
)
@click.option(
    "--eps2", type=float, default=1.0, show_default=True, help="Precision of ratios, condition (8)."
)
@click.option("--k", type=int, help="Refuse A with more nonzeros in a row or column.")
@click.option(
    "--gamma", type=float, help="Refuse A if nonzeros of a row differ by a larger factor."
)
@click.option(
    "--method",
    type=click.Choice(list(METHODS)),
    default=next(iter(METHODS)),
    show_default=True,
    help="Construction of the layer.",
)
@click.option("-d", "d", type=int, help="Query/key dimension; chosen by the method by default.")
@click.option("--d-min", "least", is_flag=True, help="Search for the least d in steps of --step.")
@click.option(
    "--d-hid", type=int, help="Hidden dimension (columns of X); the method's least by default."
)
@options.causal
@options.seed("Seed for --sample and random draws.")
@click.option(
    "--redraws",
    metavar="Q",
    type=float,
    default=1.0,
    show_default=True,
    help="At most Q n random draws for each d.",
)
@click.option(
    "--step",
    type=int,
    default=16,
    show_default=True,
    help="Step of d in the search, an even number.",
)
@click.option("--spread", type=float, help="Largest allowed spread of the logits of a row.")
@click.option(
    "--arithmetic",
    multiple=True,
    callback=take_one,
    type=Checked(click.STRING, require_arithmetic),
    shell_complete=complete_names(lambda: (*ARITHMETICS, "int8")),
    help="Verify in this arithmetic, too: float64, float32, bfloat16, float16, or int1 to int26.",
)
@click.option("--frontier", is_flag=True, help="Compare all methods: rank against bits and spread.")
@click.option("--ranks", help="With --frontier: ranks to optimise at, such as 4,8, or none.")
@click.option(
    "--plot",
    type=PICTURE,
    help="With --frontier: draw the comparison to this png, svg or pdf file.",
)
@click.option(
    "--weak",
    metavar="PATTERN",
    shell_complete=complete_files(PATTERN_ENDINGS),
    help="Build a layer that represents this 0/1 pattern instead.",
)
@options.time_limit("Stop all searches together after this many seconds.")
@click.option(
    "-o", "--output", type=LAYER, help="Write X, W_Q and W_K to this npz or safetensors file."
)
@options.as_json
def approximate(
    source: str | None,
    sampled: tuple[int, int, float] | None,
    key: str | None,
    seed: int,
    method: str,
    output: str | None,
    as_json: bool,
    causal: bool,
    frontier: bool,
    ranks: str | None,
    plot: str | None,
    weak: str | None,
    time_limit: float,
    **choices: Any,
) -> int:
    """Build X, W_Q and W_K whose attention matrix approximates the right stochastic matrix A.

    A is an npy, npz or safetensors file, or comes from --sample. The attention matrix of the layer
    gives a zero of A less than eps1 times the weight of any nonzero in its row, and preserves
    ratios of nonzeros up to a factor below exp(eps2). These are conditions (7) and (8) of Theorem
    0.4; the checker verifies both.

    With --weak there is no A: the layer has the least d that represents PATTERN, and is verified
    by running it.
    """
    if (ranks is not None or plot is not None) and not frontier:
        raise InputError("--ranks and --plot need --frontier")
    if output is not None and frontier:
        raise InputError("--frontier compares layers and saves none: leave out --output")
    keep_apart([source, weak], [output, plot])
    if weak is not None:
        if frontier or source is not None or sampled is not None:
            raise InputError("--weak takes only a pattern: leave out A, --sample and --frontier")
        from samapprox.cli.papers.approximate_modes import show_pattern_layer

        return show_pattern_layer(
            weak,
            key=key,
            causal=causal,
            d_hid=choices["d_hid"],
            arithmetic=choices["arithmetic"],
            time_limit=time_limit,
            seed=seed,
            output=output,
            as_json=as_json,
        )
    if choices["d"] is not None and choices["least"]:
        raise InputError("give -d or --d-min, not both")
    with show_progress("reading A"):
        target = _target(source, sampled, key, seed, causal)
        with errors_within(source):
            target.require(k=choices["k"], gamma=choices["gamma"], causal=causal)
    request = Request(target=target, causal=causal, seed=seed, **choices).within(time_limit)
    if frontier:
        from samapprox.cli.papers.approximate_modes import show_frontier

        show_frontier(request, _ranks(ranks), plot, as_json)
        return 0
    with show_progress(f"method {method}") as progress:
        found = run(replace(request, progress=progress), method)
    if output is not None:
        save_layer(found.layer, output)
    if as_json:
        print_json(found.to_json(request))
    else:
        _print(request, found)
    return 0


def _target(
    source: str | None,
    sampled: tuple[int, int, float] | None,
    key: str | None,
    seed: int,
    causal: bool,
) -> Target:
    if (source is None) == (sampled is None):
        raise InputError("give the matrix A as a file, or draw one with --sample n,k,gamma")
    if sampled is not None:
        return sample(*sampled, seed=seed, causal=causal)
    assert source is not None
    matrix = load_attention(source, key=key)
    with errors_within(source):
        return Target.from_array(matrix)


def _ranks(given: str | None) -> tuple[int, ...]:
    """Parse the value of --ranks."""
    from samapprox.attention.approximation.frontier import RANKS

    if given is None:
        return RANKS
    if given == "none":
        return ()
    try:
        ranks = tuple(int(part) for part in given.split(","))
    except ValueError:
        ranks = (0,)
    if min(ranks) < 1:
        raise InputError(f"--ranks takes positive numbers such as 4,8,16, or none, not {given!r}")
    return ranks


def _print(request: Request, found: Approximation) -> None:
    layer, report = found.layer, found.report
    echo(f"{found.method}: rank {layer.rank}, d = {layer.d}, d_hid = {layer.d_hid}")
    kind = "causal attention" if layer.causal else "attention"
    arithmetic = report.arithmetic
    if not report.holds:
        echo(f"NOT verified: in {arithmetic} arithmetic, this {kind} violates a condition.")
    elif report.is_proven and arithmetic != "exact":
        echo(f"Verified for {kind} in {arithmetic}, and proven for real numbers.")
    else:
        echo(f"Verified for {kind} in {arithmetic} arithmetic.")
    _print_worst("condition (7), zeros", report.zeros, request.eps1)
    _print_worst("condition (8), ratios", report.ones, factor(request.eps2))
    echo(f"spread of a row's logits: {report.spread:.4g}")
    for name, fact in found.facts.items():
        if isinstance(fact, str | int | float):
            echo(f"{name.replace('_', ' ')}: {fact}")


def _print_worst(what: str, worst: Worst, limit: float) -> None:
    if worst.row < 0:
        echo(f"{what}: nothing to compare")
        return
    relation = "<" if worst.ratio < limit else ">="
    echo(
        f"{what}: worst {worst.ratio:.6g} {relation} {limit:.6g} (row {worst.row}, columns "
        f"{worst.first} and {worst.second})"
    )
