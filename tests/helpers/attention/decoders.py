"""Decoders of edit distances, and the chains that they write."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from samapprox.attention.reasoning.base import Chain
from samapprox.attention.reasoning.decoders.decoder import Decoder, Generation, generate
from samapprox.attention.reasoning.decoders.program import build_decoder, make_program
from samapprox.attention.reasoning.edit_distance import EditDistance

TASK = EditDistance()


def write(decoder: Decoder, chains: Sequence[Chain]) -> Generation:
    """Let a decoder write chains of one shape, from their inputs."""
    return generate(decoder, np.stack([chain.tokens[: chain.given] for chain in chains]))


def count_wrong(found: Generation, chains: Sequence[Chain]) -> int:
    """Count the tokens in which chains differ from those that a decoder wrote."""
    tokens = np.stack([chain.tokens for chain in chains])
    return int((found.tokens != tokens).any(axis=2).sum())


def build_pair(size: int, count: int, model: str) -> tuple[Decoder, list[Chain]]:
    """Draw chains of edit distances, and build the decoder for their shape."""
    chains = list(TASK.generate(size, seed=size, count=count))
    return build_decoder(make_program(TASK, chains[0]), model), chains
