"""Dot products, which attention computes: S_ij is 1 if and only if q_i . k_j > t_i."""

from samapprox.similarities.base import Similarity

DOT = Similarity(
    name="dot",
    words="",
    ranking="by dot product",
    dimension_name="weak dimension",
    regions="halfspaces",
    is_attention=True,
    divides=True,
    transfers="samapprox.solvers.similarity.transfers:Transfers",
    scores="samapprox.solvers.questions.fits.scores:Scores",
    measure="samapprox.solvers.questions.evaluation.measures:DotProduct",
)
