"""Costs: the exponents and GFLOPs of Yang et al. (2024) beside the counts."""

from __future__ import annotations

from shared.rows import Row

from samapprox.attention.reasoning.capacity.costs import CLAIMS, MEASURED


def costs() -> list[Row]:
    """The worst fitted exponent of Table 1, and the worst cell of Table 2."""
    exponent = max(CLAIMS, key=lambda claim: abs(claim.fitted - claim.exponent))
    cell = max(MEASURED, key=lambda cell: abs(cell.gflops / cell.linear_maps - 1))
    return [
        (
            f"exponents of Table 1, worst: {exponent.architecture.value}, {exponent.tasks}",
            f"{exponent.fitted:.3f} for {exponent.exponent:g}",
            "within 0.05",
        ),
        (
            f"GFLOPs of Table 2, worst: {cell.architecture.value}, L = {cell.length}",
            f"{cell.gflops:.3f} for {cell.linear_maps:.4f}",
            "within 6 %",
        ),
    ]
