"""Standard, sparse and linear transformers that are trained to write chains of thought.

A chain counts as right if every generated token is the most probable one after the tokens before
it. This is the case if and only if the model writes the whole chain, greedily, from its input.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isqrt
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.graphs.masks import block_sparse
from samapprox.attention.reasoning import parse_task
from samapprox.attention.reasoning.base import Chain, Task
from trained.csv_table import Table

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["MODELS", "SEEDS", "SIZES", "TABLE", "WIDTHS", "Cell", "measure"]

SIZES = {"lis:values=20": 10, "edit-distance:letters=6": 3, "arithmetic:p=7": 3}
"""Task -> the size of its instances, of which a cell takes about a minute on an idle core."""

MODELS = ("standard", "sparse", "linear")
WIDTHS = (32, 16, 8)
SEEDS = 3
LAYERS, HEADS, BATCH, STEPS, RATE = 3, 4, 64, 800, 3e-3
TRAINED, TESTED = 20_000, 1_000


@dataclass(frozen=True, slots=True)
class Cell:
    """The chains and tokens that a trained model writes right: a line of the csv."""

    task: str
    size: int
    model: str
    width: int
    seed: int
    chains: float  # percent of new instances
    tokens: float  # percent of their generated tokens


TABLE: Table[Cell] = Table(Path(__file__).with_name("tasks.csv"), Cell)


def measure(name: str, model: str, width: int) -> Iterator[Cell]:
    """Train a model of a task from all seeds at once, each on batches of its own."""
    import torch
    from torch.nn.functional import cross_entropy

    torch.set_num_threads(1)  # a second thread gains little, and waits where cores are busy
    task = parse_task(name)
    size = SIZES[name]
    chains = _draw(task, size)
    ids, known, words = _encode(task, chains)
    torch.manual_seed(0)
    network = _Network(model, width, words, ids.shape[1])
    adam = torch.optim.Adam(network.parameters, lr=RATE)
    decay = torch.optim.lr_scheduler.OneCycleLR(adam, RATE, total_steps=STEPS)
    tokens, targets = torch.from_numpy(ids), torch.from_numpy(known)
    for _ in range(STEPS):
        batch = torch.randint(TRAINED, (SEEDS, BATCH))
        logits = network(tokens[batch])[:, :, :-1]
        losses = cross_entropy(
            logits.flatten(0, 2), tokens[batch][:, :, 1:].flatten(), reduction="none"
        )
        counted = targets[batch][:, :, 1:].flatten()
        adam.zero_grad()
        (SEEDS * (losses * counted).sum() / counted.sum()).backward()
        adam.step()
        decay.step()
    right = _test(network, tokens[TRAINED:])
    counted = targets[TRAINED:, 1:]
    for seed in range(SEEDS):
        whole = (right[seed] | ~counted).all(dim=1).float().mean().item()
        share = right[seed][counted].float().mean().item()
        yield Cell(name, size, model, width, seed, 100 * whole, 100 * share)


def _draw(task: Task, size: int) -> list[Chain]:
    """Draw the chains to train on, and after them as many to test on, of other inputs."""
    drawn = list(task.generate(size, count=TRAINED + 2 * TESTED))
    inputs = [chain.tokens[: chain.given].tobytes() for chain in drawn]
    trained = set(inputs[:TRAINED])
    new = [drawn[k] for k in range(TRAINED, len(drawn)) if inputs[k] not in trained]
    assert len(new) >= TESTED
    return drawn[:TRAINED] + new[:TESTED]


def _encode(
    task: Task, chains: Sequence[Chain]
) -> tuple[NDArray[np.int64], NDArray[np.bool_], int]:
    """Return the words as numbers, which of them are generated, and the number of words."""
    texts = [task.words(chain.tokens) for chain in chains]
    places = {word: k for k, word in enumerate(sorted({word for text in texts for word in text}))}
    ids = np.zeros((len(chains), max(map(len, texts))), dtype=np.int64)
    known = np.zeros(ids.shape, dtype=np.bool_)
    for row, text in enumerate(texts):
        ids[row, : len(text)] = [places[word] for word in text]
        known[row, chains[row].given : len(text)] = True
    return ids, known, len(places)


def _test(network: _Network, tokens: Tensor) -> Tensor:
    """Return which words of the chains, from the second one on, the models of all seeds predict."""
    import torch

    with torch.no_grad():
        parts = [
            network(part.expand(SEEDS, *part.shape))[:, :, :-1].argmax(dim=-1) == part[:, 1:]
            for part in tokens.split(100)
        ]
    return torch.cat(parts, dim=1)


class _Network:
    """Pre-norm layers of attention and ReLU, for all seeds: the first axis of every tensor."""

    def __init__(self, model: str, width: int, words: int, length: int) -> None:
        import torch

        side = isqrt(length - 1) + 1 if model == "sparse" else length
        graph = block_sparse(length, side)
        allowed = torch.zeros(length, length, dtype=torch.bool)
        for token in range(length):
            allowed[token, torch.from_numpy(graph.keys(token).copy()).long()] = True
        self._allowed, self._linear = allowed, model == "linear"

        def draw(*shape: int) -> Tensor:
            return (torch.randn(SEEDS, *shape) * shape[0] ** -0.5).requires_grad_()

        self._words = (torch.randn(SEEDS, words, width) * 0.5).requires_grad_()
        self._positions = (torch.randn(SEEDS, 1, length, width) * 0.5).requires_grad_()
        self._layers = [
            [
                *(draw(width, width) for _ in range(4)),
                draw(width, 4 * width),
                draw(4 * width, width),
            ]
            for _ in range(LAYERS)
        ]
        self._output = draw(width, words)
        self.parameters = [self._words, self._positions, self._output]
        self.parameters += [matrix for layer in self._layers for matrix in layer]

    def __call__(self, ids: Tensor) -> Tensor:
        """Return the logits of the next word after every token, shape (seeds, batch, L, words)."""
        import torch

        seeds = torch.arange(SEEDS)[:, None, None]
        state = self._words[seeds, ids] + self._positions
        for query, key, value, write, first, second in self._layers:
            tokens = _norm(state)
            split = [
                _times(tokens, matrix).unflatten(-1, (HEADS, -1)).transpose(2, 3)
                for matrix in (query, key, value)
            ]
            state = state + _times(self._attend(*split).transpose(2, 3).flatten(3), write)
            state = state + _times(torch.relu(_times(_norm(state), first)), second)
        return _times(_norm(state), self._output)

    def _attend(self, queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        from torch.nn.functional import elu

        if self._linear:
            weights = (elu(queries) + 1) @ (elu(keys) + 1).transpose(-1, -2) * self._allowed
            return weights @ values / weights.sum(dim=-1, keepdim=True)
        scores = queries @ keys.transpose(-1, -2) * queries.shape[-1] ** -0.5
        return scores.masked_fill(~self._allowed, -1e9).softmax(dim=-1) @ values


def _times(tokens: Tensor, matrix: Tensor) -> Tensor:
    """Multiply the tokens of each seed by its matrix."""
    return (tokens.flatten(1, 2) @ matrix).unflatten(1, tokens.shape[1:3])


def _norm(state: Tensor) -> Tensor:
    from torch.nn.functional import layer_norm

    return layer_norm(state, state.shape[-1:])
