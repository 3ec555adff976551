"""Sparse attention masks as patterns, and the dimensions that are known or proven for them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, pairwise

import numpy as np

from samapprox.attention.graphs import AttentionGraph, Spec, build, maker
from samapprox.errors import InputError
from samapprox.instance import Fact, Instance
from samapprox.proofs.refutations.topological import Topological
from samapprox.support.arrays import Flags, Numbers


def mask(graph: str = "bigbird:w=3,g=2,r=3", n: int = 64) -> Instance:
    """Make a sparse attention mask: query i has a 1 at the keys that it attends to.

    Graphs with several patterns (strided, fixed) give their union, unless the graph says pattern=0
    or 1. `mask_facts` states the known dimensions.

    Parameters
    ----------
    graph : str
        Name and parameters, such as "bigbird:w=3,g=2,r=3"; see docs/theory/graphs.md.
    n : int
        Number of tokens.

    Examples
    --------
    >>> instance = mask("window:w=3", n=5)
    >>> [(fact.d, fact.answer) for fact in instance.facts]
    [(2, 'YES'), (1, 'NO')]
    """
    return Instance(
        build(graph, n).union.pattern(),
        mask_facts(graph, n),
        {"family": "mask", "graph": graph, "n": n},
    )


Bound = tuple[int, str]


def mask_facts(graph: str, n: int, *, causal: bool = False) -> tuple[Fact, ...]:
    """Return the best proven YES and, unless it is trivial, the best proven NO of a mask.

    O(n + edges). Bounds of a family are left out where the text chooses one of its patterns, or
    takes edges away by ``causal=1``.

    >>> [(fact.answer, fact.d) for fact in mask_facts("star", 65536)]
    [('YES', 3), ('NO', 2)]
    >>> [(fact.answer, fact.d) for fact in mask_facts("strided", 4096, causal=True)]
    [('YES', 3), ('NO', 2)]
    """
    spec = Spec.parse(graph)
    made = spec.build(n).union
    found = list(_from_orders(made, causal=causal))
    below: list[Bound] = [(1, "")]
    if spec.pattern is None and not spec.causal and spec.name in _LOWER:
        signature = inspect.signature(maker(spec.name))
        bound = signature.bind(n, **spec.parameters)
        bound.apply_defaults()
        values = {name: int(value) for name, value in bound.arguments.items()}
        found += _UPPER[spec.name](values, causal) if spec.name in _UPPER else []
        below += _LOWER[spec.name](values, causal)
    upper, why = min(found, key=lambda one: one[0])
    lower, core = max(below, key=lambda one: one[0])
    yes = Fact(max(1, upper), None, "YES", why)
    return (yes,) if lower == 1 else (yes, Fact(lower - 1, None, "NO", core))


# ------------------------------------------------------------------------------- orders, any mask


def _from_orders(graph: AttentionGraph, *, causal: bool) -> Iterator[Bound]:
    """Bound by the moment curve, keys or queries in the order of the tokens."""
    if causal:
        changes = along_seen_keys(graph)
        yield changes, f"rows change at most {changes} times along the keys that they see"
    changes = along_keys(graph)
    yield changes, f"rows change at most {changes} times along the tokens: keys on the moment curve"
    changes = along_queries(graph)
    where = "along the tokens: queries on the moment curve"
    yield changes, f"columns change at most {changes} times {where}"


def along_keys(graph: AttentionGraph) -> int:
    """Count the most changes of a row along the tokens, keys that all attend to last.

    Their common sign on the curve may be turned, which makes them zeros to every row.
    """
    lines = Lines.of(graph)
    return lines.changes(None) if not lines.common else lines.changes_with_either_end()


def along_queries(graph: AttentionGraph) -> int:
    """Count the most changes of a column along the tokens, with the extra row of + last."""
    return Lines.of(graph.reverse()).changes_with_either_end()


def along_seen_keys(graph: AttentionGraph) -> int:
    """Count the most changes of a row among the keys up to its own."""
    seen, query = graph.causal(), np.arange(graph.n)
    common = seen.in_degrees == graph.n - query
    lines = Lines.without(seen, common, np.cumsum(~common))
    first = np.argmax(common) if common.any() else graph.n  # from there on there is a last 1
    ends = np.where(query >= first, 1, -1)
    return int(lines.counts(ends)[~lines.full].max(initial=0))


@dataclass(frozen=True, slots=True)
class Lines:
    """The rows of a mask without the columns that all rows have.

    `first, last, full`: shape (m,): Whether the row's first entry, its last one, all of them are 1.
    """

    runs: Numbers  # shape (m,): Runs of ones in every row
    first: Flags
    last: Flags
    full: Flags
    common: int  # Columns that are left out

    @classmethod
    def of(cls, graph: AttentionGraph) -> Lines:
        """Return all entries of the mask."""
        common = graph.in_degrees == graph.n
        lengths = np.full(graph.n, graph.n - int(common.sum()))
        return cls.without(graph, common, lengths)

    @classmethod
    def without(cls, graph: AttentionGraph, common: Flags, lengths: Numbers) -> Lines:
        """Return the entries of a row's first `lengths` columns, not counting `common` ones."""
        kept = ~common[graph.indices]
        place = (np.cumsum(~common) - 1)[graph.indices[kept]]
        starts = np.concatenate(([0], np.cumsum(kept)))[graph.indptr]
        counts = np.diff(starts)
        begins = np.ones(len(place) + 1, dtype=np.bool_)
        begins[1:-1] = np.diff(place) != 1
        begins[starts] = True
        runs = np.diff(np.concatenate(([0], np.cumsum(begins[:-1])))[starts])
        some = counts > 0
        first, last = np.zeros(len(counts), dtype=np.bool_), np.zeros(len(counts), dtype=np.bool_)
        first[some] = place[starts[:-1][some]] == 0
        last[some] = place[starts[1:][some] - 1] == lengths[some] - 1
        return cls(runs, first, last, counts == lengths, int(common.sum()))

    def counts(self, end: int | Numbers | None) -> Numbers:
        """Count changes of each row, with an entry 1 or 0 after its last one (-1 or None: none)."""
        within = 2 * self.runs - self.first - self.last
        if end is None:
            return np.asarray(within)
        return np.asarray(within + np.where(np.asarray(end) < 0, 0, self.last != end))

    def changes(self, end: int | None) -> int:
        """Return the most changes of a row that has a 0."""
        return int(self.counts(end)[~self.full].max(initial=0))

    def changes_with_either_end(self) -> int:
        """Return the same, with one more entry at the end that is 0 in all rows, or 1 in all."""
        return min(self.changes(0), self.changes(1))


# --------------------------------------------------------------------------------------- families


_SPLIT = "two rows split four keys in every way"
_APART = "three rows hold one of three keys each"


def _window(values: Mapping[str, int], causal: bool) -> list[Bound]:
    """Bound windows, dilated or not, with global tokens or not."""
    half, step, globals_ = values["w"] // 2, values.get("d", 1), values.get("g", 0)
    long = values["n"] - globals_ >= step * (2 * half + 2) + 1
    return [(2, _SPLIT if half else _APART)] if long and not causal else []


def _by_residues(values: Mapping[str, int], causal: bool) -> list[Bound]:
    """Order tokens by their residue, then by their place; global ones last."""
    if causal and values["d"] <= 2 and not values.get("g", 0):
        return [(1, "even tokens upwards, odd ones downwards: each row holds an end")]
    return [(2, "in the order of residues every row is a run")]


def _bigbird(values: Mapping[str, int], causal: bool) -> list[Bound]:
    """Refute by two rows with whole windows, which share a global key and are not equal."""
    half, g = values["w"] // 2, values["g"]
    keys = 2 * half + 1 + g + values["r"]
    long = values["n"] > max(2 * keys, keys + g + 2 * half)
    return [(2, _SPLIT)] if g and long and not causal else []


def _star(values: Mapping[str, int], causal: bool) -> list[Bound]:
    """Refute by pairs of neighbours all around a ring, with the relay."""
    n, w = values["n"], values["w"]
    if causal:
        return [(2, _SPLIT)] if n >= 3 * w + 3 else []
    return [(3, "pairs of neighbours around a ring are no runs of a line")] if n > 4 * w + 4 else []


def _fixed(values: Mapping[str, int], causal: bool) -> list[Bound]:
    """Return a token of each of three segments that is not its last."""
    three = values["w"] >= 2 and values["n"] > 2 * values["w"]
    return [(2, _APART)] if three and not causal else []


def _strided_upper(values: Mapping[str, int], causal: bool) -> list[Bound]:
    """Order the keys of a single block; place residues on a parabola, with powers of a number."""
    if values["n"] <= values["w"]:
        return [(1, "each row has the first keys or the last ones")]
    dimension = 3 if causal else 6
    return [(dimension, "residues on a parabola, places as powers of a large number")]


# The strides 8 and 9 need so many dimensions from so many blocks and further tokens on; the first
# holds under --causal as well. Larger strides of the same parity contain what refutes one less.
_STRIDES = ((3, 1, 3), (4, 2, 1), (5, 3, 2), (6, 4, 3))


def _strided(values: Mapping[str, int], causal: bool) -> list[Bound]:
    """Two rows on four keys; a row for a residue and a window; what refutes a smaller stride."""
    n, w = values["n"], values["w"]
    splits = "keys of distinct residues are split in every way"
    found: list[Bound] = []
    if w >= 6 and n >= w + 1:
        found.append((2, f"rows {w - 1} and {w} split four keys in every way"))
    if w >= 5 and n >= 4 * w + 4:
        found.append((3, f"four {splits}"))
    if w >= 5 and n >= 10 * w + 5 and not causal:
        found.append((4, f"five {splits}"))
    smaller = 8 + w % 2
    for least, blocks, rest in _STRIDES[:1] if causal else _STRIDES:
        if w >= smaller and n >= blocks * w + rest:
            tokens = blocks * smaller + rest
            why = f"contains what refutes d = {least - 1} in stride {smaller} on {tokens} tokens"
            found.append((least, why))
    return found


def _block_sparse(values: Mapping[str, int], causal: bool) -> list[Bound]:
    """Refute by rows 1 and b k on the keys 0, 1, 2 and b k + 1."""
    behind = values["b"] * values["k"]
    split = 2 <= behind <= values["n"] - 2 and values["c"] < values["b"]
    return [(2, _SPLIT)] if split and not causal else []


_Bounds = dict[str, Callable[[Mapping[str, int], bool], list[Bound]]]
"""Family -> bounds, from its parameters (with n) and whether it is seen causally."""

_UPPER: _Bounds = {
    "dilated": _by_residues,
    "longformer": _by_residues,
    "strided": _strided_upper,
}
_LOWER: _Bounds = {
    "window": _window,
    "dilated": _window,
    "longformer": _window,
    "bigbird": _bigbird,
    "star": _star,
    "fixed": _fixed,
    "strided": _strided,
    "block-sparse": _block_sparse,
}


_MOST_TOKENS = 1 << 20  # larger proofs take gigabytes


def star_refutation(n: int, w: int = 1) -> Topological:
    """Return a proof that the star mask has no embedding in the plane, for n >= 4w + 5.

    The keys are the relay r, token b = 0, and a path around the ring from a = w + 1 to c = n - 2 -
    w that avoids the window of b. On a, b, c and r the rows make all splits but one, {a, c, r}; the
    path is its detour. Any refutation needs ceil((n - 1) / (2w)) + 1 keys: for w = 1 this one has
    no more. docs/theory/detours.md proves both.
    """
    if w < 1 or n < 4 * w + 5:
        raise InputError(f"the proof needs w >= 1 and n >= 4w + 5, not w = {w} and n = {n}")
    if n > _MOST_TOKENS:
        raise InputError(f"the proof is written down for at most {_MOST_TOKENS} tokens, not {n}")
    numbers = chain.from_iterable(_star_members(n - 1, w))
    members = np.fromiter(numbers, dtype=np.int64).reshape(-1, 5)
    rows, columns = np.unique(np.append(-1, members[:, 0])), np.unique(members[:, 1:])
    members[:, 0] = np.searchsorted(rows, members[:, 0])
    members[:, 1:] = np.searchsorted(columns, members[:, 1:])
    return Topological(2, rows[1:], columns, "columns", members)


def _star_members(ring: int, w: int) -> Iterator[list[int]]:
    """Yield a row (-1 for row 0) and four ascending keys, for each member."""
    a, b, c, r = w + 1, 0, ring - w - 1, ring
    # The rows of r alone, with a, b, c, then with a and b, b and c; and row 0.
    for row in (2 * w + 2, w + 1, 0, ring - w - 1, 1, ring - 1, -1):
        yield [row, b, a, c, r]
    path = [*range(a, c, 2 * w), c]
    for x, y in pairwise(path):
        yield [max(y - w, w + 1), b, x, y, r]  # holds x, y and r, not b
        if y != c:
            yield [0, b, x, y, c]  # holds b, not x, y and c
            yield [-1, x, y, c, r]
