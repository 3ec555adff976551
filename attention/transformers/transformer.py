"""Transformers as stacks of layers that can be run on one input or on many."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from samapprox.attention.graphs.heads import SparseAttention
from samapprox.attention.transformers.columns import (
    Matrix,
    as_matrix,
    as_vector,
    join_inputs,
    split_inputs,
)
from samapprox.attention.transformers.feed_forward import FeedForward
from samapprox.attention.transformers.linear_attention import LinearAttentionLayer
from samapprox.attention.transformers.maps import ProbabilityMap
from samapprox.attention.transformers.sparse_attention import AttentionLayer
from samapprox.errors import InputError, require_list, require_type

Layer = AttentionLayer | LinearAttentionLayer | FeedForward


@dataclass(frozen=True, slots=True, eq=False)
class Transformer:
    """A transformer: X -> t(X + E), where t is a stack of layers.

    Attributes
    ----------
    layers : tuple of AttentionLayer, LinearAttentionLayer or FeedForward
        In any order. The t-th `AttentionLayer` (0, 1, ..) has the graphs
        `SparseAttention.layer(t)`; other layers do not count. A layer without heads keeps its
        place in the cycle.
    positions : ndarray, shape (d, n)
        The positional embedding E.
    extra_token : ndarray or None, shape (d,)
        The column of a token that is put in front of all others once E is added, and dropped at the
        end: x_0 of Zaheer et al. The attention then has n + 1 tokens.

    Raises
    ------
    InputError
        Layers of another dimension than E, or an extra token of another dimension.

    References
    ----------
    Yun et al. (2020), Eq. 3; Zaheer et al. (2020), 3.1.

    Examples
    --------
    >>> from samapprox.attention.transformers import Head
    >>> from samapprox.attention.graphs import build
    >>> from samapprox.attention.transformers.maps import Hardmax
    >>> one = [[1]]
    >>> greatest = AttentionLayer((Head([[0]], one, one, one, query_bias=[1]),))
    >>> transformer = Transformer((greatest,), positions=[[0, 10, 20]])
    >>> transformer.forward([[1, 2, 3]], build("full", 3), Hardmax()).tolist()
    [[24, 35, 46]]
    """

    layers: tuple[Layer, ...]
    positions: Matrix
    extra_token: Matrix | None

    def __init__(
        self,
        layers: tuple[Layer, ...],
        positions: ArrayLike,
        extra_token: ArrayLike | None = None,
    ) -> None:
        embedding = as_matrix("positions", positions)
        require_list("layers", layers, "layers")
        for place, layer in enumerate(layers):
            require_type("a layer", layer, Layer, "a layer of a transformer")
            if layer.d not in (None, len(embedding)):
                raise InputError(
                    f"layer {place} takes tokens of dimension {layer.d}, but the positions have "
                    f"dimension {len(embedding)}"
                )
        extra = (
            None if extra_token is None else as_vector("extra_token", extra_token, len(embedding))
        )
        object.__setattr__(self, "layers", tuple(layers))
        object.__setattr__(self, "positions", embedding)
        object.__setattr__(self, "extra_token", extra)

    @property
    def d(self) -> int:
        """The dimension of tokens."""
        return len(self.positions)

    @property
    def n(self) -> int:
        """The number of tokens of an input, without the extra one."""
        return int(self.positions.shape[1])

    @property
    def parameters(self) -> int:
        """The number of entries of all layers, of E and of the extra token."""
        extra = 0 if self.extra_token is None else self.extra_token.size
        return sum(layer.parameters for layer in self.layers) + self.positions.size + extra

    def forward(self, X: ArrayLike, attention: SparseAttention, rho: ProbabilityMap) -> Matrix:
        """Return the output for one input or for many.

        Parameters
        ----------
        X : array_like, shape (d, n) or (inputs, d, n)
            int64 stays int64 under hardmax and layers of integers: the caller guarantees that all
            scores and sums fit. Objects are exact; floats stay floats.
        attention : SparseAttention
            On n tokens, or n + 1 with an extra token.
        rho : ProbabilityMap
            The map from scores to weights.

        Returns
        -------
        ndarray, of the shape of X
            The outputs of all inputs.

        Raises
        ------
        InputError
            Shapes that do not fit together, a token without keys, a head whose pattern does not
            exist, a map without an exact form for objects.
        """
        last = deque(self.states(X, attention, rho), maxlen=1).pop()
        kept = last if self.extra_token is None else last[:, :, 1:]
        return join_inputs(kept, np.ndim(X))

    def states(
        self, X: ArrayLike, attention: SparseAttention, rho: ProbabilityMap
    ) -> Iterator[Matrix]:
        """Yield X + E and then the output of every layer, with the extra token.

        See `forward` for the parameters.

        Parameters
        ----------
        X, attention, rho
            As for `forward`.

        Yields
        ------
        ndarray, shape (d, inputs, n) or (d, inputs, n + 1)
            The columns before the first layer and after each, with one column more where there
            is a token of the transformer's own.

        Raises
        ------
        InputError
            As for `forward`.
        """
        columns = self._embed(X)
        if attention.n != columns.shape[2]:
            raise InputError(
                f"the attention is on {attention.n} tokens, but the transformer has "
                f"{columns.shape[2]}{'' if self.extra_token is None else ' with the extra one'}"
            )
        yield columns
        turn = 0
        for layer in self.layers:
            if isinstance(layer, AttentionLayer):
                columns = layer.apply(columns, attention.layer(turn), rho)
                turn += 1
            else:
                columns = layer.apply(columns)
            yield columns

    def _embed(self, X: ArrayLike) -> Matrix:
        """Return X + E with the extra token in front, shape (d, inputs, tokens)."""
        given = split_inputs(X)
        if given.shape[::2] != self.positions.shape:
            raise InputError(
                f"X has shape {np.shape(X)}; the transformer takes tokens in columns: "
                f"{self.positions.shape}, or many inputs of it"
            )
        columns = given + self.positions[:, None, :]
        if self.extra_token is None:
            return columns
        front = np.broadcast_to(self.extra_token[:, None, None], (*columns.shape[:2], 1))
        return np.concatenate([front, columns], axis=2)
