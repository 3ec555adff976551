"""What `results.py` runs: the lines of its tables, and the atlas of small patterns."""
