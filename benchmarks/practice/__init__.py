"""Dimensions in practice: fits, and evaluations of given embeddings."""
