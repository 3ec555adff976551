"""Furthest and orthogonal vectors: Task 1, exactly and on attention graphs."""
