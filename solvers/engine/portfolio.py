"""The strategies, in the order in which a decision tries them.

A new strategy is one module with the names of `Strategy` and one record
in this table. Everything else is derived from the records.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from importlib import import_module
from math import inf
from typing import Protocol, cast

from samapprox.errors import InputError, abridge, require_list
from samapprox.problem import Problem
from samapprox.proofs.base import Proof
from samapprox.results import Status
from samapprox.similarities import ATTENTION, VALUE_SETS, SimilarityLike, find_comparison
from samapprox.solvers.engine.search import Search
from samapprox.support.packages import load_object, name_missing_packages, unknown_name

MODULES = ("numba", "ortools", "pysat", "scipy", "threadpoolctl")
"""The packages that the strategies of the portfolio import, except `algorithm1`."""


class Strategy(Protocol):
    """A module that decides some problems; its proofs are checked, so it need not be trusted.

    Whatever `find_proof` returns goes through the exact checker before it counts. If a strategy
    fails, the others continue.
    """

    NAME: str

    def applies(self, problem: Problem) -> str | None:
        """Return the reason why the strategy does not apply, or None.

        Asked only about the dimensions and patterns that its record covers.
        """

    def find_proof(self, problem: Problem, search: Search) -> Proof | str:
        """Return a proof of YES or NO, or one line that says why none was found within the limits.

        A strategy whose record says `simplified` gets the free case of the merged pattern. What
        bounds the weak dimension without deciding d counts, too: YES of the least dimension that
        the strategy reaches, where that is above d, or NO of a dimension below d.
        """


@dataclass(frozen=True, slots=True)
class StrategyRecord:
    """A strategy's name, its module, and how a decision uses it.

    Attributes
    ----------
    name : str
        The module's `NAME`, which users write after ``--only`` and ``--without``.
    module : str
        The module of the strategy, imported when its turn comes.
    similarities : tuple of str
        The names of the similarities for which it works. There is no default: a proof that is right
        for dot products may be wrong for another similarity.
    finds : tuple of Status
        The answers that its proofs can give.
    first_turn : float or str, optional
        If more time may help: the seconds of the first turn, or "module:name" of a function of the
        problem that returns them, imported when it is needed. The strategy takes turns with others,
        each twice as long as its last. If None, one call says all that the strategy can.
    complete : bool
        Whether it decides everything that it applies to, given time. It then gets all of it.
    simplified : bool
        Whether it sees equal rows and columns merged, which changes nothing in the free case; else
        it takes the pattern as it is. Complements merge where the similarity allows it.
    bounds : bool
        Whether its one call gives the best bound that it can, whatever d is asked for; the search
        for the least dimension then makes that call once.
    default : bool
        Whether a decision uses it unless asked otherwise.
    side : Status, optional
        The bound of the weak dimension that the strategy works on. By default, strategies that find
        both answers search for embeddings; a refutation is the other outcome.
    dimensions : pair of numbers
        The smallest and the largest d that it covers. Its module is not imported for others.
    needs_dont_cares : bool
        Whether it covers only patterns with don't-cares. Its module is not imported for others.
    asks_dot : bool
        Whether it only asks about dot products in `Similarity.above` dimensions less. It then has
        nothing to find in dimensions that a transferred refutation of dot products covers.

    Examples
    --------
    >>> record, *_ = choose(["chirotope"])
    >>> record.side.value, record.load().NAME
    ('NO', 'chirotope')
    """

    name: str
    module: str
    similarities: tuple[str, ...]
    finds: tuple[Status, ...]
    first_turn: float | str | None = None
    complete: bool = False
    simplified: bool = True
    bounds: bool = False
    default: bool = True
    side: Status = Status.UNKNOWN
    dimensions: tuple[int, float] = (1, inf)
    needs_dont_cares: bool = False
    asks_dot: bool = False

    def __post_init__(self) -> None:
        if self.side is Status.UNKNOWN:
            side = Status.YES if Status.YES in self.finds else Status.NO
            object.__setattr__(self, "side", side)

    @property
    def in_turns(self) -> bool:
        """Whether more time may help."""
        return self.first_turn is not None

    def first_seconds(self, problem: Problem) -> float:
        """Return the length of the first turn on a problem; 0 for a single call."""
        if isinstance(self.first_turn, str):
            seconds: float = load_object(self.first_turn)(problem)
            return seconds
        return self.first_turn or 0.0

    def applies(self, problem: Problem) -> str | None:
        """Return the reason why the strategy does not apply to a problem, or None."""
        least, most = self.dimensions
        if least <= problem.d <= most:
            if self.needs_dont_cares and problem.pattern.is_specified:
                return "it covers only patterns with don't-cares"
            return self.load().applies(problem)
        return f"it covers only d = {least}" if least == most else f"it covers only d >= {least}"

    def load(self) -> Strategy:
        """Import the strategy's module."""
        return cast(Strategy, import_module(self.module))


_YES = (Status.YES,)
_NO = (Status.NO,)
_EITHER = (Status.YES, Status.NO)
_DOT = ("dot",)
_SPHERES = ("cosine", "l2")
_LINE = (1, 1)
_BEYOND_LINE = (2, inf)
_TURNS = "samapprox.solvers.engine.first_turns"

STRATEGIES: tuple[StrategyRecord, ...] = (
    StrategyRecord(
        "line", "samapprox.solvers.line", _DOT, _EITHER, complete=True, simplified=False
    ),
    StrategyRecord(
        "algorithm1",
        "samapprox.solvers.line.algorithm1",
        _DOT,
        _EITHER,
        complete=True,
        simplified=False,
        default=False,
        dimensions=_LINE,
    ),
    StrategyRecord(
        "crossing-rows",
        "samapprox.solvers.line.crossing_rows",
        _DOT,
        _NO,
        simplified=False,
        needs_dont_cares=True,
    ),
    StrategyRecord("periodic", "samapprox.solvers.embeddings.periodic", _DOT, _YES, bounds=True),
    StrategyRecord("rank", "samapprox.solvers.embeddings.rank", _DOT, _YES, bounds=True),
    StrategyRecord("orders", "samapprox.solvers.embeddings.orders", _DOT, _YES, bounds=True),
    StrategyRecord("counting", "samapprox.solvers.refutations.counting", _DOT, _NO),
    StrategyRecord(
        "detours", "samapprox.solvers.refutations.detours", _DOT, _NO, f"{_TURNS}:detours"
    ),
    StrategyRecord(
        "ordering",
        "samapprox.solvers.line.ordering",
        _DOT,
        _EITHER,
        complete=True,
        dimensions=_LINE,
    ),
    StrategyRecord(
        "gradient", "samapprox.solvers.embeddings.gradient", _DOT, _YES, f"{_TURNS}:gradient"
    ),
    StrategyRecord(
        "projections",
        "samapprox.solvers.embeddings.projections",
        _DOT,
        _YES,
        f"{_TURNS}:projections",
    ),
    StrategyRecord("hinge", "samapprox.solvers.embeddings.hinge", _DOT, _YES, f"{_TURNS}:hinge"),
    StrategyRecord(
        "annealing", "samapprox.solvers.embeddings.annealing", _DOT, _YES, f"{_TURNS}:annealing"
    ),
    StrategyRecord(
        "coupled",
        "samapprox.solvers.coupled.numeric",
        _DOT,
        _YES,
        f"{_TURNS}:coupled",
        simplified=False,
    ),
    StrategyRecord(
        "tokens",
        "samapprox.solvers.coupled.tokens",
        _DOT,
        _NO,
        f"{_TURNS}:tokens",
        simplified=False,
    ),
    StrategyRecord(
        "topological",
        "samapprox.solvers.refutations.topological",
        _DOT,
        _NO,
        f"{_TURNS}:topological",
        dimensions=_BEYOND_LINE,
    ),
    StrategyRecord(
        "chirotope", "samapprox.solvers.refutations.chirotope", _DOT, _NO, f"{_TURNS}:chirotope"
    ),
    StrategyRecord(
        "hard-part",
        "samapprox.solvers.refutations.hard_part",
        _DOT,
        _NO,
        f"{_TURNS}:hard_part",
        dimensions=_BEYOND_LINE,
    ),
    StrategyRecord(
        "padded",
        "samapprox.solvers.similarity.padded",
        _DOT,
        _EITHER,
        0.005,
        dimensions=_BEYOND_LINE,
    ),
    StrategyRecord(
        "blocks",
        "samapprox.solvers.refutations.blocks",
        _DOT,
        _NO,
        f"{_TURNS}:blocks",
        dimensions=_BEYOND_LINE,
    ),
    StrategyRecord(
        "forster", "samapprox.solvers.refutations.forster", _DOT, _NO, f"{_TURNS}:forster"
    ),
    StrategyRecord(
        "polynomials",
        "samapprox.solvers.refutations.polynomials",
        _DOT,
        _NO,
        f"{_TURNS}:polynomials",
        dimensions=_BEYOND_LINE,
    ),
    StrategyRecord(
        "symmetric",
        "samapprox.solvers.refutations.symmetric",
        _DOT,
        _NO,
        f"{_TURNS}:symmetric",
        dimensions=_BEYOND_LINE,
    ),
    StrategyRecord(
        "candidates",
        "samapprox.solvers.orientations.candidates",
        _DOT,
        _EITHER,
        f"{_TURNS}:candidates",
        dimensions=_BEYOND_LINE,
    ),
    StrategyRecord(
        "best-order", "samapprox.solvers.embeddings.best_order", _DOT, _YES, f"{_TURNS}:best_order"
    ),
    StrategyRecord(
        "circular",
        "samapprox.solvers.similarity.circular",
        _SPHERES,
        _EITHER,
        complete=True,
        simplified=False,
    ),
    StrategyRecord("inscription", "samapprox.solvers.similarity.inscription", _SPHERES, _NO),
    StrategyRecord(
        "trigonometric", "samapprox.solvers.similarity.trigonometric", _SPHERES, _YES, bounds=True
    ),
    StrategyRecord(
        "halfspaces",
        "samapprox.solvers.similarity.halfspaces",
        _SPHERES,
        _EITHER,
        0.3,
        asks_dot=True,
    ),
    StrategyRecord(
        "sphere", "samapprox.solvers.similarity.sphere", _SPHERES, _YES, f"{_TURNS}:sphere"
    ),
    StrategyRecord(
        "exposed-keys",
        "samapprox.solvers.similarity.exposed_keys",
        _SPHERES,
        _EITHER,
        0.3,
        side=Status.NO,  # a YES only where keys lie on a circle or a line
    ),
    StrategyRecord(
        "distinct-lines", "samapprox.solvers.values.distinct_lines", VALUE_SETS, _NO, bounds=True
    ),
    StrategyRecord(
        "exchange", "samapprox.solvers.values.exchange", VALUE_SETS, _YES, f"{_TURNS}:exchange"
    ),
    StrategyRecord("real-vectors", "samapprox.solvers.values.real_vectors", VALUE_SETS, _NO, 0.3),
    StrategyRecord(
        "few-values",
        "samapprox.solvers.values.few_values",
        VALUE_SETS,
        _EITHER,
        f"{_TURNS}:few_values",
        side=Status.NO,
    ),
)
"""The strategies in the order of a decision, except that those with turns come last."""


def strategies_for(similarity: SimilarityLike) -> tuple[StrategyRecord, ...]:
    """Return all strategies for a similarity, in the order of a decision.

    Examples
    --------
    >>> [record.name for record in strategies_for("l2")][:2]
    ['circular', 'inscription']
    """
    name = find_comparison(similarity).name
    return tuple(record for record in STRATEGIES if name in record.similarities)


def choose(
    only: Sequence[str] = (), without: Sequence[str] = (), similarity: SimilarityLike = ATTENTION
) -> list[StrategyRecord]:
    """Return the strategies of `only`, or all default ones, without those of `without`.

    Parameters
    ----------
    only, without : sequence of str
        Names.
    similarity : {"dot", "cosine", "l2"}
        Each has its own strategies.

    Raises
    ------
    InputError
        No such strategy, or no sequence of names.

    Examples
    --------
    >>> [record.name for record in choose(["line", "rank", "gradient"], without=["gradient"])]
    ['line', 'rank']
    >>> [record.name for record in choose(["sphere"], similarity="l2")]
    ['sphere']
    """
    records = {record.name: record for record in strategies_for(similarity)}
    _require_names(only)
    _require_names(without)
    unknown = [name for name in (*only, *without) if name not in records]
    if unknown:
        raise unknown_name("strategy", unknown[0], records)
    chosen = dict.fromkeys(only) or [name for name, record in records.items() if record.default]
    return [records[name] for name in chosen if name not in without]


def _require_names(names: object) -> None:
    """Refuse what is no list of texts: a text of its own, or an iterator, which is read once."""
    require_list("strategies", names, "names")
    if not isinstance(names, Collection):
        raise InputError(f"strategies must be a list of names, not {abridge(names)}")
    for name in names:
        if not isinstance(name, str):
            raise InputError(f"the name of a strategy must be text, not {abridge(name)}")


def name_missing_solvers(purpose: str) -> AbstractContextManager[None]:
    """Say in one line which of these packages have to be installed, where one is missing.

    Parameters
    ----------
    purpose : str
        The subject of the message.

    Examples
    --------
    >>> with name_missing_solvers("deciding d = 2"):
    ...     import scipy.optimize
    """
    return name_missing_packages(purpose, MODULES)
