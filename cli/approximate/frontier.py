"""`samapprox approximate --frontier`: the table, the picture and the JSON."""

from __future__ import annotations

from dataclasses import replace

from samapprox.attention.approximation.frontier import (
    Frontier,
    FrontierInterrupted,
    Point,
    frontier,
)
from samapprox.attention.approximation.request import Request
from samapprox.cli.printing import print_json
from samapprox.cli.progress import show_activity
from samapprox.cli.tables import print_table
from samapprox.cli.terminal import echo

__all__ = ["show_frontier"]

_COLUMNS = ("method", "rank", "d", "d_hid", "spread", "bits", "holds in", "verified in", "seconds")


def show_frontier(
    request: Request, ranks: tuple[int, ...], plot: str | None, as_json: bool
) -> None:
    """Compute, print and draw the frontier; after Ctrl-C, the part found so far."""
    interrupt = None
    try:
        with show_activity("comparing all methods") as progress:
            found = frontier(replace(request, progress=progress), ranks=ranks)
    except FrontierInterrupted as interrupted:
        interrupt, found = interrupted, interrupted.so_far
    if plot is not None:
        from samapprox.attention.approximation.frontier_picture import draw_frontier
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
