"""Proofs of ranks: what their checks accept is true, and what they refuse is named."""

from __future__ import annotations

import copy
import re
from itertools import combinations_with_replacement, permutations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samapprox import (
    Certificate,
    Embedding,
    InputError,
    Pattern,
    Problem,
    SignMatrix,
    rank,
    sign_rank,
)
from samapprox.proofs import Factors, Radon, RankRefutation, ReducedCase
from samapprox.proofs.base import Proof
from samapprox.proofs.checker import check
from samapprox.proofs.questions import RANK_KINDS, Rank, RankKind
from samapprox.proofs.ranks.refutation import FORMS, Form, reduced_pattern
from samapprox.proofs.words import tabulate
from samapprox.storage.sparse import SparseMatrix

Random = np.random.RandomState

IDENTITY = SignMatrix.from_text("100\n010\n001")
CORE = Radon(range(3), range(3))


def case(
    form: Any = "plain", rows: Any = range(3), columns: Any = range(3), proof: Any = CORE
) -> ReducedCase:
    return ReducedCase(form, rows, columns, proof)


def square(values: list[int]) -> Factors:
    """Factors of rank 1 with thresholds 0."""
    return Factors([[value] for value in values], [[value] for value in values], [0] * len(values))


@pytest.mark.parametrize(
    ("question", "proof", "message"),
    [
        (
            Rank(IDENTITY, 2, "row"),
            square([1, 1, 1]),
            "row 0 and column 1: the entry is 0, but the",
        ),
        (Rank(IDENTITY, 2), square([1, 1]), "it is for 2 x 2, the pattern is 3 x 3"),
        (
            Rank(IDENTITY, 1),
            Factors(np.eye(3, dtype=int), np.eye(3, dtype=int), [0, 0, 0]),
            "the factors have 3 columns, more than 1",
        ),
        (
            Rank(IDENTITY, 3),
            Factors(2 * np.eye(3, dtype=int), np.eye(3, dtype=int), [1, 1, 1]),
            "the threshold of row 0 is not 0",
        ),
        (
            Rank(IDENTITY, 3, "global"),
            Factors(2 * np.eye(3, dtype=int), np.eye(3, dtype=int), [1, 0, 1]),
            "the thresholds of rows 0 and 1 differ in sign",
        ),
        (
            Rank(IDENTITY, 3, "global"),
            Factors(2 * np.eye(3, dtype=int), np.eye(3, dtype=int), [1, -1, 1]),
            "the thresholds of rows 0 and 1 differ in sign",
        ),
        *(
            (
                Rank(SignMatrix.from_array(np.ones((3, 1))), 1, "global"),
                Factors([[9]] * 3, [[1]], thresholds),
                "the thresholds of rows 0 and 2 differ in sign",
            )
            for thresholds in ([-1, -2, 0], [0, 0, -1], [0, 0, 2**70], [-(2**70), -1, 1])
        ),
        (
            Rank(IDENTITY, 3),
            Factors(np.eye(3, dtype=int), np.eye(3, dtype=int), [0, 0, 0]),
            "row 0 and column 1: the entry is 0, but the product is not below the threshold",
        ),
        (
            Rank(IDENTITY, 3, "row"),
            Factors(np.eye(3, dtype=int), np.eye(3, dtype=int), [1, 1, 1]),
            "row 0 and column 0: the entry is 1, but the product is not above the threshold",
        ),
        (
            Rank(IDENTITY, 2, "row"),
            RankRefutation([case()]),
            "the case plain: it excludes dimension",
        ),
        (
            Rank(IDENTITY, 1),
            RankRefutation([case()]),
            "the forms plain, which do not exclude a sign",
        ),
        (
            Rank(IDENTITY, 1, "global"),
            RankRefutation([case("zeros")]),
            "the forms zeros, which do not exclude a rank with one threshold",
        ),
        (
            Rank(IDENTITY, 1, "global"),
            RankRefutation([case("zeros"), case("zeros")]),
            "the forms zeros, zeros, which",
        ),
        (
            Rank(IDENTITY, 1, "row"),
            RankRefutation([case(), case()]),
            "the forms plain, plain, which",
        ),
        (
            Rank(IDENTITY, 1),
            RankRefutation([case("relative")]),
            "a relative form excludes ranks of at least 2 only",
        ),
        (
            Rank(IDENTITY, 2),
            RankRefutation([case("relative")]),
            "the case relative: it names a row or column outside the 2 x 3 pattern",
        ),
        (Rank(IDENTITY, 2), RankRefutation([case("relative", [1])]), "the pattern is empty"),
        (
            Rank(IDENTITY, 1, "row"),
            RankRefutation([case(rows=[0, 1, 3])]),
            "it names a row or column outside the 3 x 3 pattern",
        ),
        (
            Rank(SignMatrix.from_text("1*\n10\n01\n11"), 2),
            RankRefutation([case("relative", range(4), range(2))]),
            "the case relative: row 0, to which the others are relative, has a don't-care",
        ),
        (
            Problem(Pattern.from_text("100\n010\n001"), 1),
            RankRefutation([case()]),
            "a proof of kind rank-refutation answers the task rank, not dimension",
        ),
        (
            Rank(IDENTITY, 1, "row"),
            CORE,
            "a proof of kind radon answers the task dimension, not rank",
        ),
        (
            Rank(IDENTITY, 1, "row"),
            Embedding([[1]] * 3, [[1]] * 3, [0] * 3),
            "a proof of kind embedding answers the task dimension, not rank",
        ),
        (
            Rank(IDENTITY, 1, "row"),
            RankRefutation([case(proof=RankRefutation([case()]))]),
            "a proof of kind rank-refutation answers the task rank, not dimension",
        ),
    ],
)
def test_the_first_fault_is_named(question: Any, proof: Proof, message: str) -> None:
    assert message in str(check(question, proof))


EXCLUDED_BY = {
    "sign": [("relative",), ("doubled",)],
    "global": [("zeros", "ones"), ("ones", "zeros")],
    "row": [("plain",)],
}


@pytest.mark.parametrize("kind", RANK_KINDS)
def test_no_other_forms_exclude_a_rank(kind: RankKind) -> None:
    """Every choice of up to three forms."""
    for count in (1, 2, 3):
        for forms in combinations_with_replacement(FORMS, count):
            refused = "do not exclude" in str(
                check(Rank(IDENTITY, 2, kind), RankRefutation([case(form) for form in forms]))
            )
            assert refused == (forms not in EXCLUDED_BY[kind])


def test_both_cases_of_one_threshold_must_hold() -> None:
    question = Rank(IDENTITY, 1, "global")
    for forms in permutations(("zeros", "ones")):
        assert check(question, RankRefutation([case(form) for form in forms])) is None
        for wrong in forms:
            proofs = (Radon([0, 1], range(3)) if form == wrong else CORE for form in forms)
            cases = [case(form, proof=proof) for form, proof in zip(forms, proofs, strict=True)]
            fault = check(question, RankRefutation(cases))
            assert fault == f"the case {wrong}: the rows make 2 of the 3 splits of the columns"


@pytest.mark.parametrize("kind", RANK_KINDS)
@pytest.mark.parametrize("shape", [(1, 3), (3, 3), (2, 2), (2, 4)])
def test_factors_have_the_shape_of_the_matrix(kind: RankKind, shape: tuple[int, int]) -> None:
    factors = Factors([[1], [1]], [[1], [1], [1]], [0, 0])
    assert check(Rank(SignMatrix.from_array(np.ones((2, 3))), 1, kind), factors) is None
    fault = check(Rank(SignMatrix.from_array(np.ones(shape)), 1, kind), factors)
    assert fault == "it is for 2 x 3, the pattern is {} x {}".format(*shape)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: RankRefutation([]),
        lambda: case("diagonal"),
        lambda: case(rows=[]),
        lambda: case(columns=[]),
        lambda: case(rows=[0, 0]),
        lambda: case(proof=Embedding([[1]], [[1]], [0])),
        lambda: Factors([[1, 2]], [[1]], [0]),
        lambda: Factors([[1]], [[1]], [0, 0]),
        lambda: Factors([[1.5]], [[1]], [0]),
        lambda: Rank(IDENTITY, 0),
        lambda: Rank(IDENTITY, 1, "some"),  # type: ignore[arg-type]
    ],
)
def test_impossible_parts_are_refused(wrong: Any) -> None:
    with pytest.raises(InputError):
        wrong()


def test_large_cases_are_refused_at_once() -> None:
    matrix = SignMatrix.from_array(np.eye(2100))
    wide = case("doubled", range(2100), range(2100))
    assert "too large to check" in str(check(Rank(matrix, 1), RankRefutation([wide])))
    nearly = case("zeros", range(1600), range(1600)), case("ones", range(1600), range(1600))
    assert "too large to check" in str(check(Rank(matrix, 1, "global"), RankRefutation(nearly)))


def test_huge_numbers_are_compared_exactly() -> None:
    big = 10**400
    matrix = SignMatrix.from_text("10")
    assert (
        check(Rank(matrix, 1, "row"), Factors([[big]], [[big + 1], [big]], [big * big])) is not None
    )
    assert (
        check(Rank(matrix, 1, "row"), Factors([[big]], [[big + 1], [big - 1]], [big * big])) is None
    )


def test_reduced_patterns_are_those_of_the_page() -> None:
    matrix = SignMatrix.from_text("011\n*10\n000")
    found = {form: reduced_pattern(matrix, form, [0, 2, 1], [2, 0, 1]) for form in FORMS}
    assert {form: pattern.to_text().split() for form, pattern in found.items()} == {
        "plain": ["101", "000", "0*1"],
        "zeros": ["1010", "0000", "0*10"],
        "ones": ["1011", "0001", "0*11"],
        "doubled": ["101010", "000111", "0*11*0"],
        "relative": ["010", "0*1"],
    }
    labels = [found["zeros"].column_label(column) for column in range(4)]
    assert labels == ["column 2", "column 0", "column 1", "the extra column"]


@pytest.mark.parametrize("form", FORMS)
def test_explanations_call_rows_and_columns_as_the_matrix_does(form: Form) -> None:
    names = ["q1", "q2", "q3", "q4"]
    matrix = SignMatrix.from_array(np.eye(4), row_names=names)
    reduced = reduced_pattern(matrix, form, [3, 1, 2], [2, 0, 3])
    rows = [reduced.row_label(row) for row in range(reduced.shape[0])]
    assert rows == ["row 3 ('q4')", "row 1 ('q2')", "row 2 ('q3')"][form == "relative" :]
    columns = [reduced.column_label(column) for column in range(3)]
    assert columns == ["column 2", "column 0", "column 3"]


def test_a_long_core_is_listed_by_the_labels_of_the_matrix() -> None:
    matrix = SignMatrix.from_array(np.eye(40))
    reduced = reduced_pattern(matrix, "doubled", range(10, 40), range(10, 40))
    rows, columns = tabulate(reduced, range(30), range(60))
    assert rows.startswith("  row 10, row 11, ")
    assert columns.endswith(", the opposite of column 39")


def test_a_relative_core_says_that_entries_are_exchanged() -> None:
    matrix = SignMatrix.from_text("1000\n0100\n0010\n0001")
    found = sign_rank(matrix)
    assert found.no is not None
    text = "\n".join(found.no.explain())
    assert text.count("1 and 0 are exchanged in the columns where row 0 has a 0") == 1
    assert re.findall(r"^ +(row \d.*?)  ", text, re.MULTILINE) == ["row 1", "row 2"]


# ---------------------------------------------------------------- mutated proofs


def is_at_most(rows: list[list[int]], r: int, kind: RankKind) -> bool:
    """Whether the rank is at most r, by orders: r = 1, and for the sign-rank r = 2; else true."""
    n = len(rows[0])
    if r > (2 if kind == "sign" else 1):
        return True
    sides: list[list[int]] = [[0], [1]] if kind == "global" else [[]]
    flips = list(product((0, 1), repeat=n)) if kind == "sign" else [(0,) * (n + 1)]
    most = r - 1 if kind == "sign" else 1
    for side, flip in product(sides, flips):
        extended = [row + side for row in rows]
        for order in permutations(range(n + len(side))):
            lines = [[row[j] ^ flip[j] for j in order if row[j] >= 0] for row in extended]
            if all(sum(np.diff(line) != 0) <= most for line in lines):
                return True
    return False


def mutate(value: Any, random: Random) -> Any:
    """Change a number, or repeat or drop an entry of a list, somewhere."""
    if isinstance(value, dict):
        key = list(value)[random.randint(len(value))]
        return {**value, key: mutate(value[key], random)}
    if isinstance(value, list) and value and random.rand() < 0.8:
        place = random.randint(len(value))
        return [*value[:place], mutate(value[place], random), *value[place + 1 :]]
    if isinstance(value, list):
        return value[:-1] if random.rand() < 0.5 else [*value, *value[:1]]
    if isinstance(value, int):
        return value + int(random.choice([-1, 1, 2]))
    return str(random.choice(FORMS)) if value in FORMS else value


def forge(seed: int, count: int) -> int:
    """Certificates of a random matrix, changed; how many changes of them were accepted."""
    random = Random(seed)
    shape = random.randint(2, 5), random.randint(2, 4)
    entries = (random.rand(*shape) < 0.5).astype(int)
    entries[random.rand(*shape) < 0.15 * (seed % 2)] = -1
    kind: RankKind = RANK_KINDS[seed % 3]
    matrix = SignMatrix.from_array(entries == 1, entries != -1)
    found = rank(matrix, kind=kind, threads=1)
    accepted = 0
    for bound in (found.yes, found.no):
        if bound is None:
            continue
        document = bound.certificate.to_json()
        for _ in range(count):
            forged = copy.deepcopy(document)
            member = "problem" if random.rand() < 0.1 else "proof"
            forged[member] = mutate(forged[member], random)
            try:
                valid = Certificate.from_json(forged).verify(matrix).valid
            except InputError:
                continue
            if valid:
                r, asked = forged["problem"]["rank"], forged["problem"]["kind"]
                truth = is_at_most(entries.tolist(), r, asked)
                least = found.upper <= r if asked == kind else truth
                assert (forged["answer"] == "YES") == least or (r > 2 and asked != kind)
                assert truth or forged["answer"] == "NO"
                accepted += 1
    return accepted


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6))
def test_what_is_accepted_is_true(seed: int) -> None:
    forge(seed, 30)


def test_some_changes_are_accepted() -> None:
    assert sum(forge(seed, 20) for seed in range(12)) > 10


@given(st.data())
def test_reduced_patterns_are_as_defined(data: st.DataObject) -> None:
    """Entry by entry, from packed and from sparse matrices, with and without don't-cares."""
    rows, columns = data.draw(st.integers(1, 5)), data.draw(st.integers(1, 70))
    random = np.random.RandomState(data.draw(st.integers(0, 1000)))
    entries = random.choice([0, 1, -1] if data.draw(st.booleans()) else [0, 1], (rows, columns))
    chosen = random.randint(0, rows, rows).tolist(), random.permutation(columns).tolist()
    matrix = SignMatrix.from_array(entries == 1, entries >= 0)
    sources = [matrix]
    if (entries >= 0).all():
        sources.append(SignMatrix.from_storage(SparseMatrix.from_csr(*csr_of(entries))))
    part = entries[np.ix_(*chosen)]
    opposite = np.where(part < 0, part, 1 - part)
    sides = {
        "plain": part,
        "zeros": np.hstack([part, np.zeros((rows, 1))]),
        "ones": np.hstack([part, np.ones((rows, 1))]),
        "doubled": np.hstack([part, opposite]),
    }
    if rows > 1 and (part[0] >= 0).all():
        sides["relative"] = np.where(part[0] == 1, part, opposite)[1:]
    for source in sources:
        for form, expected in sides.items():
            found = reduced_pattern(source, form, *chosen)
            np.testing.assert_array_equal(found.to_array(), expected)


def csr_of(entries: Any) -> tuple[Any, Any, None, tuple[int, int]]:
    """Return the arrays of compressed sparse rows."""
    indptr = np.concatenate([[0], np.cumsum((entries == 1).sum(axis=1))])
    return indptr, np.nonzero(entries == 1)[1], None, entries.shape


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("chosen", [([], [0]), ([], [])])
def test_submatrices_without_rows_are_refused(
    form: Form, chosen: tuple[list[int], list[int]]
) -> None:
    with pytest.raises(InputError, match="the pattern is empty"):
        reduced_pattern(SignMatrix.from_text("10\n01"), form, *chosen)


@given(seed=st.integers(0, 10**6), form=st.sampled_from(FORMS))
def test_whole_sparse_matrices_have_the_reduced_patterns_of_dense_ones(
    seed: int, form: Form
) -> None:
    random = Random(seed)
    entries = random.rand(random.randint(2, 6), random.randint(1, 6)) < 0.4
    starts = np.concatenate([[0], np.cumsum(entries.sum(axis=1))])
    stored = SparseMatrix.from_csr(starts, np.nonzero(entries)[1], None, entries.shape)
    sparse, dense = SignMatrix.from_storage(stored, None), SignMatrix.from_array(entries)
    whole = range(entries.shape[0]), range(entries.shape[1])
    found, expected = (reduced_pattern(matrix, form, *whole) for matrix in (sparse, dense))
    assert found.to_text() == expected.to_text()
    assert found.ones.is_sparse == (form in ("zeros", "ones"))
    assert found.column_label(entries.shape[1] - 1) == expected.column_label(entries.shape[1] - 1)
    listed = tuple(map(list, whole))  # as in certificates
    assert reduced_pattern(sparse, form, *listed).to_text() == expected.to_text()
