"""Pseudolines, their patterns, and the way back from an embedding to straight lines."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from fractions import Fraction
from itertools import combinations, permutations, product
from pathlib import Path
from random import Random

import numpy as np
import pytest
from click.testing import CliRunner
from helpers.paths import ROOT
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from samapprox import Embedding, InputError, Problem, decide, load
from samapprox.cli.main import cli
from samapprox.proofs.checker import check
from samapprox.proofs.refutations.final_polynomial import FinalPolynomial, Step, brackets
from samapprox.reductions.families.arrangements import _EXCLUDED, _PAPPUS, _nearly_pappus
from samapprox.reductions.oriented_matroid import OrientedMatroid, colexicographic, orientations
from samapprox.reductions.stretchability import Arrangement, embed_lines, line_cell_pattern, stretch

Line = tuple[int, int, int]

coefficients = st.tuples(st.integers(-30, 30), st.integers(1, 9), st.integers(-30, 30))


@st.composite
def straight(draw: st.DrawFn, least: int = 1, most: int = 6) -> list[Line]:
    """Lines in general position, as the library wants them."""
    lines = draw(st.lists(coefficients, min_size=least, max_size=most))
    lines.sort(key=lambda line: Fraction(-line[0], line[1]))
    assume(all(a * f != b * e for (a, b, _), (e, f, _) in combinations(lines, 2)))
    assume(all(determinant(*three) for three in combinations(lines, 3)))
    return lines


def determinant(p: Line, q: Line, r: Line) -> int:
    return sum(
        p[k] * (q[(k + 1) % 3] * r[(k + 2) % 3] - q[(k + 2) % 3] * r[(k + 1) % 3]) for k in range(3)
    )


def cells_at_crossings(lines: list[Line]) -> set[tuple[int, ...]]:
    """Every cell of two or more lines in general position has a corner, and a corner four cells."""
    cells = set()
    for i, j in combinations(range(len(lines)), 2):
        (a, b, c), (e, f, g) = lines[i], lines[j]
        x, y = Fraction(c * f - g * b, a * f - e * b), Fraction(a * g - e * c, a * f - e * b)
        for both in product((0, 1), repeat=2):
            signs = [int(a * x + b * y > c) for a, b, c in lines]
            signs[i], signs[j] = both
            cells.add(tuple(signs))
    return cells


def all_wirings(lines: int) -> list[list[int]]:
    """All sequences of swaps of neighbours that reverse the order."""
    found = []

    def extend(order: list[int], swaps: list[int]) -> None:
        places = [p for p in range(lines - 1) if order[p] < order[p + 1]]
        if not places:
            found.append(swaps)
        for p in places:
            after = [*order[:p], order[p + 1], order[p], *order[p + 2 :]]
            extend(after, [*swaps, p])

    extend(list(range(lines)), [])
    return found


@given(straight(least=2))
def test_the_cells_are_those_around_the_crossings(lines: list[Line]) -> None:
    pattern = line_cell_pattern(Arrangement.from_lines(lines))
    columns = [tuple(column) for column in pattern.to_array().T.tolist()]
    assert columns == sorted(cells_at_crossings(lines), reverse=True)
    assert len(columns) == 1 + len(lines) + len(lines) * (len(lines) - 1) // 2


@given(straight(), st.tuples(*[st.integers(-3, 3)] * 4), st.integers(1, 5))
def test_lines_to_an_embedding_and_back(
    lines: list[Line], entries: tuple[int, int, int, int], scale: int
) -> None:
    """Also after any linear map of the plane: turned, sheared or mirrored."""
    arrangement = Arrangement.from_lines(lines)
    embedding = embed_lines(lines)
    problem = Problem(line_cell_pattern(arrangement), 2)
    assert check(problem, embedding) is None
    a, b, c, d = entries
    assume(a * d != b * c)
    # queries Q, keys K: (Q adj(M)) (K M^T)^T = det(M) Q K^T for M = [[a, b], [c, d]].
    turned = Embedding(
        scale * embedding.queries @ np.array([[d, -b], [-c, a]]) * np.sign(a * d - b * c),
        embedding.keys @ np.array([[a, b], [c, d]]).T,
        scale * embedding.thresholds * abs(a * d - b * c),
    )
    zeros = np.where(problem.pattern.to_array() == 0, turned.queries @ turned.keys.T, -(2**60))
    tight = Embedding(turned.queries, turned.keys, zeros.max(axis=1))  # keys on every line
    for found in (turned, tight):
        assert check(problem, found) is None
        assert Arrangement.from_lines(stretch(arrangement, found)) == arrangement


@settings(max_examples=15)
@given(st.integers(2, 6), st.randoms(use_true_random=False))
def test_what_the_solver_embeds_is_stretched(lines: int, random: Random) -> None:
    """Up to 7 pseudolines all arrangements are stretchable."""
    order, swaps = list(range(lines)), []
    while places := [p for p in range(lines - 1) if order[p] < order[p + 1]]:
        p = random.choice(places)
        order[p : p + 2] = order[p + 1], order[p]
        swaps.append(p)
    arrangement = Arrangement.from_wiring(lines, swaps)
    verdict = decide(line_cell_pattern(arrangement), 2)
    assert isinstance(verdict.proof, Embedding)
    straightened = stretch(arrangement, verdict.proof)
    assert Arrangement.from_lines(straightened) == arrangement


@pytest.mark.parametrize(
    ("lines", "words", "count"), [(1, 1, 1), (3, 2, 2), (4, 16, 8), (5, 768, 62)]
)
def test_wiring_diagrams_of_one_arrangement_are_equal(lines: int, words: int, count: int) -> None:
    """The counts are the published ones (A005118, A006245)."""
    wirings = all_wirings(lines)
    assert len(wirings) == words
    arrangements = {Arrangement.from_wiring(lines, swaps) for swaps in wirings}
    assert len(arrangements) == count
    assert all(Arrangement.from_wiring(lines, a.wiring()) == a for a in arrangements)
    patterns = {line_cell_pattern(arrangement).sha256 for arrangement in arrangements}
    assert len(patterns) == count


def test_no_other_sequences_are_arrangements() -> None:
    others = [[j for j in range(4) if j != i] for i in range(4)]
    valid = 0
    for sequences in product(*map(permutations, others)):
        with suppress(InputError):
            valid += Arrangement(sequences).lines == 4
    assert valid == 8


@given(straight(least=3), st.data())
def test_an_oriented_matroid_gives_the_arrangement(lines: list[Line], data: st.DataObject) -> None:
    """Whatever element is at infinity, and however the elements are oriented."""
    vectors = [(0, 0, 1), *((a, b, -c) for a, b, c in lines)]
    matroid = OrientedMatroid.from_vectors(vectors)
    assert Arrangement.from_oriented_matroid(matroid) == Arrangement.from_lines(lines)
    infinity = data.draw(st.integers(0, len(lines)))
    signs = data.draw(st.lists(st.sampled_from([1, -1]), min_size=7, max_size=7))
    turned = [[s * x for x in vector] for s, vector in zip(signs, vectors, strict=False)]
    arrangement = Arrangement.from_oriented_matroid(OrientedMatroid.from_vectors(turned), infinity)
    entries = 2 * line_cell_pattern(arrangement).to_array().astype(int) - 1
    topes = matroid.topes().astype(int)
    # Up to numbers and orientations: the numbers of signs in which two cells differ.
    assert profile(np.vstack([np.ones(entries.shape[1], dtype=int), entries]).T) == profile(topes)


def profile(topes: NDArray[np.int64]) -> list[list[int]]:
    """For each pair of antipodal cells, how far the others are from them."""
    products = np.abs(topes @ topes.T)
    return sorted(sorted(row) for row in products.tolist())


@pytest.mark.parametrize("resolution", [0, 511])
def test_the_final_polynomial_of_the_documents(resolution: int) -> None:
    """Nine inequalities, counted up by the checker; they hold the other way round for 511."""
    document = (ROOT / "docs" / "theory" / "stretchability.md").read_text("utf-8")
    inequalities = re.findall(r"^    (\d{3} \d{3}) > (\d{3} \d{3})$", document, flags=re.MULTILINE)
    assert len(inequalities) == 9
    names = {subset: 1 + at for at, subset in enumerate(colexicographic(9, 3))}
    steps, used = [], set()
    for sides in inequalities:
        first, second = ([tuple(map(int, bracket)) for bracket in side.split()] for side in sides)
        fixed = set.intersection(*map(set, first + second))
        four = set.union(*map(set, first + second)) - fixed
        terms = [set(term) for term in brackets(sorted(fixed), sorted(four))]
        order = [terms.index({names[bracket] for bracket in side}) for side in (first, second)]
        larger, smaller = order if resolution == 0 else reversed(order)
        steps.append(Step(1, larger, smaller, sorted(fixed), sorted(four)))
        used |= set.union(*terms)

    def fault(resolution: int) -> str | None:
        signs = _nearly_pappus(resolution).signs.tolist()
        literals = sorted(signs[variable - 1] * variable for variable in used)
        return FinalPolynomial(literals, steps).find_fault(9, 3)

    assert fault(resolution) is None
    assert all(fault(resolution ^ 1 << bit) is not None for bit in range(9))


def test_the_other_resolutions_are_lines_moved_a_little() -> None:
    """All 510 of them, with coordinates; and one linear relation says why just two are left out."""
    points = sorted(
        t for t, s in zip(colexicographic(9, 3), orientations(_PAPPUS), strict=True) if not s
    )
    derivative = np.zeros((9, 9, 3), dtype=np.int64)  # of the nine determinants
    for row, (a, b, c) in enumerate(points):
        for one, two, three in ((a, b, c), (b, c, a), (c, a, b)):
            derivative[row, one] = np.cross(_PAPPUS[two], _PAPPUS[three])
    derivative = derivative.reshape(9, 27)
    relation = np.array([-3, 2, 3, 2, -6, 1, 2, -1, -4])
    assert not (relation @ derivative).any()
    assert "".join("-+"[weight > 0] for weight in relation.tolist()) == _EXCLUDED
    for resolution in range(1, 511):
        same = np.array([1 - 2 * (resolution >> k & 1) for k in range(9)])
        share = np.where(same > 0, 1 / np.sum(same > 0), 1 / np.sum(same < 0))
        motion = np.linalg.lstsq(derivative, same * share / relation, rcond=None)[0].reshape(9, 3)
        moved = (np.array(_PAPPUS) << 30) + np.rint(motion * 2**22).astype(np.int64)
        assert OrientedMatroid.from_vectors(moved) == _nearly_pappus(resolution), resolution


def test_what_is_not_an_arrangement() -> None:
    for call, message in (
        (lambda: Arrangement([]), "needs a line"),
        (lambda: Arrangement([[1], [1]]), "line 1 must meet each of the other 1 lines once"),
        (lambda: Arrangement([[1.5], [0]]), "must be a 1-dimensional array of integers"),
        (lambda: Arrangement([[1, 2], [2, 0], [0, 1]]), "has these local sequences: 0 crossings"),
        (lambda: Arrangement.from_wiring(3, [0, 0, 1]), "must meet each"),
        (lambda: Arrangement.from_wiring(3, [0, 1]), "must meet each"),
        (lambda: Arrangement.from_wiring(3, [0, 2, 1]), r"is in 0..1, not 2"),
        (lambda: Arrangement.from_wiring(3, [0, "x", 1]), "integers"),
        (lambda: Arrangement.from_lines([[1, 0, 0]]), "line 0 has b = 0"),
        (lambda: Arrangement.from_lines([[1, 1, 0], [2, 2, 5]]), "slope -a/b of line 1"),
        (lambda: Arrangement.from_lines([[1, 1, 0], [0, 1, 0], [-1, 1, 0]]), "meet in one point"),
        (lambda: Arrangement.from_lines([[1, 1]]), "three numbers"),
        (lambda: Arrangement.from_oriented_matroid(OrientedMatroid(2, 3, "+++")), "rank 3"),
    ):
        with pytest.raises(InputError, match=message):
            call()


def test_an_embedding_of_something_else_stretches_nothing() -> None:
    first, second = (
        Arrangement.from_wiring(4, w) for w in ([0, 1, 0, 2, 1, 0], [2, 1, 0, 2, 1, 2])
    )
    embedding = decide(line_cell_pattern(first), 2).proof
    assert isinstance(embedding, Embedding)
    with pytest.raises(InputError, match="does not represent the line-cell pattern"):
        stretch(second, embedding)
    with pytest.raises(InputError, match="4 lines are stretched by 11 keys of dimension 2, not 2"):
        stretch(first, Embedding([[1, 0]] * 4, [[0, 0], [1, 1]], [0] * 4))
    flat = Embedding(embedding.queries, np.zeros((11, 2), dtype=np.int64), embedding.thresholds)
    with pytest.raises(InputError, match="does not represent"):
        stretch(first, flat)


def test_the_one_non_realizable_tope_pattern_of_the_list_is_ringels_arrangement() -> None:
    entries = load("data/oriented-matroids/rank3_n9_2173.npz").to_array()
    topes = 2 * np.vstack([np.ones(9, dtype=int), entries]) - 1
    for resolution in range(0, 512, 73):
        same = profile(topes) == profile(_nearly_pappus(resolution).topes().astype(int))
        assert same == (resolution in (0, 511))


def test_the_command_goes_there_and_back(tmp_path: Path) -> None:
    source, pattern, yes = (str(tmp_path / name) for name in ("a.json", "p.npz", "yes.json"))
    Path(source).write_text(json.dumps([[2, 1], [2, 0], [1, 0]]))
    run = CliRunner().invoke
    assert (
        run(cli, ["reduce", "arrangement-to-pattern", source, "--output", pattern]).exit_code == 0
    )
    assert run(cli, ["decide", pattern, "-d", "2", "--certificate", yes]).exit_code == 0
    lifted = run(cli, ["reduce", "arrangement-to-pattern", source, "--answer", yes])
    assert Arrangement.from_lines(json.loads(lifted.output)).sequences == ((2, 1), (2, 0), (1, 0))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not local sequences in JSON: Expecting"),
        ("3", "local sequences are a list of lists"),
        ("[[1], 2]", "local sequences are a list of lists"),
        ("[[1, 1], [0]]", "line 0 must meet each of the other 1 lines once"),
        ("[[0.5]]", "must be a 1-dimensional array of integers"),
        ("[" * 9999, "not local sequences in JSON: "),
    ],
)
def test_files_that_hold_no_arrangement(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(text)
    result = CliRunner().invoke(cli, ["reduce", "arrangement-to-pattern", str(path)])
    assert result.exit_code == 2
    assert result.output.startswith(f"samapprox: error: {path}: ")
    assert message in result.output
    assert result.output.count("\n") == 1
