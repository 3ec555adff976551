"""
NO on a line: marked entries
============================

A refutation names the rows and columns that it rests on. Of three keys on a line, one lies between
the other two, so no query can score it above both. But each of these three keys is singled out by
some row: no attention of dimension 1 represents the pattern.

The pattern is head 8 of layer 0 of a sentence encoder on a text of eight tokens: each token attends
to its heaviest key.
"""

import samapprox
from samapprox import data

pattern = samapprox.load(data.path("minilm/s00_L0_H08_top1_n8.npz"))
verdict = samapprox.decide(pattern, d=1)
print(verdict.status.value, verdict.proof)
figure = verdict.draw()
figure.set_label(
    "A pattern of 8 queries and 8 keys with three marked rows, three marked columns, "
    "and rings around nine entries"
)
