"""The parts of `benchmarks/universality.py`."""
