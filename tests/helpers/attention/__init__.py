"""Helpers of tests about attention: masks, layers, weights and models."""
