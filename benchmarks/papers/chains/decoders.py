"""Decoders of all tasks, and the errors of their lemmas, beside the bounds.

Parts `lemmas` and `decoders` of `python benchmarks papers.reasoning`; one core, some minutes.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from shared.rows import Row

from papers.chains.widths import measure_decoders
from samapprox.attention.graphs.masks import block_sparse
from samapprox.attention.reasoning.decoders.assembly import Assembly, aggregate, copy_latest
from samapprox.attention.reasoning.decoders.mlp import GELU_GAP, block_and_offset, one_hot, product
from samapprox.attention.reasoning.decoders.recall import BlockRecall, LinearRecall, SparseRecall
from samapprox.attention.transformers import AttentionLayer, LinearAttentionLayer, gelu, relu
from samapprox.attention.transformers.maps import Softmax

SCALE = 64.0
ERROR = 0.05


def lemmas() -> Iterator[Row]:
    """Yield the largest error of each lemma over its domain, and its bound."""
    line = np.linspace(-5, 5, 10**6 + 1)
    gap = np.abs(gelu(line) - relu(line)).max()
    yield "Lemma A.2, distance of gelu from relu", f"{gap:.5f}", f"<= {GELU_GAP}"
    for most in (36, 108):
        a, b = (axis.ravel() for axis in np.meshgrid(*[np.linspace(-most, most, 601)] * 2))
        inside = np.abs(a) + np.abs(b) <= most
        error = np.abs(product(most, ERROR / 2)(np.stack([a, b])[:, inside]) - (a * b)[inside])
        what = f"Lemma A.1, product with abs(a) + abs(b) <= {most}"
        yield what, f"{error.max():.4f}", f"<= {ERROR / 2}"
    for n in (9, 23):
        i = np.arange(1, n + 1)
        off = np.linspace(-0.25, 0.25, 5)
        inputs = (i[:, None] + off).ravel()
        found = one_hot(n).with_gelu(SCALE)(inputs[None])
        error = np.abs(found - np.repeat(np.eye(n), len(off), axis=1)).max()
        yield f"Lemmas A.5 and A.6, unit vectors, n = {n}", f"{error:.1e}", "<= 1e-12"
        i = np.arange(1, n * n + 1)
        block = -(-i // n)
        split = np.stack([block, block - 1, i - n * (block - 1)])
        error = np.abs(block_and_offset(n).with_gelu(SCALE)(i[None]) - split).max()
        yield f"Lemma A.7, i = 1 .. {n * n}", f"{error:.1e}", "<= 1e-8"
    for m in (4, 9, 23):
        for lemma, most_wrong in zip(("A.9, AGG", "A.12, COPY"), measure_heads(m), strict=True):
            yield (
                f"Lemma {lemma}, {m} blocks of {m} tokens",
                f"{most_wrong:.1e}",
                f"<= {ERROR / 100}",
            )
    for kind, how in (
        (LinearRecall, "linear attention, A.9"),
        (SparseRecall, "sparse attention, A.12"),
    ):
        for side in (4, 9):
            wrong = measure_recall(kind(side, 84, ERROR))
            what = f"reading by {how}, all pairs of {side * side} tokens"
            yield what, f"{wrong:.4f}", f"<= {ERROR}"


def measure_heads(m: int) -> tuple[float, float]:
    """Return the largest errors of a mean over a block, and of a copy of its latest token."""
    tokens = np.arange(m * m)
    values = np.random.default_rng(m).integers(-84, 85, m * m)
    precision = {"bound": 84.0, "error": ERROR / 100}
    assembly = Assembly(SCALE)
    [x, offset], block, target = (assembly.reserve(count) for count in (2, m, m))
    aggregate(assembly, target, block, [x], **precision)
    copy_latest(assembly, target, block, offset, [x], **precision)
    mean, copy = assembly.build()[0].heads
    graph = block_sparse(m * m, m)
    errors = np.zeros(2)
    for q in range(m):
        X = np.zeros((assembly.d, 1, m * m))
        X[0], X[1], X[2] = 1, values, tokens % m + 1
        X[3 + tokens // m, 0, tokens] = X[3 + m + q] = 1
        asked = tokens[q * m :]
        last = np.minimum(asked, q * m + m - 1)
        means = (np.cumsum(values)[last] - values[: q * m].sum()) / (last - q * m + 1)
        read = LinearAttentionLayer((mean,)).apply(X)[-2, 0, asked]
        copied = AttentionLayer((copy,)).apply(X, (graph,), Softmax())[-1, 0, asked]
        found = np.abs([read - means, copied - values[last]]).max(axis=1)
        errors = np.maximum(errors, found)
    return float(errors[0]), float(errors[1])


def measure_recall(recall: BlockRecall) -> float:
    """Return the largest error of what a token reads of an earlier one."""
    assembly = Assembly(SCALE, powers=1)
    content, address = assembly.reserve(2)
    [found] = recall.build(assembly, content, [address])
    n = recall.side**2
    contents = np.random.default_rng(0).integers(-84, 85, n)
    X = np.zeros((assembly.d, n, n))
    X[0], X[1], X[2] = 1, np.arange(1, n + 1), contents
    X[3] = np.arange(1, n + 1)[:, None]
    graph = block_sparse(n, recall.side)
    for block in assembly.build():
        if isinstance(recall, LinearRecall):
            X = LinearAttentionLayer(block.heads).apply(X)
        else:
            X = AttentionLayer(block.heads).apply(X, (graph,), Softmax())
        X = block.feed_forward.apply(X)
    [place] = found.terms
    return float(np.abs(np.triu(X[place] - contents[:, None])).max())


def decoders() -> Iterator[Row]:
    """Yield the decoders of the sizes of the paper: wrong tokens, size, margins."""
    for one in measure_decoders():
        yield (
            f"{one.task}, {one.model}, L = {one.length}, D = {one.width}, M = {one.depth}, "
            f"H = {one.heads}",
            f"{one.wrong} of {one.tokens} tokens wrong, margin {one.margin:.5f} (64 bits), "
            f"{one.margin_32:.5f} (32 bits)",
            f"0 wrong, margin >= {0.5 - ERROR} (64 bits)",
        )
