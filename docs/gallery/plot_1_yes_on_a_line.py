"""
YES on a line
=============

In dimension 1, attention represents a pattern if the keys can be ordered so that the ones of every
row lie at one end of the order. Sorted by this order, the pattern becomes two staircases.

The pattern is head 10 of layer 4 of a sentence encoder on "Rain fell softly on the old tin roof.":
each token attends to the keys with a weight of at least 1/n.
"""

import samapprox
from samapprox import data

pattern = samapprox.load(data.path("minilm/s02_L4_H10_unif_n11.npz"))
verdict = samapprox.decide(pattern, d=1)
print(verdict.status.value)
figure = verdict.draw()
figure.set_label(
    "A pattern of 11 queries and 11 keys whose ones form a staircase; below it, six "
    "dots on a line and five half-lines"
)
