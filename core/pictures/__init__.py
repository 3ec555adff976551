"""Patterns, proofs and results as pictures."""

from samapprox.pictures.drawing import (
    draw,
    draw_sides,
    has_picture,
    picture_kind,
    save_picture,
    svg,
)

__all__ = ["draw", "draw_sides", "has_picture", "picture_kind", "save_picture", "svg"]
