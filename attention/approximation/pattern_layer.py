"""A self-attention layer that represents a pattern, verified by running it, and files of layers."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.approximation.layer import AttentionLayer, product
from samapprox.attention.self_attention import log_row_normalised
from samapprox.errors import InputError
from samapprox.pattern import Pattern
from samapprox.proofs.embeddings.embedding import Embedding
from samapprox.proofs.embeddings.logits import gaps
from samapprox.proofs.exact import exact_matmul, largest
from samapprox.support.atomic import replacing
from samapprox.support.documents import document_head
from samapprox.support.text import plural


def save_layer(layer: AttentionLayer, path: str | os.PathLike[str]) -> None:
    """Write X, W_Q and W_K as safetensors or npz, according to the ending.

    Safetensors keep the type (float64, float32, float16, bfloat16) and have d, d_hid and causal as
    metadata; `safetensors.torch.load_file` gives PyTorch tensors.
    """
    path = Path(path)
    if layer_kind(path) == ".npz":
        layer.save(path)
        return
    if layer.is_exact:
        raise InputError(f"{path}: no tensor holds exact numbers; write .npz, or take floats")
    from safetensors.numpy import save

    tensors = {name: np.ascontiguousarray(getattr(layer, name)) for name in ("X", "W_Q", "W_K")}
    facts = {"d": str(layer.d), "d_hid": str(layer.d_hid), "causal": str(layer.causal).lower()}
    with replacing(path) as stream:
        stream.write(save(tensors, metadata=facts))


def layer_kind(path: str | os.PathLike[str]) -> str:
    """Return the ending of a file's name if layers can be written with it."""
    ending = Path(path).suffix.lower()
    if ending not in (".npz", ".safetensors"):
        raise InputError(f"{path}: layers are written as .npz or .safetensors")
    return ending


_WIDEST = 60  # spread of a row's logits: exp(-60) is a normal number in float32 and bfloat16
_SHARPEST = 20  # gap between ones and zeros: exp(-20) is as good as nothing


@dataclass(frozen=True, slots=True)
class PatternLayer:
    """A layer of floats, and the comparison of its attention matrix with the pattern."""

    layer: AttentionLayer
    # Rows where some one does not get more attention than every zero. Empty: the pattern is
    # shown.
    rows_lost: tuple[int, ...]
    # The least ratio of the attention that a one and a zero of its row get; infinite where zeros
    # get none.
    sharpness: float

    @property
    def holds(self) -> bool:
        """Whether its attention represents the pattern."""
        return not self.rows_lost

    def to_json(self, *, source: str, lower: int) -> dict[str, Any]:
        """Return the document of `approximate --weak --json` (`samapprox schema pattern_layer`).

        `source` names the origin of the pattern, `lower` is a proven lower bound on d.
        """
        layer = self.layer
        return {
            **document_head("pattern-layer"),
            "pattern": source,
            "n": layer.n,
            "d": layer.d,
            "lower": lower,
            "d_hid": layer.d_hid,
            "causal": layer.causal,
            "arithmetic": layer.arithmetic,
            "verified": self.holds,
            "rows_lost": list(self.rows_lost),
            "sharpness": self.sharpness if self.sharpness != math.inf else None,
        }


def layer_of(
    pattern: Pattern,
    embedding: Embedding,
    *,
    causal: bool = False,
    d_hid: int | None = None,
    kind: Any = np.float32,
) -> PatternLayer:
    """Return the layer of an embedding that represents a square pattern.

    It has `d_hid` columns of X (by default 2d, the least) and numbers rounded to `kind`, which is
    also the arithmetic of the run, such as numpy.float32 or ml_dtypes.bfloat16. With `causal`, CSAM
    runs instead of SAM; the entries above the diagonal should be don't-cares.
    """
    if not pattern.is_square:
        rows, columns = pattern.shape
        raise InputError(f"self-attention needs as many queries as keys, not {rows} x {columns}")
    if (len(embedding.queries), len(embedding.keys)) != pattern.shape:
        raise InputError("the embedding has another number of queries or keys than the pattern")
    keys = embedding.keys.astype(object)
    keys = 2 * keys - (keys.max(axis=0) + keys.min(axis=0))
    unit = Fraction(1 << largest(keys).bit_length())
    queries = np.empty(embedding.queries.shape)
    for row, query in enumerate(embedding.queries.astype(object)):
        factor = unit * _scale(pattern.block(row, row + 1), exact_matmul(query[None], keys.T))
        queries[row] = [float(number * factor) for number in query.tolist()]
    layer = AttentionLayer.from_factors(
        queries, (keys / unit).astype(np.float64), d_hid=d_hid, causal=causal
    )
    return run(pattern, layer.astype(kind))


def _scale(entries: NDArray[np.int8], logits: NDArray[Any]) -> Fraction:
    """Return the factor of a row's logits."""
    spread = int(logits.max()) - int(logits.min())
    if not spread:
        return Fraction(1)
    scale = Fraction(_WIDEST, spread)
    if (entries == 0).any():
        zeros, ones = gaps(entries, logits)
        scale = min(scale, Fraction(_SHARPEST, max(1, int(ones[0]) - int(zeros[0]))))
    return scale


def run(pattern: Pattern, layer: AttentionLayer) -> PatternLayer:
    """Run the layer and compare with the pattern, row by row.

    Logits are computed in the layer's arithmetic, the softmax of a row in float32 (in float64 for
    layers of float64), as models do.
    """
    if pattern.shape != (layer.n, layer.n):
        raise InputError(
            f"the layer has {plural(layer.n, 'token')}, the pattern is {pattern.shape}"
        )
    queries, keys = layer.queries, layer.keys
    kind = np.float64 if layer.X.dtype == np.float64 else np.float32
    lost, sharpness = [], math.inf
    for row in range(layer.n):
        entries = pattern.block(row, row + 1)[0]
        logits = product(queries[row : row + 1], keys.T).astype(kind)
        if layer.causal:
            logits[0, row + 1 :] = -np.inf
        weights = np.exp(log_row_normalised(logits))[0]
        ones, zeros = weights[entries == 1], weights[entries == 0]
        if zeros.size and not ones.min() > zeros.max():
            lost.append(row)
        if zeros.size and zeros.max() > 0:
            sharpness = min(sharpness, float(ones.min()) / float(zeros.max()))
    return PatternLayer(layer, tuple(lost), sharpness)
