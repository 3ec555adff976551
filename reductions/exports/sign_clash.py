"""The refutation in a proof of kind sign-clash: signs of the factors of logits c x_i x_j."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from samapprox.pattern import Pattern
from samapprox.proofs.refutations.sign_clash import SignClash
from samapprox.reductions.exports.refutation import Axioms, Refutation

_NOTES = (
    "The logits are c x_i x_j. A variable is true if its number is positive, and false if it is "
    "negative.",
)
_PRODUCTS = (
    "Lemma 10 (signs): a row i with a 1 at j and a 0 at k makes c x_i (x_j - x_k) positive, so "
    "none of the factors is 0."
)
_ORDERS = "Lemma 10 (signs): a positive number is larger than a negative one."

Clause = tuple[int, ...]


def refutation_of(proof: SignClash, pattern: Pattern) -> Refutation:
    r"""Build the clauses of the argument, each with its reason."""
    variables = _Variables.of(proof)
    claims = (proof.positive, proof.negative)
    splits = [(row, *split.columns) for split in proof.splits for row in split.rows]
    products = [
        (clause, f"row {row} on columns {first} {second}")
        for row, first, second in [*splits, *claims]
        for clause in _forbid_products(variables, pattern, row, first, second)
    ]
    orders = [
        (clause, f"tokens {first} and {second}")
        for _, first, second in claims
        for clause in _forbid_orders(variables, first, second)
    ]
    axioms = [_axioms(_PRODUCTS, products), _axioms(_ORDERS, orders)]
    details = {"core": {"rows": list(proof.rows), "columns": list(proof.columns)}}
    lemmas = [*_compare_tokens(variables, proof, pattern), *_clash(variables, proof)]
    return Refutation(_NOTES, variables.last, variables.name, axioms, lemmas, details)


@dataclass(frozen=True, slots=True)
class _Variables:
    """Variables: 1 for c, then one for each token's x, then one for each x_j - x_k, j < k."""

    numbers: dict[tuple[int, ...], int]  # by the tokens

    @classmethod
    def of(cls, proof: SignClash) -> _Variables:
        tokens = {token for claim in (proof.positive, proof.negative) for token in claim}
        tokens.update(row for split in proof.splits for row in split.rows)
        pairs = {split.columns for split in proof.splits}
        pairs.update((claim[1], claim[2]) for claim in (proof.positive, proof.negative))
        ordered = {(min(pair), max(pair)) for pair in pairs}
        about = [(), *((token,) for token in sorted(tokens)), *sorted(ordered)]
        return cls({own: number for number, own in enumerate(about, start=1)})

    @property
    def last(self) -> int:
        return len(self.numbers)

    def token(self, token: int) -> int:
        """Return the variable of x."""
        return self.numbers[token,]

    def difference(self, first: int, second: int) -> int:
        """Return the literal of x_first - x_second."""
        number = self.numbers[min(first, second), max(first, second)]
        return number if first < second else -number

    def name(self, variable: int) -> str:
        """Return the number that a variable is about."""
        tokens = list(self.numbers)[variable - 1]
        return " - ".join(f"x_{token}" for token in tokens) or "c"


def _axioms(reason: str, written: Sequence[tuple[Clause, str]]) -> Axioms:
    """Return clauses with their origins."""
    clauses = np.array([clause for clause, _ in written])
    return Axioms(reason, clauses, lambda clause: written[clause][1])


def _forbid_products(
    variables: _Variables, pattern: Pattern, row: int, first: int, second: int
) -> Iterator[Clause]:
    """Yield the clauses for the sign of c x_row (x_first - x_second)."""
    wanted = 1 if pattern.submatrix([row], [first])[0, 0] == 1 else -1
    literals = 1, variables.token(row), variables.difference(first, second)
    for signs in product((1, -1), repeat=3):
        if signs[0] * signs[1] * signs[2] != wanted:
            yield tuple(-sign * literal for sign, literal in zip(signs, literals, strict=True))


def _forbid_orders(variables: _Variables, first: int, second: int) -> Iterator[Clause]:
    """Yield the clauses for the sign of x_first - x_second where x_first and x_second differ."""
    x, y = variables.token(first), variables.token(second)
    difference = variables.difference(first, second)
    yield -x, y, difference
    yield x, -y, -difference


def _compare_tokens(variables: _Variables, proof: SignClash, pattern: Pattern) -> Iterator[Clause]:
    """Yield lemmas: the two tokens of each split have the same sign, or opposite ones."""
    for split in proof.splits:
        (p_first, _), (q_first, _) = pattern.submatrix(split.rows, split.columns).tolist()
        p, q = map(variables.token, split.rows)
        same = 1 if p_first == q_first else -1
        for sign in (1, -1):
            yield 1, -sign * p, sign * same * q  # if c were negative
            yield -sign * p, sign * same * q


def _clash(variables: _Variables, proof: SignClash) -> Iterator[Clause]:
    """Yield lemmas: c is positive by the first claim, and negative by the second."""
    for c, (row, *_) in ((1, proof.positive), (-1, proof.negative)):
        yield c, -variables.token(row)
        yield (c,)
