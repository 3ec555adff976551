"""The universality theorems as transformers that can be built, run and verified."""

from typing import TYPE_CHECKING

from samapprox.support.lazy import lazy_names

if TYPE_CHECKING:
    from samapprox.attention.transformers.universality.construction import (
        Construction,
        Verification,
        build_universal,
        verify,
    )
    from samapprox.attention.transformers.universality.grid import (
        Grid,
        parse_function,
        random_function,
    )
    from samapprox.attention.transformers.universality.routes import Method, choose_route
    from samapprox.attention.transformers.universality.softening import soften_transformer
    from samapprox.attention.transformers.universality.softening_report import (
        Softening,
        measure_softening,
    )

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
        construction=("Construction", "Verification", "build_universal", "verify"),
        grid=("Grid", "parse_function", "random_function"),
        routes=("Method", "choose_route"),
        softening=("soften_transformer",),
        softening_report=("Softening", "measure_softening"),
    )
