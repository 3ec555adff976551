"""The parts of `benchmarks/practice.py`."""
