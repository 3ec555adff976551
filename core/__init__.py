"""samapprox: can attention with query/key dimension d show a 0/1 pattern? With a proof.

>>> import samapprox
>>> samapprox.decide([[1, 0, 0], [0, 1, 0], [0, 0, 1]], d=1).status
<Status.NO: 'NO'>
"""

from samapprox.certificate import Certificate, Check
from samapprox.embedding import Embedding, SelfAttention
from samapprox.errors import CertificateError, InputError, SamapproxError
from samapprox.obstruction import Obstruction, Radon, SharedSplit, Shattering, SignClash
from samapprox.pattern import Pattern
from samapprox.problem import Problem
from samapprox.verdict import Attempt, Status, Verdict
from samapprox.version import __version__

# The two names below live in packages that build on this one; they import nothing heavy.
from samapprox.solvers.decide import decide  # isort: skip
