"""The universality theorems as transformers that can be built, run and verified."""

from typing import TYPE_CHECKING

from samapprox.support.packages import lazy_names

if TYPE_CHECKING:  # what `_HOMES` states, for tools that read types
    from samapprox.attention.transformers.universality.checks import Sampled as Sampled
    from samapprox.attention.transformers.universality.checks import Verification as Verification
    from samapprox.attention.transformers.universality.checks import (
        sample_distance as sample_distance,
    )
    from samapprox.attention.transformers.universality.checks import verify as verify
    from samapprox.attention.transformers.universality.construction import (
        Construction as Construction,
    )
    from samapprox.attention.transformers.universality.construction import Method as Method
    from samapprox.attention.transformers.universality.construction import (
        build_universal as build_universal,
    )
    from samapprox.attention.transformers.universality.construction import (
        choose_route as choose_route,
    )
    from samapprox.attention.transformers.universality.expressions import Expression as Expression
    from samapprox.attention.transformers.universality.grid import Grid as Grid
    from samapprox.attention.transformers.universality.grid import parse_function as parse_function
    from samapprox.attention.transformers.universality.grid import (
        random_function as random_function,
    )
    from samapprox.attention.transformers.universality.least_scale import (
        soften_transformer as soften_transformer,
    )
    from samapprox.attention.transformers.universality.softening_report import (
        Softening as Softening,
    )
    from samapprox.attention.transformers.universality.softening_report import (
        measure_softening as measure_softening,
    )
    from samapprox.attention.transformers.universality.step_functions import (
        Approximation as Approximation,
    )
    from samapprox.attention.transformers.universality.step_functions import (
        StepFunction as StepFunction,
    )
    from samapprox.attention.transformers.universality.step_functions import (
        choose_steps as choose_steps,
    )
    from samapprox.attention.transformers.universality.step_functions import (
        finish_approximation as finish_approximation,
    )
    from samapprox.attention.transformers.universality.step_functions import (
        step_function as step_function,
    )

_HOMES = {
    "checks": ("Sampled", "Verification", "sample_distance", "verify"),
    "construction": ("Construction", "Method", "build_universal", "choose_route"),
    "expressions": ("Expression",),
    "grid": ("Grid", "parse_function", "random_function"),
    "least_scale": ("soften_transformer",),
    "softening_report": ("Softening", "measure_softening"),
    "step_functions": (
        *("Approximation", "StepFunction", "choose_steps", "finish_approximation"),
        "step_function",
    ),
}
"""Module -> the names that it offers here."""

__all__ = sorted(name for names in _HOMES.values() for name in names)

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(__name__, **_HOMES)
