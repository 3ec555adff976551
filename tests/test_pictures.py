"""Pictures show the pattern they are given."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from strategies import Entries, line_entries

from samapprox import InputError, Pattern, data, decide, load
from samapprox.pictures import draw, save_picture


def shown(figure: object) -> np.ndarray:
    return np.asarray(figure.get_axes()[0].get_images()[0].get_array())


def test_the_entries_as_they_are() -> None:
    pattern = Pattern.from_text("1*0\n011")
    assert np.array_equal(shown(draw(pattern)), pattern.to_array())


@settings(max_examples=20, deadline=None)
@given(line_entries())
def test_a_line_is_drawn_as_two_staircases(entries: Entries) -> None:
    verdict = decide(entries)
    picture = shown(draw(verdict.problem.pattern, verdict.proof)).astype(int)
    assert sorted(picture.sum(axis=1)) == sorted(entries.sum(axis=1))
    # Along the line every row changes at most once.
    assert (np.abs(np.diff(picture, axis=1)).sum(axis=1) <= 1).all()


def test_a_core_is_marked_where_it_is() -> None:
    pattern = load(data.path("minilm/s04_L2_H08_top1_n17.npz"))
    verdict = decide(pattern)
    proof = verdict.proof
    rings = draw(pattern, proof).get_axes()[0].collections[-1].get_offsets()
    expected = {(c, r) for r in proof.rows for c in proof.columns}
    assert {tuple(map(int, point)) for point in np.asarray(rings)} == expected


def test_names_are_shown_where_there_is_room() -> None:
    axes = draw(load(data.path("minilm/s00_L0_H08_top1_n8.npz"))).get_axes()[0]
    assert [label.get_text() for label in axes.get_yticklabels()][:2] == ["[CLS] 0", "the 1"]
    wide = draw(load(data.path("minilm/s38_L5_H01_top2_n120.npz"))).get_axes()[0]
    assert len(wide.get_yticks()) == 0


def test_equal_patterns_give_equal_pictures(tmp_path: Path) -> None:
    for kind in ("png", "pdf"):
        for name in ("a", "b"):
            save_picture(draw(Pattern.from_text("10\n01")), tmp_path / f"{name}.{kind}")
        assert (tmp_path / f"a.{kind}").read_bytes() == (tmp_path / f"b.{kind}").read_bytes()


def test_what_cannot_be_drawn(tmp_path: Path) -> None:
    eye = Pattern.from_sparse(scipy.sparse.eye_array(3000, format="csr"))
    with pytest.raises(InputError, match="3000 x 3000 pattern has more than 4000000 entries"):
        draw(eye)
    figure = draw(Pattern.from_text("1"))
    with pytest.raises(InputError, match="pictures are written as"):
        save_picture(figure, tmp_path / "p.npz")
    with pytest.raises(InputError, match="No such file"):
        save_picture(figure, tmp_path / "missing" / "p.png")
