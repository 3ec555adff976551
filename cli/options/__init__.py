"""Arguments and options that several sub-commands share, each defined once."""

from samapprox.cli.files import keep_apart, make_folder
from samapprox.cli.options.common import (
    DIMENSION,
    EXIT_CODES,
    HIDDEN_DIMENSION,
    arithmetic_option,
    certificate_option,
    dimension_options,
    embedding_format_option,
    exit_code_option,
    json_option,
    memory_limit_option,
    picture_option,
    seed_option,
    similarity_option,
    strategy_options,
    time_limit_option,
    vectors_argument,
    vectors_options,
)
from samapprox.cli.options.patterns import (
    Reading,
    causal_option,
    format_option,
    judgement_options,
    pattern_argument,
    read_instance,
    read_matrix,
    read_pattern,
    read_signs,
    require_index,
)
from samapprox.support.lazy import lazy_modules

__all__ = [
    "DIMENSION",
    "EXIT_CODES",
    "HIDDEN_DIMENSION",
    "Reading",
    "arithmetic_option",
    "causal_option",
    "certificate_option",
    "dimension_options",
    "embedding_format_option",
    "exit_code_option",
    "format_option",
    "json_option",
    "judgement_options",
    "keep_apart",
    "make_folder",
    "memory_limit_option",
    "pattern_argument",
    "picture_option",
    "read_instance",
    "read_matrix",
    "read_pattern",
    "read_signs",
    "require_index",
    "seed_option",
    "similarity_option",
    "strategy_options",
    "time_limit_option",
    "vectors_argument",
    "vectors_options",
]

__getattr__, __dir__ = lazy_modules(__name__)
