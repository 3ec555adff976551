"""The parts of `benchmarks/papers/universality.py`."""
