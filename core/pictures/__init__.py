"""Patterns, proofs and results as pictures."""

from samapprox.pictures.drawing import (
    draw,
    draw_sides,
    has_picture,
    picture_kind,
    save_picture,
    svg,
)
from samapprox.support.packages import lazy_modules

__all__ = ["draw", "draw_sides", "has_picture", "picture_kind", "save_picture", "svg"]

__getattr__, __dir__ = lazy_modules(__name__)
