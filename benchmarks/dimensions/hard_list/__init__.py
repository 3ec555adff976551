"""A frozen list of patterns that are hard for d >= 3, in two halves, with a dimension each."""
