"""Universality of sparse attention: sufficient conditions with witnesses, and numbers of blocks."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.graphs.distance import (
    MOST_STEPS,
    Hops,
    Hub,
    diameter,
    layers_needed,
    unreachable,
    word_steps,
)
from samapprox.attention.graphs.graph import AttentionGraph
from samapprox.attention.graphs.hamilton import Unknown, hamiltonian_path
from samapprox.attention.graphs.hamilton_refutations import NoPath
from samapprox.attention.graphs.heads import Heads, SparseAttention
from samapprox.attention.graphs.walks import Trees, Walk, find_trees, find_walk, path_in_order
from samapprox.support.limits import require_time_limit
from samapprox.support.parameters import require
from samapprox.support.progress import OnProgress

MOST_BITS = 1 << 24
"""The limit of numbers of blocks that are written out."""


def contextual_blocks(n: int, d: int, steps: int, p: int, s: int) -> int:
    """Count the blocks that number every token of every input: p (n - 1) / delta^d + s.

    Source: Yun et al. (2020), 4.1 and Lemma 7 (which needs 1 / delta of at least 2).
    """
    return int(p * (n - 1) * steps**d + s)


def require_grid(d: int, steps: int) -> None:
    """Refuse a dimension, or a number of steps between 0 and 1, that no grid has."""
    require(d >= 1, f"d (embedding dimension) must be at least 1, not {d}")
    require(steps >= 2, f"1 / delta must be a whole number of at least 2, not {steps}")


@dataclass(frozen=True, slots=True)
class Depth:
    """The number of blocks that suffice for accuracy delta: 4.1 of Yun et al. (2020)."""

    n: int
    d: int
    steps: int
    p: int
    s: tuple[int, int]  # bounds
    walk: tuple[int, int]  # bounds on the edges of a covering walk
    # Whether a Hamiltonian path is known, which the construction of the paper needs.
    path: bool = True

    def __post_init__(self) -> None:
        require_grid(self.d, self.steps)
        bits = self.d * self.steps.bit_length()
        require(bits <= MOST_BITS, f"{self.steps}^{self.d} blocks are too many to write out")

    @property
    def quantization(self) -> int:
        """The blocks that round every entry down to a multiple of delta: d n / delta (Lemma 6)."""
        return self.d * self.n * self.steps

    @property
    def contextual(self) -> tuple[int, int] | None:
        """See `contextual_blocks`; for both bounds on s. None if no Hamiltonian path is known."""
        if not self.path:
            return None
        low, high = (contextual_blocks(self.n, self.d, self.steps, self.p, s) for s in self.s)
        return low, high

    @property
    def along_walk(self) -> tuple[int, int]:
        """The blocks that do the same along a walk, one wide window a step: p (T - 1) + s.

        For both bounds on s and on the walk; see docs/theory/universality.md.
        """
        low, high = (self.p * steps + s for steps, s in zip(self.walk, self.s, strict=True))
        return low, high

    @property
    def dense_contextual(self) -> int:
        """The blocks that do the same by full attention: n / delta^d + 1.

        Source: Yun et al., Are transformers universal approximators?, C.
        """
        return int(self.n * self.steps**self.d + 1)

    @property
    def value_log10(self) -> float:
        """The decimal logarithm of the blocks that map ids to values: n / delta^(d n) (Lemma 8)."""
        return math.log10(self.n) + self.d * self.n * math.log10(self.steps)

    def to_json(self) -> dict[str, Any]:
        """Return its part of `samapprox schema graph-check`."""
        printed = self.contextual
        return {
            "d": self.d,
            "steps": self.steps,
            "quantization": _count(self.quantization),
            "contextual": None if printed is None else [_count(blocks) for blocks in printed],
            "along_walk": [_count(blocks) for blocks in self.along_walk],
            "dense_contextual": _count(self.dense_contextual),
            "value": {"blocks": None, "log10": self.value_log10},
        }


def _count(blocks: int) -> dict[str, Any]:
    """Return a number of blocks, exactly where every reader of JSON can hold it."""
    return {"blocks": blocks if blocks < 1 << 53 else None, "log10": math.log10(blocks)}


@dataclass(frozen=True, slots=True)
class Universality:
    """The conditions under which sparse attention is universal, each with its witness.

    They are Assumption 1 of Yun et al. (2020), part by part, its weaker form without a Hamiltonian
    path, and the star of Zaheer et al. (2020).
    """

    # For every pattern that a layer can follow alone, the tokens that do not attend to themselves
    # (1.1 asks for none).
    without_loop: tuple[NDArray[np.int64], ...]
    # The permutation gamma of 1.2, checked; or why there is none; None if it was not sought.
    path: NDArray[np.int64] | NoPath | Unknown | None
    # The s of 1.3, or bounds on it; None where it is not finite, or was not sought because there
    # are no self-loops.
    layers: Hops | None
    # A query and a key that never reaches it, in any number of layers.
    unreachable: tuple[int, int] | None
    # Shows that every token hears of every other, checked; None if one does not.
    witness: Walk | Trees | None
    star: int | None  # the centre of a star that every such pattern contains
    # Whether heads of one layer have different patterns; the papers do not cover this.
    mixed_heads: bool

    @property
    def looped(self) -> bool:
        """Whether every token attends to itself in every pattern (1.1)."""
        return not any(tokens.size for tokens in self.without_loop)

    @property
    def assumption_1(self) -> bool | None:
        """Whether all three parts hold; None where that is not known."""
        if not self.looped or self.unreachable is not None:
            return False
        if isinstance(self.path, np.ndarray):
            return True
        return False if isinstance(self.path, NoPath) else None

    @property
    def universal(self) -> bool | None:
        """Whether such transformers approximate every continuous function; None if unknown.

        True where every token attends to itself and hears of every other, or by Theorem 1 of
        Zaheer et al. (with a probability map as in Assumption 2 of Yun et al., softmax among
        them); False where an output never depends on some input.
        """
        if self.unreachable is not None:
            return False
        return True if self.looped or self.star is not None else None

    def to_json(self) -> dict[str, Any]:
        """Return its part of `samapprox schema graph-check`."""
        path = self.path
        return {
            "universal": self.universal,
            "assumption_1": self.assumption_1,
            "without_loop": [tokens.tolist() for tokens in self.without_loop],
            "hamiltonian_path": path.tolist() if isinstance(path, np.ndarray) else None,
            "no_path": None
            if path is None or isinstance(path, np.ndarray)
            else asdict(path) | {"kind": type(path).__name__.lower(), "text": str(path)},
            "layers": None if self.layers is None else asdict(self.layers),
            "unreachable": self.unreachable,
            "witness": None if self.witness is None else self.witness.to_json(),
            "star": self.star,
            "mixed_heads": self.mixed_heads,
        }


def universality(
    attention: SparseAttention,
    *,
    path: bool = False,
    time_limit: float = 20.0,
    most_steps: int = MOST_STEPS,
    progress: OnProgress | None = None,
) -> Universality:
    """Check the conditions of universality (Yun et al., 2020, and Zaheer et al., 2020, Theorem 1).

    With `path`, a Hamiltonian path is searched for `time_limit` seconds; the order of the tokens,
    its reverse, and a covering walk without repetition are recognised in any case. After
    `most_steps` steps of work the number of layers is only bounded. O(n log n + edges), and what
    `diameter`, `layers_needed`, `find_walk` and `hamiltonian_path` take.
    """
    require_time_limit(time_limit)
    selectable, union = attention.selectable, attention.union
    missing = tuple(graph.without_loop for graph in selectable)
    hub = Hub.of(union)
    looped = not any(tokens.size for tokens in missing)
    witness = _witness(selectable, union, hub) if hub.reaches_all else None
    gamma = path_in_order(union)
    if gamma is None and isinstance(witness, Walk) and witness.is_path:
        gamma = witness.tokens
    return Universality(
        without_loop=missing,
        path=hamiltonian_path(union, time_limit, progress) if path and gamma is None else gamma,
        layers=least_layers(attention.by_layer(), union, most_steps, hub)
        if looped and hub.reaches_all
        else None,
        unreachable=None if hub.reaches_all else unreachable(union),
        witness=witness,
        star=star_centre(selectable),
        mixed_heads=attention.heads is Heads.MULTIHEAD and len(attention.patterns) > 1,
    )


def _witness(
    selectable: tuple[AttentionGraph, ...], union: AttentionGraph, hub: Hub
) -> Walk | Trees:
    """Return a covering walk where it is short, else the trees from which one follows."""
    walk = find_walk(selectable, union)
    return find_trees(selectable, union, hub) if walk is None else walk


def star_centre(patterns: tuple[AttentionGraph, ...]) -> int | None:
    """Find a token c that attends to all others in every pattern, and they to c and themselves.

    Source: Zaheer et al. (2020), Definition 1.
    """
    n = patterns[0].n
    central = np.ones(n, dtype=np.bool_)
    for graph in patterns:
        looped = np.ones(n, dtype=np.int64)
        looped[graph.without_loop] = 0
        central &= graph.out_degrees - looped == n - 1
        if not central.any():
            return None
        central &= graph.in_degrees - looped == n - 1
        lacking = n - int(looped.sum())
        central &= lacking - (1 - looped) == 0
    return int(np.argmax(central)) if central.any() else None


def least_layers(
    patterns: tuple[AttentionGraph, ...],
    union: AttentionGraph,
    most_steps: int = MOST_STEPS,
    hub: Hub | None = None,
) -> Hops:
    """Find the least s of 1.3, or bounds: an edge takes at least one layer and at most p."""
    apart = diameter(union, most_steps, hub)
    assert apart is not None
    if apart.upper == 0:  # a single token
        return Hops(1, 1, (0, 0))
    if len(patterns) == 1:
        return apart
    if star_centre(patterns) is not None and apart.lower == 2:
        return Hops(2, 2, apart.pair)
    upper = len(patterns) * apart.upper
    if upper * max(word_steps(graph) for graph in patterns) > most_steps:
        return Hops(apart.lower, upper, apart.pair)
    return layers_needed(patterns)
