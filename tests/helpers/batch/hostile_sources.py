"""Instances that never come, come late, take all memory, or take their process with them."""

from __future__ import annotations

import ctypes
import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

from samapprox import Instance, Pattern
from samapprox.support.limits import search_clock


@dataclass(frozen=True)
class Harmless:
    text: str = "10\n01"

    def load(self, *, signs: bool = False) -> Instance:  # noqa: ARG002
        return Instance(Pattern.from_text(self.text))


@dataclass(frozen=True)
class Forever:
    """In native code that holds the interpreter lock, deaf to all but SIGKILL; may make a file."""

    begun: Path | None = None

    def load(self, *, signs: bool = False) -> Instance:  # noqa: ARG002
        if self.begun is not None:
            self.begun.touch()
        while True:
            ctypes.PyDLL(None).sleep(1000)


@dataclass(frozen=True)
class Compiling:
    """Comes after so many seconds, which pass in numba's compiler."""

    seconds: float

    def load(self, *, signs: bool = False) -> Instance:  # noqa: ARG002
        search_clock.pause()  # imports may take seconds, too
        from numba.core import event

        import samapprox.support.jit  # noqa: F401 (listens)

        search_clock.resume()
        with event.trigger_event("numba:compiler_lock"):
            time.sleep(self.seconds)
        return Harmless().load()


@dataclass(frozen=True)
class Greedy:
    def load(self, *, signs: bool = False) -> Instance:  # noqa: ARG002
        held = []
        while True:
            held.append(b"x" * (1 << 24))


@dataclass(frozen=True)
class Deadly:
    """Ends its process; the first time alone if there is a file to remember it by."""

    once: Path | None = None

    def load(self, *, signs: bool = False) -> Instance:  # noqa: ARG002
        if self.once is not None and self.once.exists():
            return Harmless().load()
        if self.once is not None:
            self.once.touch()
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError


@dataclass(frozen=True)
class Bug:
    def load(self, *, signs: bool = False) -> Instance:  # noqa: ARG002
        raise ZeroDivisionError("one of ours")
