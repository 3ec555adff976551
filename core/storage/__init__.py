"""Entries of patterns in memory: packed words, sparse rows, and what users hand in."""
