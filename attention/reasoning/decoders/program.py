"""Dynamic programmes as networks, the decoders that run them, and the known ones."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from math import isqrt
from typing import cast

import numpy as np

from samapprox.attention.graphs.masks.local import block_sparse
from samapprox.attention.reasoning.base import Chain, Task
from samapprox.attention.reasoning.decoders.assembly import Assembly
from samapprox.attention.reasoning.decoders.decoder import Decoder
from samapprox.attention.reasoning.decoders.mlp import Affine, as_matrix
from samapprox.attention.reasoning.decoders.recall import LinearRecall, Recall, SparseRecall
from samapprox.errors import InputError
from samapprox.support.lookup import look_up
from samapprox.support.parameters import require

__all__ = [
    "MODELS",
    "MOST_LENGTH",
    "MOST_SIDE",
    "PROGRAMS",
    "Program",
    "build_decoder",
    "make_program",
]


MODELS: dict[str, type[Recall]] = {"sparse": SparseRecall, "linear": LinearRecall}
"""Model -> how its tokens read earlier ones."""

MOST_LENGTH = 4096
"""Most tokens of a chain: the weights take some 30 kilobytes for each, and their number is O(L)."""

MOST_SIDE = 2 * isqrt(MOST_LENGTH)
"""Most tokens of a block: the weights take some 50 kilobytes for each, times the side."""


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
        """Return the programme for all inputs of the lengths that the input of a chain has."""

    @property
    @abstractmethod
    def length(self) -> int:
        """The number of tokens of a chain."""

    @property
    @abstractmethod
    def bound(self) -> float:
        """A bound on the absolute values of inputs and of values."""

    @abstractmethod
    def build(
        self, assembly: Assembly, position: Affine, token: Sequence[Affine], recall: Recall
    ) -> list[Affine]:
        """Add the blocks to an assembly, and return the parts of the next token.

        Parameters
        ----------
        assembly : Assembly
            The transformer that is built.
        position : Affine
            Of the present token, from 1.
        token : sequence of Affine
            The parts of the present token.
        recall : Recall
            Builds the blocks that read earlier tokens.
        """


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
        Tokens of a block; at least the root of the length, which is the default, rounded up. With
        fewer, the decoder makes mistakes.
    scale : float
        Networks run with gelu(scale x)/scale in place of ReLU.
    error : float
        A bound on the error of what a token reads.

    Raises
    ------
    InputError
        An unknown model, a side below 2, above the length or above `MOST_SIDE`, or a chain that is
        too long.

    Notes
    -----
    The width and the hidden units are O(sqrt(length)); the numbers of blocks and of heads are
    constant. The largest weight is O((bound + side)^4/error).

    References
    ----------
    Yang et al. (2024), Theorems 4.2, B.3 and B.4.

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
    require(
        length <= MOST_LENGTH,
        f"the chain has {length} tokens; decoders of at most {MOST_LENGTH} are built",
    )
    least = isqrt(length - 1) + 1
    side = least if side is None else side
    most = min(length, MOST_SIDE)
    require(2 <= side <= most, f"the side of a block must be in 2..{most}, not {side}")
    assembly = Assembly(scale)
    [position] = assembly.reserve(1)
    token = assembly.reserve(len(program.task.parts))
    recall = MODELS[model](side, program.bound, error)
    outputs = program.build(assembly, position, token, recall)
    projection, constants = as_matrix(outputs, assembly.d)
    projection[:, 0] += constants  # coordinate 0 is 1
    positions = np.zeros((assembly.d, length))
    positions[0], positions[1] = 1, np.arange(1, length + 1)
    parts = slice(2, 2 + len(token))
    graph = block_sparse(length, side) if model == "sparse" else None
    return Decoder(tuple(assembly.build()), positions, parts, projection, graph)


_HERE = "samapprox.attention.reasoning.decoders"

PROGRAMS = {
    "edit-distance": f"{_HERE}.edit_distance:EditDistanceProgram",
}
"""Task name -> module and class, imported when used."""


def make_program(task: Task, chain: Chain) -> Program:
    """Return the programme of a task for inputs of the lengths that the input of a chain has.

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
