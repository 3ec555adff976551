"""Self-attention itself: its weights, masks, transformers and approximations.

The names here read attention weights and turn them into patterns, compute self-attention by its
formulas, and build layers with known tasks.
"""

from typing import TYPE_CHECKING

from samapprox.support.packages import lazy_names

if TYPE_CHECKING:  # what `_HOMES` states, for tools that read types
    from samapprox.attention.furthest_layer import FurthestLayer as FurthestLayer
    from samapprox.attention.furthest_layer import softmax_scale as softmax_scale
    from samapprox.attention.self_attention import csam as csam
    from samapprox.attention.self_attention import row_normalised as row_normalised
    from samapprox.attention.self_attention import sam as sam
    from samapprox.attention.self_attention import usam as usam
    from samapprox.attention.weights.binarization import binarize as binarize
    from samapprox.attention.weights.loading import load_attention as load_attention
    from samapprox.attention.weights.models import LanguageModel as LanguageModel
    from samapprox.attention.weights.models import LayerAttention as LayerAttention
    from samapprox.attention.weights.models import model_attentions as model_attentions
    from samapprox.attention.weights.rows import RowCount as RowCount
    from samapprox.attention.weights.rules import Mass as Mass
    from samapprox.attention.weights.rules import Rule as Rule
    from samapprox.attention.weights.rules import Threshold as Threshold
    from samapprox.attention.weights.rules import TopK as TopK
    from samapprox.attention.weights.rules import Uniform as Uniform
    from samapprox.attention.weights.sets import SetEntry as SetEntry
    from samapprox.attention.weights.sets import binarize_model as binarize_model
    from samapprox.attention.weights.sets import binarize_set as binarize_set

_HOMES = {
    "furthest_layer": ("FurthestLayer", "softmax_scale"),
    "self_attention": ("csam", "row_normalised", "sam", "usam"),
    "weights.binarization": ("binarize",),
    "weights.loading": ("load_attention",),
    "weights.models": ("LanguageModel", "LayerAttention", "model_attentions"),
    "weights.rows": ("RowCount",),
    "weights.rules": ("Mass", "Rule", "Threshold", "TopK", "Uniform"),
    "weights.sets": ("SetEntry", "binarize_model", "binarize_set"),
}
"""Module -> the names that it offers here."""

__all__ = sorted(name for names in _HOMES.values() for name in names)

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(__name__, **_HOMES)
