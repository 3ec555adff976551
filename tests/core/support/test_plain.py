"""Copies of compiled modules in plain Python, and when they do the work."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from samapprox.solvers.similarity import pq_insertion_kernel, pq_tree_kernel, widen_kernel
from samapprox.support import plain
from samapprox.support.plain import choose_version, interpret


@pytest.fixture(autouse=True)
def _nothing_done(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a new process."""
    monkeypatch.setattr(plain, "_work", Counter())


def test_compiled_code_takes_over_once_plain_code_has_done_enough() -> None:
    versions = [choose_version(widen_kernel, 40, 100) for _ in range(4)]
    assert versions == [interpret(widen_kernel)] * 2 + [widen_kernel] * 2
    assert choose_version(pq_insertion_kernel, 40, 100) is interpret(
        pq_insertion_kernel
    )  # its own account


def test_nothing_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the functions that are called, nor those that they call."""

    def refuse(*_: object) -> None:
        raise AssertionError("something is compiled")

    monkeypatch.setattr("numba.core.dispatcher.Dispatcher.compile", refuse)
    tree, info = pq_tree_kernel.make_tree(4, 2)
    indptr, indices = np.array([0, 2, 4]), np.array([0, 2, 2, 3], dtype=np.int32)
    queue = np.empty(len(tree), dtype=np.int64)
    assert interpret(pq_insertion_kernel).insert_rows(tree, info, indptr, indices, 0, 2, queue) == 2
    order, _ = interpret(pq_insertion_kernel).read_leaves(tree, info, 4)
    assert "".join(map(str, order)) in {"1023", "1320", "0231", "3201"}
