"""Bounds of masks for every number of tokens: no decision contradicts them, and proofs hold."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from helpers.paths import ROOT
from hypothesis import given
from hypothesis import strategies as st

from samapprox import Certificate, Embedding, InputError, Pattern, Problem, decide, weak_dimension
from samapprox.attention.graphs import AttentionGraph
from samapprox.attention.graphs.masks import star
from samapprox.proofs.checker import check
from samapprox.proofs.refutations.radon import Radon
from samapprox.proofs.refutations.shattering import Shattering
from samapprox.reductions.families import generate
from samapprox.reductions.families.mask import (
    along_keys,
    along_queries,
    along_seen_keys,
    mask_facts,
    star_refutation,
)


def mask(graph: str, n: int, *, causal: bool = False) -> Pattern:
    return generate("mask", graph=graph, n=n, causal=causal).pattern


def bounds(graph: str, n: int, *, causal: bool = False) -> tuple[int, int]:
    facts = {fact.answer: fact.d for fact in mask_facts(graph, n, causal=causal)}
    return facts.get("NO", 0) + 1, facts["YES"]


# ------------------------------------------------------------------ no decision contradicts a fact

SMALL = [
    *(f"window:w={w}" for w in (1, 3, 5)),
    *("dilated", "dilated:d=3", "dilated:w=1,d=2"),
    *("star", "star:w=2", "longformer", "longformer:w=1,g=2", "longformer:d=2,g=2"),
    *("fixed:w=1", "fixed:w=2", "fixed:w=4", "strided:w=2", "strided:w=3", "strided:w=4"),
    *("strided:w=8", "strided:w=9"),
    *("block-sparse:b=1,k=2", "block-sparse:b=3", "block-sparse:b=3,c=3", "block-sparse:b=2,k=2"),
    *("bigbird:w=1,g=1,r=1", "bigbird:w=3,g=1,r=2", "bigbird-block:b=2", "random-keys:r=2", "full"),
]


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("graph", SMALL)
@pytest.mark.parametrize("n", [7, 8, 10, 13, 16])
def test_they_hold_for_small_masks(graph: str, n: int, causal: bool) -> None:
    if "block:b=2" in graph and n < 14:
        return  # too few blocks
    lower, upper = bounds(graph, n, causal=causal)
    assert lower <= upper
    pattern = mask(graph, n, causal=causal)
    if lower > 1:
        assert decide(pattern, lower - 1, time_limit=3).status.value != "YES"
    assert decide(pattern, upper, time_limit=3).status.value != "NO"


@pytest.mark.parametrize(
    ("graph", "n", "least"),
    [
        ("window:w=3", 5, 2),
        ("window:w=5", 7, 2),
        ("dilated", 9, 2),
        ("star", 9, 3),
        ("star", 10, 3),
        ("star", 11, 3),
        ("star:w=2", 13, 3),
        ("longformer:w=3,g=1", 6, 2),
        ("fixed:w=3", 7, 2),
        ("block-sparse:b=4", 6, 2),
    ],
)
def test_lower_bounds_begin_where_they_say(graph: str, n: int, least: int) -> None:
    """They meet the upper ones from this n on, and are found by decisions."""
    assert bounds(graph, n) == (least, least)
    found = weak_dimension(mask(graph, n), time_limit=30)
    assert (found.lower, found.upper) == (least, least)


@pytest.mark.parametrize(
    ("graph", "n"),
    [("window:w=3", 4), ("window:w=5", 6), ("fixed:w=3", 6), ("block-sparse:b=4", 5)],
)
def test_shorter_ones_fit_on_a_line(graph: str, n: int) -> None:
    assert bounds(graph, n)[0] == 1
    assert decide(mask(graph, n), 1).status.value == "YES"


def test_shorter_stars_are_not_refuted() -> None:
    assert bounds("star", 8)[0] == 1
    assert decide(mask("star", 8), 2, time_limit=20).status.value == "YES"


# ---------------------------------------------------------------------- what the proofs are made of


def changes(line: np.ndarray) -> int:
    """Between neighbours that are not *."""
    seen = line[line != -1]
    return int((seen[1:] != seen[:-1]).sum())


@given(st.integers(2, 9), st.integers(0, 2**31), st.sampled_from([0.2, 0.5, 0.8]))
def test_changes_of_any_mask(n: int, seed: int, density: float) -> None:
    """Against dense lines: columns of ones last, with either sign; rows of ones do not count."""
    entries = (np.random.RandomState(seed).random_sample((n, n)) < density).astype(np.int8)
    entries[np.arange(n), np.arange(n)] = 1
    graph = AttentionGraph.from_pattern(Pattern.from_array(entries))

    def most(lines: np.ndarray, ends: list[list[int]]) -> int:
        kept = [line for line in lines if not (line != 0).all()]
        counts = [[changes(np.append(line, end)) for line in kept] for end in ends]
        return min(max(one, default=0) for one in counts)

    common = entries.all(axis=0)
    ends: list[list[int]] = [[0], [1]] if common.any() else [[]]
    assert along_keys(graph) == most(entries[:, ~common], ends)
    full = entries.all(axis=1)
    assert along_queries(graph) == most(entries[~full].T, [[0], [1]])
    seen = np.where(np.tri(n, dtype=bool), entries, -1)
    late = (seen != 0).all(axis=0)
    assert along_seen_keys(graph) == most(np.hstack([seen[:, ~late], seen[:, late]]), [[]])


@pytest.mark.parametrize("graph", ["star", "bigbird:w=3,g=2,r=3", "block-sparse", "longformer"])
@pytest.mark.parametrize("causal", [False, True])
def test_changes_suffice_to_embed(graph: str, causal: bool) -> None:
    """`orders` and the numeric searches reach the bound on masks of 48 tokens."""
    upper = bounds(graph, 48, causal=causal)[1]
    verdict = decide(mask(graph, 48, causal=causal), upper, time_limit=60)
    assert verdict.status.value == "YES"


@pytest.mark.parametrize("w", [1, 2, 3, 5])
@pytest.mark.parametrize("extra", [0, 1, 2, 7, 60])
def test_stars_contain_a_ring_of_pairs(w: int, extra: int) -> None:
    """Keys around the ring and the relay: rows with each pair of neighbours.

    There are at least four keys with a row for each alone; or, where the ring is odd and w = 1, at
    least three, and two neighbours that have no row for themselves.
    """
    n = 4 * w + 5 + extra
    keys = ring_of_keys(n - 1, w)
    entries = mask(f"star:w={w}", n).to_array()
    rows = {tuple(np.flatnonzero(entries[row, keys]).tolist()) for row in range(n - 1)}
    assert (entries[:, n - 1] == 1).all()
    size = len(keys)
    pairs = {tuple(sorted((at, (at + 1) % size))) for at in range(size)}
    singles = {(at,) for at in range(size)}
    assert pairs <= rows
    missing = singles - rows
    if w == 1 and n % 2 == 0:
        assert missing == {(0,), (1,)}
        assert size - 2 >= 3
    else:
        assert not missing
        assert size >= 4


def ring_of_keys(ring: int, w: int) -> list[int]:
    """Places around a ring with gaps of w + 1 to 2w; for w = 1, of 2 but for one of 1."""
    if w == 1:
        return list(range(0, ring, 2)) if ring % 2 == 0 else [0, *range(1, ring, 2)]
    size = ring // (w + 1)
    places = np.arange(size + 1) * ring // size
    assert all(w + 1 <= gap <= 2 * w for gap in np.diff(places))
    return [int(place) for place in places[:-1]]


@pytest.mark.parametrize("graph", ["window:w=5", "dilated:w=3,d=3", "longformer:w=3,g=2,d=2"])
@pytest.mark.parametrize("n", [40, 700])
def test_two_rows_of_a_window_split_keys_in_every_way(graph: str, n: int) -> None:
    values = dict(part.split("=") for part in graph.partition(":")[2].split(","))
    half, step, first = int(values["w"]) // 2, int(values.get("d", 1)), int(values.get("g", 0))
    rows = [first, first + step * (half + 1)]
    columns = [first + step * place for place in (0, 1, half + 1, 2 * half + 2)]
    assert check(Problem(mask(graph, n), 1), Shattering(rows, columns)) is None


@pytest.mark.parametrize("graph", ["block-sparse", "block-sparse:b=2,k=3"])
def test_two_rows_of_block_sparse_ones_do(graph: str) -> None:
    behind = 16 if graph == "block-sparse" else 6
    proof = Shattering([1, behind], [0, 1, 2, behind + 1])
    assert check(Problem(mask(graph, 300), 1), proof) is None


@pytest.mark.parametrize("w", [1, 2, 4])
@pytest.mark.parametrize("extra", [0, 1, 30])
def test_two_rows_of_a_causal_star_do(w: int, extra: int) -> None:
    ring = 3 * w + 2 + extra
    proof = Shattering([ring - 1 - w, ring - 1], [0, w, ring - 2 - w, ring - 1 - w])
    assert check(Problem(mask(f"star:w={w}", ring + 1, causal=True), 1), proof) is None


def stretched(tokens: np.ndarray, stride: int, w: int) -> np.ndarray:
    """Tokens of stride w: residues from half the stride on move up by half the difference."""
    blocks, residues = np.divmod(tokens, stride)
    return blocks * w + residues + np.where(residues < stride // 2, 0, (w - stride) // 2)


def is_changed(rows: np.ndarray, columns: np.ndarray, stride: int) -> np.ndarray:
    """Whether entries may change where an odd stride is stretched: one key at a window's end."""
    middle, last = (rows % stride == stride // 2), (columns % stride == stride - 1)
    return (stride % 2 == 1) & middle & last & (columns // stride == rows // stride - 1)


@pytest.mark.parametrize("w", [8, 9, 10, 11, 50, 51])
@pytest.mark.parametrize("extra", [0, 40])
@pytest.mark.parametrize(
    ("blocks", "rest", "causal"), [(1, 3, True), (2, 1, False), (3, 2, False), (4, 3, False)]
)
def test_strides_contain_what_refutes_a_smaller_one(
    w: int, extra: int, blocks: int, rest: int, causal: bool
) -> None:
    """The certificate holds without the entries that change, and all others are in stride w."""
    stride = 8 + w % 2
    tokens, n = blocks * stride + rest, blocks * w + rest
    small = mask(f"strided:w={stride}", tokens, causal=causal).to_array()
    places = stretched(np.arange(tokens), stride, w)
    assert places[-1] == n - 1
    large = mask(f"strided:w={w}", n + extra, causal=causal).to_array()[np.ix_(places, places)]
    free = is_changed(*np.indices(small.shape), stride)
    assert (small[free] == 1).all()
    assert (large[free] == (w == stride)).all()
    assert (large == small)[~free].all()

    name = f"strided-w-{stride}-n-{tokens}{'-causal' * causal}.no.json.gz"
    certificate = Certificate.load(ROOT / "benchmarks" / "certificates" / "masks" / name)
    used = Pattern.from_array(small == 1, (small != -1) & ~free)
    assert certificate.verify(used).valid
    least = certificate.d + 1
    assert bounds(f"strided:w={w}", n, causal=causal)[0] == least
    assert bounds(f"strided:w={w}", n - 1, causal=causal)[0] == least - 1
    assert bounds(f"strided:w={w}", n + extra)[0] >= least


@pytest.mark.parametrize("w", [6, 7, 8, 9, 40])
@pytest.mark.parametrize("causal", [False, True])
def test_two_rows_of_a_stride_do_from_its_second_block_on(w: int, causal: bool) -> None:
    before = -(-w // 2)
    proof = Shattering([w - 1, w], [0, w - 2 - before, w - 1 - before, w - 1])
    for n in (w + 1, w + 2, 3 * w):
        assert check(Problem(mask(f"strided:w={w}", n, causal=causal), 1), proof) is None
        assert bounds(f"strided:w={w}", n, causal=causal)[0] >= 2
    assert bounds(f"strided:w={w}", w, causal=causal) == (1, 1)
    assert decide(mask(f"strided:w={w}", w, causal=causal), 1).status.value == "YES"


@pytest.mark.parametrize("w", [5, 6, 11, 16, 31])
@pytest.mark.parametrize("extra", [0, 1, 50])
def test_strides_split_five_keys_in_every_way(w: int, extra: int) -> None:
    """A row of one key's residue, with another key in its window; and the row of a key itself."""
    keys = [w * (2 * m + 1) + m for m in range(5)]
    near = range(-(w // 2), -(-w // 2) + 1)
    pairs = [
        next(key + t for t in near if (key + t - other) % w == 0)
        for key, other in combinations(keys, 2)
    ]
    n = 10 * w + 5 + extra
    assert check(Problem(mask(f"strided:w={w}", n), 3), Radon(keys + pairs, keys)) is None
    assert bounds(f"strided:w={w}", n)[0] >= 4


@pytest.mark.parametrize("w", [5, 6, 11, 16, 31])
@pytest.mark.parametrize("extra", [0, 1, 50])
def test_causal_strides_split_four_keys_in_every_way(w: int, extra: int) -> None:
    keys = [1, 2, 3, 2 * w]
    rows = [*(2 * w + m for m in range(4)), *(4 * w + m for m in range(1, 4))]
    n = 4 * w + 4 + extra
    pattern = mask(f"strided:w={w}", n, causal=True)
    assert check(Problem(pattern, 2), Radon(rows, keys)) is None
    assert bounds(f"strided:w={w}", n, causal=True) == (3, 3)


@pytest.mark.parametrize(("w", "n"), [(2, 30), (3, 31), (4, 50), (16, 70)])
def test_stride_in_six_dimensions(w: int, n: int) -> None:
    """(x_j - x_i)^2 (K^(j - i - after - 1) + K^(i - before - 1 - j)) < 1/2 on the ones alone."""
    before, after, K = -(-w // 2), w // 2, 4 * w * w
    keys, queries, thresholds = [], [], []
    for j in range(n):
        x, power = j % w, K**j
        keys.append([power, power**2, x * power**2, x**2 * power**2, x, x**2])
    for i in range(n):
        x, left, right = i % w, 2 * K ** (2 * i + after - before + 1), 2 * K
        square = [x * x, -2 * x, 1]
        scale = K ** (i + after + 2)
        queries.append([scale, *(-right * c for c in square), *(-left * c for c in square[1:])])
        thresholds.append(left * square[0])
    embedding = Embedding(
        np.array(queries, dtype=object),
        np.array(keys, dtype=object),
        np.array(thresholds, dtype=object),
    )
    assert embedding.dimension == bounds("strided", 4096)[1] == 6
    assert check(Problem(mask(f"strided:w={w}", n), 6), embedding) is None


@pytest.mark.parametrize(("w", "n"), [(2, 30), (3, 31), (4, 50), (16, 128)])
def test_causal_stride_in_three_dimensions(w: int, n: int) -> None:
    """4 (x_j - x_i)^2 < 1 + 4 w^2 K^(j + before - i) on the ones that a row sees, alone."""
    before, K = -(-w // 2), 4 * w * w
    keys = [[j % w, (j % w) ** 2, K**j] for j in range(n)]
    queries, thresholds = [], []
    for i in range(n):
        x, scale = i % w, K**i
        queries.append([8 * x * scale, -4 * scale, 4 * w * w * K**before])
        thresholds.append(4 * x * x * scale - scale)
    embedding = Embedding(
        np.array(queries, dtype=object),
        np.array(keys, dtype=object),
        np.array(thresholds, dtype=object),
    )
    assert embedding.dimension == bounds("strided", 4096, causal=True)[1] == 3
    assert check(Problem(mask(f"strided:w={w}", n, causal=True), 3), embedding) is None


def test_one_pattern_of_several_and_edges_taken_away_have_orders_alone() -> None:
    assert bounds("strided:pattern=1,w=4", 64) == (1, 32)
    assert bounds("star:causal=1", 64)[0] == 1


def pattern_of(n: int, w: int) -> Pattern:
    return star(n, w).pattern()


def refutes(n: int, w: int) -> None:
    """Check the proof, its length, and the number of its keys."""
    proof = star_refutation(n, w)
    assert check(Problem(pattern_of(n, w), 2), proof) is None
    steps = -(-(n - 2 * w - 3) // (2 * w))
    assert len(proof.members) == 3 * steps + 5
    assert len(proof.columns) == steps + 3
    least = -(-(n - 1) // (2 * w)) + 1
    assert least <= len(proof.columns) <= least + 1
    assert w > 1 or len(proof.columns) == least


@pytest.mark.parametrize("w", range(1, 7))
def test_star_masks_from_the_first_that_needs_three_dimensions(w: int) -> None:
    for n in range(4 * w + 5, 4 * w + 45):
        refutes(n, w)


@pytest.mark.parametrize("n", [127, 128, 255, 256, 511, 512, 1023, 1024])
@pytest.mark.parametrize("w", [1, 2, 3, 16, 30])
def test_long_star_masks(n: int, w: int) -> None:
    refutes(n, w)


@pytest.mark.slow
@pytest.mark.parametrize("w", [1, 2, 3])
def test_every_star_mask_up_to_1024_tokens(w: int) -> None:
    for n in range(4 * w + 5, 1025):
        refutes(n, w)


def test_it_does_not_hold_for_another_mask() -> None:
    """A ring without one of its pairs of neighbours fits into the plane."""
    entries = pattern_of(16, 1).to_array()
    entries[[5, 6], [6, 5]] = 0
    entries[5:7, 4:8] = [[1, 1, 0, 0], [0, 0, 1, 1]]
    assert weak_dimension(entries, time_limit=20).upper == 2
    assert check(Problem(Pattern(entries), 2), star_refutation(16)) is not None


@pytest.mark.parametrize(("n", "w"), [(8, 1), (12, 2), (0, 1), (9, 0), (9, -3)])
def test_too_few_tokens_are_refused(n: int, w: int) -> None:
    with pytest.raises(InputError, match=r"w >= 1 and n >= 4w \+ 5"):
        star_refutation(n, w)


def test_too_many_tokens_are_refused() -> None:
    with pytest.raises(InputError, match="at most 1048576 tokens"):
        star_refutation(10**12)
