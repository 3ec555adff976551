"""Helpers that several test modules share are importable by their bare name."""

import signal
import sys
from pathlib import Path

from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parent))

# Shells have background jobs ignore interrupts, and programs that tests start would inherit it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# The suite times nothing: a busy machine is no failure.
settings.register_profile("samapprox", deadline=None)
settings.load_profile("samapprox")
