"""One trained layer of every mask of Table 1 of Yun et al. (2020), copying, beside the bound."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.graphs import build
from samapprox.attention.graphs.copying import SYMBOLS, TABLES
from samapprox.attention.graphs.copying import copying as bound_accuracy
from samapprox.attention.graphs.heads import SparseAttention
from trained.csv_table import Table

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["MASKS", "TABLE", "TESTED", "Cell", "measure", "share_of"]

TOKENS = 64
SEEDS = 3
WIDTH, HEADS, BATCH, STEPS, RATE = 64, 4, 16, 400, 1e-2
TESTED = 5_000
"""Test sequences: of 31 targets each, so that guessing right has a deviation of 0.022 %."""

MASKS = {column.name: column.mask.replace("w=16", "w=8") for column in TABLES[1]}
"""Column of Table 1 -> its mask, with half as wide windows for 64 instead of 256 tokens."""


@dataclass(frozen=True, slots=True)
class Cell:
    """The accuracy of a trained layer on new sequences: a line of the csv."""

    name: str
    mask: str
    seed: int
    bound: float  # percent
    accuracy: float  # percent
    on_heard: float  # percent, of the targets that can hear of their source


TABLE: Table[Cell] = Table(Path(__file__).with_name("copying.csv"), Cell)


def share_of(name: str) -> Fraction:
    """Return the share of targets that can hear of their source through one layer of a mask."""
    return bound_accuracy(build(MASKS[name], TOKENS), 1).share(1)


def measure(name: str) -> Iterator[Cell]:
    """Train one layer of a mask from each seed."""
    attention = build(MASKS[name], TOKENS)
    found = bound_accuracy(attention, 1)
    heard = found.depths > 0
    for seed in range(SEEDS):
        right = _train(attention, heard if heard.any() else ~heard, seed)
        on_heard = 100 * float(right[heard].mean()) if heard.any() else 0.0
        bound = 100 * float(found.accuracy(1))
        yield Cell(name, MASKS[name], seed, bound, 100 * float(right.mean()), on_heard)


def _train(attention: SparseAttention, counted: NDArray[np.bool_], seed: int) -> Any:
    """Return the share of new sequences in which each target is right.

    The loss counts some of the targets: those that can hear of their source, as nothing can be
    learnt of others.
    """
    import torch
    from torch.nn.functional import cross_entropy

    torch.set_num_threads(1)  # a second thread gains little, and waits where cores are busy
    torch.manual_seed(seed)
    layer = _Layer(attention)
    places = torch.from_numpy(np.flatnonzero(counted))
    adam = torch.optim.Adam(layer.parameters, lr=RATE)
    decay = torch.optim.lr_scheduler.OneCycleLR(adam, RATE, total_steps=STEPS)
    for _ in range(STEPS):
        sequences = torch.randint(SYMBOLS, (BATCH, TOKENS // 2 - 1))
        adam.zero_grad()
        logits = layer(sequences)[:, places]
        cross_entropy(logits.flatten(0, 1), sequences[:, places].flatten()).backward()
        adam.step()
        decay.step()
    right = np.zeros(TOKENS // 2 - 1)
    with torch.no_grad():
        for _ in range(TESTED // 1000):
            sequences = torch.randint(SYMBOLS, (1000, TOKENS // 2 - 1))
            right += (layer(sequences).argmax(dim=-1) == sequences).sum(dim=0).numpy()
    return right / (TESTED // 1000 * 1000)


class _Layer:
    """Attention of four heads, a feed-forward layer, and a linear map to the symbols.

    Only the targets are computed. Their inputs are masked: they hold a position alone.
    """

    def __init__(self, attention: SparseAttention) -> None:
        import torch

        graphs = attention.layer(0)
        targets = range(TOKENS // 2 + 1, TOKENS)
        hidden = torch.full((HEADS, len(targets), TOKENS), -1e9)
        for head in range(HEADS):
            graph = graphs[head * len(graphs) // HEADS]
            for place, target in enumerate(targets):
                hidden[head, place, torch.from_numpy(graph.keys(target).copy()).long()] = 0
        self._hidden, self._first = hidden, targets.start

        def draw(*shape: int) -> Tensor:
            return (torch.randn(*shape) * shape[0] ** -0.5).requires_grad_()

        self._symbols = draw(SYMBOLS + 2, WIDTH)  # with those of 0 and of a masked token
        self._positions = draw(TOKENS, WIDTH)
        self._maps = [draw(WIDTH, WIDTH) for _ in range(4)]
        self._feed_forward = draw(WIDTH, 4 * WIDTH), draw(4 * WIDTH, WIDTH)
        self._output = draw(WIDTH, SYMBOLS)
        self.parameters = [
            self._symbols,
            self._positions,
            *self._maps,
            *self._feed_forward,
            self._output,
        ]

    def __call__(self, sequences: Tensor) -> Tensor:
        """Return the logits of the symbols at all targets."""
        import torch

        count = len(sequences)
        zero = torch.full((count, 1), SYMBOLS)
        masked = torch.full((count, TOKENS // 2), SYMBOLS + 1)
        embedded = self._symbols[torch.cat([zero, sequences, masked], dim=1)] + self._positions
        own = embedded[:, self._first :]
        query, key, value, write = self._maps
        split = (HEADS, WIDTH // HEADS)
        queries, keys, values = (
            (tokens @ matrix).unflatten(-1, split).transpose(1, 2)
            for tokens, matrix in ((own, query), (embedded, key), (embedded, value))
        )
        scores = queries @ keys.transpose(2, 3) * (WIDTH // HEADS) ** -0.5 + self._hidden
        read = (scores.softmax(dim=-1) @ values).transpose(1, 2).flatten(2)
        state = own + read @ write
        first, second = self._feed_forward
        state = state + torch.relu(state @ first) @ second
        return state @ self._output
