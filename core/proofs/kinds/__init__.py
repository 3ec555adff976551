"""Kinds of proof, one a module: what it claims, its members, its words."""
