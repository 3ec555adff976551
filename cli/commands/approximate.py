"""`samapprox approximate`."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from samapprox import InputError
from samapprox.attention.approximation.known_methods import METHODS
from samapprox.attention.approximation.known_methods import approximate as run
from samapprox.attention.approximation.precision import require_arithmetic
from samapprox.attention.approximation.report import factor
from samapprox.attention.approximation.request import Approximation, Request
from samapprox.attention.approximation.sampler import sample
from samapprox.attention.approximation.target import Target
from samapprox.attention.layer_files import save_layer
from samapprox.attention.weights import load_attention
from samapprox.cli.options import (
    causal_option,
    json_option,
    keep_apart,
    seed_option,
    time_limit_option,
)
from samapprox.cli.options.checked import Checked
from samapprox.cli.param_type import ParamType
from samapprox.cli.printing import print_json
from samapprox.cli.written import LAYER, PICTURE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from samapprox.attention.approximation.report import Worst

__all__ = ["approximate"]


class Sample(ParamType[tuple[int, int, float]]):
    """n,k,gamma of a random matrix."""

    name = "n,k,gamma"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int, float]:
        """The three numbers."""
        try:
            n, k, gamma = str(value).split(",")
            return int(n), int(k), float(gamma)
        except ValueError:
            self.fail(f"{value!r} is not n,k,gamma such as 512,2,3", param, ctx)


@click.command()
@click.argument("source", metavar="[A]", required=False)
@click.option("--sample", "sampled", type=Sample(), help="A random A, as the paper draws it.")
@click.option("--key", help="Which array of an npz or safetensors file to take.")
@click.option("--eps1", type=float, default=0.5, show_default=True, help="Precision of zeros.")
@click.option("--eps2", type=float, default=1.0, show_default=True, help="Precision of ratios.")
@click.option("--k", type=int, help="Refuse A with more nonzeros in a row or column.")
@click.option("--gamma", type=float, help="Refuse A whose nonzeros of a row vary by more.")
@click.option(
    "--method", type=click.Choice(list(METHODS)), default=next(iter(METHODS)), show_default=True
)
@click.option("-d", "d", type=int, help="Query dimension; by default the method's choice.")
@click.option("--d-min", "least", is_flag=True, help="Search for the least d, by --step.")
@click.option(
    "--d-hid", type=int, help="Columns of X; by default as few as the method can do with."
)
@causal_option
@seed_option("Seed for --sample and random draws.")
@click.option(
    "--redraws", type=float, default=1.0, show_default=True, help="Q: up to Qn draws for each d."
)
@click.option("--step", type=int, default=16, show_default=True, help="Of d, even.")
@click.option("--spread", type=float, help="The most that a row's logits may be apart.")
@click.option(
    "--arithmetic",
    type=Checked(click.STRING, require_arithmetic),
    help="It must hold in this one, too: float64, .., float16, or int8 (1 to 26).",
)
@click.option("--frontier", is_flag=True, help="Run all methods: rank against bits and spread.")
@click.option("--ranks", help="With --frontier: where to optimise, such as 4,8; none: nowhere.")
@click.option("--plot", type=PICTURE, help="With --frontier: also draw it; png, svg or pdf.")
@click.option(
    "--weak", metavar="PATTERN", help="Build a layer that shows this 0/1 pattern instead."
)
@time_limit_option("Seconds for all searches together.")
@click.option(
    "-o", "--output", type=LAYER, help="Write X, W_Q and W_K to this npz or safetensors file."
)
@json_option
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
) -> None:
    """Build X, W_Q and W_K whose attention matrix approximates the right stochastic matrix A.

    A is an npy, npz or safetensors file, or comes from --sample. Zeros of A get less than eps1
    times what any nonzero of their row gets, and ratios of nonzeros are off by a factor below
    exp(eps2): conditions (7) and (8) of Theorem 0.4, which the checker verifies.

    With --weak there is no A: the layer comes from the least d that shows PATTERN, and is run.
    """
    if (ranks is not None or plot is not None) and not frontier:
        raise click.UsageError("--ranks and --plot belong to --frontier")
    if output is not None and frontier:
        raise click.UsageError("--frontier compares layers and keeps none: leave out --output")
    keep_apart([source, weak], [output, plot])
    if weak is not None:
        if frontier or source is not None or sampled is not None:
            raise click.UsageError("--weak takes a pattern alone, without A, --sample, --frontier")
        from samapprox.cli.commands.approximate_weak import show_pattern_layer

        click.get_current_context().exit(
            show_pattern_layer(
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
        )
    if choices["d"] is not None and choices["least"]:
        raise click.UsageError("give -d or --d-min, not both")
    target = _target(source, sampled, key, seed, causal)
    with _show_progress() as progress:
        try:
            target.require(k=choices["k"], gamma=choices["gamma"], causal=causal)
        except InputError as error:
            raise error.within(source) if source else error from None
        request = Request(target=target, causal=causal, seed=seed, progress=progress, **choices)
        request = request.within(time_limit)
        if frontier:
            from samapprox.cli.commands.approximate_frontier import show_frontier

            show_frontier(request, _ranks(ranks), plot, as_json)
            return
        found = run(request, method)
    if output is not None:
        save_layer(found.layer, output)
    if as_json:
        print_json(found.to_json(request))
    else:
        _print(request, found)


def _target(
    source: str | None,
    sampled: tuple[int, int, float] | None,
    key: str | None,
    seed: int,
    causal: bool,
) -> Target:
    if (source is None) == (sampled is None):
        raise click.UsageError("give the matrix A as a file, or --sample n,k,gamma")
    if sampled is not None:
        return sample(*sampled, seed=seed, causal=causal)
    assert source is not None
    matrix = load_attention(source, key=key)
    try:
        return Target.from_array(matrix)
    except InputError as error:
        raise error.within(source) from None


def _ranks(given: str | None) -> tuple[int, ...]:
    """Those of --ranks."""
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


@contextmanager
def _show_progress() -> Iterator[Callable[[str], None]]:
    """Show the progress of a method on a terminal, once it has taken two seconds."""
    from tqdm import tqdm

    with tqdm(delay=2, disable=None, leave=False, bar_format="{elapsed} {desc}") as bar:

        def tell(text: str) -> None:
            bar.set_description_str(text, refresh=False)
            bar.update()

        yield tell


def _print(request: Request, found: Approximation) -> None:
    layer, report = found.layer, found.report
    click.echo(f"{found.method}: rank {layer.rank}, d = {layer.d}, d_hid = {layer.d_hid}")
    kind = "causal attention" if layer.causal else "attention"
    arithmetic = report.arithmetic
    if not report.holds:
        click.echo(f"NOT verified: in {arithmetic} this {kind} breaks a condition.")
    elif report.is_proven and arithmetic != "exact":
        click.echo(f"Verified for {kind} in {arithmetic}, and proven for real numbers.")
    else:
        click.echo(f"Verified for {kind} in {arithmetic} arithmetic.")
    _print_worst("zeros, (7)", report.zeros, request.eps1)
    _print_worst("ratios, (8)", report.ones, factor(request.eps2))
    click.echo(f"spread of a row's logits: {report.spread:.4g}")
    for name, fact in found.facts.items():
        if isinstance(fact, str | int | float):
            click.echo(f"{name.replace('_', ' ')}: {fact}")


def _print_worst(what: str, worst: Worst, limit: float) -> None:
    if worst.row < 0:
        click.echo(f"{what}: nothing to compare")
        return
    click.echo(
        f"{what}: worst {worst.ratio:.6g}, to be below {limit:.6g}: row {worst.row}, columns "
        f"{worst.first} and {worst.second}"
    )
