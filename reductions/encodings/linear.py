"""0/1 programs as models of OR-tools, which writes MPS and LP."""

from __future__ import annotations

from typing import Any

from samapprox.reductions.encodings.order_model import Program

__all__ = ["model_builder"]


def model_builder(program: Program) -> Any:
    """The program as an OR-tools `Model`."""
    from ortools.linear_solver.python import model_builder as linear

    model = linear.Model()  # type: ignore[no-untyped-call]
    model.name = "order"
    variables = [model.new_bool_var(name) for name in program.names]
    for constraint in program.constraints:
        total = linear.LinearExpr.weighted_sum(
            [variables[v] for _, v in constraint.terms], [a for a, _ in constraint.terms]
        )
        upper = constraint.bound if constraint.equal else float("inf")
        model.add_linear_constraint(total, constraint.bound, upper, constraint.name)
    return model
