"""
Keys in the plane
=================

In dimension 2 the keys are points, and each query is a line with an arrow to the side of its ones.
The left picture refutes dimension 1, the right one is the embedding: dimension 2 is the least.
"""

import samapprox
from samapprox import data

pattern = samapprox.load(data.path("minilm/s04_L2_H08_top1_n17.npz"))
found = samapprox.weak_dimension(pattern, time_limit=30)
print(found.lower, found.upper)
figure = found.draw()
figure.set_label(
    "Left, a pattern of 17 queries with nine ringed entries; right, keys as dots, "
    "with lines and arrows for the queries"
)
