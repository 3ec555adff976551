"""A run of a decoder on one instance, compared with the replay of its chain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from samapprox.attention.reasoning.base import Chain, Task
from samapprox.attention.reasoning.decoders.decoder import Decoder, Generation, generate
from samapprox.attention.reasoning.decoders.program import build_decoder, make_program
from samapprox.attention.reasoning.replay import Mistake, first_mistake
from samapprox.support.parameters import require
from samapprox.support.progress import OnProgress

BITS = (32, 64)
"""The number formats that decoders run in."""


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """The tokens that a decoder wrote for one instance, and the decoder.

    Attributes
    ----------
    decoder : Decoder
        The decoder that wrote the chain.
    generation : Generation
        Of one instance.
    given : int
        Tokens of the input.
    right : int
        Generated tokens that equal those of the solution.
    mistake : Mistake or None
        The first token that differs from the replay.
    """

    decoder: Decoder
    generation: Generation
    given: int
    right: int
    mistake: Mistake | None

    @property
    def generated(self) -> int:
        """The number of generated tokens."""
        return self.decoder.length - self.given

    def to_json(self) -> dict[str, Any]:
        """Return its part of `samapprox schema cot-run`."""
        decoder = self.decoder
        return {
            "tokens": decoder.length,
            "given": self.given,
            "right": self.right,
            "mistake": None
            if self.mistake is None
            else {"token": self.mistake.position, "text": self.mistake.text},
            "margin": self.generation.margin,
            "width": decoder.width,
            "depth": decoder.depth,
            "heads": decoder.heads,
            "hidden": decoder.hidden,
            "bits": decoder.positions.dtype.itemsize * 8,
            "largest_weight": decoder.largest_weight,
        }


def run_decoder(
    task: Task,
    chain: Chain,
    model: str,
    *,
    side: int | None = None,
    bits: int = 64,
    progress: OnProgress | None = None,
) -> Run:
    """Let a decoder solve the instance of a chain, and replay what it wrote.

    Parameters
    ----------
    task : Task
        The task of the chain.
    chain : Chain
        Only its input is used.
    model : str
        One of `MODELS`.
    side : int, optional
        Tokens of a block; see `build_decoder`.
    bits : int
        One of `BITS`, for weights and states.
    progress : callable, optional
        See `generate`.

    Raises
    ------
    InputError
        No programme for this task, or an option out of range.

    Examples
    --------
    >>> from samapprox.attention.reasoning.edit_distance import EditDistance
    >>> task = EditDistance()
    >>> run = run_decoder(task, task.chain(task.parse("kitten sitting")), "sparse")
    >>> run.right, run.generated, run.mistake
    (50, 50, None)
    """
    require(bits in BITS, f"the number of bits must be {' or '.join(map(str, BITS))}, not {bits}")
    decoder = build_decoder(make_program(task, chain), model, side).with_bits(bits)
    inputs = task.read(chain.tokens)
    generation = generate(decoder, chain.tokens[None, : len(inputs)], progress)
    tokens = generation.tokens[0]
    solved = task.chain(inputs).tokens  # a chain from a file may be wrong, or end too early
    right = np.all(tokens == solved, axis=1)[chain.given :].sum()
    mistake = first_mistake(task, tokens)
    return Run(decoder, generation, chain.given, int(right), mistake)
