"""Cells of pseudoline arrangements and topes of oriented matroids: the hard case for d = 2."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from samapprox.errors import InputError
from samapprox.instance import Fact, Instance
from samapprox.pattern import Pattern
from samapprox.reductions.families.parameters import Origin
from samapprox.reductions.oriented_matroid import (
    OrientedMatroid,
    colexicographic,
    orientations,
    require_size,
)
from samapprox.reductions.padding import pad_instance
from samapprox.reductions.stretchability import Arrangement, line_cell_pattern
from samapprox.support.parameters import random_stream, require

KINDS = ("pappus", "lines", "pseudolines")

_PAPPUS = (
    (-1, 0, 1),
    (0, 0, 1),
    (1, 0, 1),
    (2, 2, 1),
    (-1, 2, 1),
    (0, 2, 1),
    (0, 1, 1),
    (1, 2, 0),
    (-1, -1, 1),
)
"""Nine lines, as vectors: nine triples of them meet in a point, all others do not."""

_EXCLUDED = "-+++-++--"
"""Orientations of the nine triples, in lexicographic order, that Pappus' theorem excludes.

So do their opposites, and no others: docs/theory/stretchability.md.
"""

_RANGE = 1 << 12  # coefficients are whole numbers up to this


def stretch(
    kind: str = "pappus", lines: int = 8, resolution: int = 0, seed: int = 0, d: int = 2
) -> Instance:
    """Make the line-cell pattern of an arrangement: YES for d = 2 if it is stretchable.

    Parameters
    ----------
    kind : str
        pappus (8 pseudolines, and one at infinity, that nearly form Pappus' configuration), lines
        (random straight ones), or pseudolines (a random wiring diagram).
    lines : int
        Number of pseudolines, at most 200. With pappus (at most 22), those beyond 8 are added at
        random where they do not change the answer.
    resolution : int
        The side to which each of Pappus' nine triple points opens, as nine bits. 0 and 511 are
        Ringel's arrangement, which is not stretchable; the other 510 are stretchable.
    seed : int
        Chooses what is random.
    d : int
        The dimension that represents the pattern if and only if the arrangement is stretchable, at
        least 2. Each dimension beyond 2 doubles the number of rows.

    Raises
    ------
    InputError
        No such kind, number of lines or resolution.

    Notes
    -----
    Nothing is claimed for d = 2 about more than 7 pseudolines of a random wiring diagram; up to 7,
    with the line at infinity 8, all arrangements are stretchable (Goodman and Pollack 1980).

    References
    ----------
    Ringel (1956), "Teilungen der Ebene durch Geraden oder topologische Geraden".

    Examples
    --------
    >>> instance = stretch()
    >>> instance.pattern.shape, [(fact.d, fact.answer) for fact in instance.facts]
    ((8, 37), [(1, 'NO'), (2, 'NO'), (3, 'YES')])
    >>> [(fact.d, fact.answer) for fact in stretch(resolution=1, lines=10).facts]
    [(1, 'NO'), (2, 'YES')]
    >>> [(fact.d, fact.answer) for fact in stretch(d=4).facts]
    [(3, 'NO'), (4, 'NO'), (5, 'YES')]
    """
    require(kind in KINDS, f"the kind must be one of {', '.join(KINDS)}, not {kind!r}")
    least, most = (8, 30) if kind == "pappus" else (1, 200)
    require(least <= lines <= most, f"{kind} has {least}..{most} lines, not {lines}")
    require(0 <= resolution <= 511, f"the resolution must be in 0..511, not {resolution}")
    require(kind == "pappus" or resolution == 0, f"{kind} have no resolution")
    require(d >= 2, f"d must be at least 2, not {d}")
    rng = random_stream(seed)
    facts = []
    if lines > 1:
        facts.append(Fact(1, None, "NO", "more cells than points cut a line into"))
    if kind == "pappus":
        matroid = _nearly_pappus(resolution)
        for _ in range(lines - 8):
            matroid = _extended(matroid, rng)
        arrangement = Arrangement.from_oriented_matroid(matroid)
        facts += _pappus_facts(resolution, lines)
    elif kind == "lines":
        arrangement = _straight(lines, rng)
        facts.append(Fact(2, None, "YES", "cells of straight lines"))
    else:
        arrangement = _wired(lines, rng)
        if lines <= 7:
            facts.append(Fact(2, None, "YES", "at most 8 pseudolines with the one at infinity"))
    origin: Origin = {"family": "stretch", "kind": kind, "lines": lines, "resolution": resolution}
    origin |= {"seed": seed, "d": d}
    pattern = line_cell_pattern(arrangement)
    return pad_instance(Instance(pattern, tuple(facts), origin), d - 2)


def _nearly_pappus(resolution: int) -> OrientedMatroid:
    """Open the triple points of Pappus' lines: bit k = 1 turns the kth away from `_EXCLUDED`."""
    signs = dict(zip(colexicographic(9, 3), orientations(_PAPPUS), strict=True))
    points = sorted(triple for triple, sign in signs.items() if sign == 0)
    for number, (triple, excluded) in enumerate(zip(points, _EXCLUDED, strict=True)):
        signs[triple] = (1 if excluded == "+" else -1) * (-1) ** (resolution >> number & 1)
    return OrientedMatroid(3, 9, "".join("-+"[sign > 0] for sign in signs.values()))


def _pappus_facts(resolution: int, lines: int) -> list[Fact]:
    if resolution not in (0, 511):
        return [Fact(2, None, "YES", "Pappus' lines, moved a little")]
    facts = [Fact(2, None, "NO", "Ringel's arrangement is not stretchable (Pappus' theorem)")]
    if lines == 8:
        facts.append(Fact(3, None, "YES", "an integer embedding was found and checked exactly"))
    return facts


def _extended(matroid: OrientedMatroid, rng: np.random.RandomState) -> OrientedMatroid:
    """Add one random pseudoline, which keeps a stretchable arrangement stretchable."""
    elements = rng.permutation(matroid.elements)[:3].tolist()
    signs = (1 - 2 * rng.randint(0, 2, size=3, dtype=np.int64)).tolist()
    return matroid.extend(list(zip(elements, signs, strict=True)))


def _straight(lines: int, rng: np.random.RandomState) -> Arrangement:
    """Draw random lines until they are in general position."""
    while True:
        rows = rng.randint(-_RANGE, _RANGE + 1, size=(lines, 3), dtype=np.int64)
        rows[:, 1] = rng.randint(1, _RANGE + 1, size=lines, dtype=np.int64)
        ascending = sorted(rows.tolist(), key=lambda line: Fraction(-line[0], line[1]))
        try:
            return Arrangement.from_lines(ascending)
        except InputError:
            continue


def _wired(lines: int, rng: np.random.RandomState) -> Arrangement:
    """Draw a random wiring diagram: neighbours that have not crossed cross until all have."""
    order = np.arange(lines)
    swaps: list[int] = []
    while True:
        open_ = np.flatnonzero(order[:-1] < order[1:])
        if not open_.size:
            return Arrangement.from_wiring(lines, swaps)
        place = int(open_[rng.randint(open_.size, dtype=np.int64)])
        order[[place, place + 1]] = order[[place + 1, place]]
        swaps.append(place)


def topes(
    rank: int = 3, elements: int = 9, chirotope: str = "", seed: int = 0, d: int = 0
) -> Instance:
    """Make all topes of a uniform oriented matroid: YES for d = rank - 1 iff it is realizable.

    Keys are the elements, and each pair of antipodal topes is one query, with a 1 where it agrees
    with key 0. If + on all elements is not a tope, the elements are reoriented so that it is; that
    pair is left out, since it constrains nothing.

    Parameters
    ----------
    rank : int
        Rank of the oriented matroid, at least 2.
    elements : int
        Number of keys.
    chirotope : str
        The signs + and - of all subsets of `rank` elements, in colexicographic order ("reverse
        lexicographic": 012, 013, 023, 123, 014, ..); by default those of random integer vectors.
    seed : int
        Chooses the vectors.
    d : int
        The dimension that represents the pattern if and only if the oriented matroid is realizable,
        at least rank - 1, which 0 stands for. Each further dimension doubles the number of rows.

    Raises
    ------
    InputError
        Not a chirotope of this rank and size, or too large.

    Notes
    -----
    NO for d = rank - 2, which has room for fewer topes. Realizability is known for rank 2, for rank
    3 up to 8 elements, and for the duals of these.

    References
    ----------
    Goodman and Pollack (1980), "Proof of Gruenbaum's Conjecture on the Stretchability of Certain
    Arrangements of Pseudolines".

    Examples
    --------
    >>> print(topes(3, 4, "++++").pattern.to_text())
    1110
    1101
    1100
    1011
    1001
    1000
    >>> [(fact.d, fact.answer) for fact in topes().facts]
    [(1, 'NO'), (2, 'YES')]
    >>> [(fact.d, fact.answer) for fact in topes(d=3).facts]
    [(2, 'NO'), (3, 'YES')]
    """
    rng = random_stream(seed)
    require_size(rank, elements)
    require(d == 0 or d >= rank - 1, f"d must be at least rank - 1 = {rank - 1}, not {d}")
    matroid = (
        OrientedMatroid(rank, elements, chirotope) if chirotope else _random(rank, elements, rng)
    )
    signs = matroid.topes()
    signs = np.unique(signs * signs[0], axis=0)[-2::-1]
    facts = []
    if rank > 2:
        facts.append(Fact(rank - 2, None, "NO", "more topes than the dimension has room for"))
    if not chirotope:
        facts.append(Fact(rank - 1, None, "YES", "topes of vectors of whole numbers"))
    elif matroid.surely_realizable:
        facts.append(Fact(rank - 1, None, "YES", "all of this rank and size are realizable"))
    origin: Origin = {"family": "topes", "rank": rank, "elements": elements, "chirotope": chirotope}
    origin |= {"seed": seed, "d": d}
    instance = Instance(Pattern.from_array(signs > 0), tuple(facts), origin)
    return pad_instance(instance, max(0, d - rank + 1))


def _random(rank: int, elements: int, rng: np.random.RandomState) -> OrientedMatroid:
    """Draw random vectors until they are in general position."""
    while True:
        vectors = rng.randint(-_RANGE, _RANGE + 1, size=(elements, rank), dtype=np.int64)
        try:
            return OrientedMatroid.from_vectors(vectors)
        except InputError:
            continue
