"""Other people's libraries: SAT and CP-SAT behind one clock, and the threads of BLAS."""
