"""Euclidean distance: S_ij is 1 if and only if |q_i - k_j| < t_i."""

from samapprox.similarities.base import Similarity

L2 = Similarity(
    name="l2",
    words="with Euclidean distance",
    ranking="by Euclidean distance",
    dimension_name="Euclidean dimension",
    regions="balls",
    below=1,  # balls of R^d are halfspaces that cut the paraboloid of R^(d+1)
    is_convex=True,
    curves=("line",),
    transfers="samapprox.solvers.similarity.transfers:BallTransfers",
    scores="samapprox.solvers.questions.fits.scores:BallScores",
    measure="samapprox.solvers.questions.evaluation.measures:Distance",
)
