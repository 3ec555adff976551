"""Retrieval: dimensions of relevance judgements, and evaluation of given vectors."""
