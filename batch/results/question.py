"""The question that a batch asks about every instance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from samapprox.errors import InputError
from samapprox.grading import Grading, Unjudged
from samapprox.problem import require_dimension
from samapprox.support.nearest import unknown_name
from samapprox.support.time_limit import require_time_limit
from samapprox.version import __version__

__all__ = ["TASKS", "Question", "Task"]

Task = Literal["decide", "dim", "verify"]
TASKS: tuple[str, ...] = get_args(Task)
"""The tasks of a batch."""


@dataclass(frozen=True, slots=True)
class Question:
    """A task with its parameters; results for equal questions are interchangeable.

    Attributes
    ----------
    task : {"decide", "dim", "verify"}
    d : int or None
        Query/key dimension; only for ``decide``.
    d_hid : int or None
        Hidden dimension of X; None for the free case.
    causal : bool
        Whether only entries on and below the diagonal count.
    relevant : int
        For retrieval judgements: the least grade that counts as 1.
    unjudged : {"zero", "unspecified"}
        For retrieval judgements: the entries of pairs without a judgement.
    time_limit : float
        Seconds for each instance.
    memory_limit : int or None
        Bytes of resident memory of the answering process.
    seed : int
    certificates : str or None
        A folder or an earlier result file with the certificates for ``verify``.
    version : str
        The version of this package.

    Raises
    ------
    InputError

    Examples
    --------
    >>> str(Question("decide", d=2, causal=True, version="1.0"))
    'decide d = 2 causal, 60 s, seed 0'
    >>> str(Question("dim", relevant=2, unjudged="unspecified"))
    'dim, relevant >= 2, unjudged unspecified, 60 s, seed 0'
    """

    task: Task
    d: int | None = None
    d_hid: int | None = None
    causal: bool = False
    relevant: int = 1
    unjudged: Unjudged = "zero"
    time_limit: float = 60.0
    memory_limit: int | None = None
    seed: int = 0
    certificates: str | None = None
    version: str = __version__

    def __post_init__(self) -> None:
        if self.task not in TASKS:
            raise unknown_name("task", self.task, TASKS)
        Grading(self.relevant, self.unjudged)  # refuses other values
        require_time_limit(self.time_limit)
        if not -(1 << 63) <= self.seed < 1 << 63:
            raise InputError(f"the seed must fit into 64 bits, not {self.seed}")
        if (self.task == "decide") != (self.d is not None):
            raise InputError(
                "the task decide needs a dimension (d, -d), and no other task takes one"
            )
        if self.d_hid is not None and self.task != "decide":
            raise InputError("d_hid belongs to the task decide")
        if (self.task == "verify") != (self.certificates is not None):
            raise InputError(
                "the task verify needs certificates, a folder or a result file (--certificates), "
                "and no other task takes them"
            )
        for name in ("d", "d_hid"):
            if getattr(self, name) is not None:
                require_dimension(name, getattr(self, name))

    @property
    def grading(self) -> Grading:
        """The rule that turns graded judgements into entries."""
        return Grading(self.relevant, self.unjudged)

    def __str__(self) -> str:
        words: list[str] = [self.task]
        words += [f"d = {self.d}"] * (self.d is not None)
        words += [f"d_hid = {self.d_hid}"] * (self.d_hid is not None)
        words += ["causal"] * self.causal
        rules = [] if self.grading.is_default else [str(self.grading)]
        return ", ".join([" ".join(words), *rules, f"{self.time_limit:g} s, seed {self.seed}"])
