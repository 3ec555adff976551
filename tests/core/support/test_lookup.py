"""Suggestions for mistyped names, in every table that has names."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samapprox import InputError, Pattern, Problem, decide
from samapprox.attention.approximation.known_methods import builder
from samapprox.attention.approximation.precision import require_arithmetic as require_for_layers
from samapprox.attention.graphs import build
from samapprox.attention.transformers.maps import probability_map
from samapprox.formats import format_named
from samapprox.precision import require_arithmetic
from samapprox.reductions import reduction
from samapprox.reductions.encodings import encode
from samapprox.reductions.families import family
from samapprox.reductions.vectors import family as vector_family
from samapprox.solvers.engine.portfolio import STRATEGIES
from samapprox.support.packages import nearest, suggestion, unknown_name

SMALL = Pattern.from_text("10\n01")
NAMES = [record.name for record in STRATEGIES]


@given(st.text(max_size=200))
def test_suggestions_are_known_names(name: str) -> None:
    found = nearest(name, NAMES)
    assert found is None or found in NAMES
    assert (found is None) == (suggestion(name, NAMES) == "")
    message = str(unknown_name("strategy", name, NAMES))
    assert message.endswith(f"; there are: {', '.join(NAMES)}")
    assert len(message) < 300 + len(", ".join(NAMES))


@given(st.sampled_from(sorted(NAMES)), st.data())
def test_a_name_with_one_letter_missing_is_recognised(name: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(name) - 1))
    assert nearest(name[:at] + name[at + 1 :], NAMES) == name


@pytest.mark.parametrize(
    ("call", "meant"),
    [
        (lambda: decide(np.eye(3), only=["gradiant"]), "gradient"),
        (lambda: decide(np.eye(3), without=["forest"]), "forster"),
        (lambda: require_arithmetic("bfloat"), "bfloat16"),
        (lambda: require_for_layers("bfloat"), "bfloat16"),
        (lambda: build("bigbrid:w=3", 9), "bigbird"),
        (lambda: build("bigbird:seeds=3", 9), "seed"),
        (lambda: probability_map("softmx"), "softmax"),
        (lambda: family("randon"), "random"),
        (lambda: vector_family("orthogonal-plant"), "orthogonal-planted"),
        (lambda: reduction("attention-to-patern"), "attention-to-pattern"),
        (lambda: builder("projektion"), "projection"),
        (lambda: format_named("jsnl"), "jsonl"),
        (lambda: encode(Problem(SMALL, 1), "smt-lib"), "smtlib"),
    ],
)
def test_every_table_suggests(call: Callable[[], object], meant: str) -> None:
    with pytest.raises(InputError) as caught:
        call()
    assert f"(did you mean {meant!r}?); there are: " in str(caught.value)
    assert "\n" not in str(caught.value)
