"""Results of all questions: their bounds, words, pictures and documents."""

from typing import TYPE_CHECKING

from samapprox.support.packages import lazy_names

if TYPE_CHECKING:
    from samapprox.results.answer import Status
    from samapprox.results.arithmetic_dimension import ArithmeticDimension
    from samapprox.results.best_fit import BestFit
    from samapprox.results.best_recall import BestRecall
    from samapprox.results.comparisons import Allowance
    from samapprox.results.dimension import WeakDimension
    from samapprox.results.evaluation import Evaluation
    from samapprox.results.fit_curve import FitCurve
    from samapprox.results.margins import DimensionMargin, MarginBounds
    from samapprox.results.matrix_rank import MatrixRank, RankBound
    from samapprox.results.verdict import Attempt, Verdict

__all__ = [
    "Allowance",
    "ArithmeticDimension",
    "Attempt",
    "BestFit",
    "BestRecall",
    "DimensionMargin",
    "Evaluation",
    "FitCurve",
    "MarginBounds",
    "MatrixRank",
    "RankBound",
    "Status",
    "Verdict",
    "WeakDimension",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(
        __name__,
        answer=("Status",),
        best_fit=("BestFit",),
        best_recall=("BestRecall",),
        comparisons=("Allowance",),
        dimension=("WeakDimension",),
        evaluation=("Evaluation",),
        fit_curve=("FitCurve",),
        arithmetic_dimension=("ArithmeticDimension",),
        margins=("DimensionMargin", "MarginBounds"),
        matrix_rank=("MatrixRank", "RankBound"),
        verdict=("Attempt", "Verdict"),
    )
