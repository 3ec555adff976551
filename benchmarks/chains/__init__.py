"""The parts of `benchmarks/reasoning.py`."""
