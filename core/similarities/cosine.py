"""Cosine similarity: S_ij is 1 if and only if q_i . k_j > t_i, with keys on the unit sphere."""

from samapprox.similarities.base import Similarity

COSINE = Similarity(
    name="cosine",
    words="with cosine similarity",
    ranking="by cosine similarity",
    dimension_name="cosine dimension",
    regions="caps of a sphere",
    above=1,  # a stereographic projection maps R^d to the sphere of R^(d+1)
    is_convex=True,
    curves=("points", "circle"),
    transfers="samapprox.solvers.similarity.transfers:CapTransfers",
    scores="samapprox.solvers.questions.fits.scores:CapScores",
    measure="samapprox.solvers.questions.evaluation.measures:Cosine",
)
