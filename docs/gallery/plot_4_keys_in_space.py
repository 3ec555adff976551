"""
Keys in space
=============

In dimension 3 the keys are points in space. A query is a plane with its ones on one side; two of
them are drawn.
"""

import samapprox
from samapprox import data

pattern = samapprox.load(data.path("minilm/s14_L1_H07_top3_n39.npz"))
verdict = samapprox.decide(pattern, d=3, time_limit=30)
print(verdict.status.value)
figure = verdict.draw(rows=[1, 7])
figure.set_label(
    "Dots above the floor of a cube, and two coloured planes with arrows to the ones "
    "of their queries"
)
