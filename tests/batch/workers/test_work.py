"""What workers are given: all of a set once, in groups that keep them busy to the end."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from samapprox.batch.answer import bare
from samapprox.batch.results.outcome import HOLDS_STACKS
from samapprox.batch.sets.entry import File
from samapprox.batch.sets.sets import InstanceSet, open_set
from samapprox.batch.workers.groups import Group
from samapprox.batch.workers.work import SetWork


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


def test_files_that_hold_stacks_count_by_their_matrices(tmp_path: Path) -> None:
    for at in range(2):
        np.savez(tmp_path / f"{at}.npz", S=np.ones((700, 2, 2), dtype=np.uint8))
    work = SetWork(open_set([str(tmp_path)]), {}, True, 1)
    (files,) = taken(work)
    assert all(isinstance(entry.source, File) for entry in files.entries)
    found = [bare(entry)._replace(verdict=HOLDS_STACKS) for entry in files.entries]
    assert work.answered(found) == []
    assert sum(len(group.entries) for group in taken(work)) == work.total == 1400
