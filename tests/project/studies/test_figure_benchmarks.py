"""The benchmarks of Theorem 0.4: shares of Lemma 0.6, laws, and the order of jobs."""

from __future__ import annotations

from dataclasses import astuple, replace
from pathlib import Path

import numpy as np
import pytest
from helpers.paths import ROOT
from papers import figure3, figure4, growth, lemma06
from shared import d_min

from samapprox.attention.approximation import sample
from samapprox.attention.approximation.checker import check
from samapprox.attention.approximation.methods.lazy_frames import bias, haar
from samapprox.attention.approximation.methods.projection import layer_of

PAGE = ROOT / "docs" / "theory" / "approximate.md"


@pytest.mark.parametrize("setting", lemma06.SETTINGS)
def test_differences_are_those_of_equation_18(setting: d_min.Setting) -> None:
    n = 12
    job = lemma06.Job(*astuple(setting), n, d=16, draws=1)
    target = sample(n, setting.k, setting.gamma, seed=3)
    B = np.zeros((n, n))
    B[np.repeat(np.arange(n), np.diff(target.indptr)), target.columns] = bias(
        target, setting.eps1, setting.eps2
    )
    rng = np.random.default_rng(0)
    for _ in range(20):
        Y = haar(n, 8, rng)
        errors = (n / 8) * B @ Y @ Y.T - B
        worst = np.abs(errors[:, :, None] - errors[:, None, :]).max()
        assert np.isclose(lemma06.largest_difference(target, job, Y), worst)


def test_equation_18_implies_both_conditions() -> None:
    setting, n = lemma06.SETTINGS[2], 24
    target = sample(n, setting.k, setting.gamma, seed=0)
    rng = np.random.default_rng(1)
    implied = 0
    for d in (40, 44, 46):
        job = lemma06.Job(*astuple(setting), n, d, draws=1)
        for _ in range(20):
            Y = haar(n, d // 2, rng)
            if lemma06.largest_difference(target, job, Y) < setting.eps2:
                layer = layer_of(target, setting.eps1, setting.eps2, Y)
                assert check(layer, target, setting.eps1, setting.eps2).holds
                implied += 1
    assert implied > 10


def test_shares_are_counted_by_seed() -> None:
    job = lemma06.Job(*astuple(lemma06.SETTINGS[0]), 48, 48, draws=30)
    shares = lemma06.measure(job)
    assert 0 < shares.differences < shares.conditions <= 30
    again = lemma06.measure(job)
    assert (again.differences, again.conditions) == (shares.differences, shares.conditions)


@pytest.mark.parametrize("law", growth.LAWS, ids=lambda law: law.name)
def test_laws_are_recognised(law: growth.Law) -> None:
    a, b = (-17.0, 16.0) if "log" in law.name else (24.0, 0.2)
    sizes = np.repeat(np.array(growth.SIZES, dtype=float), 4)
    noise = np.random.default_rng(2).normal(0, 1, len(sizes))
    values = law.curve(sizes, a, b) + noise
    fits = [growth.fit(one, sizes, values) for one in growth.LAWS]
    best = int(np.argmin([fit.aic for fit in fits]))
    assert growth.LAWS[best] == law
    assert (fits[best].a, fits[best].b) == pytest.approx((a, b), rel=0.2)
    assert fits[best].excess < 3


def test_the_correction_vanishes_for_large_n_and_leaves_at_most_2n() -> None:
    d = np.array([10.0, 1e9, 50.0])
    n = np.array([1e9, 20.0, 100.0])
    assert growth.inside(d, n) == pytest.approx([10, 40, 40], rel=1e-6)


def test_one_matrix_of_every_size_comes_first() -> None:
    jobs = figure3.jobs(figure3.SETTINGS, list(figure3.SIZES), 5)
    assert len(set(jobs)) == 440
    for part in (jobs[:330], jobs[330:]):  # the plots of the figure, and those of the appendix
        assert [job.seed for job in part] == sorted(job.seed for job in part)
    assert {job.k for job in jobs[:330]} == {1, 2}


def test_equation_6_is_void_in_five_settings() -> None:
    """It asks for d <= 2n; its d grows by a multiple of log n only."""
    first = [figure3.applies_from(setting) for setting in figure3.SETTINGS]
    assert first == [512, 1024, None, 2560, None, None, None, None]


def test_results_are_kept_and_not_measured_again(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    jobs = figure3.jobs(figure3.SETTINGS[:1], [16, 24], 2)
    d_min.run(jobs[:2], path)
    kept = path.read_text()
    d_min.run(jobs, path)
    assert path.read_text().startswith(kept)
    assert list(d_min.read(path)) == jobs
    finer = d_min.measure(jobs[0], step=2)
    assert finer.d_min <= d_min.read(path)[jobs[0]].d_min


def test_a_search_can_begin_at_a_share_of_the_least_known(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    jobs = figure3.jobs(figure3.SETTINGS[1:2], [32], 3)
    d_min.run(jobs[:1], path, step=2)
    whole = d_min.read(path)[jobs[0]].d_min
    assert d_min.first_d(jobs[1], {}, 0.5, 2) == d_min.first_d(jobs[1], d_min.read(path), 0, 2) == 2
    first = d_min.first_d(jobs[1], d_min.read(path), 0.5, 2)
    assert first in (whole // 2, whole // 2 - 1)
    assert d_min.first_d(jobs[1], {replace(jobs[0], n=33): d_min.Measured(9, 1, 1, 0)}, 0.5, 2) == 2
    d_min.run(jobs, path, step=2, share=0.5)
    for job in jobs[1:]:
        later = d_min.read(path)[job]
        assert 0.6 < later.d_min / whole < 1.6
        tried = 1 + (later.draws - later.last_draws) // 32
        assert first == later.d_min - 2 * (tried - 1)


def test_rows_fail_less_often_the_greater_d_is() -> None:
    job = figure3.jobs(figure3.SETTINGS[1:2], [64], 1)[0]
    means = [float(d_min.failing_rows(job, d, 20).mean()) for d in (16, 48, 128)]
    assert means[0] > means[1] > means[2] == 0


@pytest.mark.parametrize(("c", "holds_logarithm"), [(0.0, True), (0.3, False)])
def test_the_family_of_both_laws_finds_the_exponent(
    c: float, holds_logarithm: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(growth, "SAMPLES", 40)
    sizes = np.repeat(np.array(growth.SIZES, dtype=float), 4)
    slope = np.log(sizes) if c == 0 else np.expm1(c * np.log(sizes)) / c
    noise = np.random.default_rng(3).normal(0, 1.5, len(sizes))
    exponent, low, high = growth.bend(sizes, growth.inside(-15 + 16 * slope, sizes) + noise)
    assert low <= exponent <= high
    assert low - 0.03 <= c <= high + 0.03
    assert (low <= 0 <= high) == holds_logarithm


def test_the_page_has_the_tables_of_the_measurements(capsys: pytest.CaptureFixture[str]) -> None:
    figure3.table(d_min.read(figure3.TABLE))
    lemma06.table(d_min.read_results(lemma06.TABLE, lemma06.Job, lemma06.Shares))
    figure4.table(d_min.read(figure4.TABLE))
    printed = [line for line in capsys.readouterr().out.splitlines() if line.startswith("|")]
    assert len(printed) > 20
    assert set(printed) <= set(PAGE.read_text().splitlines())


def test_the_page_has_the_fits_of_all_laws() -> None:
    """Without the bootstrap, which takes a minute."""
    lines = [line.split(" | ") for line in PAGE.read_text().splitlines() if ".." in line]
    rows = {(line[0], line[1]): line[2:] for line in lines if line[0].startswith("| k = ")}
    ranges = list(growth.ranges(figure3.SETTINGS[:2]))
    assert len(ranges) == len(rows) == 6
    for setting, sizes, values in ranges:
        count, *cells = rows[f"| {setting.title}", f"{min(sizes):.0f}..{max(sizes):.0f}"]
        fits = [growth.fit(law, sizes, values) for law in growth.LAWS]
        least = min(one.aic for one in fits)
        assert count == str(len(sizes))
        for one, cell in zip(fits, cells, strict=False):
            assert cell.startswith(f"+{one.aic - least:.1f}, {one.excess:.1f}, ")
        assert cells[4] == f"{fits[2].a:.0f} + {fits[2].b:.1f} log n"


@pytest.mark.slow
def test_the_comparison_of_laws_is_what_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    growth.table(figure3.SETTINGS[:2])
    printed = capsys.readouterr().out.splitlines()
    assert [line for line in printed if line not in PAGE.read_text().splitlines()] == []
