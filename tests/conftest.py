"""Settings of all tests."""

import gc
import math
import os
import signal
import sys

import pytest
from hypothesis import HealthCheck, settings

from samapprox.support.limits import search_clock

# Shells have background jobs ignore interrupts, and programs that tests start would inherit it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Tests start hundreds of interpreters. If none may write compiled code, each compiles the package
# anew, and pytest compiles all tests.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Collected tests are a million objects that stay: no search for garbage looks at them again. Tests
# make little garbage in cycles, so searches may be rare.
gc.disable()
gc.set_threshold(50_000, 20, 20)


def pytest_collection_finish() -> None:
    """Search for garbage again, but not among what has been collected."""
    gc.freeze()
    gc.enable()


# A busy machine is no failure: examples may take as long as they like, to draw and to test.
settings.register_profile(
    "samapprox", max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("thorough", settings.get_profile("samapprox"), max_examples=1000)
settings.load_profile("samapprox")

# While kernels are compiled, the clock of searches stops, for two minutes in all. On slow machines,
# the kernels of hundreds of tests take longer.
search_clock._most_paused = math.inf

# If a strategy fails, a decision continues with the others; tests are to see the error.
os.environ.setdefault("SAMAPPROX_TRACEBACK", "1")

# Machines that run tests may demand colour, which commands would heed.
for name in ("FORCE_COLOR", "CLICOLOR_FORCE"):
    os.environ.pop(name, None)


@pytest.fixture
def _no_cp_sat(monkeypatch: pytest.MonkeyPatch) -> None:
    """No search for Hamiltonian paths: CP-SAT's library and highspy's cannot share a process."""
    from samapprox.attention.graphs import hamilton

    monkeypatch.setattr(hamilton, "_searched", lambda *_: (None, "not searched"))


@pytest.fixture
def _in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Answer for sets in this process."""
    from helpers.batch.in_process import InProcess

    monkeypatch.setattr("samapprox.batch.runner.Pool", InProcess)
