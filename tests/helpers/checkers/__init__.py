"""Other checkers of proofs, to compare with: plain ones, and the second one."""
