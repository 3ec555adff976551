"""Strategies that refute a dimension (NO), and how refutations are found and trimmed."""
