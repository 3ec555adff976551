"""Bars without tqdm: commands that use them cannot tell the difference."""

from __future__ import annotations

import io
import sys

import pytest

from samapprox.cli.bars import tqdm


@pytest.fixture(params=["visible", "invisible"])
def _tqdm(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "invisible":
        monkeypatch.setitem(sys.modules, "tqdm", None)
    else:
        pytest.importorskip("tqdm")


@pytest.mark.usefixtures("_tqdm")
def test_bars_count_and_pass_on(capsys: pytest.CaptureFixture[str]) -> None:
    screen = io.StringIO()
    assert list(tqdm(iter("abc"), file=screen, unit="pattern")) == ["a", "b", "c"]
    with tqdm(total=5, file=screen, leave=False, unit="part") as bar:
        bar.total = 7
        bar.update(2)
        bar.update()
        bar.set_postfix_str("1 failure", refresh=False)
        assert (bar.n, bar.total) == (3, 7)
        bar.write("lost: p.npz", file=sys.stderr)
    bar.close()
    assert "lost: p.npz\n" in capsys.readouterr().err


def test_only_the_visible_one_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = io.StringIO()
    monkeypatch.setitem(sys.modules, "tqdm", None)
    with tqdm(total=5, file=screen) as bar:
        bar.update(5)
    assert screen.getvalue() == ""
