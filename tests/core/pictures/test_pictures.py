"""Pictures show the pattern they are given, and the proof that comes with it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from click.testing import CliRunner
from helpers.pictured import CLASH, REAL, shown
from helpers.strategies import Entries, line_entries
from hypothesis import given, settings

from samapprox import (
    InputError,
    Pattern,
    Problem,
    Verdict,
    WeakDimension,
    data,
    decide,
    load,
    weak_dimension,
)
from samapprox.cli.main import cli
from samapprox.pictures import draw, save_picture
from samapprox.pictures.style import name_of
from samapprox.pictures.view import View
from samapprox.reductions.families import generate

# ---------------------------------------------------------------- the pattern


def test_the_entries_as_they_are() -> None:
    pattern = Pattern.from_text("1*0\n011")
    assert np.array_equal(shown(draw(pattern)), pattern.to_array())


@settings(max_examples=6, deadline=None)
@given(line_entries())
def test_a_line_is_drawn_as_two_staircases(entries: Entries) -> None:
    verdict = decide(entries)
    picture = shown(draw(verdict.problem.pattern, verdict.proof)).astype(int)
    assert sorted(picture.sum(axis=1)) == sorted(entries.sum(axis=1))
    # Along the line every row changes at most once.
    assert (np.abs(np.diff(picture, axis=1)).sum(axis=1) <= 1).all()


def test_names_are_shown_where_there_is_room() -> None:
    axes = draw(load(data.path("minilm/s00_L0_H08_top1_n8.npz"))).get_axes()[0]
    assert [label.get_text() for label in axes.get_yticklabels()][:2] == ["[CLS] 0", "the 1"]
    wide = draw(load(data.path("minilm/s38_L5_H01_top2_n120.npz"))).get_axes()[0]
    assert len(wide.get_yticks()) == 0


def test_names_are_made_fit_to_print() -> None:
    assert name_of(["a\nb\ud800"], 0) == "a b? 0"
    assert len(name_of(["x" * 500], 0)) < 30


@pytest.mark.parametrize("name", [".", ",", "'", " ", "", "\n", "\u2581", "--"], ids=ascii)
def test_names_without_letters_are_quoted_as_in_tables(name: str) -> None:
    pattern = Pattern.from_text("10\n01", column_names=[name, "b"])
    quoted = pattern.column_label(0).removeprefix("column 0 (").removesuffix(")")
    assert name_of(pattern.column_names, 0) == f"{quoted} 0"
    labels = draw(pattern).get_axes()[0].get_xticklabels()
    assert [label.get_text() for label in labels] == [f"{quoted} 0", "b 1"]


@pytest.mark.parametrize("shape", [(2500, 40), (40, 2500), (1700, 1300)])
def test_large_patterns_are_drawn_as_shares(shape: tuple[int, int]) -> None:
    rng = np.random.RandomState(0)
    entries = (rng.random_sample(shape) < np.linspace(0, 1, shape[1])).astype(np.int8)
    entries[:, 0] = 1
    care = np.ones(shape, dtype=np.int8)
    care[: shape[0] // 2, shape[1] // 2 :] = 0
    axes = draw(Pattern.from_array(entries, care)).get_axes()[0]
    block = [-(-n // 200) for n in shape]
    places = [np.arange(n) // b for n, b in zip(shape, block, strict=True)]
    sides = [place[-1] + 1 for place in places]
    sizes = np.zeros(sides)
    np.add.at(sizes, np.ix_(*places), 1)
    images = axes.get_images()
    for image, seen in zip(images, (entries * care, 1 - care), strict=True):
        counts = np.zeros(sides)
        np.add.at(counts, np.ix_(*places), seen)
        assert np.allclose(np.asarray(image.get_array()), counts / sizes)
        shade = image.cmap(image.norm(counts / sizes))[..., 3]
        assert (np.diff(shade.ravel()[np.argsort((counts / sizes).ravel())]) >= 0).all()
        assert image.get_extent()[1] == sides[1] * block[1] - 0.5
    assert axes.get_xlim() == (-0.5, shape[1] - 0.5)
    assert axes.get_ylim() == (shape[0] - 0.5, -0.5)


def test_judgements_are_a_density_and_not_specks() -> None:
    """Two relevant keys for each of 1000 queries: 0.2 % of the entries."""
    rng = np.random.RandomState(0)
    entries = np.zeros((1000, 1000), dtype=np.int8)
    for row in entries:
        row[rng.choice(1000, size=2, replace=False)] = 1
    figure = draw(Pattern.from_array(entries))
    image = figure.get_axes()[0].get_images()[0]
    shares = np.asarray(image.get_array())
    assert shares.shape == (48, 48)
    assert (shares > 0).mean() > 0.5
    darkness = image.cmap(image.norm(shares[shares > 0]))[:, 3]
    assert darkness.max() == 1
    assert darkness.min() > 0.2
    bar = figure.get_axes()[-1]
    assert bar.get_ylabel() == "share of ones in 21 x 21 entries"
    assert bar.get_ylim() == (0, shares.max())
    figure.draw_without_rendering()
    assert not bar.get_tightbbox().overlaps(figure.get_axes()[0].get_window_extent())
    assert image.get_window_extent().width / figure.dpi * 120 / 48 > 5  # pixels of a block


def test_a_large_staircase_has_fine_blocks() -> None:
    pattern = generate("line", rows=1000, columns=1000, seed=1).pattern
    shares = shown(draw(pattern, decide(pattern).proof))
    assert shares.shape == (200, 200)
    assert ((shares == 0) | (shares == 1)).mean() > 0.9


def test_a_pattern_of_the_greatest_size_with_entries_of_its_own() -> None:
    pattern = Pattern(np.eye(400, dtype=int))
    figure = draw(pattern)
    assert np.array_equal(shown(figure), pattern.to_array())
    assert len(figure.get_axes()) == 1


def test_equal_patterns_give_equal_pictures(tmp_path: Path) -> None:
    for kind in ("png", "svg", "pdf"):
        for name in ("a", "b"):
            save_picture(draw(Pattern.from_text("10\n01")), tmp_path / f"{name}.{kind}")
        assert (tmp_path / f"a.{kind}").read_bytes() == (tmp_path / f"b.{kind}").read_bytes()


def test_what_cannot_be_drawn(tmp_path: Path) -> None:
    eye = Pattern.from_sparse(scipy.sparse.eye_array(40_000, format="csr"))
    with pytest.raises(InputError, match="40000 x 40000 pattern has more than 1073741824 entries"):
        draw(eye)
    figure = draw(Pattern.from_text("1"))
    with pytest.raises(InputError, match="pictures are written as"):
        save_picture(figure, tmp_path / "p.npz")
    with pytest.raises(InputError, match="no such folder"):
        save_picture(figure, tmp_path / "missing" / "p.png")


# ---------------------------------------------------------------- both sides, notebooks, command


def test_both_sides_of_a_dimension() -> None:
    found = weak_dimension(REAL)
    no, yes = found.draw().subfigs
    assert no.get_suptitle().startswith("NO for d = 1")
    assert yes.get_suptitle() == "YES for d = 2"
    assert np.array_equal(np.asarray(no.get_axes()[0].get_images()[0].get_array()), REAL.to_array())
    assert len(yes.get_axes()[0].get_lines()) == len(View.of(found.yes.proof).boundaries)


def test_one_side_where_the_other_has_nothing_to_show() -> None:
    line = weak_dimension([[1, 0, 0], [1, 1, 0]])
    assert len(line.draw().subfigs) == 1
    four = weak_dimension(generate("all-subsets", n=6, k=2).pattern)
    assert [part.get_suptitle()[:12] for part in four.draw().subfigs] == ["NO for d = 3"]
    (nothing,) = WeakDimension(four.pattern, None, None).draw().subfigs
    assert nothing.get_suptitle() == "weak dimension 1..5"


def test_notebooks_show_verdicts() -> None:
    assert decide(CLASH)._repr_svg_().startswith("<?xml")
    assert "NO for d = 1, d_hid = 1" in decide(CLASH, 1, 1)._repr_svg_()
    assert "<svg" in weak_dimension(CLASH)._repr_svg_()


def test_notebooks_fall_back_where_there_is_no_picture() -> None:
    eye = Pattern.from_sparse(scipy.sparse.eye_array(40_000, format="csr"))
    assert Verdict(Problem(eye, 1), None)._repr_svg_() is None


def plot(*arguments: str) -> Any:
    return CliRunner().invoke(cli, ["plot", *arguments])


@pytest.mark.parametrize(
    "options", [["-d", "1"], ["-d", "2", "--row", "0", "--row", "3"], ["--dim"], []], ids=str
)
def test_one_command_decides_and_draws(tmp_path: Path, options: list[str]) -> None:
    target = tmp_path / "p.png"
    done = plot(str(data.path("minilm/s04_L2_H08_top1_n17.npz")), *options, "--output", str(target))
    assert (done.exit_code, done.stdout.strip()) == (0, str(target))
    assert target.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("minilm/s04_L2_H08_top1_n17.npz", "s04_L2_H08_top1_n17"),
        ("limit/limit.qrels.jsonl", "limit.qrels"),
        ("mask.npz", "mask"),
        ("signs.txt", "signs"),
        ("-", "stdin"),
    ],
)
def test_a_picture_needs_no_option(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, name: str
) -> None:
    """Of a head, of judgements, of a mask, of signs and of standard input."""
    monkeypatch.chdir(tmp_path)
    runner = CliRunner()
    made = runner.invoke(cli, ["generate", "mask", "--graph", "star", "-o", "mask.npz"])
    assert made.exit_code == 0, made.stderr
    (tmp_path / "signs.txt").write_text("+-\n-+\n")
    path = str(data.path(source)) if "/" in source else source
    done = runner.invoke(cli, ["plot", path], input="10\n01\n")
    assert (done.exit_code, done.stdout.strip()) == (0, f"{name}.plot.png"), done.stderr
    assert (tmp_path / f"{name}.plot.png").read_bytes().startswith(b"\x89PNG")


def test_a_certificate_that_is_none_is_named_alone(tmp_path: Path) -> None:
    (tmp_path / "c.json").write_text('{"x": 1}')
    source = str(data.path("minilm/s04_L2_H08_top1_n17.npz"))
    certificate = str(tmp_path / "c.json")
    done = plot(source, "--certificate", certificate, "--output", str(tmp_path / "p.png"))
    assert done.exit_code == 2
    assert done.stderr.startswith(f"samapprox: error: {certificate}: ")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-d", "1", "--dim"], "give only one of them"),
        (["--d-hid", "1"], "give both"),
        (["-d", "0"], "d must be a whole number of at least 1"),
        (["-d", "2", "--row", "17"], "error: --row: there is no row 17; rows are 0..16"),
        (["--dim", "--row", "-1"], "there is no row -1"),
        (["-d", "2", "--time-limit", "-1"], "time limit"),
    ],
)
def test_hostile_options(tmp_path: Path, options: list[str], message: str) -> None:
    source = str(data.path("minilm/s04_L2_H08_top1_n17.npz"))
    done = plot(source, *options, "--output", str(tmp_path / "p.png"))
    assert done.exit_code == 2
    assert message in done.stderr
    assert not (tmp_path / "p.png").exists()


def test_rows_are_counted_by_rows(tmp_path: Path) -> None:
    (tmp_path / "p.txt").write_text("10\n01\n11\n")
    output = str(tmp_path / "p.png")
    assert plot(str(tmp_path / "p.txt"), "--row", "2", "--output", output).exit_code == 0
    done = plot(str(tmp_path / "p.txt"), "--row", "3", "--output", output)
    assert "--row: there is no row 3; rows are 0..2" in done.stderr


@pytest.mark.parametrize("options", [["-d", "2"], ["--dim"], []], ids=str)
def test_what_cannot_be_drawn_is_refused_before_the_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str]
) -> None:
    def never(*_arguments: object, **_options: object) -> None:
        raise AssertionError("searched")

    for search in ("decide_pattern", "weak_dimension"):
        monkeypatch.setattr(f"samapprox.cli.pattern.plot.{search}", never)
    scipy.sparse.save_npz(tmp_path / "eye.npz", scipy.sparse.eye_array(40_000, format="csr"))
    done = plot(str(tmp_path / "eye.npz"), *options, "--output", str(tmp_path / "p.png"))
    assert (done.exit_code, "entries to draw" in done.stderr) == (2, True)
    source = str(data.path("minilm/s04_L2_H08_top1_n17.npz"))
    done = plot(source, *options, "--row", "17", "--output", str(tmp_path / "p.png"))
    assert (done.exit_code, "there is no row 17" in done.stderr) == (2, True)
