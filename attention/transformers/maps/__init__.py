"""Probability maps: scores of a query to the weights of its keys."""

from samapprox.attention.transformers.maps.base import ProbabilityMap
from samapprox.attention.transformers.maps.entmax import Entmax, SparselinGen
from samapprox.attention.transformers.maps.known_maps import MAPS, probability_map
from samapprox.attention.transformers.maps.softmax import Hardmax, Softmax, TopKSoftmax
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
