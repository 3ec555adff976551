"""Bounds on wrong items leave no room for unchecked proofs."""

from __future__ import annotations

import numpy as np
import pytest

from samapprox import Embedding, Pattern
from samapprox.errors import CertificateError
from samapprox.proofs.fits.partial_embedding import PartialEmbedding
from samapprox.proofs.questions import Fit
from samapprox.solvers.questions.fits.turns import FitBounds


def test_the_first_embedding_is_checked_like_all_others() -> None:
    first_row = Embedding([[1]], [[1], [0], [0]], [0])
    question = Fit(Pattern(np.eye(3)), 1, 0)
    assert FitBounds(question, PartialEmbedding("rows", [1, 2], first_row)).upper == 2
    with pytest.raises(CertificateError, match="fails the checker"):
        FitBounds(question, PartialEmbedding("rows", [2], first_row))
