"""The exact checker against plain Python, on right, wrong and mutated proofs."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from helpers.strategies import Entries, any_entries, square_entries, valid_entries
from helpers.truth.line import all_patterns, coupled_patterns, entries_of, masks, shown_on_line
from hypothesis import given
from hypothesis import strategies as st

from samapprox import CertificateError, Embedding, Pattern, Problem, Verdict, decide
from samapprox.proofs import Radon, SelfAttention, Shattering, SignClash
from samapprox.proofs.checker import check, check_cores, check_embeddings
from samapprox.proofs.embeddings.embedding import first_mismatch
from samapprox.proofs.refutations.counting import Counting

BIG = 2**80


def plainly_shows(entries: np.ndarray, embedding: Embedding) -> bool:
    """The definition, in Python integers; -1 entries are free."""
    queries, keys = embedding.queries.tolist(), embedding.keys.tolist()
    thresholds = embedding.thresholds.tolist()
    return all(
        wanted < 0 or (sum(a * b for a, b in zip(q, k, strict=True)) > t) == (wanted == 1)
        for q, t, row in zip(queries, thresholds, entries.tolist(), strict=True)
        for k, wanted in zip(keys, row, strict=True)
    )


@st.composite
def patterns_and_embeddings(draw: st.DrawFn) -> tuple[np.ndarray, Embedding]:
    entries = draw(valid_entries(5, 5)).astype(np.int8)
    m, n = entries.shape
    d = draw(st.integers(1, 2))
    small = st.integers(-3, 3) if draw(st.booleans()) else st.sampled_from([-BIG, -1, 0, 1, BIG])

    def matrix(rows: int) -> list[list[int]]:
        return draw(st.lists(st.lists(small, min_size=d, max_size=d), min_size=rows, max_size=rows))

    embedding = Embedding(matrix(m), matrix(n), draw(st.lists(small, min_size=m, max_size=m)))
    if draw(st.booleans()):  # make the pattern what the embedding shows, but for a few entries
        above = np.array(
            [
                [
                    sum(int(a) * int(b) for a, b in zip(q, k, strict=True)) > t
                    for k in embedding.keys
                ]
                for q, t in zip(embedding.queries, embedding.thresholds, strict=True)
            ]
        )
        entries = above.astype(np.int8)
        if draw(st.booleans()):
            entries[draw(st.integers(0, m - 1)), draw(st.integers(0, n - 1))] ^= 1
    if draw(st.booleans()):
        entries[draw(st.integers(0, m - 1)), draw(st.integers(0, n - 1))] = -1
    entries[(entries == 1).sum(axis=1) == 0, 0] = 1
    return entries, embedding


@given(patterns_and_embeddings())
def test_embeddings_are_judged_by_the_definition(case: tuple[np.ndarray, Embedding]) -> None:
    entries, embedding = case
    pattern = Pattern.from_array(entries == 1, entries >= 0)
    mismatch = first_mismatch(pattern, embedding)
    assert (mismatch is None) == plainly_shows(entries, embedding)
    assert (check(Problem(pattern, 2), embedding) is None) == (mismatch is None)
    if mismatch is not None:
        row, column = mismatch
        logit = sum(
            int(a) * int(b)
            for a, b in zip(embedding.queries[row], embedding.keys[column], strict=True)
        )
        assert entries[row, column] >= 0
        assert (logit > embedding.thresholds[row]) != (entries[row, column] == 1)


@given(any_entries(), st.data())
def test_mutated_embeddings_are_judged_by_the_definition(
    entries: Entries, data: st.DataObject
) -> None:
    verdict = decide(entries)
    if not isinstance(verdict.proof, Embedding):
        return
    parts = [
        verdict.proof.queries.copy(),
        verdict.proof.keys.copy(),
        verdict.proof.thresholds.copy(),
    ]
    part = data.draw(st.sampled_from(parts))
    part.flat[data.draw(st.integers(0, part.size - 1))] += data.draw(
        st.sampled_from([-2, -1, 1, 2])
    )
    mutated = Embedding(*parts)
    accepted = check(verdict.problem, mutated) is None
    assert accepted == plainly_shows(entries.astype(np.int8), mutated)


@given(valid_entries(4, 5), st.data())
def test_accepted_cores_really_exclude_a_line(entries: Entries, data: st.DataObject) -> None:
    m, n = entries.shape
    kind = data.draw(st.sampled_from([Radon, Shattering]))
    rows = data.draw(st.lists(st.integers(0, m - 1), unique=True, max_size=m))
    columns = data.draw(st.lists(st.integers(0, n - 1), unique=True, max_size=n))
    if check(Problem(Pattern.from_array(entries), 1), kind(rows, columns)) is None:
        assert not shown_on_line(masks(entries[np.ix_(rows, columns)]), len(columns))


def test_every_core_of_a_small_pattern_is_found_by_the_checker() -> None:
    pattern = Pattern.from_text("100\n010\n001")
    assert check(Problem(pattern, 1), Radon([0, 1, 2], [0, 1, 2])) is None
    reason = check(Problem(pattern, 1), Radon([0, 1], [0, 1, 2]))
    assert reason == "the rows make 2 of the 3 splits of the columns"
    assert "excludes dimension 1" in check(Problem(pattern, 2), Radon([0, 1, 2], [0, 1, 2]))
    assert "outside" in check(Problem(pattern, 1), Radon([0, 1, 3], [0, 1, 2]))
    stars = Pattern.from_text("1*0\n010\n001")
    assert "don't-care" in check(Problem(stars, 1), Radon([0, 1, 2], [0, 1, 2]))


def test_higher_radon_and_shattering() -> None:
    four = Pattern.from_array(list(product([0, 1], repeat=4))[1:])
    assert check(Problem(four, 2), Radon(range(15), range(4))) is None
    assert "excludes" in check(Problem(four, 3), Radon(range(15), range(4)))
    eight = Pattern.from_array(np.array(list(product([0, 1], repeat=3))).T)
    assert check(Problem(eight, 2), Shattering(range(3), range(8))) is None
    assert "7 columns cannot contain every pattern on 3 rows" in check(
        Problem(eight, 2), Shattering(range(3), range(7))
    )


def test_a_huge_dimension_is_not_counted_to_its_end() -> None:
    """The room is a sum of 50,000 numbers, of 30,000 digits most: a few are enough to refuse."""
    pattern = Pattern.from_array(np.eye(1, 100_000, dtype=np.int8))
    for d in (50_000, 1 << 24):
        proof = Counting(d, [0], range(100_000))
        assert "splits of the columns, which d = " in str(check(Problem(pattern, 1), proof))


def test_proofs_of_other_patterns_are_accepted_only_where_they_hold() -> None:
    """Every obstruction of any 3 x 3 pattern, held against every 3 x 3 pattern."""
    everything = [(rows, entries_of(rows, 3)) for rows in all_patterns(3)]
    obstructions = {
        decide(entries, 1, 1).proof
        for _, entries in everything
        if masks(entries) not in coupled_patterns(3)
    }
    assert {type(proof) for proof in obstructions} == {Radon, SignClash}
    accepted = 0
    for rows, entries in everything:
        pattern = Pattern.from_array(entries)
        for proof in obstructions:
            if check(Problem(pattern, 1, 1), proof) is None:
                accepted += 1
                assert rows not in coupled_patterns(3)
            if not isinstance(proof, SignClash) and check(Problem(pattern, 1), proof) is None:
                assert not shown_on_line(rows, 3)
    assert accepted >= len(everything) - len(coupled_patterns(3))


@given(square_entries(4), st.data())
def test_a_mutated_sign_clash_is_accepted_only_where_it_holds(
    entries: Entries, data: st.DataObject
) -> None:
    n = len(entries)
    clash = decide(entries, 1, 1).proof
    if not isinstance(clash, SignClash):
        return
    flipped = entries.copy()
    flipped[data.draw(st.integers(0, n - 1)), data.draw(st.integers(0, n - 1))] ^= 1
    if not flipped.any(axis=1).all():
        return
    accepted = check(Problem(Pattern.from_array(flipped), 1, 1), clash) is None
    assert not accepted or masks(flipped) not in coupled_patterns(n)


def test_mutated_sign_clashes_are_rejected() -> None:
    pattern = Pattern.from_text("011\n110\n001")
    problem = Problem(pattern, 1, 1)
    clash = decide(pattern, 1, 1).proof
    assert isinstance(clash, SignClash)
    assert check(problem, clash) is None
    swapped = SignClash(clash.negative, clash.positive, clash.splits)
    assert "c > 0" in check(problem, swapped)
    for left_out in range(len(clash.splits)):
        splits = clash.splits[:left_out] + clash.splits[left_out + 1 :]
        assert "no split shows" in check(problem, SignClash(clash.positive, clash.negative, splits))
    assert "d = d_hid = 1" in check(Problem(pattern, 1), clash)


def test_the_coupled_case_wants_one_x() -> None:
    entries = np.eye(2)
    free = decide(entries, 1).proof
    problem = Problem(Pattern.from_array(entries), 1, 1)
    assert "share X" in check(problem, free)
    assert "d_hid = 2" in check(problem, free.self_attention())
    assert check(Problem(problem.pattern, 1), free.self_attention()) is None


def test_self_attention_is_multiplied_out_exactly() -> None:
    attention = SelfAttention([[BIG], [-BIG]], [[BIG]], [[BIG]], [0, 0])
    problem = Problem(Pattern.from_array(np.eye(2)), 1, 1)
    assert check(problem, attention) is None
    off_by_one = SelfAttention([[BIG], [-BIG]], [[BIG]], [[BIG]], [BIG**4, 0])
    assert check(problem, off_by_one) is not None


def test_a_wrong_shape_or_dimension_is_rejected() -> None:
    problem = Problem(Pattern.from_array(np.eye(2)), 1)
    assert "2 x 3" in check(problem, Embedding([[1], [1]], [[1], [2], [3]], [0, 0]))
    assert "dimension 2" in check(problem, Embedding([[1, 0], [0, 1]], [[1, 0], [0, 1]], [0, 0]))


def test_a_verdict_with_a_wrong_proof_cannot_be_made() -> None:
    problem = Problem(Pattern.from_array(np.eye(2)), 1)
    with pytest.raises(CertificateError, match="fails the checker"):
        Verdict(problem, Embedding([[1], [1]], [[1], [0]], [0, 0]))


@given(st.data())
def test_stack_checker_agrees_with_the_checker(data: st.DataObject) -> None:
    rng = np.random.RandomState(data.draw(st.integers(0, 10**6)))
    count, m, n = 20, rng.randint(2, 5), rng.randint(3, 6)
    stack = rng.randint(0, 2, size=(count, m, n)).astype(np.uint8)
    stack[:, :, 0] |= stack.sum(axis=2) == 0
    keys = rng.randint(-2, 3, size=(count, n))
    queries = rng.randint(-1, 2, size=(count, m))
    thresholds = rng.randint(-2, 2, size=(count, m))
    shown = queries[:, :, None] * keys[:, None, :] > thresholds[:, :, None]
    valid = shown.any(axis=2).all(axis=1) & (rng.randint(0, 2, size=count) > 0)
    stack[valid] = shown[valid]
    rows = np.full((count, 3), -1)
    columns = np.full((count, 4), -1)
    proofs = []
    for at in range(count):
        if m >= 3 and rng.randint(2):
            rows[at], columns[at, :3] = rng.permutation(m)[:3], rng.permutation(n)[:3]
            proofs.append(Radon(rows[at], columns[at, :3]))
        elif n >= 4:
            rows[at, :2], columns[at] = rng.permutation(m)[:2], rng.permutation(n)[:4]
            proofs.append(Shattering(rows[at, :2], columns[at]))
        else:
            proofs.append(Shattering([0, 1], [0]))
    problems = [Problem(Pattern.from_array(pattern), 1) for pattern in stack]
    embeddings = [
        Embedding(q[:, None], k[:, None], t)
        for q, k, t in zip(queries, keys, thresholds, strict=True)
    ]
    np.testing.assert_array_equal(
        check_embeddings(stack, keys, queries, thresholds),
        [check(*case) is None for case in zip(problems, embeddings, strict=True)],
    )
    np.testing.assert_array_equal(
        check_cores(stack, rows, columns),
        [check(*case) is None for case in zip(problems, proofs, strict=True)],
    )
