"""Queries and keys of one X: SAT on the orientations of few tokens, as queries and as keys."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from samapprox.problem import Problem
from samapprox.proofs.base import Proof
from samapprox.proofs.refutations.shared_chirotope import SharedChirotope
from samapprox.proofs.refutations.token_clauses import (
    NO_LINE,
    TokenClauses,
    most_token_clauses,
    token_clauses,
    token_variables,
)
from samapprox.solvers.engine.backends import Lemmas, Sat, minimal_switches, refutation
from samapprox.solvers.engine.search import Search, too_large
from samapprox.support.arrays import Entries
from samapprox.support.text import plural

NAME = "tokens"


_MOST_RANK = 8  # N tokens give O(N^(rank + 2)) clauses, so larger ranks would leave too few tokens
_MOST_ENTRIES = 50_000_000  # larger patterns are not written out
# Parts have at most so many clauses, so that a call of the solver stays short.
_MOST_CLAUSES = 500_000
# Relations are added only to parts that have at most so many clauses with them.
_MOST_WITH_RELATIONS = 400_000
_PARTS = 6  # parts that a turn tries, each of which has two tokens more than the last
_TIDYING = 5.0  # seconds beyond the turn for refuting a core again after lines were dropped


def applies(problem: Problem) -> str | None:
    """Return the reason why the strategy does not apply, or None."""
    if problem.d_hid is None or not problem.coupled:
        return "queries and keys are independent"
    if problem.d + 1 > _MOST_RANK:
        return f"rank {problem.d + 1} leads to too many clauses"
    if problem.d_hid == 1 and problem.pattern.is_specified:
        return "d = 1 is decided by other strategies"
    return too_large(problem, _MOST_ENTRIES)


def find_proof(problem: Problem, search: Search) -> Proof | str:
    """Refute a part of the tokens by SAT, circuits first, then with the relations.

    O(N^(d + 3)) clauses for N tokens: see `samapprox.proofs.refutations.token_clauses` and
    docs/theory/coupled.md. Every line of the part has a Boolean that switches its clauses on:
    shrinking takes incremental calls.
    """
    assert problem.d_hid is not None
    dimensions = [d for d in sorted({problem.d, problem.d_hid}) if d + 1 <= _MOST_RANK]
    said, exhausted = "", True
    for left, d in zip(range(len(dimensions), 0, -1), dimensions, strict=True):
        found = _refute_rank(problem, d, search.slice(search.remaining / left, 0))
        if isinstance(found, SharedChirotope):
            return found
        said, exhausted = found, exhausted and found in (_FITTING, _TOO_MANY)
    if exhausted:
        search.exhausted.add(NAME)
    return said


_FITTING = "the whole pattern has consistent orientations"
_TOO_MANY = "even the smallest part leads to too many clauses"


def _refute_rank(problem: Problem, d: int, search: Search) -> SharedChirotope | str:
    """Return a refutation in rank d + 1, or why there is none."""
    assert problem.d_hid is not None
    entries = problem.pattern.to_array()
    tokens = len(entries)
    fitting = 0
    for chosen in _choose_parts(entries, d, problem.d_hid, search):
        core = _refute(_Core(d, problem.d_hid, entries, chosen, chosen), search)
        if core is not None:
            return core.proof()
        if search.out_of_time:
            return "no time left"
        if len(chosen) == tokens:
            return _FITTING
        fitting += 1
    return f"consistent orientations exist for {plural(fitting, 'part')}" if fitting else _TOO_MANY


@dataclass(frozen=True, slots=True, eq=False)
class _Core:
    """Tokens as rows and as columns; with the lemmas of a refutation, once there is one."""

    d: int
    d_hid: int
    entries: Entries
    rows: list[int]
    columns: list[int]
    relations: bool = False
    lemmas: Lemmas | None = None

    @property
    def most_with_relations(self) -> int:
        sizes = len(self.rows), len(self.columns)
        return most_token_clauses(*sizes, self.d, self.d_hid, relations=True)

    def blocks(self) -> Iterator[TokenClauses]:
        part = self.entries[np.ix_(self.rows, self.columns)]
        lines = self.rows, self.columns
        return token_clauses(part, *lines, self.d, self.d_hid, relations=self.relations)

    def proof(self) -> SharedChirotope:
        assert self.lemmas is not None
        lines = self.rows, self.columns
        return SharedChirotope(self.d_hid, *lines, self.relations, self.lemmas, self.d)


def _refute(core: _Core, search: Search) -> _Core | None:
    """Refute the core and drop what the refutation does not use; None without a refutation."""
    found = _shrink(core, search)
    if found is None and core.most_with_relations <= _MOST_WITH_RELATIONS:
        core = replace(core, relations=True)
        found = _shrink(core, search)
    if found is None:
        return None
    for contradictory in (found, core):  # relations of fewer lines may be too few
        clauses = [[1], *(c for block in contradictory.blocks() for c in block.clauses.tolist())]
        lemmas = refutation(clauses, search.extend(_TIDYING))
        if lemmas is not None:
            return replace(contradictory, lemmas=lemmas)
    return None


def _shrink(core: _Core, search: Search) -> _Core | None:
    """Drop all dispensable lines of a contradictory core; None if it can be satisfied."""
    sizes = len(core.rows), len(core.columns)
    first = 1 + token_variables(core.rows, core.columns, core.d, core.d_hid)
    switches = list(range(first, first + sum(sizes)))
    with Sat(search) as sat:
        sat.add([[1]])
        for block in core.blocks():
            if search.out_of_time:
                return None
            off = np.where(block.lines == NO_LINE, 0, -(first + block.lines))
            sat.add(_guard(block, off))
        if sat.solve(switches) is not False:
            return None
        kept = [switch - first for switch in minimal_switches(sat, switches)]
    return replace(
        core,
        rows=[core.rows[line] for line in kept if line < sizes[0]],
        columns=[core.columns[line - sizes[0]] for line in kept if line >= sizes[0]],
    )


def _guard(block: TokenClauses, off: NDArray[np.int64]) -> list[list[int]]:
    """Yield clauses that apply only if all their lines are switched on."""
    rows = np.hstack([block.clauses, off]).tolist()
    return [[literal for literal in row if literal] for row in rows]


# ---------------------------------------------------------------- choosing parts


def _choose_parts(entries: Entries, d: int, d_hid: int, search: Search) -> Iterator[list[int]]:
    """Yield all tokens if they are few, else sets that separate each other in many ways."""

    def is_small(size: int) -> bool:
        return most_token_clauses(size, size, d, d_hid, relations=False) <= _MOST_CLAUSES

    tokens, rank = len(entries), d + 1
    size = min(rank + 1, tokens)
    if not is_small(size):
        return
    while size < tokens and is_small(size + 1):
        size += 1
    if size == tokens:
        yield list(range(tokens))
        return
    rng = np.random.RandomState(search.seed)
    hot = np.zeros(tokens)
    for places in search.violations[-50:]:
        np.add.at(hot, places.ravel(), 1.0 / max(1, len(places)))
    for attempt in range(_PARTS):
        yield _choose_tokens(entries, min(size, rank + 4 + 2 * attempt), hot, rng)


def _choose_tokens(
    entries: Entries, size: int, hot: NDArray[np.float64], rng: np.random.RandomState
) -> list[int]:
    """Choose tokens with many kinds of rows and columns on one another, violated ones first."""
    scores = hot / max(1e-9, float(hot.max(initial=0))) + rng.random_sample(len(hot))
    pool = np.argsort(-scores)[: max(size, 40)].tolist()
    chosen = [pool.pop(0)]
    while len(chosen) < size:
        counts = [_count_kinds(entries[np.ix_([*chosen, t], [*chosen, t])]) for t in pool]
        chosen.append(pool.pop(int(np.argmax(np.array(counts) + scores[pool]))))
    return sorted(chosen)


def _count_kinds(part: Entries) -> int:
    """Return different rows and columns, up to complement for the rows."""
    rows = {
        min(row, tuple(1 - x if x >= 0 else x for x in row)) for row in map(tuple, part.tolist())
    }
    return len(rows) + len(set(map(tuple, part.T.tolist())))
