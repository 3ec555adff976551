"""Results of all questions: their bounds, words, pictures and documents."""

from typing import TYPE_CHECKING

from samapprox.support.packages import lazy_names

if TYPE_CHECKING:
    from samapprox.results.answer import Status
    from samapprox.results.best_fit import BestFit, BestRecall, FitCurve
    from samapprox.results.dimension import ArithmeticDimension, WeakDimension
    from samapprox.results.evaluation import Allowance, Evaluation
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
        best_fit=("BestFit", "BestRecall", "FitCurve"),
        dimension=("ArithmeticDimension", "WeakDimension"),
        evaluation=("Allowance", "Evaluation"),
        margins=("DimensionMargin", "MarginBounds"),
        matrix_rank=("MatrixRank", "RankBound"),
        verdict=("Attempt", "Verdict"),
    )
