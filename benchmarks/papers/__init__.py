"""Furthest vectors, graphs, universality, approximation and reasoning, as the papers have them."""
