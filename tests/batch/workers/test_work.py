"""Workers receive all of a set once, in groups that keep them busy to the end."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from samapprox.batch import Question
from samapprox.batch.sets.entry import Entry, File
from samapprox.batch.sets.sets import InstanceSet, open_set
from samapprox.batch.workers.groups import Group, SetWork, answers


def taken(work: SetWork) -> Iterator[Group]:
    while (group := work.take()) is not None:
        yield group


@pytest.fixture
def instances(tmp_path: Path) -> InstanceSet:
    np.savez(tmp_path / "s.npz", S=np.ones((9000, 2, 3), dtype=np.uint8))
    return open_set([str(tmp_path / "s.npz")])


@pytest.mark.parametrize("together", [False, True])
def test_all_are_given_once_and_the_last_groups_are_small(
    instances: InstanceSet, together: bool
) -> None:
    groups = list(taken(SetWork(instances, {}, together, 2)))
    names = [entry.name for group in groups for entry in group.entries]
    assert names == [f"s.npz:S[{at}]" for at in range(9000)]
    sizes = [len(group.entries) for group in groups]
    assert sizes == sorted(sizes, reverse=True)
    assert (sizes[0], sizes[-1] <= 64) == ((512, True) if together else (16, True))
    assert together or sizes[-1] == 1


@pytest.mark.parametrize("question", [Question("decide", d=1), Question("decide", d=2)])
def test_a_file_that_holds_stacks_has_no_result(tmp_path: Path, question: Question) -> None:
    """The worker reports it in its place, after the results before it."""
    for name in ("a.txt", "c.txt"):
        (tmp_path / name).write_text("10\n01\n")
    np.savez(tmp_path / "b.npz", S=np.ones((3, 2, 2), dtype=np.uint8))
    (entries,) = open_set([str(tmp_path)])
    events: list[str] = []

    def expand(entry: Entry) -> None:
        events.append(f"expand {entry.name}")

    for found in answers(Group(entries, together=True), question, lambda _so_far: None, expand):
        events += [f"{outcome.verdict} {outcome.name}" for outcome in found]
    assert events == ["YES a.txt", "expand b.npz", "YES c.txt"]


def test_files_that_hold_stacks_count_by_their_matrices(tmp_path: Path) -> None:
    for at in range(2):
        np.savez(tmp_path / f"{at}.npz", S=np.ones((700, 2, 2), dtype=np.uint8))
    work = SetWork(open_set([str(tmp_path)]), {}, True, 1)
    (files,) = taken(work)
    assert all(isinstance(entry.source, File) for entry in files.entries)
    for entry in files.entries:
        work.expand(entry)
    assert sum(len(group.entries) for group in taken(work)) == work.total == 1400
