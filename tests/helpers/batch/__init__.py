"""Helpers of tests about runs over sets: the runs, their results, and hostile instances."""
