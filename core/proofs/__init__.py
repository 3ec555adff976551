"""Proofs: what must be trusted, and what is said of it."""
