"""Trained models: no stored run beats what is proven, and the code of the studies runs."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest
from helpers.paths import ROOT
from trained import copying, copying_study, heads, heads_study, tasks, tasks_study
from trained.heads_study import least

from samapprox.attention.graphs.copying import log10_tail


def cell(d: int, seed: int, right: int, margin: float) -> heads.Cell:
    return heads.Cell("part", "name", 1, 2, "free", "adam", d, seed, right, 9, margin)


def test_margins_are_shares_of_the_range_of_specified_logits() -> None:
    entries = np.array([[1, 0, -1], [0, 1, 1], [1, 1, 1], [0, 0, 1]])
    logits = np.array([[[4.0, 0, 99], [1, 0, 3], [7, 8, 9], [1, 1, 1]]])
    assert heads.margins(entries, logits).tolist() == [[1, -1 / 3, 1, 0]]


def test_the_least_d_is_that_of_all_seeds() -> None:
    cells = [cell(2, 0, 9, 0.1), cell(2, 1, 8, -0.1), cell(3, 0, 9, 0.1), cell(3, 1, 9, 0.001)]
    assert least(cells, seeds=1) == 2
    assert least(cells, seeds=2) == 3
    assert least(cells, share=0.01, seeds=2) is None


@pytest.mark.parametrize("study", [heads_study, copying_study, tasks_study])
def test_the_page_has_the_tables_of_the_stored_runs(
    study: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for drawn in (heads_study, tasks_study):
        monkeypatch.setattr(drawn, "save_picture", lambda *_: None)
    page = (ROOT / "docs" / "studies" / "trained.md").read_text(encoding="utf-8")
    study.report()
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) > 2
    assert [line for line in lines if line not in page] == []


def test_no_trained_head_is_smaller_than_the_proven_least() -> None:
    bounds = {one.name: (one.lower, one.upper) for one in heads.subjects()}
    for one in heads.TABLE.read():
        assert (one.lower, one.upper) == bounds[one.name]
        assert one.d >= one.lower
        assert (one.margin > heads.ROUNDING) <= (one.right == one.rows)


def test_no_trained_layer_copies_more_than_its_mask_lets_through() -> None:
    """Beyond the bound, targets are right by chance; `log10_tail` bounds how often."""
    for one in copying.TABLE.read():
        share = copying.share_of(one.name)
        assert one.bound == pytest.approx(100 * (share + (1 - share) / 128), abs=0.01)
        assert log10_tail(one.accuracy / 100, share, copying.TESTED) > -6


@pytest.mark.parametrize("optimizer", ["adam", "lbfgs"])
@pytest.mark.parametrize("model", ["free", "layer"])
def test_a_small_head_is_trained(
    model: str, optimizer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch")
    monkeypatch.setattr(heads, "STEPS", 100)
    monkeypatch.setattr(heads, "MOST_D", 3)
    subject = heads.subjects()[0]
    cells = list(heads.measure(subject, model, optimizer))
    assert {one.d for one in cells} <= {2, 3}
    assert len(cells) in (3, 6)
    assert max(one.right for one in cells) >= 6


def test_a_layer_learns_to_copy_a_few_symbols(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    for name, value in {
        "TOKENS": 8,
        "SYMBOLS": 4,
        "STEPS": 150,
        "TESTED": 1000,
        "SEEDS": 1,
    }.items():
        monkeypatch.setattr(copying, name, value)
    monkeypatch.setitem(copying.MASKS, "tiny", "full")
    [one] = copying.measure("tiny")
    assert one.on_heard > 60
    assert one.bound == 100


def test_a_small_transformer_of_every_kind_is_trained(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    for name, value in {"STEPS": 20, "TRAINED": 60, "TESTED": 20, "LAYERS": 1}.items():
        monkeypatch.setattr(tasks, name, value)
    monkeypatch.setitem(tasks.SIZES, "lis:values=9", 3)
    for model in tasks.MODELS:
        cells = list(tasks.measure("lis:values=9", model, 8))
        assert [one.seed for one in cells] == [0, 1, 2]
        assert all(0 <= one.chains <= one.tokens <= 100 for one in cells)
        assert max(one.tokens for one in cells) > 5
