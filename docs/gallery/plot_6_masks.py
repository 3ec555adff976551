"""
Sparse attention masks
======================

A mask says which keys each query attends to. On the circle, lines join each token with these keys.
"""

from samapprox.attention.graphs import build
from samapprox.attention.graphs.picture import draw_graph

bigbird = draw_graph(build("bigbird:w=3,g=2,r=3", 32), title="BigBird, 32 tokens")
bigbird.set_label(
    "A mask with two full rows and columns, a diagonal band and scattered squares; "
    "below it, 32 tokens on a circle"
)

# %%
# The strided mask of the Sparse Transformer has two patterns, which take turns.
strided = draw_graph(build("strided:w=6", 36), title="Strided, 36 tokens")
strided.set_label("Two masks, a band and parallel stripes; below each, 36 tokens on a circle")
