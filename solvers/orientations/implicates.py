"""Prime implicates of the circuit clauses: the same constraint in fewer and shorter clauses.

The clauses of r + 1 elements are about the same r + 1 orientations and forbid many of the 2^(r+1)
sign patterns one by one. A solver that receives the shortest clauses that follow learns from each
assignment at once what it would otherwise find out by conflicts.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from samapprox.proofs.checks.orientation_clauses import Clauses

__all__ = ["MOST_WIDTH", "PrimeImplicates", "derive"]

MOST_WIDTH = 8
"""The longest clauses that are shortened; of longer ones there are 3^9 parts and more."""

_AT_ONCE = 1 << 24  # parts of clauses in memory

Numbers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class PrimeImplicates:
    """The shortest clauses that follow from the clauses of each circuit."""

    # One clause a row, in the places of the circuit's variables; 0 where one does not occur.
    literals: Clauses
    circuits: Numbers  # the circuit that each follows from, by number
    variables: Numbers  # (circuits, r + 1): The variables of each circuit

    @classmethod
    def of(cls, clauses: Clauses) -> PrimeImplicates:
        """Find all prime implicates, circuit by circuit.

        A byte for each of the 3^(r+1) parts of clauses on a circuit, and r + 1 passes over them.

        Quine (1955), "A way to simplify truth functions"; McCluskey (1956).
        """
        width = clauses.shape[1]
        variables, circuits = _group(np.abs(clauses))
        forbidden = np.zeros((len(variables), 1 << width), dtype=np.bool_)
        forbidden[circuits, (clauses > 0) @ (1 << np.arange(width)[::-1])] = True
        step = max(1, _AT_ONCE // 3**width)
        found = [
            _primes(forbidden[start : start + step], start)
            for start in range(0, len(variables), step)
        ]
        of, signs = (np.concatenate(parts) for parts in zip(*found, strict=True))
        return cls((signs * variables[of]).astype(np.int32), of, variables)

    @cached_property
    def places(self) -> list[Numbers]:
        """The numbers of the implicates of each length."""
        lengths = np.count_nonzero(self.literals, axis=1)
        return [np.flatnonzero(lengths == length) for length in np.unique(lengths)]

    @cached_property
    def blocks(self) -> list[Clauses]:
        """The implicates of each length, without the zeros."""
        blocks = [self.literals[which] for which in self.places]
        return [block[block != 0].reshape(len(block), -1) for block in blocks]


def derive(implicates: PrimeImplicates, chosen: Numbers) -> list[list[int]]:
    """List clauses that lead from the circuits to some prime implicates."""
    steps: dict[frozenset[int], list[int]] = {}
    literals = implicates.literals[chosen]
    variables = implicates.variables[implicates.circuits[chosen]]
    # Long ones first: the others may use them.
    order = np.argsort(-np.count_nonzero(literals, axis=1), kind="stable")
    for clause, circuit in zip(literals[order].tolist(), variables[order].tolist(), strict=True):
        _resolve([literal for literal in clause if literal], circuit, steps)
    return list(steps.values())


def _resolve(clause: list[int], circuit: list[int], steps: dict[frozenset[int], list[int]]) -> None:
    """Add a clause to the steps, after two that it follows from: those that are there, if any."""
    if len(clause) == len(circuit) or frozenset(clause) in steps:
        return
    parents: list[list[int]] = []
    fewest = 3
    for variable in circuit:
        if variable in clause or -variable in clause:
            continue
        pair = [[*clause, variable], [*clause, -variable]]
        missing = [p for p in pair if len(p) < len(circuit) and frozenset(p) not in steps]
        if len(missing) < fewest:
            parents, fewest = missing, len(missing)
    for parent in parents:
        _resolve(parent, circuit, steps)
    steps[frozenset(clause)] = clause


def _group(rows: NDArray[np.int32]) -> tuple[Numbers, Numbers]:
    """Return the distinct rows, and which of them each is."""
    keys = np.ascontiguousarray(rows).view([("", rows.dtype)] * rows.shape[1]).ravel()
    _, first, which = np.unique(keys, return_index=True, return_inverse=True)
    return rows[first].astype(np.int64), which.ravel()


def _primes(forbidden: NDArray[np.bool_], start: int) -> tuple[Numbers, NDArray[np.int8]]:
    """Return the prime implicates of some circuits: the circuit's number, and a sign or 0 a place.

    Along each axis the places are: the literal is negative, positive, or does not occur.
    """
    width = forbidden.shape[1].bit_length() - 1
    follows = forbidden.reshape(-1, *[2] * width)
    for axis in range(1, width + 1):
        negative, positive = np.split(follows, 2, axis=axis)
        follows = np.concatenate([follows, negative & positive], axis=axis)
    # Circuits that no orientations satisfy give opposite unit clauses, not the empty clause.
    follows.reshape(len(follows), -1)[:, -1] = False
    prime = follows.copy()
    for axis in range(1, width + 1):
        shorter = np.take(follows, [2], axis=axis)
        longer = (slice(None),) * axis + (slice(0, 2),)
        prime[longer] &= ~shorter
    circuit, part = np.nonzero(prime.reshape(len(prime), -1))
    digits = part[:, None] // 3 ** np.arange(width)[::-1] % 3
    return circuit + start, np.array([-1, 1, 0], dtype=np.int8)[digits]
