"""Compilation: where nothing can be kept on disk, and outside the time of searches."""

from __future__ import annotations

from pathlib import Path

import numba
import pytest

from samapprox.support import jit
from samapprox.support.limits import Change, search_clock


def median(a: int, b: int) -> int:
    return (a + b) // 2


def test_kernels_compile_where_nothing_can_be_cached(monkeypatch: pytest.MonkeyPatch) -> None:
    real = numba.njit

    def refuse(*functions: object, **options: object) -> object:
        if options.get("cache"):
            raise RuntimeError("cannot cache function: no locator available")
        return real(*functions, **options)

    monkeypatch.setattr(numba, "njit", refuse)
    assert jit.compiled(lambda a: a + 1)(2) == 3


def test_compiled_code_is_kept_outside_the_package(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Files in the package would outlive an uninstallation, and hide the next installation."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "own"))
    kernel = jit.compiled(median)
    assert Path(kernel.stats.cache_path).is_relative_to(tmp_path / "own")  # type: ignore[attr-defined]
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "named"))
    kernel = jit.compiled(median)
    assert Path(kernel.stats.cache_path).is_relative_to(tmp_path / "named")  # type: ignore[attr-defined]
    assert str(tmp_path / "named") == numba.config.CACHE_DIR


def test_the_clock_of_searches_pauses_while_a_kernel_compiles(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Once for a kernel and all that it calls; and no more when it runs again."""
    changes: list[Change] = []
    monkeypatch.setattr(search_clock, "report", changes.append)
    inner = numba.njit(lambda a: a + 1)
    outer = numba.njit(lambda a: inner(a) + inner(a))
    assert outer(2) == 6
    assert [change.paused for change in changes] == [True, False]
    assert outer(3) == 8
    assert len(changes) == 2


def test_the_clock_of_searches_pauses_while_a_kernel_is_loaded(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A second function with the same code finds the machine code of the first one on disk."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    assert jit.compiled(median)(2, 4) == 3
    changes: list[Change] = []
    monkeypatch.setattr(search_clock, "report", changes.append)
    kernel = jit.compiled(median)
    assert kernel(2, 4) == 3
    assert sum(kernel.stats.cache_hits.values()) == 1  # type: ignore[attr-defined]
    assert [change.paused for change in changes] == [True, False]


def test_the_clock_goes_on_after_a_kernel_that_does_not_compile(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    changes: list[Change] = []
    monkeypatch.setattr(search_clock, "report", changes.append)
    with pytest.raises(numba.TypingError):
        jit.compiled(lambda a: a.nothing)(1)
    assert [change.paused for change in changes] == [True, False]
