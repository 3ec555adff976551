"""Probability maps: scores of a query to the weights of its keys."""

from typing import TYPE_CHECKING

from samapprox.support.lazy import lazy_names

if TYPE_CHECKING:  # what `_HOMES` states, for tools that read types
    from samapprox.attention.transformers.maps.base import ProbabilityMap as ProbabilityMap
    from samapprox.attention.transformers.maps.entmax import Entmax as Entmax
    from samapprox.attention.transformers.maps.entmax import SparselinGen as SparselinGen
    from samapprox.attention.transformers.maps.known_maps import MAPS as MAPS
    from samapprox.attention.transformers.maps.known_maps import probability_map as probability_map
    from samapprox.attention.transformers.maps.softmax import Hardmax as Hardmax
    from samapprox.attention.transformers.maps.softmax import Softmax as Softmax
    from samapprox.attention.transformers.maps.softmax import TopKSoftmax as TopKSoftmax

_HOMES = {
    "base": ("ProbabilityMap",),
    "entmax": ("Entmax", "SparselinGen"),
    "known_maps": ("MAPS", "probability_map"),
    "softmax": ("Hardmax", "Softmax", "TopKSoftmax"),
}
"""Module -> the names that it offers here."""

__all__ = sorted(name for names in _HOMES.values() for name in names)

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(__name__, **_HOMES)
