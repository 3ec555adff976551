"""samapprox: can attention with query/key dimension d show a 0/1 pattern? With a proof.

>>> import samapprox
>>> samapprox.decide([[1, 0, 0], [0, 1, 0], [0, 0, 1]], d=1).status
<Status.NO: 'NO'>
"""

from samapprox.errors import CertificateError, InputError, InputWarning, SamapproxError
from samapprox.instance import Fact, Instance
from samapprox.pattern import Pattern
from samapprox.problem import Problem
from samapprox.proofs.base import Obstruction
from samapprox.proofs.certificate import Certificate, Check, verify
from samapprox.proofs.kinds.embedding import Embedding
from samapprox.proofs.kinds.forster import Forster
from samapprox.proofs.kinds.radon import Radon
from samapprox.proofs.kinds.self_attention import SelfAttention
from samapprox.proofs.kinds.shared_chirotope import SharedChirotope
from samapprox.proofs.kinds.shattering import Shattering
from samapprox.proofs.kinds.sign_clash import SharedSplit, SignClash
from samapprox.verdict import Attempt, Interrupted, Status, Verdict
from samapprox.version import __version__
from samapprox.weak_dimension import WeakDimension

# What follows lives in packages that build on the modules above and import nothing heavy.
from samapprox.formats import load, load_instance, save  # isort: skip
from samapprox.solvers.decide import decide  # isort: skip
from samapprox.solvers.decide_many import Verdicts, decide_many  # isort: skip
from samapprox.solvers.dimension import weak_dimension  # isort: skip
from samapprox.solvers.pareto import HiddenDimension, hidden_dimensions  # isort: skip

__all__ = [
    "Attempt",
    "Certificate",
    "CertificateError",
    "Check",
    "Embedding",
    "Fact",
    "Forster",
    "HiddenDimension",
    "InputError",
    "InputWarning",
    "Instance",
    "Interrupted",
    "Obstruction",
    "Pattern",
    "Problem",
    "Radon",
    "SamapproxError",
    "SelfAttention",
    "SharedChirotope",
    "SharedSplit",
    "Shattering",
    "SignClash",
    "Status",
    "Verdict",
    "Verdicts",
    "WeakDimension",
    "__version__",
    "decide",
    "decide_many",
    "hidden_dimensions",
    "load",
    "load_instance",
    "save",
    "verify",
    "weak_dimension",
]
