"""The tasks about vectors and runs: orthogonal and furthest vectors, also on masks, and right rows.

`Outcome.answer` holds what each finds, as a JSON object; for a run, shares of queries by depth and
measures of retrieval. Answers are exact, so a statement of a set of vectors itself that differs
from them is wrong: the verdict is then INVALID.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from samapprox.batch.results.outcome import OnOutcome, Outcome
from samapprox.batch.results.question import Question
from samapprox.batch.sets.entry import JudgedRun, load_vectors_of
from samapprox.errors import InputError
from samapprox.pattern import Pattern
from samapprox.support.progress import Progress
from samapprox.vectors import VectorSet

if TYPE_CHECKING:
    from samapprox.attention.graphs import SparseAttention


_KEPT = ("queries", "right", "unasked", "unanswered", "measures", "within")
"""The members of the document of a run that a result keeps: all but the list of wrong queries."""

_MOST_INDICES = 1 << 16
"""The most furthest vectors that result files store."""

_MOST_LETTERS = 1 << 12
"""The largest dimension of vectors that are stored as witnesses."""


def require_graph(graph: str) -> None:
    """Refuse a mask that is neither a file nor a known one with parameters that it has."""
    from samapprox.attention.graphs import Spec, require_mask

    if require_mask(graph):
        Spec.parse(graph)


def bounds_of(question: Question, vectors: VectorSet) -> tuple[float, float]:
    """Return bounds that need no search: on the number of pairs, or on a share.

    >>> bounds_of(Question("orthogonal"), VectorSet(np.eye(4, dtype=np.uint8)))
    (0, 6)
    """
    if question.task == "furthest":
        return 0.0, 1.0
    n = len(vectors.first)
    return 0, n * (n - 1) // 2 if vectors.second is None else n * len(vectors.second)


def find_orthogonal(
    first: Outcome, _question: Question, vectors: VectorSet, progress: OnOutcome
) -> Outcome:
    """Find the first orthogonal pair, and count all; two searches, which must agree."""
    from samapprox.attention.vectors.orthogonal_vectors import count_orthogonal, orthogonal_pair

    sets = vectors.first, vectors.second
    pair = orthogonal_pair(*sets, threads=1)  # --jobs says how many cores there are for a run
    answer: dict[str, Any] = {"pair": pair, "vectors": None}
    if pair is not None and vectors.first.shape[1] <= _MOST_LETTERS:
        answer["vectors"] = ["".join(map(str, one)) for one in _pair_of(vectors, pair)]
    fault = _wrong_pair(vectors)
    if fault is not None:
        return first._replace(verdict="INVALID", error=fault, answer=json.dumps(answer))
    if pair is not None:
        first = first._replace(verdict="YES", lower=1, answer=json.dumps(answer))
        progress(first)
    pairs = count_orthogonal(*sets, threads=1)
    assert (pairs > 0) == (pair is not None)
    return first._replace(
        verdict="YES" if pairs else "NO", lower=pairs, upper=pairs, answer=json.dumps(answer)
    )


def _pair_of(vectors: VectorSet, pair: tuple[int, int]) -> list[list[int]]:
    """Return the entries of two vectors, of one set or of both."""
    second = vectors.first if vectors.second is None else vectors.second
    return [vectors.first[pair[0]].astype(int).tolist(), second[pair[1]].astype(int).tolist()]


def _wrong_pair(vectors: VectorSet) -> str | None:
    """Return why the pair that the set states is not orthogonal; None if it is, or none is."""
    pair = vectors.known.get("pair")
    if pair is None:
        return None
    second = vectors.first if vectors.second is None else vectors.second
    sizes = len(vectors.first), len(second)
    if not isinstance(pair, list) or [type(place) for place in pair] != [int, int]:
        raise InputError(f"the known pair must be two indices, not {pair!r}")
    if not all(0 <= place < size for place, size in zip(pair, sizes, strict=True)):
        raise InputError(f"the known pair {pair} has an index that is out of range")
    left, right = _pair_of(vectors, (pair[0], pair[1]))
    common = sum(a * b for a, b in zip(left, right, strict=True))
    if common:
        return (
            f"the set states that {pair[0]} and {pair[1]} are orthogonal; they share {common} ones"
        )
    if vectors.second is None and pair[0] == pair[1]:
        return f"the set states that {pair[0]} is orthogonal to itself, which is no pair"
    return None


def find_furthest(
    first: Outcome, question: Question, vectors: VectorSet, progress: OnOutcome
) -> Outcome:
    """Find the furthest vector of each; on a mask, the share of them that its layers find."""
    from samapprox.attention.vectors.furthest_vectors import distances, furthest

    if question.graph is not None:
        return _relay(first, question, vectors, progress)
    found = furthest(vectors.first, vectors.second, threads=1)
    away = distances(vectors.first, vectors.second, found.indices)
    most = int(away.argmax())
    answer = {
        "furthest": found.indices.tolist() if len(away) <= _MOST_INDICES else None,
        "pair": [most, int(found.indices[most])],
        "distance": float(away[most]),
    }
    fault = _wrong_furthest(vectors.furthest, found.indices)
    if fault is not None:
        return first._replace(verdict="INVALID", error=fault, answer=json.dumps(answer))
    return first._replace(verdict="EXACT", lower=1.0, upper=1.0, answer=json.dumps(answer))


def _wrong_furthest(known: NDArray[np.int64] | None, found: NDArray[np.int64]) -> str | None:
    """Return where the furthest vectors that the set states differ; None if nowhere."""
    if known is None or np.array_equal(known, found):
        return None
    query = int(np.flatnonzero(known != found)[0])
    return (
        f"the set states {known[query]} as the furthest vector of {query}; "
        f"it is {found[query]}, the first one at the greatest distance"
    )


def _relay(first: Outcome, question: Question, vectors: VectorSet, progress: OnOutcome) -> Outcome:
    """Relay candidates on the mask of the question, and compare them with full attention."""
    from samapprox.attention.graphs.heads import Relabelled
    from samapprox.attention.vectors.furthest_vectors import furthest
    from samapprox.reductions.orthogonal_to_furthest import UnitVectors

    assert question.graph is not None
    assert question.layers is not None
    units = UnitVectors(vectors)
    graphs = _mask(question.graph, len(units.rows)).by_layer()
    answers = furthest(units.rows, threads=1).indices
    fault = _wrong_furthest(units.known, answers)
    if fault is not None:
        return first._replace(verdict="INVALID", error=fault)

    def report(moment: Progress) -> None:
        progress(first._replace(lower=moment.so_far.recall))  # no layer loses what is found

    found = units.relay(
        graphs if question.relabel is None else Relabelled(graphs, question.relabel),
        question.layers,
        answers,
        threads=1,
        progress=report,
    )
    recall = found.layers[-1].recall
    edges = [len(graph.indices) for graph in graphs]
    document = found.to_json(graph=question.graph, edges=edges, pair=units.pair(found.held))
    for layer in document["layers"]:
        del layer["near_ties"]  # of the kernel, whose choice depends on what the process did before
    return first._replace(verdict="EXACT", lower=recall, upper=recall, answer=json.dumps(document))


@lru_cache(maxsize=4)
def _mask(graph: str, n: int) -> SparseAttention:
    """The mask on n tokens, which many sets share."""
    from samapprox.attention.graphs import read_attention

    return read_attention(graph, n)


def evaluate(
    first: Outcome, question: Question, subject: Pattern | JudgedRun | None, _progress: OnOutcome
) -> Outcome:
    """Count wrong rows, perhaps at K; NONE if the folder has no vectors or no run of this name."""
    if subject is None:
        return first
    if isinstance(subject, Pattern):
        return _evaluate_vectors(first, question, subject)
    return _evaluate_run(first, question, subject)


def _evaluate_vectors(first: Outcome, question: Question, pattern: Pattern) -> Outcome:
    """Count the rows that given vectors get wrong."""
    from samapprox.solvers.questions.evaluation.evaluate import evaluate

    assert question.embeddings is not None
    vectors = load_vectors_of(first.name, question.embeddings)
    if vectors is None or vectors.second is None:
        return first
    found = evaluate(
        pattern,
        vectors.first,
        vectors.second,
        query_ids=vectors.first_ids,
        document_ids=vectors.second_ids,
        similarity=question.similarity,
        unjudged=question.unjudged,
    )
    right = found.count if question.at is None else found.count_within(question.at)
    wrong = pattern.shape[0] - right
    return first._replace(verdict="EXACT", lower=wrong, upper=wrong)


def _evaluate_run(first: Outcome, question: Question, given: JudgedRun) -> Outcome:
    """Count the queries that a run gets wrong; those without judgements are left out."""
    from samapprox.solvers.questions.evaluation.runs import evaluate_run

    judgements, run = given
    measures = _usual_measures(question.relevant)
    found = evaluate_run(judgements, run, question.grading, measures, skip_missing=True)
    if found.unasked == len(run.scores):
        raise InputError(f"{run.source}: no query of this run has judgements")
    right = found.count if question.at is None else found.count_within(question.at)
    wrong = len(found.queries) - right
    document = found.to_json()
    answer = json.dumps({member: document[member] for member in _KEPT})
    return first._replace(verdict="EXACT", lower=wrong, upper=wrong, answer=answer)


def _usual_measures(relevant: int) -> list[Any] | None:
    """Return the measures that `fit --run` computes, too; None without ir_measures."""
    from samapprox.solvers.questions.evaluation.runs import DEFAULT_MEASURES, parse_measures

    try:
        return parse_measures(DEFAULT_MEASURES, relevant)
    except InputError:
        return None
