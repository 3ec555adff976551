"""Helpers of tests about strategies: new ones, divisions of patterns, and coupled patterns."""
