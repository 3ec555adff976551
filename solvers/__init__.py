"""Procedures that turn a problem into a proof; one file an idea."""
