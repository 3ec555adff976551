"""Compiling kernels with numba, outside the time of searches, cached where that is possible."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar, cast

import numba
from numba.core import event
from numba.extending import intrinsic
from numba.misc.appdirs import AppDirs

from samapprox.support.limits import search_clock

Function = TypeVar("Function", bound=Callable[..., Any])


class _Pauses(event.Listener):
    """Pauses of the clock of searches while this process compiles or loads kernels."""

    def on_start(self, _event: event.Event) -> None:
        search_clock.pause()

    def on_end(self, _event: event.Event) -> None:
        search_clock.resume()


# Numba holds this lock while it compiles a kernel, and also while it loads one from its cache,
# which the event "numba:compile" leaves out.
event.register("numba:compiler_lock", _Pauses())  # type: ignore[no-untyped-call]


def compiled(function: Function, *, any_order: bool = False) -> Function:
    """Compile on first call, without the interpreter lock, and keep the machine code on disk.

    Numba keeps it in the user's cache folder or, where that is read-only, beside the source. Where
    neither can be written the function is compiled anew in each process.

    `function`: typed by numba from its arguments; must not touch Python objects. `any_order`:
    whether sums of floats may be taken in any order, several numbers at once: faster, and good
    enough where nothing is proven by them.

    Numba looks at the date of the function's own file alone: after a change of another file that it
    uses (a function that it calls, a constant), touch its file too.
    """
    # No C code calls kernels: without a wrapper for it, compiling takes 7 % less time.
    options: dict[str, Any] = {"nogil": True, "fastmath": any_order, "no_cfunc_wrapper": True}
    try:
        with _own_cache():
            kernel = numba.njit(cache=True, **options)(function)
    except RuntimeError:  # "no locator available": nowhere to keep it
        kernel = numba.njit(**options)(function)
    return cast(Function, kernel)


@contextmanager
def _own_cache() -> Iterator[None]:
    """Let numba keep code in the user's cache folder, unless the user names another one.

    Files beside the source would outlive ``pip uninstall``, and the folder that holds them would
    hide an installation elsewhere.
    """
    config: Any = numba.config
    folders: Any = AppDirs("samapprox", appauthor=False)  # type: ignore[no-untyped-call]
    before = config.CACHE_DIR
    config.CACHE_DIR = before or folders.user_cache_dir
    try:
        yield
    finally:
        config.CACHE_DIR = before


def emitted(function: Callable[..., Any]) -> Any:
    """Make a function for compiled code from instructions emitted one by one.

    It must stand at the level of its module: what numba keeps on disk could not be found again
    otherwise.

    `function`: from numba's types to a signature and a function that emits LLVM code.
    """
    return intrinsic(function)


def emit_loop(
    builder: Any,
    start: Any,
    stop: Any,
    step: int,
    first: list[Any],
    body: Callable[[Any, list[Any]], list[Any]],
) -> list[Any]:
    """Emit the values after ``body(k, values)`` for k = start, start + step, .. below `stop`.

    The loop runs once at least. Values are llvmlite's; `first` is what they begin with.
    """
    before = builder.block
    loop, done = builder.append_basic_block("loop"), builder.append_basic_block("done")
    builder.branch(loop)
    builder.position_at_end(loop)
    k = builder.phi(start.type)
    running = [builder.phi(value.type) for value in first]
    after = body(k, running)
    following = builder.add(k, start.type(step))
    ends = zip([k, *running], [start, *first], [following, *after], strict=True)
    for phi, begin, end in ends:
        phi.add_incoming(begin, before)
        phi.add_incoming(end, builder.block)
    builder.cbranch(builder.icmp_signed("<", following, stop), loop, done)
    builder.position_at_end(done)
    return after
