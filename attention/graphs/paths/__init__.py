"""Hamiltonian paths of attention graphs: found, or refuted with a checkable proof."""
