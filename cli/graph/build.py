"""`samapprox graph build`: a universal transformer, built and run on every input."""

from __future__ import annotations

import math
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from samapprox import InputError
from samapprox.attention.transformers.maps import MAPS, probability_map
from samapprox.cli import options
from samapprox.cli.files import keep_apart, read_bytes
from samapprox.cli.graph.check import grid_steps, map_option
from samapprox.cli.options.masks import Mask, mask_argument
from samapprox.cli.terminal import echo_answer, print_json, show_progress
from samapprox.cli.values import complete_files
from samapprox.errors import errors_within
from samapprox.schemas.graphs import GRAPH_BUILD
from samapprox.support.text import plural

if TYPE_CHECKING:
    from samapprox.attention.transformers.columns import Matrix
    from samapprox.attention.transformers.maps import ProbabilityMap
    from samapprox.attention.transformers.universality import (
        Approximation,
        Construction,
        Expression,
        Grid,
        Sampled,
        Softening,
        StepFunction,
        Verification,
    )


_FILES = [".npy", ".npz", ".json"]

METHODS = ("walk", "printed", "star")
"""The values of `universality.Method`, whose module loads only when it is used."""


@click.command(short_help="Build and verify a transformer that computes a function.")
@mask_argument
@click.option("--d", type=int, required=True, help="Embedding dimension.")
@click.option("--delta", help="Grid step: 1/2, 1/3, ..")
@click.option(
    "--epsilon",
    type=click.FloatRange(min=0, min_open=True),
    help="For an expression, in place of --delta: the distance d_p that the transformer may have.",
)
@click.option(
    "--p",
    type=click.FloatRange(min=1),
    default=2.0,
    show_default=True,
    help="With --epsilon: p of the distance.",
)
@click.option(
    "--function",
    metavar="FILE|EXPR",
    shell_complete=complete_files(_FILES),
    help="File with the values of the function (npy, npz or JSON), or an expression in X such as "
    "'sin(pi * X) * mean(X)'. By default values are random thousandths in [-1, 1].",
)
@options.seed("Seed of the random function, or of the random inputs for an expression.")
@click.option(
    "--construction",
    type=click.Choice(METHODS),
    help="How tokens get ids: along a walk with one layer for each step, as printed by Yun et al. "
    "along a Hamiltonian path, or through the centre of a star.  [default: walk; star if only the "
    "centre of a star has no self-loop]",
)
@map_option(
    "Also measure the errors of a probability map in place of hardmax, and find the least scale of "
    f"scores that suffices: {', '.join(MAPS)}, with its parameters."
)
@options.as_json
def build(
    mask: Mask,
    d: int,
    delta: str | None,
    epsilon: float | None,
    p: float,
    function: str | None,
    seed: int,
    construction: str | None,
    rho: str | None,
    as_json: bool,
) -> None:
    """Build a transformer on MASK that computes a function on every grid point, and verify it.

    Inputs are d x n matrices whose entries are multiples of delta in [0, 1). The file of --function
    holds an array of shape (grid points, d, n), where the last entry of a grid point changes
    fastest.

    All grid points run through all layers, in exact arithmetic with hardmax. The verification
    covers Properties 7.1 and 7.2 of Yun et al. (2020), that ids are distinct within an input and
    between inputs, and that the outputs equal the function. Exit status: 0 if all hold, else 1.

    With an expression, the function is continuous on all of [0, 1]^(d n), and the transformer has
    its values at the centres of cubes of side delta. For --epsilon, delta follows from a proven
    bound (Lemma 5), and so do the scale of the map (F.2; softmax, or --map) and the share alpha of
    inputs that are not rounded (F.4): together the distance is at most epsilon (Theorem 1). Random
    inputs confirm it.

    With --map, the grid points also run through the contextual mapping with this map of scores
    times t. The error of the ids must be below delta/4, as in Step 3 of Yun et al.
    """
    from samapprox.attention.transformers.universality import (
        Grid,
        Method,
        build_universal,
        choose_steps,
        finish_approximation,
        sample_distance,
        step_function,
        verify,
    )

    expression = _expression(function)
    if (delta is None) == (epsilon is None):
        raise InputError("give --delta, or --epsilon for an expression; one of the two")
    if epsilon is not None and expression is None:
        raise InputError("--epsilon needs an expression (--function): files hold grid points only")
    keep_apart([mask.name, *([] if expression is not None else [function])], [])
    soft = None if rho is None else _exact_map(rho)
    attention = mask.read()
    if expression is not None:
        with show_progress("bounding the function") as progress:
            if epsilon is None:
                grid = Grid(attention.n, d, grid_steps(delta or ""))
                stepped = step_function(expression, grid, p, progress)
            else:
                stepped = choose_steps(expression, attention.n, d, epsilon, p, progress)
        grid, values = stepped.grid, stepped.values
    else:
        grid = Grid(attention.n, d, grid_steps(delta or ""))
        grid.require_enumerable()
        values = _read_function(function, grid, seed)
    method = None if construction is None else Method(construction)
    with errors_within(mask.name), show_progress("building the layers"):
        built = build_universal(attention, values, d, grid.steps, method=method)
    with show_progress("running the grid points") as progress:
        found = verify(built, progress)
    softening = theorem = sampled = None
    if expression is not None and epsilon is not None:
        rho = rho or "softmax"
        used = soft or _exact_map(rho)
        theorem = finish_approximation(built, stepped, used, epsilon, p)
        with show_progress("running random inputs"):
            sampled = sample_distance(expression, built, theorem, used, seed)
    elif soft is not None:
        softening = _soften(built, soft)
    if as_json:
        measured = None if softening is None else {"map": rho, **softening.to_json()}
        proven = None
        if theorem is not None and sampled is not None:
            proven = {"map": rho, **theorem.to_json(), "sampled": asdict(sampled)}
        print_json(_document(mask.name, function, seed, built, found, proven, measured))
    else:
        lines = _lines(function, seed, built, found)
        if expression is not None:
            lines.append(_lemma_line(stepped, p))
        if softening is not None:
            lines += _softening_lines(str(rho), softening)
        if theorem is not None and sampled is not None:
            lines += _theorem_lines(str(rho), theorem, sampled)
        for line in lines:
            echo_answer(line)
    agrees = theorem is None or sampled is None or sampled.agrees_with(theorem)
    if not (found.holds and agrees):
        sys.exit(1)


def _expression(function: str | None) -> Expression | None:
    """Return the function as an expression; None for a file, or without a function."""
    from samapprox.attention.transformers.universality import Expression

    if function is None or function == "-":
        return None
    path = Path(function)
    if path.suffix.lower() in _FILES or path.exists():
        return None
    return Expression(function)


def _lemma_line(steps: StepFunction, p: float) -> str:
    return (
        f"Lemma 5: d_{p:g} from the function is at most {_round_up(steps.bound)} for delta = "
        f"1/{steps.grid.steps}; entries are off by at most {_round_up(steps.modulus)}"
    )


def _theorem_lines(rho: str, found: Approximation, sampled: Sampled) -> list[str]:
    """Describe the constants of Theorem 1, the bound that they prove, and the random inputs."""
    agrees = "as proven" if sampled.agrees_with(found) else "NOT as proven"
    return [
        f"F.2: {rho} with t = 2^{found.scale_bits:.2f}: outputs are off by at most "
        f"{_round_up(float(found.id_error))} delta",
        f"F.4: alpha = 2^-{found.alpha_bits}, since all outputs are below 2^{found.output_bits}",
        f"Theorem 1: d_{found.p:g} of the transformer with {rho} and ReLUs is at most "
        f"{_round_up(found.bound)} <= {found.epsilon:g}",
        f"{plural(sampled.inputs, 'random input')}: d_{found.p:g} = {sampled.distance:.4f} "
        f"+- {sampled.deviation:.4f}; {sampled.ran} of them through all layers: off by at most "
        f"{sampled.worst:.4f} delta, {agrees}",
    ]


def _round_up(number: float) -> str:
    """Write four digits of a bound.

    >>> _round_up(0.12341), _round_up(0.5)
    ('0.1235', '0.5000')
    """
    return f"{math.ceil(number * 10**4) / 10**4:.4f}"


def _exact_map(text: str) -> ProbabilityMap:
    """Parse a probability map, and refuse one that mpmath cannot compute."""
    rho = probability_map(text)
    try:
        rho.apply_exact([[0, 1]])
    except InputError as error:
        raise InputError(f"--map {text} has no exact form; use entmax:alpha=1.5 or 2") from error
    return rho


def _soften(built: Construction, rho: ProbabilityMap) -> Softening:
    """Measure a probability map in place of hardmax."""
    from samapprox.attention.transformers.universality import measure_softening

    with show_progress("measuring the map"):
        return measure_softening(built.contextual, built.attention, rho)


def _softening_lines(rho: str, softening: Softening) -> list[str]:
    """Describe what a probability map does, one fact on a line."""
    enough = softening.sufficient
    power = enough.eta.denominator.bit_length() - 1
    lines = [
        f"{rho} for {_scale(softening.least.bits)}: error {_error(softening.least.error)}, "
        f"{'below' if _any_scale(softening.least.bits) else 'the least t with an error below'} "
        "delta / 4",
        f"{rho} for {_scale(softening.sufficient_bits)}: error "
        f"{_error(softening.sufficient_error)}, from eta = 2^-{power}, which suffices for every "
        "map",
    ]
    if softening.published_error is not None:
        lines.append(
            f"{rho} for t of Yun et al., F.2: error {_error(softening.published_error)}; with the "
            f"printed zeta {_error(softening.misprinted_error)}"
        )
    return lines


def _scale(bits: float) -> str:
    return "every t" if _any_scale(bits) else f"t = 2^{bits:.2f}"


def _any_scale(bits: float) -> bool:
    """Return whether t is so small that every t will do."""
    return bits <= -20


def _error(error: Any) -> str:
    return f"{float(error):.4g} delta"


def _read_function(function: str | None, grid: Grid, seed: int) -> Matrix:
    """Read the values of a function, or draw them."""
    from samapprox.attention.transformers.universality import parse_function, random_function

    if function is None:
        return random_function(grid, seed)
    try:
        with show_progress(f"reading {Path(function).name}"):
            return parse_function(read_bytes(function), grid)
    except InputError as error:
        raise error if str(error).startswith(f"{function}:") else error.within(function) from None


def _lines(function: str | None, seed: int, built: Construction, found: Verification) -> list[str]:
    """Describe a construction and its verification, one fact on a line."""
    grid, mapping, route = built.grid, built.contextual, built.route
    tokens = route.walk.tokens
    visits = ", ".join(map(str, tokens[:12])) + (", .." if len(tokens) > 12 else "")
    shown = built.printed_contextual if route.method.value == "walk" else None
    printed = "" if shown is None else f" (as printed: {shown})"
    source = f"random thousandths, seed {seed}" if function is None else function
    return [
        f"function: {source}, on {plural(grid.size, 'grid point')}",
        f"construction: {route.method.value} {visits}",
        f"quantization: {plural(len(built.quantization), 'layer')}",
        f"contextual mapping: {plural(len(mapping.layers), 'layer')}{printed}, including "
        f"{plural(mapping.all_max_layers, 'all-max-shift')}",
        f"values: {plural(len(built.values), 'layer')}",
        f"parameters: {built.parameters}",
        f"ids: up to {plural(built.id_bits, 'bit')}, in units of delta",
        f"7.1 ids are distinct within every input: {_within(found)}",
        f"7.2 ids of different inputs are distinct: {_between(found)}",
        f"outputs equal the function: {_wrong(found)}",
    ]


def _within(found: Verification) -> str:
    if found.same_within is None:
        return "YES"
    return "NO (grid point {}, tokens {} and {})".format(*found.same_within)


def _between(found: Verification) -> str:
    if found.same_between is None:
        return "YES"
    (one, first), (other, second) = found.same_between
    return f"NO (grid points {one} and {other}, tokens {first} and {second})"


def _wrong(found: Verification) -> str:
    return "YES" if found.wrong is None else "NO (grid point {}, token {})".format(*found.wrong)


def _document(
    mask: str,
    function: str | None,
    seed: int,
    built: Construction,
    found: Verification,
    proven: dict[str, Any] | None,
    measured: dict[str, Any] | None,
) -> dict[str, Any]:
    """Make the document that `--json` prints; see `samapprox schema graph-build`."""
    grid, route = built.grid, built.route
    return GRAPH_BUILD.write(
        built,
        mask=mask,
        tokens=grid.n,
        d=grid.d,
        steps=grid.steps,
        function=function,
        seed=seed if function is None else None,
        construction=route.method.value,
        walk={"tokens": route.walk.tokens.tolist(), "patterns": route.walk.patterns.tolist()},
        layers={
            "quantization": len(built.quantization),
            "contextual": len(built.contextual.layers),
            "contextual_as_printed": built.printed_contextual,
            "all_max": built.contextual.all_max_layers,
            "values": len(built.values),
        },
        grid_points=found.points,
        verified={
            "holds": found.holds,
            "same_within": found.same_within,
            "same_between": found.same_between,
            "wrong": found.wrong,
        },
        approximation=proven,
        softening=measured,
    )
