"""The two other modes of `samapprox approximate`: a frontier, and the layer of a pattern."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from samapprox import Embedding, InputError, Pattern, decide, load, weak_dimension
from samapprox.attention.approximation.frontier import Frontier, Point, frontier
from samapprox.attention.approximation.pattern_layer import PatternLayer, layer_of, save_layer
from samapprox.attention.approximation.precision import float_type
from samapprox.attention.approximation.request import Request
from samapprox.cli.pattern.bounds import name_wrong_rows
from samapprox.cli.terminal import echo, print_json, print_table, show_progress
from samapprox.errors import Interrupted, errors_within
from samapprox.proofs.base import Witness

_COLUMNS = ("method", "rank", "d", "d_hid", "spread", "bits", "holds in", "verified in", "seconds")


def show_frontier(
    request: Request, ranks: tuple[int, ...], plot: str | None, as_json: bool
) -> None:
    """Compute, print and draw the frontier; after Ctrl-C, the part found so far."""
    interrupt = None
    try:
        with show_progress("comparing all methods") as progress:
            found = frontier(replace(request, progress=progress), ranks=ranks)
    except Interrupted as interrupted:
        interrupt, found = interrupted, interrupted.so_far
    if plot is not None:
        from samapprox.attention.approximation.frontier import draw_frontier
        from samapprox.pictures import save_picture

        save_picture(draw_frontier(found, title=_title(found)), plot)
    if as_json:
        print_json(found.to_json())
    else:
        points = sorted(found.points, key=lambda point: point.rank)
        print_table(_COLUMNS, [_cells(point) for point in points], title=_title(found))
        for line in _describe_bounds(found):
            echo(line)
    if interrupt is not None:
        raise interrupt


def _title(found: Frontier) -> str:
    request, target = found.request, found.request.target
    return (
        f"n = {target.n}, k = {target.k}, gamma = {target.gamma:g}, eps1 = {request.eps1:g}, "
        f"eps2 = {request.eps2:g}{', causal' if request.causal else ''}"
    )


def _describe_bounds(found: Frontier) -> list[str]:
    """Describe the methods left out, and the bounds."""
    bounds = found.bounds
    return [
        *(f"{name}: left out: {reason}" for name, reason in found.left_out.items()),
        f"Equation (6): d = {found.theorem_d}, rank {found.theorem_d // 2}",
        f"every layer for this A: rank >= {bounds.pattern_rank} (counting argument on its pattern)",
        f"some matrix with as many nonzeros: rank >= {bounds.matrices_rank} (Warren), rank x bits "
        f">= {bounds.rank_times_bits:.2f}",
        f"keys that serve every A: rank >= {bounds.fixed_keys_rank} (Radon)",
    ]


def _cells(point: Point) -> tuple[str, ...]:
    proven = ", proven" if point.proven and point.checked_in != "exact" else ""
    return (
        point.method,
        str(point.rank),
        str(point.d),
        str(point.d_hid),
        f"{point.spread:.4g}",
        "> 26" if point.bits is None else str(point.bits),
        " ".join(point.arithmetics) or "none",
        point.checked_in + proven,
        f"{point.seconds:.2g}",
    )


def show_pattern_layer(
    path: str,
    *,
    key: str | None,
    causal: bool,
    d_hid: int | None,
    arithmetic: str | None,
    time_limit: float,
    seed: int,
    output: str | None,
    as_json: bool,
) -> int:
    """Build a layer for the pattern, run it and save it; return the exit status."""
    kind = _type(arithmetic or "float32")
    pattern = load(path, key=key)
    with errors_within(path):
        pattern = pattern.causal() if causal else pattern
        if not pattern.is_square:
            rows, columns = pattern.shape
            raise InputError(f"self-attention needs a square pattern, not {rows} x {columns}")
        embedding, lower = _embedding(pattern, time_limit, seed)
    found = layer_of(pattern, embedding, causal=causal, d_hid=d_hid, kind=kind)
    if output is not None:
        save_layer(found.layer, output)
    if as_json:
        print_json(found.to_json(source=path, lower=lower))
    else:
        for line in _describe(pattern, found, lower):
            echo(line)
    return 0 if found.holds else 1


def _embedding(pattern: Pattern, time_limit: float, seed: int) -> tuple[Embedding, int]:
    """Find an embedding of the least possible d; return it with a lower bound on d."""
    with show_progress(time_limit=time_limit) as progress:
        found = weak_dimension(pattern, time_limit=time_limit, seed=seed, progress=progress)
    proofs = [None if found.yes is None else found.yes.proof]
    if proofs == [None]:  # out of time: embeddings that need no search
        sparse, trivial = 2 * int(pattern.row_ones.max()), max(1, pattern.shape[1] - 1)
        proofs = [
            decide(pattern, d, only=("line", "rank", "orders")).proof
            for d in sorted({min(sparse, trivial), trivial})
        ]
    for proof in proofs:
        if isinstance(proof, Witness):
            return proof.embedding(pattern), found.lower
    raise InputError(f"no embedding was found in {time_limit:g} s; raise --time-limit")


def _type(arithmetic: str) -> Any:
    if arithmetic not in ("float64", "float32", "bfloat16", "float16"):
        raise InputError(
            f"a layer for a pattern is in float64, float32, bfloat16 or float16, not {arithmetic}"
        )
    return float_type(arithmetic)


def _describe(pattern: Pattern, found: PatternLayer, lower: int) -> list[str]:
    layer = found.layer
    least = "the least possible" if layer.d == lower else f"no d below {lower} suffices"
    lines = [
        f"d = {layer.d} ({least}), d_hid = {layer.d_hid}: X {layer.n} x {layer.d_hid}, W_Q and W_K "
        f"{layer.d_hid} x {layer.d} in {layer.arithmetic}"
    ]
    kind = "causal attention" if layer.causal else "attention"
    if found.holds:
        lines.append(
            f"Verified by running it: in each row of its {kind}, every one outweighs every zero by "
            f"a factor of at least {found.sharpness:.4g}."
        )
    else:
        wrong = name_wrong_rows(pattern, found.rows_lost, f" of its {kind}")
        finer = "try --arithmetic float64, which is finer"
        lines.append(f"NOT represented: in {layer.arithmetic}, {wrong}; {finer}.")
    return lines
