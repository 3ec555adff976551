"""The parts of `results.py`: the lines of its tables, and the atlas of small patterns."""
