"""Plain Python in place of compiled code, for as long as the work is too small for compiling it.

Compiling a module's kernels takes seconds on the first run, and loading them a few tenths later.
"""

from __future__ import annotations

import sys
from collections import Counter
from functools import cache
from types import FunctionType, ModuleType
from typing import Any

_work: Counter[str] = Counter()
"""The work that this process has asked of each kernel so far."""


def compilation_pays(name: str, work: int, most: int) -> bool:
    """Return whether compiled code should do this work, given all that came before it.

    `name`: of a kernel. `most`: the work that code without compilation does in some tenths of a
    second.

    >>> [compilation_pays("an example", 40, 100) for _ in range(4)]
    [False, False, True, True]
    """
    _work[name] += work
    return _work[name] >= most


def choose_version(module: ModuleType, work: int, most: int) -> Any:
    """Return a module with compiled functions, or the same in plain Python while that is enough.

    `work`, `most`: as in `compilation_pays`. Returned: both give the same answers from the same
    arrays, so one may go on where the other stopped.
    """
    return module if compilation_pays(module.__name__, work, most) else interpret(module)


@cache
def interpret(module: ModuleType) -> Any:
    """Return a copy of a module whose compiled functions are plain Python, as are all they call.

    `module`: its compiled functions are those of `samapprox.support.jit.compiled`, without types in
    their globals that only compiled code knows.
    """
    from numba.core.dispatcher import Dispatcher

    copy = ModuleType(module.__name__, module.__doc__)
    names = vars(copy)
    names.update(vars(module))
    for name, value in vars(module).items():
        function = value.py_func if isinstance(value, Dispatcher) else value
        if function is not value and function.__module__ != module.__name__:
            names[name] = getattr(interpret(sys.modules[function.__module__]), name)
        elif isinstance(function, FunctionType) and function.__module__ == module.__name__:
            names[name] = FunctionType(function.__code__, names, name, function.__defaults__)
    return copy
