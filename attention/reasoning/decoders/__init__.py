"""Decoders that write chains of thought token by token, with the weights given by formulas."""

from typing import TYPE_CHECKING

from samapprox.support.lazy import lazy_names

if TYPE_CHECKING:
    from samapprox.attention.reasoning.decoders.decoder import Decoder, Generation, generate
    from samapprox.attention.reasoning.decoders.program import Program, build_decoder, make_program
    from samapprox.attention.reasoning.decoders.run import Run, run_decoder

__all__ = [
    "Decoder",
    "Generation",
    "Program",
    "Run",
    "build_decoder",
    "generate",
    "make_program",
    "run_decoder",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(
        __name__,
        decoder=(
            "Decoder",
            "Generation",
            "generate",
        ),
        program=(
            "Program",
            "build_decoder",
            "make_program",
        ),
        run=(
            "Run",
            "run_decoder",
        ),
    )
