"""Dynamic programmes as networks, the decoders that run them, the known ones, and their runs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from samapprox.attention.graphs.masks import block_sparse
from samapprox.attention.reasoning.base import Chain, Task, list_needs
from samapprox.attention.reasoning.decoders.assembly import Assembly
from samapprox.attention.reasoning.decoders.decoder import Decoder, Generation, generate
from samapprox.attention.reasoning.decoders.mlp import Affine, as_matrix
from samapprox.attention.reasoning.decoders.recall import (
    MOST_LENGTH,
    CopyRecall,
    LinearRecall,
    LocalRecall,
    Recall,
    SparseRecall,
)
from samapprox.attention.reasoning.replay import Mistake, first_mistake
from samapprox.errors import InputError
from samapprox.support.packages import look_up
from samapprox.support.parameters import require
from samapprox.support.progress import OnProgress

MODELS: dict[str, type[Recall]] = {
    "standard": CopyRecall,
    "sparse": SparseRecall,
    "local": LocalRecall,
    "linear": LinearRecall,
}
"""Model -> how its tokens read earlier ones."""


class Program(ABC):
    """A dynamic programme for inputs of one length, whose functions are networks.

    A new programme is a dataclass in a module of its own, and one line in `PROGRAMS`.
    """

    __slots__ = ()

    task: Task
    """Its tokens are those of `Task.parts`."""

    @classmethod
    @abstractmethod
    def for_chain(cls, task: Task, chain: Chain) -> Program:
        """Return the programme for all inputs of the lengths that the input of a chain has.

        If their chains have different lengths, it is for those of at most `length` tokens.
        """

    @property
    @abstractmethod
    def length(self) -> int:
        """The most tokens of a chain."""

    @property
    @abstractmethod
    def reach(self) -> int:
        """A bound on the distance from a token to those that it needs."""

    @property
    @abstractmethod
    def bound(self) -> float:
        """A bound on the absolute values of inputs and of values."""

    @abstractmethod
    def build(self, assembly: Assembly, token: Sequence[Affine], recall: Recall) -> list[Affine]:
        """Add the blocks to an assembly, and return the parts of the next token.

        Parameters
        ----------
        assembly : Assembly
            The transformer that is built; it has the position of the present token.
        token : sequence of Affine
            The parts of the present token.
        recall : Recall
            Builds the blocks that read earlier tokens.
        """


def solve_again(task: Task, chain: Chain) -> tuple[int, int]:
    """Return the length of the solution for the input of a chain, and the reach of its needs.

    The rest of a chain from a file may be wrong.
    """
    solved = task.chain(task.read(chain.tokens))
    needs = list_needs(solved.needs)
    return len(solved), max(i - min(keys) for i, keys in enumerate(needs) if keys)


def build_decoder(
    program: Program,
    model: str,
    side: int | None = None,
    *,
    scale: float = 64.0,
    error: float = 0.05,
) -> Decoder:
    """Build the decoder of a programme.

    Parameters
    ----------
    program : Program
        Writes the chains of one task and size.
    model : str
        One of `MODELS`.
    side : int, optional
        Tokens of a block, for all models but the standard one. By default the least with which all
        tokens are right: the root of the length, rounded up, or the reach of a local model.
    scale : float
        Networks run with gelu(scale x)/scale in place of ReLU.
    error : float
        A bound on the error of what a token reads.

    Returns
    -------
    Decoder
        A transformer with its embedding of tokens, ready to generate.

    Raises
    ------
    InputError
        An unknown model; a side out of range; a chain that is too long; more numbers or cells than
        a sparse or linear decoder has coordinates for.

    Notes
    -----
    The numbers of blocks and of heads do not depend on the length; with sparse attention, c heads
    look for c contents. Nor does the width of standard
    and local models. That of the others is O(sqrt(length)), and O(sqrt(length) + c) where tokens
    look for others by one of c contents; their largest weight is O((bound + side)^4/error).

    References
    ----------
    Yang et al. (2024), Theorems 4.1, 4.2, B.3 and B.4, Propositions 5.1 and 5.4.

    Examples
    --------
    >>> from samapprox.attention.reasoning import parse_task
    >>> from samapprox.attention.reasoning.decoders.program import make_program
    >>> task = parse_task("edit-distance")
    >>> program = make_program(task, task.chain(task.parse("ab ba")))
    >>> program.length, build_decoder(program, "linear").width
    (14, 129)
    """
    length = program.length
    require(model in MODELS, f"the model must be one of {', '.join(MODELS)}, not {model!r}")
    kind = MODELS[model]
    require(
        length <= MOST_LENGTH,
        f"the chain has {length} tokens; decoders of at most {MOST_LENGTH} are built",
    )
    side = kind.choose_side(side, length=length, reach=program.reach)
    assembly = Assembly(scale, kind.powers)
    token = assembly.reserve(len(program.task.parts))
    outputs = program.build(assembly, token, kind(side, program.bound, error))
    projection, constants = as_matrix(outputs, assembly.d)
    projection[:, 0] += constants  # coordinate 0 is 1
    positions = np.zeros((assembly.d, length))
    for power in range(kind.powers + 1):
        positions[power] = np.arange(1, length + 1) ** power
    first = kind.powers + 1
    parts = slice(first, first + len(token))
    graph = block_sparse(length, side) if kind.masked else None
    return Decoder(tuple(assembly.build()), positions, parts, projection, graph)


_HERE = "samapprox.attention.reasoning.decoders"

PROGRAMS = {
    "lis": f"{_HERE}.lis:LisProgram",
    "edit-distance": f"{_HERE}.edit_distance:EditDistanceProgram",
    "arithmetic": f"{_HERE}.arithmetic:ArithmeticProgram",
    "turing-machine": f"{_HERE}.turing_machine:TuringMachineProgram",
}
"""Task name -> module and class, imported when used."""


def make_program(task: Task, chain: Chain) -> Program:
    """Return the programme of a task for inputs of the lengths that the input of a chain has.

    Parameters
    ----------
    task : Task
        The task whose chains are written.
    chain : Chain
        A chain of this task; only the lengths of its input matter.

    Returns
    -------
    Program
        What `build_decoder` turns into a decoder.

    Raises
    ------
    InputError
        No programme for this task.

    Examples
    --------
    >>> from samapprox.attention.reasoning.edit_distance import EditDistance
    >>> task = EditDistance()
    >>> make_program(task, task.chain(task.parse("kitten sitting"))).length
    65
    """
    if task.name not in PROGRAMS:
        raise InputError(
            f"no decoder is known for the task {task.name}; there are: {', '.join(PROGRAMS)}"
        )
    kind = cast("type[Program]", look_up(task.name, PROGRAMS, "programme"))
    return kind.for_chain(task, chain)


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

    Returns
    -------
    Run
        The tokens, how many of them are right, and the first mistake if there is one.

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
