"""Probability maps: scores of a query to the weights of its keys."""

from samapprox.attention.maps.base import ProbabilityMap
from samapprox.attention.maps.entmax import Entmax
from samapprox.attention.maps.hardmax import Hardmax
from samapprox.attention.maps.known_maps import MAPS, probability_map
from samapprox.attention.maps.softmax import Softmax
from samapprox.attention.maps.sparselin_gen import SparselinGen
from samapprox.attention.maps.topk_softmax import TopKSoftmax
from samapprox.support.lazy import lazy_modules

__all__ = [
    "MAPS",
    "Entmax",
    "Hardmax",
    "ProbabilityMap",
    "Softmax",
    "SparselinGen",
    "TopKSoftmax",
    "probability_map",
]

__getattr__, __dir__ = lazy_modules(__name__)
