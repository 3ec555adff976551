"""Dimension 1: complete procedures on a line."""
