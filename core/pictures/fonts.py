"""Fonts for names in any script: the usual one, and installed ones for the letters it lacks."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from functools import cache
from typing import Any

__all__ = ["FALLBACKS", "families_for", "printable", "verbatim"]

FALLBACKS = (
    *(f"Noto Sans CJK {region}" for region in ("JP", "SC", "TC", "HK", "KR")),
    *(f"Noto Sans {region}" for region in ("JP", "SC", "TC", "HK", "KR")),
    *("Source Han Sans", "Source Han Sans SC", "Source Han Sans TC", "Source Han Sans K"),
    *("WenQuanYi Micro Hei", "WenQuanYi Zen Hei", "Droid Sans Fallback"),
    *("IPAexGothic", "IPAGothic", "TakaoGothic", "VL Gothic", "NanumGothic", "UnDotum"),
    *("PingFang SC", "PingFang TC", "PingFang HK", "Hiragino Sans", "Hiragino Sans GB"),
    *("Heiti TC", "STHeiti", "Apple SD Gothic Neo", "AppleGothic"),
    *("Microsoft YaHei", "Microsoft JhengHei", "Yu Gothic", "Meiryo", "MS Gothic"),
    *("Malgun Gothic", "SimHei", "SimSun"),
    *("Noto Sans", "Noto Sans Symbols 2", "Noto Sans Symbols2", "Noto Emoji", "Symbola"),
    *("Arial Unicode MS", "Unifont"),
)
"""Fonts of Linux, macOS and Windows with the letters that matplotlib's own font lacks.

After these come all other installed fonts of the Noto Sans family, one for each script."""


def verbatim(*texts: str) -> dict[str, Any]:
    """Return text properties that draw texts as they stand: no formulas, and every letter.

    Parameters
    ----------
    *texts : str
        All texts that share the properties, as `printable` returns them.

    Examples
    --------
    >>> verbatim("head $0")["parse_math"]
    False
    """
    return {"parse_math": False, "fontfamily": families_for("".join(texts))}


def families_for(text: str) -> list[str]:
    """Return the default families and, after them, those that add letters of the text.

    Examples
    --------
    >>> families_for("plain") == families_for("")
    True
    """
    families = _default_families()
    missing = _missing(text, families)
    for family in _installed_fallbacks() if missing else ():
        found = missing & _letters(family)
        if found:
            families = [*families, family]
            missing -= found
    return families


def printable(text: str) -> str:
    r"""Replace each letter that no font can draw by its code point, such as U+4F60.

    Control characters other than line ends are replaced, too. The first letter without a font
    leads to one note on standard error (logger ``samapprox.pictures.fonts``), which says what to
    install.

    Examples
    --------
    >>> printable("a$b"), printable("a\x1b[0m")
    ('a$b', 'aU+001B[0m')
    """
    plain = text.encode("utf-8", "replace").decode()
    controls = {letter for letter in plain if not letter.isprintable() and letter != "\n"}
    strange = _missing("".join(set(plain) - controls), _default_families())
    if strange:
        strange = _missing("".join(strange), _installed_fallbacks())
    if strange:
        _advise()
    return "".join(
        f"U+{ord(letter):04X}" if letter in strange or letter in controls else letter
        for letter in plain
    )


def _missing(text: str, families: Iterable[str]) -> set[str]:
    """Letters of a text that none of the families has."""
    left = set(text) - {"\n"}
    for family in families:
        if not left:
            break
        left -= _letters(family)
    return left


def _default_families() -> list[str]:
    from matplotlib import rcParams

    return list(rcParams["font.family"])


def _letters(family: str) -> frozenset[str]:
    from matplotlib.font_manager import FontProperties, findfont

    return _letters_in(
        findfont(FontProperties(family=[family]))
    )  # which settings may change, so by file


@cache  # by file, since settings may give a family another one
def _letters_in(path: str) -> frozenset[str]:
    from matplotlib.font_manager import get_font

    return frozenset(map(chr, get_font(path).get_charmap()))


@cache
def _installed_fallbacks() -> tuple[str, ...]:
    """The fallbacks that this machine has, also those installed since matplotlib looked."""
    from matplotlib.font_manager import findSystemFonts, fontManager

    known = {font.fname for font in fontManager.ttflist}
    for path in sorted(set(findSystemFonts()) - known):
        try:
            fontManager.addfont(path)
        except (OSError, RuntimeError):  # a file that FreeType cannot read
            continue
    names = {font.name for font in fontManager.ttflist}
    scripts = sorted(name for name in names if name.startswith("Noto Sans "))
    return tuple(family for family in dict.fromkeys((*FALLBACKS, *scripts)) if family in names)


@cache
def _advise() -> None:
    """Say what to install: once, however many letters lack a font."""
    logging.getLogger(__name__).warning(
        "samapprox: some names have letters that no installed font can draw; the picture shows "
        "their code points, such as U+4F60. Install a font that has them: Noto Sans CJK for "
        "Chinese, Japanese and Korean (Debian and Ubuntu: apt install fonts-noto-cjk), or another "
        "of the Noto Sans family."
    )
