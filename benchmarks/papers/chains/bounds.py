"""Lower bounds on the dimension of models that generate chains of thought, beside their goals."""

from __future__ import annotations

from shared.rows import Row

from samapprox.attention.reasoning import parse_task
from samapprox.attention.reasoning.capacity.bound import LinearModel, bound_dimension


def bounds() -> list[Row]:
    """The least dimensions of linear models."""
    task = parse_task("lis")
    found = {bits: bound_dimension(task, 250, LinearModel(3, 4, bits)) for bits in (32, 16)}
    return [
        ("lis, n = 250: log2 of the number of chains", f"{found[32].count.bits:.1f}", "1206"),
        ("lis, n = 250: least D, 3 layers, 4 heads, 32 bits", str(found[32].dimension), "8"),
        ("lis, n = 250: least D, 3 layers, 4 heads, 16 bits", str(found[16].dimension), "12"),
    ]
