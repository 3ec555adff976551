"""The least dimension of every head of a model, from its attention weights."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from samapprox.attention.weights.rows import RowCount
from samapprox.attention.weights.rules import Rule, Uniform, list_rules
from samapprox.attention.weights.sets import SetEntry, binarize_set
from samapprox.attention.weights.sources import as_source, name_of
from samapprox.batch.expectations import failures_of
from samapprox.batch.heads.answer import HeadDimension, HeadDimensions
from samapprox.batch.report.heads import HeadMap, head_maps_of
from samapprox.batch.results.outcome import (
    Outcome,
    unpacked_certificate,
    unpacked_pattern,
    unpacked_trail,
)
from samapprox.batch.results.question import Question
from samapprox.batch.results.store import Evidence, Store
from samapprox.batch.runner import Listener, run
from samapprox.batch.sets.sets import spool
from samapprox.errors import require_flag
from samapprox.instance import Instance
from samapprox.problem import as_whole, require_dimension


def heads(
    attentions: object,
    *,
    top_k: int | Sequence[int] = (),
    threshold: float | Sequence[float] = (),
    uniform: bool = False,
    mass: float | Sequence[float] = (),
    causal: bool | None = None,
    ties: str | None = None,
    logits: bool = False,
    key: str | None = None,
    select: tuple[int, ...] = (),
    axes: tuple[str, ...] | None = None,
    head_size: int | None = None,
    time_limit: float = 10.0,
    jobs: int | None = None,
    results: str | Path | None = None,
    certificates: bool = False,
    listener: Listener | None = None,
) -> HeadDimensions:
    """Find the least dimension of every head of a model, from its attention weights.

    Parameters
    ----------
    attentions : path, array, or list or dict of arrays
        What a model returns as ``outputs.attentions``: a tensor for each layer, of PyTorch or any
        library whose tensors become arrays. Or one array of shape (layers, heads, n, n), a dict of
        layers, or a file or folder, as for `samapprox.attention.binarize_set`.
    top_k : int or sequence of int
        Keep the k heaviest keys of each row. Each number makes a rule.
    threshold : float or sequence of float
        Keep the keys of at least this probability.
    uniform : bool
        Keep the keys of at least the probability 1/n; this is the rule if no other is given.
    mass : float or sequence of float
        Keep the fewest heaviest keys that sum to at least this.
    causal, ties, logits, key, select, axes
        As for `samapprox.attention.binarize_set`.
    head_size : int, optional
        The dimension that the model gives to its heads, for the text of the answer.
    time_limit : float
        Seconds for each pattern; slower patterns keep the bounds found so far.
    jobs : int, optional
        The number of processes, by default one per core.
    results : path, optional
        Keep the answers in this result file; the same call then continues where it stopped.
    certificates : bool
        Return the pattern and the certificates of each head, too.
    listener : Listener, optional
        It receives provisional and final results, to show progress.

    Returns
    -------
    HeadDimensions
        Bounds for each head, text and rule; `text` and `to_frame` show them as tables.

    Raises
    ------
    InputError
        The weights cannot be read, no pattern can be made of them, or `head_size` is no dimension.

    See Also
    --------
    samapprox.attention.LanguageModel : Runs a local model on texts.

    Examples
    --------
    >>> import samapprox
    >>> file = samapprox.data.path("attention/att_s02_n11.npz")
    >>> found = samapprox.heads(file, top_k=1, select=(4,), jobs=1)
    >>> [one.upper for one in found.heads]
    [2, 2, 1, 1, 2, 1, 2, 1, 1, 1, 1, 1]
    """
    for name, value in (("uniform", uniform), ("logits", logits), ("certificates", certificates)):
        require_flag(name, value)
    if (head_size := as_whole(head_size)) is not None:
        require_dimension("head_size", head_size)
    rows = RowCount()
    rules = list_rules(_as_list(top_k), _as_list(threshold), uniform, _as_list(mass))
    rules = rules or [Uniform()]
    source = as_source(attentions)
    reading: dict[str, Any] = {"key": key, "select": select, "axes": axes, "logits": logits}
    entries = binarize_set(attentions, rules, causal=causal, ties=ties, rows=rows, **reading)
    with ExitStack() as stack:
        kept = results
        if kept is None:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="samapprox-"))
            kept = Path(folder, "heads.sqlite")
        found = measure(
            entries,
            kept,
            source=str(name_of(source)),
            rules=rules,
            rows=rows,
            head_size=head_size,
            time_limit=time_limit,
            jobs=jobs,
            certificates=certificates,
            listener=listener,
        )
    return found if results is not None else replace(found, results=None)


def _as_list(given: Any) -> list[Any]:
    return [given] if np.ndim(given) == 0 else list(given)


def measure(
    entries: Iterable[SetEntry],
    results: str | Path,
    *,
    source: str,
    rules: Sequence[Rule],
    rows: RowCount,
    head_size: int | None = None,
    time_limit: float = 10.0,
    jobs: int | None = None,
    certificates: bool = False,
    listener: Listener | None = None,
) -> HeadDimensions:
    """Find the least dimension of every pattern, and collect those of each head.

    `entries` and `rows`: as `binarize_set` or `binarize_model` make and count them. The other
    arguments are those of `heads`.
    """
    question = Question("dim", time_limit=time_limit)
    with spool((entry.path, _with_place(entry.instance)) for entry in entries) as instances:
        done = run(instances, question, results, jobs=jobs, listener=listener)
    with Store(results) as store:
        outcomes = store.outcomes(done.question, evidence=certificates)
        own = [one for one in outcomes if one.name in done.names]
    maps = head_maps_of(own)
    return HeadDimensions(
        source=source,
        rules=tuple(rule.name for rule in rules),
        time_limit=question.time_limit,
        head_size=head_size,
        results=str(results),
        patterns=len(done.names),
        skipped=done.skipped,
        rows=rows,
        heads=tuple(_records(maps, own if certificates else ())),
        maps=tuple(maps),
        unanswered=Counter(str(one.family) for one in own if None in (one.lower, one.upper)),
        failures=tuple(failure for one in own for failure in failures_of(one)),
    )


def _with_place(instance: Instance) -> Instance:
    """The instance with a layer and a head, which are 0 where the source has no such axis."""
    origin = {"layer": 0, "head": 0, **instance.origin}
    return Instance(instance.pattern, instance.facts, origin)


def _records(maps: Iterable[HeadMap], outcomes: Sequence[Outcome]) -> Iterator[HeadDimension]:
    """A record for each cell, with the evidence that the outcomes hold."""
    evidence: dict[tuple[str, int | None, int | None], list[Evidence]] = {}
    for one in outcomes:
        held = Evidence(
            unpacked_pattern(one.pattern),
            unpacked_certificate(one.yes),
            unpacked_certificate(one.no),
            unpacked_trail(one.trail),
        )
        evidence.setdefault((str(one.family), one.layer, one.head), []).append(held)
    for found in maps:
        for (layer, head), cell in sorted(found.cells.items()):
            yield HeadDimension(
                str(found.family),
                layer,
                head,
                int(cell.bounds.lower),
                int(cell.bounds.upper),
                cell.count,
                tuple(evidence.get((str(found.family), layer, head), ())),
            )
