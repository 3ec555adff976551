"""Sparse attention masks as graphs: by name, as in ``bigbird:w=3,g=2,r=3``, or from files."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast, get_type_hints

from samapprox.attention.graphs.graph import AttentionGraph
from samapprox.attention.graphs.heads import Heads, SparseAttention
from samapprox.errors import InputError, errors_within, require_number, require_whole
from samapprox.formats import load
from samapprox.support.packages import lazy_names, look_up, suggestion
from samapprox.support.parameters import number, parse_spec, require_known

__all__ = ["GRAPHS", "AttentionGraph", "Heads", "SparseAttention", "Spec", "build"]

_HERE = "samapprox.attention.graphs"

GRAPHS = {
    "full": f"{_HERE}.masks:full",
    "window": f"{_HERE}.masks:window",
    "dilated": f"{_HERE}.masks:dilated",
    "star": f"{_HERE}.masks:star",
    "strided": f"{_HERE}.masks:strided",
    "fixed": f"{_HERE}.masks:fixed",
    "random": f"{_HERE}.random_masks:random",
    "random-heads": f"{_HERE}.random_masks:random_heads",
    "random-keys": f"{_HERE}.random_masks:random_keys",
    "longformer": f"{_HERE}.masks:longformer",
    "bigbird": f"{_HERE}.random_masks:bigbird",
    "bigbird-block": f"{_HERE}.random_masks:bigbird_block",
    "block-sparse": f"{_HERE}.masks:block_sparse",
}
"""Graph name -> module and function, imported when used."""


def maker(name: str) -> Callable[..., AttentionGraph | tuple[AttentionGraph, ...]]:
    """Return the function of a graph: of n and its parameters, with several patterns for some."""
    return cast(
        "Callable[..., AttentionGraph | tuple[AttentionGraph, ...]]",
        look_up(name, GRAPHS, "graph"),
    )


HEADS = [heads.value for heads in Heads]


@dataclass(frozen=True, slots=True)
class Spec:
    """A graph's name and parameters, for any number of tokens.

    Attributes
    ----------
    name : str
        One of `GRAPHS`.
    parameters : mapping of str to int or float
        Of the graph's function; what is missing has the function's default.
    heads : Heads
        How layers and heads share the patterns.
    pattern : int or None
        Only this one of the patterns.
    causal : bool
        Whether no query attends to a later key.

    Examples
    --------
    >>> Spec.parse("strided:w=4,heads=union,causal=1").build(9).union.keys(8).tolist()
    [0, 4, 6, 7, 8]
    """

    name: str
    parameters: Mapping[str, int | float]
    heads: Heads = Heads.SEQUENTIAL
    pattern: int | None = None
    causal: bool = False

    @classmethod
    def parse(cls, text: str) -> Spec:
        """Read ``name`` or ``name:key=value,key=value``.

        Beside the graph's own parameters there are ``heads`` (sequential, union or multihead),
        ``pattern`` (0, 1, ..: this one of several alone) and ``causal`` (0 or 1).

        Parameters
        ----------
        text : str
            The line of text.

        Raises
        ------
        InputError
            An unknown name (with the list) or parameter, or a value of another kind.

        Examples
        --------
        >>> Spec.parse("bigbird:w=3,r=2").parameters
        {'w': 3, 'r': 2}
        """
        name, given = parse_spec(text)
        kinds = _kinds(maker(name))
        heads = given.pop("heads", Heads.SEQUENTIAL.value)
        if heads not in HEADS:
            raise InputError(f"{text}: heads must be one of {', '.join(HEADS)}, not {heads!r}")
        pattern, causal = given.pop("pattern", None), given.pop("causal", "0")
        if causal not in ("0", "1"):
            raise InputError(f"{text}: causal must be 0 or 1, not {causal!r}")
        require_known(text, name, given, [*kinds, "heads", "pattern", "causal"])
        return cls(
            name,
            {key: number(text, key, value, kinds[key]) for key, value in given.items()},
            Heads(heads),
            None if pattern is None else int(number(text, "pattern", pattern, int)),
            causal == "1",
        )

    def build(self, n: int) -> SparseAttention:
        """Return the patterns on n tokens.

        Parameters
        ----------
        n : int
            Number of tokens.

        Raises
        ------
        InputError
            A parameter out of range for this n, or a pattern that does not exist.
        """
        with errors_within(self.name):
            require_whole("n", n)
            require_number("n", n)
            made = maker(self.name)(n, **self.parameters)
        patterns = (made,) if isinstance(made, AttentionGraph) else made
        if self.pattern is not None:
            if not 0 <= self.pattern < len(patterns):
                raise InputError(
                    f"{self.name}: pattern must be in 0..{len(patterns) - 1}, not {self.pattern}"
                )
            patterns = (patterns[self.pattern],)
        attention = SparseAttention(patterns, self.heads)
        return attention.causal() if self.causal else attention


def build(text: str, n: int) -> SparseAttention:
    """Return the patterns that a line of text describes, on n tokens; see `Spec.parse`.

    Parameters
    ----------
    text : str
        Name and parameters of the graph.
    n : int
        Number of tokens.

    Returns
    -------
    SparseAttention
        The patterns of all layers and heads.

    Raises
    ------
    InputError
        As for `Spec.parse` and `Spec.build`.

    Examples
    --------
    >>> build("fixed:w=16", 256).union.edges
    7936
    """
    return Spec.parse(text).build(n)


def _kinds(make: Callable[..., object]) -> dict[str, type]:
    """Return the parameters of a graph's function, but for n, and what each holds."""
    types = get_type_hints(make)
    return {name: types[name] for name in inspect.signature(make).parameters if name != "n"}


def read_attention(
    mask: str, n: int | None = None, *, file_format: str | None = None, key: str | None = None
) -> SparseAttention:
    """Build or read the mask that a line of text describes.

    >>> read_attention("window:w=3", 5).n
    5
    """
    if require_mask(mask):
        if n is None:
            raise InputError(f"{mask}: give the number of tokens with --n")
        return Spec.parse(mask).build(n)
    pattern = load(mask, format=file_format, key=key)
    with errors_within(mask):
        return SparseAttention((AttentionGraph.from_pattern(pattern),))


def require_mask(mask: str) -> bool:
    """Return whether a line of text names a known graph; refuse it if it names no file either.

    >>> require_mask("window:w=3")
    True
    """
    if mask.partition(":")[0] in GRAPHS:
        return True
    if mask != "-" and not Path(mask).exists():
        meant = suggestion(mask.partition(":")[0], GRAPHS)
        there = f"known graphs: {', '.join(GRAPHS)}"
        raise InputError(f"{mask}: neither a file nor a known graph{meant}; {there}")
    return False


if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(__name__)
