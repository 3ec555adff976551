"""Helpers that several test modules share are importable by their bare name."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
