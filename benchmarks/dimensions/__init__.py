"""Decisions and least dimensions: time, memory, other solvers, and the frozen questions."""
