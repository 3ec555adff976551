"""Helpers that several test modules share are importable by their bare name."""

import sys
from pathlib import Path

from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parent))

# The suite times nothing: a busy machine is no failure.
settings.register_profile("samapprox", deadline=None)
settings.load_profile("samapprox")
