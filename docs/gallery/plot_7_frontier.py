"""
The frontier of approximate attention
=====================================

An attention layer that approximates a matrix with k nonzeros in each row trades its rank against
the spread of its logits, and against the bits of its entries. The lines are lower bounds.
"""

from samapprox.attention.approximation import Request, sample
from samapprox.attention.approximation.frontier import draw_frontier, frontier

request = Request(target=sample(64, 2, 1.0), eps1=0.1, eps2=1.0)
methods = ["line", "circle", "rings", "hypercube"]
found = frontier(request, methods=methods, ranks=[])
for point in found.points:
    print(f"{point.method}: rank {point.rank}, spread {point.spread:.4g}")
figure = draw_frontier(found, title="64 tokens, two nonzeros in each row")
figure.set_label(
    "Two charts, spread against rank and bits against rank, with three methods as "
    "points and bounds as lines"
)
