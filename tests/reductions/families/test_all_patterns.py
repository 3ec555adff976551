"""All small patterns: one of each class, as many as Burnside's lemma counts."""

from __future__ import annotations

from itertools import permutations, product
from pathlib import Path

import numpy as np
import pytest
from helpers.batch.batches import batch
from helpers.commands import refused, run
from helpers.truth.burnside import count_classes, count_patterns

from samapprox import load, weak_dimension
from samapprox.reductions.families import all_patterns as family

Rows = tuple[tuple[int, ...], ...]


def every(rows: int, columns: int, symmetry: str) -> list[Rows]:
    count = family.count_patterns(rows, columns, symmetry)
    made = [family.all_patterns(rows, columns, symmetry, at).pattern for at in range(count)]
    return [tuple(map(tuple, pattern.to_array().tolist())) for pattern in made]


def turned(row: tuple[int, ...]) -> tuple[int, ...]:
    """The row, or its complement if that is less and has a one."""
    other = tuple(1 - entry for entry in row)
    return min(row, other) if any(other) else row


def canonical(pattern: Rows, symmetry: str) -> Rows:
    """The least pattern of a class, by trying everything."""
    images = []
    for order in permutations(range(len(pattern[0]))):
        rows = [tuple(row[j] for j in order) for row in pattern]
        images.append(tuple(sorted(map(turned, rows) if symmetry == "complements" else rows)))
    return min(images)


@pytest.mark.parametrize("symmetry", ["order", "complements"])
@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (1, 4), (3, 1), (2, 3), (3, 3), (2, 4)])
def test_there_is_one_of_each_class(rows: int, columns: int, symmetry: str) -> None:
    one_row = [row for row in product((0, 1), repeat=columns) if any(row)]
    classes = {canonical(each, symmetry) for each in product(one_row, repeat=rows)}
    made = [canonical(each, symmetry) for each in every(rows, columns, symmetry)]
    assert len(made) == len(set(made))
    assert set(made) == classes


def test_without_symmetry_there_are_all_patterns() -> None:
    made = every(2, 3, "none")
    assert len(made) == len(set(made)) == 7**2


@pytest.mark.parametrize("complements", [False, True])
@pytest.mark.parametrize(
    ("rows", "columns"), [*product(range(1, 5), range(1, 6)), (5, 4), (5, 5), (4, 6), (8, 3)]
)
def test_there_are_as_many_as_burnside_counts(rows: int, columns: int, complements: bool) -> None:
    symmetry = "complements" if complements else "order"
    expected = count_patterns(rows, columns, complements=complements)
    assert family.count_patterns(rows, columns, symmetry) == expected


@pytest.mark.parametrize(("rows", "columns"), [(2, 3), (3, 4), (4, 4), (4, 5)])
def test_the_reduced_ones_are_the_classes_of_the_atlas(rows: int, columns: int) -> None:
    """No equal or complementary rows, no constant row, no equal columns."""
    reduced = 0
    for pattern in every(rows, columns, "complements"):
        entries = np.array(pattern)
        splits = {tuple(row) for row in entries ^ entries[:, :1]}
        distinct = len({tuple(column) for column in entries.T})
        reduced += distinct == columns and len(splits) == rows and (0,) * columns not in splits
    assert reduced == count_classes(rows, columns)


def test_complements_need_other_dimensions_with_distances() -> None:
    """So they are counted once for dot products and cosines only."""
    assert len(every(3, 3, "order")) > len(every(3, 3, "complements"))
    identity = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    opposite = [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    for similarity, same in (("dot", True), ("cosine", True), ("l2", False)):
        one, other = (
            weak_dimension(entries, similarity=similarity, time_limit=30)
            for entries in (identity, opposite)
        )
        assert one.exact
        assert other.exact
        assert (one.upper == other.upper) is same


def test_the_command_writes_all_of_them(tmp_path: Path) -> None:
    folder = tmp_path / "all"
    done = run("generate", "all", "--rows", "2", "--columns", "3", "-o", str(folder))
    assert done.exit_code == 0, done.output
    files = sorted(folder.iterdir())
    assert len(files) == family.count_patterns(2, 3) == 9
    assert len({load(file).sha256 for file in files}) == 9
    rest = run("generate", "all", "--rows", "2", "--columns", "3", "--number", "8")
    assert rest.stdout.startswith("# family=all rows=2 columns=3 symmetry=order number=8")
    refused(run("generate", "all"), "several instances need a folder: name one with --output")


def test_a_batch_answers_for_all_of_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = batch("all:rows=3,columns=3,symmetry=complements", "--task", "dim")
    count = family.count_patterns(3, 3, "complements")
    assert f"{count} instances: {count} EXACT" in done.stdout
    again = batch("all:rows=3,columns=3,symmetry=order,count=4,number=2", "--results", "r.sqlite")
    assert "4 instances" in again.stdout
    assert "columns must be in 1..7" in batch("all:columns=9").stderr
