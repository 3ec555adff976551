"""Dimensions with cosine similarity and Euclidean distance."""
