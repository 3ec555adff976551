"""The checker of pseudo-Boolean proofs: derived constraints hold, and wrong proofs do not pass."""

from __future__ import annotations

from itertools import product

import pytest
from dimensions.cutting_planes import Constraint, is_refutation
from hypothesis import given
from hypothesis import strategies as st

LITERALS = [-3, -2, -1, 1, 2, 3]
HEAD = "pseudo-Boolean proof version 1.1\n"
INFEASIBLE = [Constraint.of([(1, a), (1, 2 * b)], 1) for a in (1, -1) for b in (1, -1)]

constraints = st.builds(
    Constraint.of,
    st.lists(st.tuples(st.integers(-4, 4), st.sampled_from(LITERALS)), max_size=5),
    st.integers(-6, 6),
)


def solutions(constraint: Constraint) -> set[tuple[int, ...]]:
    """The 0/1 values of three variables that satisfy it."""
    return {
        values
        for values in product([0, 1], repeat=3)
        if sum(a * (values[abs(x) - 1] == (x > 0)) for a, x in constraint.terms) >= constraint.bound
    }


@given(constraints, constraints)
def test_rules_keep_all_solutions(one: Constraint, other: Constraint) -> None:
    assert solutions(one) & solutions(other) <= solutions(one + other)
    assert solutions(one.saturate()) == solutions(one)
    assert solutions(one.negate()) == set(product([0, 1], repeat=3)) - solutions(one)
    assert not (one.is_contradiction and solutions(one))


@pytest.mark.parametrize(
    "steps",
    [
        "pol 1 2 + s\npol 3 4 + s\npol 5 6 +\nc 7\n",
        "rup +1 x1 >= 1 ;\nrup >= 1 ;\nc 6\n",
        "rup >= 0 ;\nrup +1 ~x1 +1 x1 >= 1 ;\nrup +1 x2 >= 1 ;\nrup >= 1 ;\nc 8\n",
    ],
)
def test_refutations_pass(steps: str) -> None:
    assert is_refutation(INFEASIBLE, f"{HEAD}l 1\nl 2\nl 3\nl 4\n{steps}")


@pytest.mark.parametrize(
    "steps",
    [
        "l 1\nl 2\nl 3\npol 1 2 + s\npol 4 3 +\nc 5\n",
        "l 1\nl 2\nrup +1 x2 >= 1 ;\nc 3\n",
        "l 1\nl 2\nl 3\nl 4\n",
    ],
)
def test_other_proofs_do_not_pass(steps: str) -> None:
    assert not is_refutation(INFEASIBLE, HEAD + steps)


def test_other_rules_are_refused() -> None:
    with pytest.raises(ValueError, match="does not know: red"):
        is_refutation(INFEASIBLE, f"{HEAD}l 1\nred 1 x1 >= 1 ; x1 1\n")
