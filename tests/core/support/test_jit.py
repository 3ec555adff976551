"""Compilation where nothing can be kept on disk."""

from __future__ import annotations

import numba
import pytest

from samapprox.support import jit


def test_kernels_compile_where_nothing_can_be_cached(monkeypatch: pytest.MonkeyPatch) -> None:
    real = numba.njit

    def refuse(*functions: object, **options: object) -> object:
        if options.get("cache"):
            raise RuntimeError("cannot cache function: no locator available")
        return real(*functions, **options)

    monkeypatch.setattr(numba, "njit", refuse)
    assert jit.compiled(lambda a: a + 1)(2) == 3
