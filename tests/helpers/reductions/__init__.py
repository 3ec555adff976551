"""Patterns to encode for other solvers, and the answers of these solvers."""
