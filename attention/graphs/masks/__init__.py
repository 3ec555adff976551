"""The sparse attention masks of the literature, one family a file."""
