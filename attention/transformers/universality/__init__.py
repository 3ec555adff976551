"""The universality theorems as transformers that can be built, run and verified."""

from typing import TYPE_CHECKING

from samapprox.support.lazy import lazy_names

if TYPE_CHECKING:  # what `_HOMES` states, for tools that read types
    from samapprox.attention.transformers.universality.construction import (
        Construction as Construction,
    )
    from samapprox.attention.transformers.universality.construction import (
        Verification as Verification,
    )
    from samapprox.attention.transformers.universality.construction import (
        build_universal as build_universal,
    )
    from samapprox.attention.transformers.universality.construction import verify as verify
    from samapprox.attention.transformers.universality.grid import Grid as Grid
    from samapprox.attention.transformers.universality.grid import parse_function as parse_function
    from samapprox.attention.transformers.universality.grid import (
        random_function as random_function,
    )
    from samapprox.attention.transformers.universality.routes import Method as Method
    from samapprox.attention.transformers.universality.routes import choose_route as choose_route
    from samapprox.attention.transformers.universality.softening import (
        soften_transformer as soften_transformer,
    )
    from samapprox.attention.transformers.universality.softening_report import (
        Softening as Softening,
    )
    from samapprox.attention.transformers.universality.softening_report import (
        measure_softening as measure_softening,
    )

_HOMES = {
    "construction": ("Construction", "Verification", "build_universal", "verify"),
    "grid": ("Grid", "parse_function", "random_function"),
    "routes": ("Method", "choose_route"),
    "softening": ("soften_transformer",),
    "softening_report": ("Softening", "measure_softening"),
}
"""Module -> the names that it offers here."""

__all__ = sorted(name for names in _HOMES.values() for name in names)

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(__name__, **_HOMES)
