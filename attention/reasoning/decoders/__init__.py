"""Decoders that write chains of thought token by token, with the weights given by formulas."""

from samapprox.attention.reasoning.decoders.decoder import Decoder, Generation, generate
from samapprox.attention.reasoning.decoders.program import (
    Program,
    Run,
    build_decoder,
    make_program,
    run_decoder,
)
from samapprox.support.packages import lazy_modules

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

__getattr__, __dir__ = lazy_modules(__name__)
