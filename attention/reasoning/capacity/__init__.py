"""Bounds on the width of models that write chains of thought, and their costs."""

from samapprox.attention.reasoning.capacity.bound import (
    DimensionBound,
    LinearModel,
    Model,
    SparseModel,
    bound_dimension,
    make_model,
)
from samapprox.attention.reasoning.capacity.costs import Architecture, Cost, Operations, cost
from samapprox.attention.reasoning.capacity.counts import ChainCount, count_chains
from samapprox.support.packages import lazy_modules

__all__ = [
    "Architecture",
    "ChainCount",
    "Cost",
    "DimensionBound",
    "LinearModel",
    "Model",
    "Operations",
    "SparseModel",
    "bound_dimension",
    "cost",
    "count_chains",
    "make_model",
]

__getattr__, __dir__ = lazy_modules(__name__)
