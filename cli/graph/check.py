"""`samapprox graph check` and `verify`: whether sparse attention on a mask is universal."""

from __future__ import annotations

import json
import math
import sys
from fractions import Fraction
from typing import Any

import click
import numpy as np
from numpy import ndarray
from numpy.typing import NDArray

from samapprox import InputError
from samapprox.attention.graphs import SparseAttention
from samapprox.attention.graphs.hamilton import Unknown
from samapprox.attention.graphs.universality import Depth, Universality, least_layers, universality
from samapprox.attention.graphs.walks import Trees, Walk
from samapprox.attention.transformers.maps import MAPS, probability_map
from samapprox.attention.transformers.maps.concentration import Concentration, concentration
from samapprox.cli import options
from samapprox.cli.files import keep_apart, read_text
from samapprox.cli.options.masks import Mask, mask_argument
from samapprox.cli.terminal import echo, echo_answer, paint_first, print_json, show_progress
from samapprox.cli.values import Decorator, complete_files, complete_names
from samapprox.errors import errors_within
from samapprox.schemas.graphs import GRAPH_CHECK
from samapprox.support.text import plural


def make_document(
    mask: str,
    tokens: int,
    found: Universality,
    rho: str | None = None,
    scale: Concentration | None = None,
    depth: Depth | None = None,
) -> dict[str, Any]:
    """Make the document that `--json` prints; see `samapprox schema graph-check`."""
    return GRAPH_CHECK.write(
        mask=mask,
        tokens=tokens,
        **found.to_json(),
        assumption_2=None if scale is None else {"map": rho, **scale.to_json()},
        depth=depth,
    )


def _lines(
    found: Universality, rho: str, scale: Concentration | None, depth: Depth | None
) -> list[str]:
    """Describe the answers, one on a line."""
    return [
        f"1.1 self-loops: {_loops(found)}",
        f"1.2 Hamiltonian path: {paint_first(_path(found))}",
        f"1.3 layers until every token can reach every other: {_layers(found)}",
        *([] if scale is None else [f"2 {rho}: {_scale(scale)}"]),
        f"walk: {_walk(found.witness)}",
        f"star: {'none' if found.star is None else f'centred at token {found.star}'}",
        f"universal: {paint_first(_verdict(found))}",
        *([] if depth is None else [f"depth: {_depth(depth, found)}"]),
    ]


# -------------------------------------------------------------------- Assumption 2


def _measure_concentration(
    attention: SparseAttention, rho: str | None, zeta: float | None, eta: float | None
) -> Concentration | None:
    """Find t of Assumption 2 for the longest row of a mask; None if it was not requested."""
    if rho is None and zeta is None and eta is None:
        return None
    if zeta is None or eta is None:
        raise InputError("give --zeta and --eta together (and --map for another map than softmax)")
    layers = [graph for t in range(attention.period) for graph in attention.layer(t)]
    keys = max(int(graph.out_degrees.max()) for graph in layers)
    return concentration(probability_map(rho or "softmax"), keys, zeta, eta)


def _scale(scale: Concentration) -> str:
    least = f"t = {scale.least:.6g}" if scale.least else "every t > 0"
    text = f"{least} for zeta = {scale.zeta:g}, eta = {scale.eta:g}, {plural(scale.keys, 'key')}"
    text += f" (published: {scale.published:.6g}"
    if scale.searched is None:
        return f"{text}; rows too long to run)"
    agrees = (
        f"confirmed on {plural(scale.rows, 'row')}" if scale.confirmed else "too steep for float64"
    )
    return f"{text}; searched: {scale.searched:.6g}; {agrees})"


# -------------------------------------------------------------------- depth

_LONGEST_DELTA = 1000


def grid_steps(delta: str) -> int:
    """Return 1 / delta for a text such as 1/8 or 0.125.

    >>> grid_steps("0.125")
    8
    """
    if len(delta) > _LONGEST_DELTA:  # Python refuses to write longer numbers than 4300 digits
        raise InputError(f"--delta must have at most {_LONGEST_DELTA} characters, not {len(delta)}")
    try:
        steps = Fraction(0) if "e" in delta.lower() else 1 / Fraction(delta)
    except (ValueError, ZeroDivisionError):
        steps = Fraction(0)
    if steps.denominator != 1 or steps < 2:
        raise InputError(f"--delta must be 1/2, 1/3, 1/4, .., not {delta}")
    return steps.numerator


def deep(
    attention: SparseAttention, found: Universality, d: int | None, delta: str | None
) -> Depth | None:
    """Return the depth of the theorem's construction; None if not requested or not known."""
    if d is None and delta is None:
        return None
    if d is None or delta is None:
        raise InputError("give --d and --delta together")
    steps = grid_steps(delta)
    if found.layers is None or found.witness is None:
        Depth(attention.n, d, steps, 1, (1, 1), (0, 0))  # refuses values out of range
        lacking = "some token never hears of another" if found.unreachable else "loops are missing"
        echo(f"samapprox: note: no depth is printed: {lacking}", err=True)
        return None
    layers = found.layers
    if found.mixed_heads:  # an all-max-shift follows one pattern a layer, in turn
        layers = least_layers(attention.selectable, attention.union)
    walk = found.witness
    return Depth(
        attention.n,
        d,
        steps,
        attention.period,
        (layers.lower, layers.upper),
        (walk.steps, walk.steps) if isinstance(walk, Walk) else (attention.n - 1, walk.most_steps),
        path=bool(found.assumption_1) and not found.mixed_heads,
    )


def _depth(depth: Depth, found: Universality) -> str:
    printed = depth.contextual
    if printed is not None:
        contextual = f"{_range(printed)} for the contextual mapping as printed"
    elif found.mixed_heads:
        contextual = "no count for the contextual mapping as printed, since heads differ"
    else:
        known = "no Hamiltonian path is known" if found.assumption_1 is None else "there is no path"
        contextual = f"no count for the contextual mapping as printed, since {known}"
    return (
        f"{_short(depth.quantization)} blocks for quantization, {contextual}, "
        f"{_range(depth.along_walk)} along the walk (full attention: "
        f"{_short(depth.dense_contextual)}), {depth.n} * {depth.steps}^{depth.d * depth.n} = "
        f"10^{depth.value_log10:.1f} for values"
    )


def _range(bounds: tuple[int, int]) -> str:
    low, high = map(_short, bounds)
    return low if low == high else f"{low}..{high}"


def _short(blocks: int) -> str:
    return str(blocks) if blocks < 10**15 else f"10^{math.log10(blocks):.1f}"


# -------------------------------------------------------------------- Assumption 1


def _loops(found: Universality) -> str:
    parts = []
    for number, tokens in enumerate(found.without_loop):
        pattern = f" in pattern {number}" if len(found.without_loop) > 1 else ""
        more = ", .." if tokens.size > 5 else ""
        if tokens.size:
            names = ", ".join(map(str, tokens[:5].tolist()))
            parts.append(f"missing at {plural(tokens.size, 'token')}{pattern}: {names}{more}")
    return "; ".join(parts) or "all"


def _path(found: Universality) -> str:
    path = found.path
    if path is None:
        return "not sought (--path seeks one)"
    if isinstance(path, ndarray):
        return _start(path)
    return f"UNKNOWN: {path}" if isinstance(path, Unknown) else f"none: {path}"


def _start(tokens: NDArray[np.int64]) -> str:
    """Name the first tokens."""
    shown = " ".join(map(str, tokens[:12].tolist()))
    return shown + (" .." if len(tokens) > 12 else "")


def _walk(witness: Walk | Trees | None) -> str:
    if witness is None:
        return "none"
    if isinstance(witness, Walk):
        return f"{_start(witness.tokens)} ({plural(witness.steps, 'step')})"
    out, back = witness.depths
    return (
        f"at most {plural(witness.most_steps, 'step')}, along an out-tree of depth {out} and an "
        f"in-tree of depth {back} from token {witness.root}"
    )


def _layers(found: Universality) -> str:
    if found.unreachable is not None:
        return "none suffices: token {1} never reaches token {0}".format(*found.unreachable)
    if found.layers is None:
        return "not computed, since self-loops are missing"
    query, key = found.layers.pair
    if found.layers.exact:
        return f"s = {found.layers.lower} (the last pair is {key} to {query})"
    return f"s = {found.layers.lower}..{found.layers.upper}"


def _verdict(found: Universality) -> str:
    if found.unreachable is not None:
        return "NO: the output of token {} never depends on token {}".format(*found.unreachable)
    theorems = ["Yun et al."] * (found.assumption_1 is True and not found.mixed_heads)
    theorems += ["Zaheer et al."] * (found.star is not None)
    if theorems:
        return f"YES, by Theorem 1 of {' and of '.join(theorems)}"
    if found.universal:
        return "YES, by the walk, as every token attends to itself"
    return "UNKNOWN: the conditions are sufficient, not necessary, and self-loops are missing"


def map_option(text: str) -> Decorator[Any]:
    """``--map``: parameter `rho`."""
    complete = complete_names(lambda: MAPS)
    return click.option("--map", "rho", metavar="MAP", shell_complete=complete, help=text)


@click.command(short_help="Check whether MASK is universal, with a witness.")
@mask_argument
@click.option("--path", is_flag=True, help="Search for a Hamiltonian path (Assumption 1.2).")
@options.time_limit("With --path: stop the search after this many seconds.", default=20.0)
@map_option(
    f"With --zeta and --eta: probability map ({', '.join(MAPS)}; softmax by default) with its "
    "parameters, such as entmax:alpha=1.5."
)
@click.option(
    "--zeta", type=float, help="With --eta: least gap between the greatest score and all others."
)
@click.option("--eta", type=float, help="With --zeta: largest total probability of all other keys.")
@click.option(
    "--d", type=int, help="With --delta: embedding dimension, for the depth of the construction."
)
@click.option("--delta", help="With --d: grid step of the construction, 1/2, 1/3, ..")
@options.as_json
def check(
    mask: Mask,
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
    attention = mask.read()
    with show_progress("measuring the probability map"):
        scale = _measure_concentration(attention, rho, zeta, eta)
    if path:
        with show_progress(time_limit=time_limit) as progress:
            found = universality(attention, path=True, time_limit=time_limit, progress=progress)
    else:
        with show_progress("searching for a walk"):
            found = universality(attention)
    depth = deep(attention, found, d, delta)
    rho = rho or "softmax"
    if as_json:
        print_json(make_document(mask.name, attention.n, found, rho, scale, depth))
        return
    for line in _lines(found, rho, scale, depth):
        echo_answer(line)


@click.command(short_help="Verify DOCUMENT, the output of `graph check --json`.")
@mask_argument
@click.argument("document", type=click.Path(), shell_complete=complete_files([".json"]))
def verify(mask: Mask, document: str) -> None:
    """Verify DOCUMENT, the output of `graph check --json`, against MASK.

    The check covers self-loops, the walk, the path or the proof that there is none, s, the star,
    and the conclusion. Exit status: 0 valid, 1 not valid.
    """
    from samapprox.attention.graphs.document_check import first_mistake

    keep_apart([mask.name, document], [])
    attention = mask.read()
    text = read_text(document)
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        raise InputError(f"{document}: not JSON") from None
    if not isinstance(said, dict):
        raise InputError(f"{document}: not what `samapprox graph check --json` prints")
    with errors_within(document), show_progress("checking the document"):
        mistake = first_mistake(attention, said)
    if mistake is not None:
        echo_answer(f"NOT VALID: {mistake}")
        sys.exit(1)
    verdict = {True: "YES", False: "NO", None: "UNKNOWN"}[said["universal"]]
    echo_answer(f"VALID: universal: {verdict}")
