"""The parts of `benchmarks/papers/reasoning.py`."""
