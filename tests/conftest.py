"""Settings of all tests."""

import os
import signal

from hypothesis import settings

# Shells have background jobs ignore interrupts, and programs that tests start would inherit it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# The suite times nothing: a busy machine is no failure.
settings.register_profile("samapprox", deadline=None)
settings.load_profile("samapprox")

# A strategy's mistake costs a decision nothing but that strategy; tests are to see it.
os.environ.setdefault("SAMAPPROX_TRACEBACK", "1")
