"""Pictures of refutations: their cores are marked where they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from helpers.pictured import CLASH, REAL, marked

from samapprox import (
    Pattern,
    Problem,
    Verdict,
    data,
    decide,
    load,
)
from samapprox.pictures import draw
from samapprox.pictures.style import name_of
from samapprox.proofs.refutations.chirotope import Chirotope
from samapprox.proofs.refutations.counting import Counting
from samapprox.proofs.refutations.forster import Forster
from samapprox.proofs.refutations.radon import Radon
from samapprox.proofs.refutations.shattering import Shattering
from samapprox.proofs.refutations.sign_clash import SignClash
from samapprox.proofs.refutations.topological import Topological
from samapprox.reductions.families import generate

SAT = ["chirotope"]


SPLITS = Pattern.from_text("1000\n0100\n0010\n0001\n1100\n1010\n1001")
"""All ways to split four keys in two."""


OBSTRUCTIONS: dict[type, Callable[[], Verdict]] = {
    Radon: lambda: decide(REAL, 1),
    Shattering: lambda: decide(Pattern.from_text("0101\n0011"), 1),
    Counting: lambda: Verdict(Problem(SPLITS, 1), Counting(1, range(7), range(4))),
    Chirotope: lambda: decide(generate("random", rows=12, columns=12, seed=1).pattern, 2, only=SAT),
    Topological: lambda: decide(
        generate("mask", graph="star", n=12).pattern, 2, only=["topological"]
    ),
    Forster: lambda: decide(generate("hadamard", n=32).pattern, 2, only=["forster"]),
    SignClash: lambda: decide(CLASH, 1, 1),
}
"""One of each kind, which has passed the checker."""


@pytest.mark.parametrize("kind", OBSTRUCTIONS)
def test_a_core_is_marked_where_it_is(kind: type) -> None:
    verdict = OBSTRUCTIONS[kind]()
    pattern: Pattern = verdict.problem.pattern
    proof: Any = verdict.proof
    assert type(proof) is kind
    figure = draw(pattern, proof, title="NO")
    every = {(row, column) for row in proof.rows for column in proof.columns}
    if kind is SignClash:
        assert marked(figure) < every | {(0, 0)}
        read = {(row, c) for s in proof.splits for row in s.rows for c in s.columns}
        assert read <= marked(figure)
    elif kind is Topological:
        assert set(proof.entries_read()) == marked(figure) <= every
    else:
        assert marked(figure) == every
    rows, columns = figure.get_axes()[0].get_lines()
    assert list(rows.get_ydata()) == list(proof.rows)
    assert list(columns.get_xdata()) == list(proof.columns)
    assert figure.get_suptitle().replace("\n", " ") == f"NO {proof.caption}"
    assert len(figure.axes[0].patches) == len(proof.rows) + len(proof.columns)


def test_thousands_of_lines_of_a_core_are_few_bands() -> None:
    pattern = Pattern.from_array(np.eye(1000, dtype=np.int8))
    members = [[0, 0, 1, 2], [1, 0, 1, 2], [2, 0, 1, 2], [3, 0, 1, 2]]
    proof = Topological(1, range(1000), range(1000), "columns", members)
    figure = draw(pattern, proof)
    assert len(figure.axes[0].patches) == 2
    assert len(figure.axes[0].get_lines()[0].get_ydata()) == 1000


def test_the_core_of_a_large_pattern_is_drawn_once_more_with_names() -> None:
    pattern = load(data.path("limit/limit.npz"))
    proof = decide(pattern, 1).proof
    whole, _bar, core = draw(pattern, proof).get_axes()
    assert len(whole.get_xticks()) == 0
    part = np.asarray(core.get_images()[0].get_array())
    assert np.array_equal(part, pattern.submatrix(proof.rows, proof.columns))
    names = [label.get_text() for label in core.get_xticklabels()]
    assert names == [name_of(pattern.column_names, column) for column in proof.columns]


def test_a_core_is_marked_in_shares_too() -> None:
    entries = np.zeros((3000, 30), dtype=np.int8)
    entries[:, 0] = 1
    entries[[5, 1500, 2999]] = np.eye(30, dtype=np.int8)[[3, 4, 5]]
    proof = decide(entries).proof
    figure = draw(Pattern.from_array(entries), proof)
    assert {row for row, _ in marked(figure)} == set(proof.rows)
    whole = figure.get_axes()[0]
    assert (whole.get_xlim(), whole.get_ylim()) == ((-0.5, 29.5), (2999.5, -0.5))
    band = whole.patches[0]
    assert band.get_height() >= 3000 / 300 - 1e-9
