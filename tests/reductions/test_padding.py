"""One dimension more, and rows and columns as tokens: equivalence on both sides, exactly."""

from __future__ import annotations

from itertools import chain, combinations, permutations, product
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse
from helpers.commands import run
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from samapprox import (
    Certificate,
    Embedding,
    InputError,
    Instance,
    Pattern,
    Problem,
    Status,
    decide,
    save,
    weak_dimension,
)
from samapprox.formats import load_instance
from samapprox.instance import Fact
from samapprox.proofs.checker import check
from samapprox.reductions.families import generate
from samapprox.reductions.padding import (
    OneMoreDimension,
    pad_embedding,
    pad_instance,
    pad_pattern,
)
from samapprox.reductions.stretchability import Arrangement, embed_lines, line_cell_pattern, stretch
from samapprox.reductions.tokens import PatternToTokens, embed_tokens, join_tokens


def dimension(pattern: Pattern) -> int:
    """Return the weak dimension, proven from both sides."""
    found = weak_dimension(pattern, threads=1)
    assert found.lower == found.upper
    return found.upper


def least_embedding(pattern: Pattern, d: int) -> Embedding:
    proof = decide(pattern, d).proof
    assert proof is not None
    return proof.embedding(pattern)  # type: ignore[attr-defined]  # the proof of a YES


@st.composite
def patterns(draw: st.DrawFn) -> Pattern:
    """Small patterns with entries *."""
    rows, columns = draw(st.integers(1, 5)), draw(st.integers(1, 6))
    entries = np.array(
        draw(
            st.lists(
                st.lists(st.sampled_from([0, 1, 1, 0, -1]), min_size=columns, max_size=columns),
                min_size=rows,
                max_size=rows,
            )
        )
    )
    entries[np.arange(rows), draw(st.integers(0, columns - 1))] = 1
    return Pattern.from_array(entries, entries >= 0)


def patterns_on(keys: int) -> list[Pattern]:
    """All patterns on distinct keys and rows, up to permutations and complements of rows."""
    rows = [row for row in product((0, 1), repeat=keys) if not row[0] and any(row)]
    sets = chain.from_iterable(combinations(rows, size + 1) for size in range(len(rows)))
    return [Pattern.from_array(chosen) for chosen in sorted({least_form(rows) for rows in sets})]


def least_form(rows: tuple[tuple[int, ...], ...]) -> tuple[tuple[int, ...], ...]:
    forms = []
    for order in permutations(range(len(rows[0]))):
        permuted = [tuple(row[key] for key in order) for row in rows]
        forms.append(tuple(sorted(tuple(e ^ row[0] for e in row) for row in permuted)))
    return min(forms)


def test_every_pattern_on_four_keys_needs_exactly_one_dimension_more() -> None:
    dimensions = []
    for pattern in patterns_on(4):
        dimensions.append(dimension(pattern))
        assert dimension(pad_pattern(pattern)) == dimensions[-1] + 1
    assert [dimensions.count(d) for d in (1, 2, 3)] == [5, 15, 1]


@given(patterns())
def test_certificates_go_both_ways(pattern: Pattern) -> None:
    d = dimension(pattern)
    reduction = OneMoreDimension()
    target, back = reduction.apply(pattern)
    is_constant = not pattern.row_zeros.any()
    assert dimension(target) == (1 if is_constant else d + 1)
    projected = reduction.lift(least_embedding(target, d + 1), back)
    assert projected.dimension == d
    assert check(Problem(pattern, d), projected) is None
    padded = pad_embedding(pattern, projected)
    assert check(Problem(target, d + 1), padded) is None
    assert check(Problem(pattern, d), reduction.lift(padded, back)) is None


def test_two_dimensions_more() -> None:
    reduction = OneMoreDimension(times=2)
    target, back = reduction.apply(Pattern.from_text("100\n010\n001"))
    assert dimension(target) == 4
    assert reduction.lift(least_embedding(target, 4), back).dimension == 2


def test_lines_are_found_through_a_padded_pattern() -> None:
    lines = [[3, 1, 0], [1, 1, 2], [0, 1, 1], [-2, 1, 7]]
    arrangement = Arrangement.from_lines(lines)
    pattern = line_cell_pattern(arrangement)
    padded = pad_embedding(pattern, embed_lines(lines))
    turn = np.array([[1, 1, 0], [1, 2, 1], [0, 1, 2]])  # of determinant 1: no height is left
    inverse = np.rint(np.linalg.inv(turn)).astype(int).T
    turned = Embedding(padded.queries @ turn, padded.keys @ inverse, padded.thresholds)
    reduction = OneMoreDimension()
    projected = reduction.lift(turned, reduction.apply(pattern)[1])
    assert Arrangement.from_lines(stretch(arrangement, projected)) == arrangement


def without(entries: NDArray[np.int8], row: int) -> Pattern:
    return Pattern.from_array(np.delete(entries, row, axis=0))


@pytest.mark.parametrize("text", ["100\n010\n001", "0011\n0101\n0110", "0011\n0001\n0111"])
def test_a_row_that_occurs_once_counts_only_if_the_others_need_as_many(text: str) -> None:
    pattern = Pattern.from_text(text)
    padded = pad_pattern(pattern)
    rows = (padded.shape[0] - 1) // 2
    source = padded.to_array()[:rows, :-1]
    for row in range(rows):
        once = without(padded.to_array(), rows + row)
        assert dimension(once) == dimension(without(source, row)) + 1


def test_without_the_last_row_the_sign_rank_is_left() -> None:
    pattern = Pattern.from_text("10")  # one row: sign-rank 1
    padded = pad_pattern(pattern)
    assert (dimension(padded), dimension(without(padded.to_array(), 2))) == (2, 1)


def test_the_last_row_matters_for_ringel_s_arrangement() -> None:
    """It has d = 3, as a NO for d = 2, and sign-rank 3; so without the row, 3 suffices again."""
    ringel = generate("stretch", resolution=0).pattern
    padded = pad_pattern(ringel).to_array()
    assert decide(Pattern.from_array(padded[:-1]), 3).status is Status.YES


@given(patterns(), st.integers(0, 2))
def test_tokens_need_the_same_dimension(pattern: Pattern, wider: int) -> None:
    d = dimension(pattern)
    reduction = PatternToTokens()
    target, back = reduction.apply(pattern)
    attention = embed_tokens(pattern, least_embedding(pattern, d), d + wider)
    assert check(Problem(target, d, d + wider), attention) is None
    assert check(Problem(pattern, d), reduction.lift(attention.embedding(), back)) is None
    assert dimension(target) == d  # the free case: no d_hid allows a smaller d


def test_a_joined_pattern_has_a_one_in_each_row_and_no_star_without_need() -> None:
    for pattern in patterns_on(3):
        joined = join_tokens(pattern)
        assert joined.is_specified
        assert joined.is_square


def test_tokens_that_are_wrong_beside_the_pattern_are_refused() -> None:
    """The rows of the pattern come first; only the last token has a wrong threshold."""
    pattern = Pattern.from_text("10\n01")
    right = embed_tokens(pattern, least_embedding(pattern, 1)).embedding()
    thresholds = [*right.thresholds[:-1], 10**6]
    with pytest.raises(InputError, match="does not represent the pattern: row 2"):
        PatternToTokens().lift(Embedding(right.queries, right.keys, thresholds), pattern)


@pytest.mark.parametrize("kind", [OneMoreDimension(), PatternToTokens()])
def test_wrong_embeddings_are_refused(kind: OneMoreDimension | PatternToTokens) -> None:
    pattern = Pattern.from_text("100\n010\n001")
    target, back = kind.apply(pattern)
    rows, columns = target.shape
    zero = Embedding(np.zeros((rows, 3), int), np.zeros((columns, 3), int), np.zeros(rows, int))
    with pytest.raises(InputError, match="does not represent the pattern"):
        kind.lift(zero, back)
    with pytest.raises(InputError, match="does not represent the pattern"):
        pad_embedding(pattern, Embedding([[1]], [[1]], [0]))
    with pytest.raises(InputError, match="d_hid must be at least d = 2"):
        embed_tokens(pattern, least_embedding(pattern, 2), 1)


def test_sizes_are_checked_before_memory_is_taken() -> None:
    with pytest.raises(InputError, match="at least 1, not 0"):
        OneMoreDimension(times=0)
    with pytest.raises(InputError, match="add fewer dimensions"):
        OneMoreDimension(times=60).apply(Pattern.from_text("10\n01"))
    rows = np.arange(4096)
    wide = scipy.sparse.csr_array((np.ones(4096), (rows, rows)), shape=(4096, 10_000))
    with pytest.raises(InputError, match="4096 x 10000 entries padded 1 time are more"):
        OneMoreDimension().apply(Pattern.from_sparse(wide))


def test_a_sparse_pattern_of_many_tokens_stays_sparse(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its first column would take 10^10 bytes, if read from an array of all entries."""
    monkeypatch.setattr(Pattern, "to_array", lambda _self: pytest.fail("all entries at once"))
    tokens = np.arange(10**5)
    ring = scipy.sparse.csr_array(
        (np.ones(2 * 10**5), (np.tile(tokens, 2), np.append(tokens, np.roll(tokens, 1)))),
        shape=(10**5, 10**5),
    )
    with pytest.raises(InputError, match="more than 16384 tokens"):
        PatternToTokens().apply(Pattern.from_sparse(ring))


def test_the_commands_print_certificates_of_the_source(tmp_path: Path) -> None:
    source = tmp_path / "s.txt"
    source.write_text("100\n010\n001\n")
    for command, d, options in (
        ("one-more-dimension", 3, []),
        ("pattern-to-tokens", 2, ["--d-hid", "2"]),
    ):
        target, answer, lifted = (str(tmp_path / name) for name in ("t.npz", "a.json", "l.json"))
        assert run("reduce", command, str(source), "--output", target).exit_code == 0
        run("decide", target, "-d", str(d), *options, "--certificate", answer)
        printed = run("reduce", command, str(source), "--answer", answer).stdout
        (tmp_path / "l.json").write_text(printed)
        assert Certificate.load(lifted).d == 2
        assert run("verify", str(source), lifted).exit_code == 0
    assert "at least 1" in run("reduce", "one-more-dimension", str(source), "--times", "0").stderr


def test_facts_move_to_the_padded_pattern(tmp_path: Path) -> None:
    facts = (
        Fact(2, None, "YES", "a"),
        Fact(1, None, "NO", "b"),
        Fact(2, 2, "YES", "c"),
        Fact(1, 1, "NO", "where queries and keys share X"),
        Fact(1, 2, "NO", "d"),
    )
    instance = Instance(Pattern.from_text("100\n010\n001"), facts)
    padded = pad_instance(instance, 2)
    assert [(fact.d, fact.d_hid, fact.answer) for fact in padded.facts] == [
        (4, None, "YES"),
        (3, None, "NO"),
        (4, None, "YES"),
        (3, None, "NO"),
    ]
    for fact in padded.facts:
        assert decide(padded.pattern, fact.d, time_limit=20).status.value == fact.answer
    assert pad_instance(instance, 0) is instance

    source, target = tmp_path / "s.npz", tmp_path / "t.npz"
    save(instance, source)
    run("reduce", "one-more-dimension", str(source), "--times", "2", "--output", str(target))
    assert load_instance(target).pattern == padded.pattern
    assert load_instance(target).facts == padded.facts
    run("reduce", "pattern-to-tokens", str(source), "--output", str(target))
    assert load_instance(target).facts == ()
