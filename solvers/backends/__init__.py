"""Other people's solvers behind one clock: SAT and CP-SAT."""
