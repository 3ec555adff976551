"""Benchmarks of refutations by orientations."""
