"""The questions that all solvers are asked: patterns real and made, and a dimension for each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from samapprox import Instance, Problem, data, load_instance
from samapprox.reductions.families import generate

__all__ = ["Question", "questions", "sample"]

MOST_KEYS = 45
"""The keys of the longest real patterns; no peer solves longer ones."""


@dataclass(frozen=True)
class Question:
    """Can dimension d show the pattern, and what is known without any solver."""

    kind: str
    name: str
    problem: Problem
    known: str | None

    @classmethod
    def about(cls, kind: str, name: str, instance: Instance, d: int) -> Question:
        """The question, with what the instance's facts say about it."""
        problem = Problem(instance.pattern, d)
        return cls(kind, f"{name}, d = {d}", problem, instance.known_answer(problem))


def questions() -> list[Question]:
    """All of them, in an order that never changes."""
    return [*_real(), *_oriented_matroids(), *_random(), *_made()]


def sample(every: list[Question], count: int) -> list[Question]:
    """So many questions, each kind in its share and at least once, evenly spread over it."""
    kinds = list(dict.fromkeys(question.kind for question in every))
    chosen = []
    for kind in kinds:
        own = [question for question in every if question.kind == kind]
        share = min(len(own), max(1, round(count * len(own) / len(every))))
        chosen += [own[(2 * k + 1) * len(own) // (2 * share)] for k in range(share)]
    return chosen


def _real() -> Iterator[Question]:
    for path in data.files("minilm"):
        instance = load_instance(path)
        if instance.pattern.shape[1] <= MOST_KEYS:
            for d in (2, 3):
                yield Question.about("MiniLM", path.stem, instance, d)
    instance = load_instance(data.path("limit/limit.npz"))
    for d in (3, 4):
        yield Question.about("LIMIT", "limit", instance, d)


def _oriented_matroids() -> Iterator[Question]:
    for path in data.files("oriented-matroids"):
        rank = int(path.stem[len("rank")])
        yield Question.about("oriented matroids", path.stem, load_instance(path), rank - 1)


def _random() -> Iterator[Question]:
    for n, d in ((6, 2), (7, 2), (8, 2), (8, 3), (9, 3), (10, 3), (10, 4), (12, 3), (12, 4)):
        instance = generate("random", rows=n, columns=n, seed=n)
        yield Question.about("random", f"random {n} x {n}", instance, d)
    for n, d in ((14, 2), (14, 4), (14, 5)):
        instance = generate("random", rows=n, columns=n, density=0.25, seed=n)
        yield Question.about("random", f"random {n} x {n} sparse", instance, d)


def _made() -> Iterator[Question]:
    for n, k, d in ((5, 2, 3), (6, 2, 3), (6, 2, 4), (10, 2, 3), (10, 2, 4), (7, 3, 5), (8, 3, 5)):
        instance = generate("all-subsets", n=n, k=k)
        yield Question.about("all subsets", f"all {k}-subsets of {n}", instance, d)
    for resolution in (0, 85, 170, 511):
        instance = generate("stretch", kind="pappus", resolution=resolution)
        yield Question.about("arrangements", f"Pappus {resolution}", instance, 2)
    for kind, lines in (("lines", 6), ("lines", 9), ("pseudolines", 9), ("pseudolines", 11)):
        instance = generate("stretch", kind=kind, lines=lines, seed=1)
        yield Question.about("arrangements", f"{lines} {kind}", instance, 2)
    for n, d in ((3, 1), (4, 2), (4, 3), (5, 3)):
        instance = generate("shattered-causal", n=n)
        yield Question.about("causal", f"shattered-causal {n}", instance, d)
    for n, d in ((8, 2), (10, 2), (12, 2), (14, 3)):
        instance = generate("random", rows=n, columns=n, seed=n, causal=True)
        yield Question.about("causal", f"causal random {n}", instance, d)
