"""Lower bounds on the dimension of models that generate chains of thought, beside their goals.

python benchmarks/reasoning_bounds.py
"""

from __future__ import annotations

from samapprox.reductions.reasoning import parse_task
from samapprox.reductions.reasoning.capacity.bound import bound_dimension
from samapprox.reductions.reasoning.capacity.models import LinearModel

Row = tuple[str, str, str]
"""What, measured, goal."""


def rows() -> list[Row]:
    task = parse_task("lis")
    bounds = {bits: bound_dimension(task, 250, LinearModel(3, 4, bits)) for bits in (32, 16)}
    return [
        ("lis, n = 250: log2 of the number of chains", f"{bounds[32].count.bits:.1f}", "1206"),
        ("lis, n = 250: least D, 3 layers, 4 heads, 32 bits", str(bounds[32].dimension), "8"),
        ("lis, n = 250: least D, 3 layers, 4 heads, 16 bits", str(bounds[16].dimension), "12"),
    ]


if __name__ == "__main__":
    print("| what | measured | goal |")
    print("|---|---|---|")
    for row in rows():
        print(f"| {' | '.join(row)} |")
