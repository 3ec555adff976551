"""samapprox: can attention with query/key dimension d represent a 0/1 pattern? With a proof.

>>> import samapprox
>>> samapprox.decide([[1, 0, 0], [0, 1, 0], [0, 0, 1]], d=1).status
<Status.NO: 'NO'>

A name is imported when it is first used, so that a program loads only what it needs.
"""

from typing import TYPE_CHECKING

from samapprox.support import early_interrupt as _before_numpy  # noqa: F401  # isort: skip

from samapprox.support.packages import lazy_names

if TYPE_CHECKING:  # what `_HOMES` states, for tools that read types
    from samapprox import attention as attention
    from samapprox import batch as batch
    from samapprox import cli as cli
    from samapprox import data as data
    from samapprox import formats as formats
    from samapprox import pictures as pictures
    from samapprox import proofs as proofs
    from samapprox import reductions as reductions
    from samapprox import results as results
    from samapprox import schemas as schemas
    from samapprox import second_checker as second_checker
    from samapprox import similarities as similarities
    from samapprox import solvers as solvers
    from samapprox import storage as storage
    from samapprox import support as support
    from samapprox.batch.heads.answer import HeadDimension as HeadDimension
    from samapprox.batch.heads.answer import HeadDimensions as HeadDimensions
    from samapprox.batch.heads.measure import heads as heads
    from samapprox.errors import CertificateError as CertificateError
    from samapprox.errors import InputError as InputError
    from samapprox.errors import InputWarning as InputWarning
    from samapprox.errors import Interrupted as Interrupted
    from samapprox.errors import SamapproxError as SamapproxError
    from samapprox.formats import load as load
    from samapprox.formats import load_instance as load_instance
    from samapprox.formats import save as save
    from samapprox.instance import Fact as Fact
    from samapprox.instance import Instance as Instance
    from samapprox.pattern import Pattern as Pattern
    from samapprox.problem import Problem as Problem
    from samapprox.proofs.certificate import Certificate as Certificate
    from samapprox.proofs.embeddings.embedding import Embedding as Embedding
    from samapprox.results import Status as Status
    from samapprox.results.arithmetic_dimension import ArithmeticDimension as ArithmeticDimension
    from samapprox.results.best_fit import BestFit as BestFit
    from samapprox.results.dimension import WeakDimension as WeakDimension
    from samapprox.results.evaluation import Evaluation as Evaluation
    from samapprox.results.fit_curve import FitCurve as FitCurve
    from samapprox.results.margin_dimension import MarginDimension as MarginDimension
    from samapprox.results.margins import MarginBounds as MarginBounds
    from samapprox.results.matrix_rank import MatrixRank as MatrixRank
    from samapprox.results.verdict import Verdict as Verdict
    from samapprox.sign_matrix import SignMatrix as SignMatrix
    from samapprox.solvers.questions.decide import decide as decide
    from samapprox.solvers.questions.decide_many import decide_many as decide_many
    from samapprox.solvers.questions.dimension import weak_dimension as weak_dimension
    from samapprox.solvers.questions.evaluation.evaluate import evaluate as evaluate
    from samapprox.solvers.questions.fits.fit import fit as fit
    from samapprox.solvers.questions.fits.fit import fit_curve as fit_curve
    from samapprox.solvers.questions.hidden_dimensions import hidden_dimensions as hidden_dimensions
    from samapprox.solvers.questions.margins.for_margin import (
        dimension_for_margin as dimension_for_margin,
    )
    from samapprox.solvers.questions.margins.in_arithmetic import (
        dimension_in_arithmetic as dimension_in_arithmetic,
    )
    from samapprox.solvers.questions.margins.margin import margin as margin
    from samapprox.solvers.questions.ranks.rank import rank as rank
    from samapprox.solvers.questions.ranks.rank import sign_rank as sign_rank
    from samapprox.verification import verify as verify
    from samapprox.version import __version__ as __version__

_HOMES = {
    "samapprox.batch.heads.answer": ("HeadDimension", "HeadDimensions"),
    "samapprox.batch.heads.measure": ("heads",),
    "samapprox.errors": (
        "CertificateError",
        "InputError",
        "InputWarning",
        "Interrupted",
        "SamapproxError",
    ),
    "samapprox.formats": ("load", "load_instance", "save"),
    "samapprox.instance": ("Fact", "Instance"),
    "samapprox.pattern": ("Pattern",),
    "samapprox.problem": ("Problem",),
    "samapprox.proofs.certificate": ("Certificate",),
    "samapprox.proofs.embeddings.embedding": ("Embedding",),
    "samapprox.results": ("Status",),
    "samapprox.results.best_fit": ("BestFit",),
    "samapprox.results.dimension": ("WeakDimension",),
    "samapprox.results.evaluation": ("Evaluation",),
    "samapprox.results.fit_curve": ("FitCurve",),
    "samapprox.results.margin_dimension": ("MarginDimension",),
    "samapprox.results.arithmetic_dimension": ("ArithmeticDimension",),
    "samapprox.results.margins": ("MarginBounds",),
    "samapprox.results.matrix_rank": ("MatrixRank",),
    "samapprox.results.verdict": ("Verdict",),
    "samapprox.sign_matrix": ("SignMatrix",),
    "samapprox.solvers.questions.decide": ("decide",),
    "samapprox.solvers.questions.decide_many": ("decide_many",),
    "samapprox.solvers.questions.dimension": ("weak_dimension",),
    "samapprox.solvers.questions.evaluation.evaluate": ("evaluate",),
    "samapprox.solvers.questions.fits.fit": ("fit", "fit_curve"),
    "samapprox.solvers.questions.hidden_dimensions": ("hidden_dimensions",),
    "samapprox.solvers.questions.margins.for_margin": ("dimension_for_margin",),
    "samapprox.solvers.questions.margins.in_arithmetic": ("dimension_in_arithmetic",),
    "samapprox.solvers.questions.margins.margin": ("margin",),
    "samapprox.solvers.questions.ranks.rank": ("rank", "sign_rank"),
    "samapprox.verification": ("verify",),
    "samapprox.version": ("__version__",),
}
"""Module -> the names that it offers here."""

__all__ = sorted(name for names in _HOMES.values() for name in names)

if not TYPE_CHECKING:  # a __getattr__ that checkers see would make every mistyped name a module
    __getattr__, __dir__ = lazy_names(
        __name__,
        *("attention", "batch", "cli", "data", "reductions", "solvers"),
        **{home.removeprefix("samapprox."): names for home, names in _HOMES.items()},
    )
