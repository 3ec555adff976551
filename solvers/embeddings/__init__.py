"""Strategies that find embeddings (YES), and the numeric searches they use."""
