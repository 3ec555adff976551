"""The measures of retrieval, computed by ir_measures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from samapprox.errors import InputError
from samapprox.support.packages import require_package

__all__ = ["DEFAULT_MEASURES", "compute_measures", "parse_measures"]

DEFAULT_MEASURES = ("R@10", "R@100", "nDCG@10", "RR")
"""Recall, normalised discounted cumulative gain, and the mean reciprocal rank."""

Qrels = Mapping[str, Mapping[str, int]]
Scores = Mapping[str, Mapping[str, float]]


def parse_measures(names: Sequence[str], relevant: int = 1) -> list[Any]:
    """Return measures by the names that ir_measures gives them.

    Measures with a least relevant grade of their own, such as recall, take `relevant` for it unless
    the name states another. Raises InputError: ir_measures is missing, or knows no such measure.
    """
    ir_measures = require_package("ir_measures", "retrieval", "recall, nDCG and MRR")
    return [_parse_measure(ir_measures, name, relevant) for name in names]


def _parse_measure(ir_measures: Any, name: str, relevant: int) -> Any:
    try:
        measure = ir_measures.parse_measure(name)
        supported = getattr(measure, "SUPPORTED_PARAMS", {})
        if relevant > 1 and "rel" in supported and "rel" not in measure.params:
            measure = measure(rel=relevant)
        measure.validate_params()
    except (NameError, ValueError, AssertionError, SyntaxError, TypeError) as error:
        raise InputError(f"{name!r} is no measure of ir_measures: {error}") from None
    return measure


def compute_measures(measures: Sequence[Any], qrels: Qrels, run: Scores) -> dict[str, float]:
    """Return the means over all judged queries, by name, exactly as ir_measures computes them."""
    ir_measures = require_package("ir_measures", "retrieval", "recall, nDCG and MRR")
    try:
        found = ir_measures.calc_aggregate(measures, qrels, run)
    except (ValueError, RuntimeError) as error:
        raise InputError(f"ir_measures cannot compute this: {error}") from None
    return {str(measure): float(found[measure]) for measure in measures}
