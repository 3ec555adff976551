"""samapprox: can attention with query/key dimension d represent a 0/1 pattern? With a proof.

>>> import samapprox
>>> samapprox.decide([[1, 0, 0], [0, 1, 0], [0, 0, 1]], d=1).status
<Status.NO: 'NO'>
"""

from typing import TYPE_CHECKING

from samapprox.support import early_interrupt as _before_numpy  # noqa: F401  # isort: skip

from samapprox.best_fit import BestFit, FitInterrupted
from samapprox.curve import FitCurve, FitCurveInterrupted
from samapprox.dimension import DimensionInterrupted, WeakDimension
from samapprox.errors import (
    CertificateError,
    InputError,
    InputWarning,
    Interrupted,
    SamapproxError,
)
from samapprox.evaluation import Evaluation
from samapprox.instance import Fact, Instance
from samapprox.margins import (
    ArithmeticDimension,
    ArithmeticInterrupted,
    DimensionMargin,
    MarginBounds,
    MarginsInterrupted,
)
from samapprox.matrix_rank import MatrixRank, RankBound, RankInterrupted
from samapprox.pattern import Pattern
from samapprox.problem import Problem
from samapprox.proofs.base import Obstruction, Proof
from samapprox.proofs.certificate import Certificate, Check
from samapprox.proofs.kinds.chirotope import Chirotope
from samapprox.proofs.kinds.components import Components, Copies
from samapprox.proofs.kinds.counting import Counting
from samapprox.proofs.kinds.embedding import Embedding, SelfAttention
from samapprox.proofs.kinds.final_polynomial import FinalPolynomial
from samapprox.proofs.kinds.fits.hitting_set import HittingSet
from samapprox.proofs.kinds.fits.k_sets import KSets, SplitColumns
from samapprox.proofs.kinds.fits.partial_embedding import PartialEmbedding
from samapprox.proofs.kinds.forster import Forster
from samapprox.proofs.kinds.margins.margin_dual import MarginDual
from samapprox.proofs.kinds.margins.unit_embedding import UnitEmbedding
from samapprox.proofs.kinds.merged import Merged
from samapprox.proofs.kinds.moment_curve import MomentCurve
from samapprox.proofs.kinds.radon import Radon
from samapprox.proofs.kinds.ranks.factors import Factors
from samapprox.proofs.kinds.ranks.refutation import RankRefutation, ReducedCase
from samapprox.proofs.kinds.shared_chirotope import SharedChirotope
from samapprox.proofs.kinds.shattering import Shattering
from samapprox.proofs.kinds.sign_clash import SharedSplit, SignClash
from samapprox.proofs.kinds.similarities.balls import Balls
from samapprox.proofs.kinds.similarities.caps import Caps
from samapprox.proofs.kinds.similarities.extended import Extended
from samapprox.proofs.kinds.similarities.inscription import Inscription
from samapprox.proofs.kinds.similarities.key_order import KeyOrder
from samapprox.proofs.kinds.similarities.odd_cycle import OddCycle
from samapprox.proofs.kinds.topological import Topological
from samapprox.sign_matrix import SignMatrix
from samapprox.support.lazy import lazy_modules
from samapprox.verdict import Attempt, DecisionInterrupted, Status, Verdict
from samapprox.verification import verify
from samapprox.version import __version__

# What follows lives in packages that build on the modules above and import nothing heavy.
from samapprox.formats import load, load_instance, save  # isort: skip
from samapprox.solvers.questions.decide import decide  # isort: skip
from samapprox.solvers.questions.decide_many import Verdicts, decide_many  # isort: skip
from samapprox.solvers.questions.dimension import weak_dimension  # isort: skip
from samapprox.solvers.questions.evaluation.evaluate import evaluate  # isort: skip
from samapprox.solvers.questions.fits.curve import fit_curve  # isort: skip
from samapprox.solvers.questions.fits.fit import fit  # isort: skip
from samapprox.solvers.questions.margins.in_arithmetic import dimension_in_arithmetic  # isort: skip
from samapprox.solvers.questions.margins.margin import margin  # isort: skip
from samapprox.solvers.questions.hidden_dimensions import (  # isort: skip
    HiddenDimension,
    HiddenDimensionsInterrupted,
    hidden_dimensions,
)
from samapprox.solvers.questions.ranks.rank import rank, sign_rank  # isort: skip

__all__ = [
    "ArithmeticDimension",
    "ArithmeticInterrupted",
    "Attempt",
    "Balls",
    "BestFit",
    "Caps",
    "Certificate",
    "CertificateError",
    "Check",
    "Chirotope",
    "Components",
    "Copies",
    "Counting",
    "DecisionInterrupted",
    "DimensionInterrupted",
    "DimensionMargin",
    "Embedding",
    "Evaluation",
    "Extended",
    "Fact",
    "Factors",
    "FinalPolynomial",
    "FitCurve",
    "FitCurveInterrupted",
    "FitInterrupted",
    "Forster",
    "HiddenDimension",
    "HiddenDimensionsInterrupted",
    "HittingSet",
    "InputError",
    "InputWarning",
    "Inscription",
    "Instance",
    "Interrupted",
    "KSets",
    "KeyOrder",
    "MarginBounds",
    "MarginDual",
    "MarginsInterrupted",
    "MatrixRank",
    "Merged",
    "MomentCurve",
    "Obstruction",
    "OddCycle",
    "PartialEmbedding",
    "Pattern",
    "Problem",
    "Proof",
    "Radon",
    "RankBound",
    "RankInterrupted",
    "RankRefutation",
    "ReducedCase",
    "SamapproxError",
    "SelfAttention",
    "SharedChirotope",
    "SharedSplit",
    "Shattering",
    "SignClash",
    "SignMatrix",
    "SplitColumns",
    "Status",
    "Topological",
    "UnitEmbedding",
    "Verdict",
    "Verdicts",
    "WeakDimension",
    "__version__",
    "decide",
    "decide_many",
    "dimension_in_arithmetic",
    "evaluate",
    "fit",
    "fit_curve",
    "hidden_dimensions",
    "load",
    "load_instance",
    "margin",
    "rank",
    "save",
    "sign_rank",
    "verify",
    "weak_dimension",
]

if TYPE_CHECKING:  # a __getattr__ that checkers see would make every mistyped name a module
    from samapprox import attention as attention
    from samapprox import batch as batch
    from samapprox import cli as cli
    from samapprox import data as data
    from samapprox import formats as formats
    from samapprox import pictures as pictures
    from samapprox import proofs as proofs
    from samapprox import reductions as reductions
    from samapprox import schemas as schemas
    from samapprox import second_checker as second_checker
    from samapprox import solvers as solvers
    from samapprox import storage as storage
    from samapprox import support as support
else:
    _get_module, __dir__ = lazy_modules(
        __name__, "attention", "batch", "cli", "data", "reductions", "solvers"
    )

    def __getattr__(name: str) -> object:
        """Return a kind of proof that is in the table alone, or a module."""
        from samapprox.proofs.known_kinds import KNOWN_KINDS

        for kind in KNOWN_KINDS.values():
            if kind.name == name:
                return kind.load_class()
        return _get_module(name)
