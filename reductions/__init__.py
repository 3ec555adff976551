"""Maps between problems, and generators of instances with known truth."""
