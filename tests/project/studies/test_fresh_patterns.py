"""Patterns drawn from attention tensors: the same for a seed, bounded once, and counted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from records import fresh

from samapprox import InputError, data

TENSORS = data.path("attention/att_s02_n11.npz").parent


def names(**changed: Any) -> list[str]:
    chosen = {"rules": ["top1", "unif"], "tokens": (11, 25), "count": 40, "seed": 3} | changed
    return [str(entry.path) for entry in fresh.draw(TENSORS, **chosen)]


def test_a_seed_draws_the_same_patterns() -> None:
    drawn = names()
    assert names() == drawn
    assert set(drawn) != set(names(seed=4))
    assert len(set(drawn)) == 40
    assert {name.split("/")[0] for name in drawn} == {"att_s02_n11", "att_s08_n25"}
    assert {name.split("/")[0] for name in names(tokens=(25, 45))} == {"att_s08_n25", "att_s20_n45"}
    assert names(count=10) == drawn[:10]


def test_there_are_no_more_than_all() -> None:
    assert len(names(tokens=(11, 11), count=1000)) == 6 * 12 * 2


def test_ranges_without_tensors_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(InputError, match="no tensor has 50 to 60 tokens"):
        names(tokens=(50, 60))
    with pytest.raises(SystemExit) as ended:
        fresh.main([str(TENSORS), "--tokens", "50", "60"])
    assert ended.value.code == 2
    assert "no tensor has 50 to 60 tokens" in capsys.readouterr().err


def test_a_run_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    results = tmp_path / "fresh.sqlite"
    chosen = [str(TENSORS), "--tokens", "11", "11", "--rules", "top1", "--results", str(results)]
    fresh.main([*chosen, "--count", "3"])
    assert capsys.readouterr().out.endswith("exact: 3 of 3, 100.0%\n")
    fresh.main([*chosen, "--count", "5"])
    assert capsys.readouterr().out.endswith("exact: 5 of 5, 100.0%\n")
    entries = fresh.draw(TENSORS, ["top1"], (11, 11), 5, 0)
    (first, *_) = fresh.bound(entries, results, 60.0, 1)
    open_one = first._replace(lower=2, upper=4, seconds=60.2)
    assert fresh.summarise([first, open_one._replace(name="x")]) == (
        "x, 11 tokens: 2..4 after 60 s\nexact: 1 of 2, 50.0%"
    )
