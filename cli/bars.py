"""Progress bars, where tqdm is installed; commands work without it."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Any, TextIO

__all__ = ["tqdm"]


def tqdm(*arguments: Any, **options: Any) -> Any:
    """Make a bar of tqdm, or an invisible one where tqdm is not installed."""
    try:
        from tqdm import tqdm as visible
    except ImportError:
        return _Invisible(*arguments, **options)
    return visible(*arguments, **options)


class _Invisible:
    """A bar that nobody sees, with the methods that commands use."""

    def __init__(self, steps: Iterable[Any] = (), **_options: Any) -> None:
        self._steps = steps
        self.total: float | None = None
        self.n = 0.0

    def __iter__(self) -> Iterator[Any]:
        return iter(self._steps)

    def __enter__(self) -> _Invisible:
        return self

    def __exit__(self, *_error: object) -> None:
        pass

    def update(self, steps: float = 1) -> None:
        self.n += steps

    def set_postfix_str(self, text: str, *, refresh: bool = True) -> None:
        pass

    def write(self, line: str, file: TextIO | None = None) -> None:
        print(line, file=file or sys.stdout)

    def close(self) -> None:
        pass
