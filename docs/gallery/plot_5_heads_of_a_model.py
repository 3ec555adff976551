"""
The heads of a model
====================

The least dimension of every head of a sentence encoder (6 layers of 12 heads, each of dimension 32)
on one text of 11 tokens. A token attends to the keys with a weight of at least 1/n. Dimension 3
suffices for each of the 72 heads.
"""

import matplotlib.pyplot as plt
import numpy as np

import samapprox
from samapprox import Pattern, Status, data
from samapprox.attention import Uniform, binarize, load_attention


def least_dimension(pattern: Pattern) -> int:
    """Return the first d that has an embedding; all smaller d are refuted."""
    answers = (samapprox.decide(pattern, d, time_limit=30) for d in range(1, 12))
    return next(answer.problem.d for answer in answers if answer.status is Status.YES)


weights = load_attention(data.path("attention/att_s02_n11.npz"))
patterns = [[binarize(head, Uniform()) for head in layer] for layer in weights]
least = np.array([[least_dimension(pattern) for pattern in layer] for layer in patterns])
print(np.bincount(least.ravel()))

figure, axes = plt.subplots(figsize=(7, 3.9), layout="constrained")
image = axes.imshow(least, cmap="Blues", vmin=0, vmax=least.max() + 1)
for layer, head in np.ndindex(least.shape):
    colour = "white" if least[layer, head] == least.max() else "black"
    axes.text(head, layer, str(least[layer, head]), ha="center", va="center", size=12, color=colour)
axes.set(xlabel="head", ylabel="layer", title="Least dimension of each head")
axes.set_xticks(range(12))
plt.close(figure)
figure.set_label("A map of 6 layers by 12 heads with the numbers 1, 2 and 3; most are 2")
