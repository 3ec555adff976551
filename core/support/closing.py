"""Objects that are closed at the end of a `with` block."""

from __future__ import annotations

from abc import ABC, abstractmethod
from types import TracebackType
from typing import Self


class Closing(ABC):
    """An object that a `with` block closes, whatever happens within."""

    @abstractmethod
    def close(self) -> None:
        """Give back what the object holds: processes, memory, files."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self.close()
