"""Names in every script: an installed font draws them, or their code points stand there."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

from samapprox import Pattern
from samapprox.pictures import draw, svg
from samapprox.pictures import labels as fonts

CHINESE = "\u4f60\u597d"
NOWHERE = "\U000f1234"  # for private use: no font on the list has it


@pytest.fixture(autouse=True)
def forget() -> Iterator[None]:
    """Every test looks for fonts anew."""
    cached = (fonts._installed_fallbacks, fonts._advise)
    for function in cached:
        function.cache_clear()
    yield
    for function in cached:
        function.cache_clear()


@pytest.fixture
def no_fallbacks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fonts, "_installed_fallbacks", tuple)


def named(name: str) -> Pattern:
    return Pattern.from_text("10\n01", row_names=[name, "b"], column_names=[name, "b"])


def test_plain_names_need_one_font() -> None:
    assert fonts.families_for("gr\u00fc\u00df dich, \u03b1 \u2192 $x_{$") == fonts.families_for("")
    assert fonts.printable("gr\u00fc\u00df dich") == "gr\u00fc\u00df dich"


def test_names_without_a_font_are_code_points_with_one_note(
    no_fallbacks: None, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        figure = draw(named(CHINESE), title=CHINESE)
        for _ in range(3):
            draw(named(CHINESE))
        assert svg(figure).startswith("<?xml")  # a warning would be an error here
    assert figure.get_suptitle() == "U+4F60U+597D"
    labels = [label.get_text() for label in figure.get_axes()[0].get_yticklabels()]
    assert labels == ["U+4F60U+597D 0", "b 1"]
    (note,) = [record.getMessage() for record in caplog.records]
    assert "fonts-noto-cjk" in note


def test_an_installed_font_draws_what_the_usual_one_lacks() -> None:
    families = fonts.families_for(CHINESE)
    if len(families) == len(fonts.families_for("")):
        pytest.skip("no font with Chinese letters here: apt-get install fonts-noto-cjk")
    figure = draw(named(CHINESE), title=f"{CHINESE} $x")
    assert svg(figure).startswith("<?xml")
    assert figure.get_suptitle() == f"{CHINESE} $x"
    labels = figure.get_axes()[0].get_xticklabels()
    assert labels[0].get_text() == f"{CHINESE} 0"
    assert labels[0].get_fontfamily() == families


def test_a_mixture_keeps_what_can_be_drawn(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        assert fonts.printable(f"a{NOWHERE}\nb\0") == "aU+F1234\nbU+0000"


def test_fonts_of_all_families_are_sought_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    letters = {"one": frozenset("xy"), "two": frozenset("yz"), "three": frozenset("z")}
    default = fonts.families_for("")
    known = fonts._letters
    monkeypatch.setattr(
        fonts, "_letters", lambda name: letters.get(name) or known(name) - set("xyz")
    )
    monkeypatch.setattr(fonts, "_installed_fallbacks", lambda: tuple(letters))
    assert fonts.families_for("xyz") == [*default, "one", "two"]
    assert fonts.families_for("z") == [*default, "two"]
    assert fonts.families_for("a") == default


def test_fallbacks_are_the_installed_fonts_of_the_list(monkeypatch: pytest.MonkeyPatch) -> None:
    """matplotlib brings DejaVu Serif."""
    monkeypatch.setattr(fonts, "_FALLBACKS", ("No Such Font", "DejaVu Serif"))
    found = fonts._installed_fallbacks()
    assert found[0] == "DejaVu Serif"
    assert "No Such Font" not in found
    assert all(name.startswith("Noto Sans ") for name in found[1:])
