"""
Chains of thought
=================

Each token of a chain is computed from earlier ones, its needs. Above, a dot in row i and column j
means that token i needs token j. Below, the live width counts the tokens that are still needed: the
computation must keep them. The edit distance needs few of its tokens at a time.
"""

from samapprox.attention.reasoning import parse_task
from samapprox.attention.reasoning.locality.order import best_order
from samapprox.attention.reasoning.locality.report import draw_needs

[chain] = parse_task("edit-distance").generate(9)
best = best_order(chain.needs, chain.given)
table = draw_needs(chain.needs, chain.given, best=best, title="Edit distance, 9 and 11 letters")
table.set_label(
    "Dots near a few diagonals; below them, a live width that stays near 30 for this "
    "order and is lower for the best"
)

# %%
# For the longest increasing subsequence, each number is compared with all before it, so that almost
# every token is live at once.
[chain] = parse_task("lis").generate(40)
subsequence = draw_needs(chain.needs, chain.given, title="LIS of 40 numbers")
subsequence.set_label("Two dark triangles; below them, a live width that grows to 79")
