"""A frozen list of patterns with questions, and the answers that a version of the project gave."""
