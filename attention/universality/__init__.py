"""The universality theorems as transformers that can be built, run and verified."""

from typing import TYPE_CHECKING

from samapprox.support.lazy import lazy_names

if TYPE_CHECKING:
    from samapprox.attention.universality.construction import Construction, build_universal
    from samapprox.attention.universality.functions import parse_function, random_function
    from samapprox.attention.universality.grid import Grid
    from samapprox.attention.universality.routes import Method, choose_route
    from samapprox.attention.universality.softening import soften_transformer
    from samapprox.attention.universality.softening_report import Softening, measure_softening
    from samapprox.attention.universality.verification import Verification, verify

__all__ = [
    "Construction",
    "Grid",
    "Method",
    "Softening",
    "Verification",
    "build_universal",
    "choose_route",
    "measure_softening",
    "parse_function",
    "random_function",
    "soften_transformer",
    "verify",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(
        __name__,
        construction=("Construction", "build_universal"),
        functions=("parse_function", "random_function"),
        grid=("Grid",),
        routes=("Method", "choose_route"),
        softening=("soften_transformer",),
        softening_report=("Softening", "measure_softening"),
        verification=("Verification", "verify"),
    )
