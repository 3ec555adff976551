"""Step 3: layers with a probability map and ReLUs in place of hardmax and other activations."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from samapprox.attention.transformers import AttentionLayer, Head, Transformer
from samapprox.attention.transformers.universality.construction import Construction
from samapprox.attention.transformers.universality.value_layers import (
    relu_quantization_layers,
    relu_value_layer,
)

__all__ = ["soften_layer", "soften_transformer"]


def soften_layer(layer: AttentionLayer, scale: Any, steps: int) -> AttentionLayer:
    """Return a layer of hardmax for another map: queries are multiplied by the scale t.

    Scores become t (u^T X_j) (u^T X_k - b_Q) for entries that are not in units of delta = 1 /
    steps. Hardmax ignores the scale of queries, so the given layer may hold multiples of u^T X -
    b_Q.
    """
    return AttentionLayer(tuple(_soften_head(head, scale, steps) for head in layer.heads))


def _soften_head(head: Head, scale: Any, steps: int) -> Head:
    doubling = int(head.query[0, 0])  # u has a leading 1
    factor = scale / (doubling * steps**2)
    bias = None if head.query_bias is None else head.query_bias.astype(object) * factor
    return Head(
        head.query.astype(object) * factor, head.key, head.value, head.output, bias, head.pattern
    )


def soften_transformer(built: Construction, scale: Any, alpha: Fraction) -> Transformer:
    """Return a transformer with ReLUs, for any probability map, that approximates a construction.

    Parameters
    ----------
    built : Construction
        The transformer with hardmax.
    scale : number
        t of every attention layer.
    alpha : Fraction
        In (0, 1): the share of every interval of length delta that is not rounded down exactly.

    Returns
    -------
    Transformer
        In units of delta, of the class ST^(2,1,4): at most two heads of size 1 in a layer, and four
        ReLUs. Its outputs have the error of the ids in their first row, and none in the others, if
        that is at most 1/4.

    References
    ----------
    Yun et al. (2020), Lemma 4.

    Examples
    --------
    >>> from fractions import Fraction
    >>> import numpy as np
    >>> from samapprox.attention.graphs import build
    >>> from samapprox.attention.transformers.maps import Softmax
    >>> from samapprox.attention.transformers.universality import build_universal
    >>> full, swap = build("full", 2), [[[b, a]] for a in range(2) for b in range(2)]
    >>> soft = soften_transformer(build_universal(full, swap, d=1, steps=2), 1000, Fraction(1, 2))
    >>> outputs = soft.forward(np.array([[0.0, 1.0]]), full, Softmax())
    >>> [round(float(output), 6) for output in outputs[0]]  # (1, 0), in units of delta = 1/2
    [2.0, 0.0]
    """
    steps = built.grid.steps
    return Transformer(
        (
            *relu_quantization_layers(built.grid, alpha),
            *(soften_layer(layer, scale, steps) for layer in built.contextual.layers),
            *(relu_value_layer(built.values, i) for i in range(len(built.values))),
        ),
        built.contextual.encoding.positions.astype(object),
    )
