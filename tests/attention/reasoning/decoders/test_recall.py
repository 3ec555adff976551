"""AGG and COPY (Lemmas A.9, A.11, A.12) as layers that run, and reading by positions."""

from __future__ import annotations

from math import ceil, exp

import numpy as np
import pytest

from samapprox.attention.graphs.graph import AttentionGraph
from samapprox.attention.graphs.masks import block_sparse
from samapprox.attention.reasoning.decoders import assembly as aggregation
from samapprox.attention.reasoning.decoders.assembly import (
    Assembly,
    Block,
    aggregate,
    aggregation_scale,
    average_block,
    copy_latest,
    copying_gap,
)
from samapprox.attention.reasoning.decoders.recall import (
    CopyRecall,
    LinearRecall,
    Recall,
    SparseRecall,
)
from samapprox.attention.transformers import (
    AttentionLayer,
    Head,
    LinearAttentionLayer,
    elu_plus_one,
)
from samapprox.attention.transformers.maps import Softmax
from samapprox.support.arrays import Floats

BOUND = 40.0


def blocks_and_offsets(m: int) -> tuple[Floats, Floats]:
    """Return the blocks 0 .. m - 1 of m^2 tokens, and their places 0 .. m - 1 in them."""
    token = np.arange(m * m)
    return token // m, token % m


def values_of(m: int, seed: int) -> Floats:
    return np.random.default_rng(seed).uniform(-BOUND, BOUND, (1, m * m))


def run_heads(assembly: Assembly, columns: Floats, graph: AttentionGraph | None) -> Floats:
    """Run the only attention layer of an assembly on tokens with some first coordinates."""
    X = np.zeros((assembly.d, 1, columns.shape[1]))
    X[: len(columns), 0] = columns
    [block] = assembly.build()
    if graph is None:
        return LinearAttentionLayer(block.heads).apply(X)[:, 0]
    return AttentionLayer(block.heads).apply(X, (graph,), Softmax())[:, 0]


def aggregate_everywhere(m: int, error: float, seed: int = 0) -> tuple[Floats, Floats]:
    """Return what all tokens read of all blocks, shape (blocks, tokens), and the true means."""
    assembly = Assembly(scale=64.0)
    [x], block, target = assembly.reserve(1), assembly.reserve(m), assembly.reserve(m)
    aggregate(assembly, target, block, [x], bound=BOUND, error=error)
    blocks, _ = blocks_and_offsets(m)
    values = values_of(m, seed)
    found, means = np.full((2, m, m * m), np.nan)
    for q in range(m):
        one_hots = np.eye(m)[blocks].T, np.tile(np.eye(m)[:, [q]], m * m)
        columns = np.vstack([np.ones_like(values), values, *one_hots])
        read = run_heads(assembly, columns, None)[-1]
        for i in range(q * m, m * m):
            found[q, i] = read[i]
            means[q, i] = values[0, q * m : min((q + 1) * m, i + 1)].mean()
    return found, means


@pytest.mark.parametrize("m", [2, 3, 5])
@pytest.mark.parametrize("error", [1e-2, 1e-6])
def test_linear_attention_averages_over_every_block(m: int, error: float) -> None:
    found, means = aggregate_everywhere(m, error)
    assert 0 < np.nanmax(np.abs(found - means)) <= error


@pytest.mark.parametrize("m", [3, 5, 8])
def test_mu_is_needed_where_one_token_stands_against_all_others(m: int) -> None:
    """The bound is nearly reached: with m^2 in place of m^3 in mu, the error exceeds it."""
    error = 1e-4
    mu = aggregation_scale(m, BOUND, error)
    query = elu_plus_one(mu * np.eye(m) - mu)
    first = m * (m - 1)  # the first token of the last block: its mean is its own value
    weights = query[-1] @ query[np.arange(first + 1) // m].T
    values = np.where(np.arange(first + 1) < first, -BOUND, BOUND)
    missed = BOUND - weights @ values / weights.sum()
    assert error / m < missed <= error


@pytest.mark.parametrize("keys", [2, 9, 529])
def test_the_gap_of_scores_is_the_least_up_to_one_key(keys: int) -> None:
    error = 1e-4
    scores = np.zeros((1, keys))
    scores[0, 0] = copying_gap(keys, BOUND, error)
    values = np.where(np.arange(keys) == 0, BOUND, -BOUND)
    missed = BOUND - (Softmax()(scores) @ values)[0]
    assert 0.99 * (keys - 1) / keys * error < missed <= error


def test_a_small_mu_misses_the_means(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error falls like exp(-mu): with a quarter of mu it is far above the bound."""
    errors = []
    for share in (1.0, 0.75, 0.5, 0.25):
        monkeypatch.setattr(
            aggregation, "aggregation_scale", lambda *a, s=share: s * aggregation_scale(*a)
        )
        found, means = aggregate_everywhere(3, error=1e-4)
        errors.append(float(np.nanmax(np.abs(found - means))))
    assert errors == sorted(errors)
    assert errors[0] <= 1e-4 < errors[2]
    assert errors[3] > 1


@pytest.mark.parametrize("m", [2, 4, 7])
def test_a_match_has_exp_of_minus_2_mu_where_lemma_a9_prints_minus_mu(m: int) -> None:
    mu = 1.5
    query = elu_plus_one(mu * np.eye(m) - mu)
    products = query @ query.T
    for q in range(m):
        for k in range(m):
            if q == k:
                assert products[q, k] == pytest.approx(1 + (m - 1) * exp(-2 * mu))
                assert products[q, k] != pytest.approx(1 + (m - 1) * exp(-mu))
            else:
                assert products[q, k] == pytest.approx(2 * exp(-mu) + (m - 2) * exp(-2 * mu))


@pytest.mark.parametrize("B", [2, 3, 5])
def test_softmax_averages_over_the_own_block_and_not_over_the_ends_of_others(B: int) -> None:
    error = 1e-5
    assembly = Assembly(scale=64.0)
    [x], block = assembly.reserve(1), assembly.reserve(B)
    average_block(assembly, block, [x], bound=BOUND, error=error)
    blocks, _ = blocks_and_offsets(B)
    values, graph = values_of(B, 1), block_sparse(B * B, B)
    columns = np.vstack([np.ones_like(values), values, np.eye(B)[blocks].T])
    read = run_heads(assembly, columns, graph)[-1]
    means = [values[0, i // B * B : i + 1].mean() for i in range(B * B)]
    assert np.abs(read - means).max() <= error
    window = [values[0, max(0, i - B + 1) : i + 1].mean() for i in range(B * B)]
    alike = Head(np.zeros((1, 2)), np.zeros((1, 2)), [[1, 0]], [[0], [1]])
    X = np.stack([values, np.zeros_like(values)])
    uniform = AttentionLayer((alike,)).apply(X, (graph,), Softmax())[1, 0]
    assert np.abs(uniform - window).max() > 1  # the printed layer 2, under Eq. 6


@pytest.mark.parametrize("B", [2, 4])
def test_softmax_copies_the_latest_token_of_a_block(B: int) -> None:
    error = 1e-5
    assembly = Assembly(scale=64.0)
    [x, offset], block, target = (assembly.reserve(n) for n in (2, B, B))
    copy_latest(assembly, target, block, offset, [x], bound=BOUND, error=error)
    blocks, offsets = blocks_and_offsets(B)
    values, graph = values_of(B, 2), block_sparse(B * B, B)
    for q in range(B):
        one_hots = np.eye(B)[blocks].T, np.tile(np.eye(B)[:, [q]], B * B)
        columns = np.vstack([np.ones_like(values), values, offsets[None] + 1.0, *one_hots])
        read = run_heads(assembly, columns, graph)[-1]
        for i in range(q * B, B * B):
            assert abs(read[i] - values[0, min((q + 1) * B - 1, i)]) <= error


def test_layer_2_of_lemma_a12_as_printed_puts_every_token_into_a_wrong_slot() -> None:
    """Layer 1 puts token t into slot t mod B + 1; the window of i is i - B + 1 .. i."""
    for B in (2, 4, 8, 22):
        for i in range(2 * B, 4 * B):
            for slot in range(1, B + 1):
                printed = i - B + i % B + slot
                printed -= B * (printed > i)
                right = i - i % B + slot - 1
                right -= B * (right > i)
                assert i - B < printed <= i
                assert i - B < right <= i
                assert right % B + 1 == slot != printed % B + 1


def test_step_1_of_theorem_b3_has_a_wrong_normaliser_in_18_of_24_cases() -> None:
    W = 4
    cases = wrong = 0
    for t in range(1, W * W + 1):
        block = ceil(t / W)
        for i in range(t, block * W):
            cases += 1
            tokens = i - (block - 1) * W
            assert tokens == len([j for j in range(1, i + 1) if ceil(j / W) == block])
            wrong += i - block * (W - 1) != tokens
    assert (wrong, cases) == (18, 24)


def recall_everything(recall: Recall, contents: Floats) -> Floats:
    """Return what token i reads at address t + 1, shape (addresses, tokens)."""
    assembly = Assembly(scale=64.0, powers=recall.powers)
    content, address = assembly.reserve(2)
    [found] = recall.build(assembly, content, [address])
    n = len(contents)
    X = np.zeros((assembly.d, n, n))
    for power in range(recall.powers + 1):
        X[power] = np.arange(1, n + 1) ** power
    X[recall.powers + 1] = contents
    X[recall.powers + 2] = np.arange(1, n + 1)[:, None]
    graph = block_sparse(n, n if isinstance(recall, CopyRecall) else recall.side)
    for block in assembly.build():
        X = block.feed_forward.apply(attend(block, X, recall, graph))
    [place] = found.terms
    return X[place]


def attend(block: Block, X: Floats, recall: Recall, graph: AttentionGraph) -> Floats:
    if isinstance(recall, LinearRecall):
        return LinearAttentionLayer(block.heads).apply(X)
    return AttentionLayer(block.heads).apply(X, (graph,), Softmax())


@pytest.mark.parametrize("kind", [LinearRecall, SparseRecall, CopyRecall])
@pytest.mark.parametrize(("side", "error"), [(2, 0.05), (3, 1e-3), (4, 0.05)])
def test_every_token_reads_every_earlier_token_within_the_error(
    kind: type[Recall], side: int, error: float
) -> None:
    contents = np.rint(values_of(side, side)[0])
    found = recall_everything(kind(side, BOUND, error), contents)
    largest = kind(side, BOUND, error).largest
    for t in range(side * side):
        assert np.abs(found[t, t:] - contents[t]).max() <= error
        assert np.abs(found[t, :t]).max(initial=0) <= largest  # later tokens: bounded
