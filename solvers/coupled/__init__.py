"""Strategies for queries and keys that share X."""
