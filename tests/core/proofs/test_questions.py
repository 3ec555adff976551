"""Questions of certificates: reading, round trips, and the tasks that each kind answers."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from helpers.schemas import schema, validator_of

from samapprox import Certificate, Embedding, InputError, Pattern, Problem, schemas
from samapprox.problem import MOST_DIMENSIONS, Question
from samapprox.proofs import KNOWN_KINDS, KnownKind, Radon
from samapprox.proofs.base import Obstruction, Witness
from samapprox.proofs.checker import check
from samapprox.proofs.members import Indices, Part
from samapprox.proofs.parts.merged import Merged
from samapprox.proofs.questions import (
    KNOWN_QUESTIONS,
    RANK_KINDS,
    UNITS,
    Fit,
    Margin,
    Rank,
    Recall,
    read_question,
)
from samapprox.similarities import SIMILARITIES, VALUE_SETS

PATTERN = Pattern.from_text("100\n010\n001")
SCHEMA = schema("certificate")

QUESTIONS: list[Question] = [
    Problem(PATTERN, 2),
    Problem(PATTERN, 2, 3),
    *(Problem(PATTERN, 2, similarity=similarity) for similarity in SIMILARITIES),
    *(Rank(PATTERN, 3, kind) for kind in RANK_KINDS),
    *(
        Fit(PATTERN, 1, wrong, unit, similarity)
        for wrong, unit, similarity in product((0, 1), UNITS, SIMILARITIES)
    ),
    Margin(PATTERN, 3, 4),
    Recall(PATTERN, 1, 2, 2, 3),
    Recall(PATTERN, 2, 1, 1, 1, similarity="l2"),
    Margin(PATTERN, 0, 1),
    Margin(PATTERN, 3, 4, d=2),
]


def test_arguments_may_be_numbers_of_numpy() -> None:
    one, two, three = np.int64(1), np.uint8(2), np.int32(3)
    for question, same in (
        (Fit(PATTERN, one, two, at=three), Fit(PATTERN, 1, 2, at=3)),
        (Recall(PATTERN, one, two, two, three), Recall(PATTERN, 1, 2, 2, 3)),
        (Rank(PATTERN, two), Rank(PATTERN, 2)),
        (Margin(PATTERN, two, three, one), Margin(PATTERN, 2, 3, 1)),
    ):
        assert question.terms == same.terms
        assert json.dumps(question.terms) == json.dumps(same.terms)


def identify(question: Question) -> str:
    return json.dumps(question.terms)


# ---------------------------------------------------------------- stand-ins


@dataclass(frozen=True, slots=True)
class Yes(Witness):
    """A proof of YES whose check always passes: all that is left is the gate."""

    KIND = "always-yes"
    CLAIM = "YES, whatever the question."
    SHARES_X = True
    MEMBERS = (Indices("rows"),)

    rows: tuple[int, ...]

    def __init__(self, rows: Iterable[int]) -> None:
        self._fill(rows)

    @property
    def dimension(self) -> int:
        return 1

    def find_fault(self, _question: Question, /) -> None:
        """Accept every proof."""

    def explain(self, problem: Any) -> list[str]:
        return [str(problem)]

    def embedding(self, _pattern: Pattern, /) -> Embedding:
        raise InputError("there is none")


@dataclass(frozen=True, slots=True)
class No(Obstruction):
    """A proof of NO whose check always passes."""

    KIND = "always-no"
    CLAIM = "NO, whatever the question."
    MEMBERS = (Indices("rows"), Indices("columns"))

    rows: tuple[int, ...]
    columns: tuple[int, ...]

    def __init__(self, rows: Iterable[int], columns: Iterable[int]) -> None:
        self._fill(rows, columns)

    @property
    def dimension(self) -> int:
        return MOST_DIMENSIONS

    @property
    def caption(self) -> str:
        return "nothing"

    def find_fault(self, _question: Question, /) -> None:
        """Accept every proof."""

    def explain(self, problem: Any) -> list[str]:
        return [str(problem)]


PROOFS = [Yes([0]), No([0], [0])]


@pytest.fixture
def stand_ins(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Register the stand-ins under a task and similarities; return the function that does it."""
    module = ModuleType("always")
    vars(module).update(Yes=Yes, No=No)
    monkeypatch.setitem(sys.modules, "always", module)

    def register(task: str, similarities: tuple[str, ...] = tuple(SIMILARITIES)) -> None:
        for proof in (Yes, No):
            monkeypatch.setattr(proof, "TASK", task, raising=False)
            monkeypatch.setattr(proof, "SIMILARITIES", similarities, raising=False)
            kind = KnownKind("always", proof.__name__)
            monkeypatch.setitem(KNOWN_KINDS, proof.KIND, kind)

    return register


# ---------------------------------------------------------------- the table


def test_the_questions_here_are_of_every_task() -> None:
    assert {question.TASK for question in QUESTIONS} == set(KNOWN_QUESTIONS)


def test_each_task_is_the_name_of_its_class() -> None:
    for task, known in KNOWN_QUESTIONS.items():
        assert task == known.load.TASK  # type: ignore[attr-defined]


def test_every_kind_answers_a_known_task_under_known_similarities() -> None:
    for name, kind in KNOWN_KINDS.items():
        found = kind.load_class()
        assert found.TASK in KNOWN_QUESTIONS, name
        assert found.SIMILARITIES, name
        assert set(found.SIMILARITIES) <= {*SIMILARITIES, *VALUE_SETS}, name


# ---------------------------------------------------------------- reading


@pytest.mark.parametrize("question", QUESTIONS, ids=identify)
def test_terms_are_read_as_they_are_written(question: Question) -> None:
    task, terms = read_question(Part(json.loads(json.dumps(question.terms)), "the problem"))
    assert task == question.TASK
    again = KNOWN_QUESTIONS[task].load(PATTERN, **terms)
    assert again == question
    assert str(again) == str(question)


@pytest.mark.parametrize("question", QUESTIONS, ids=identify)
def test_unknown_members_are_refused(question: Question) -> None:
    with pytest.raises(InputError, match="members that do not belong there: 'more'"):
        read_question(Part({**question.terms, "more": 1}, "the problem"))


def needed(question: Question) -> Iterator[str]:
    """Yield the members that a document must state."""
    optional = {"task", "similarity"} | ({"d"} if isinstance(question, Margin) else set())
    yield from (member for member in question.terms if member not in optional)


@pytest.mark.parametrize("question", QUESTIONS, ids=identify)
def test_missing_members_are_named(question: Question) -> None:
    for member in needed(question):
        terms = {name: value for name, value in question.terms.items() if name != member}
        with pytest.raises(InputError, match=f"the problem has no '{member}'"):
            read_question(Part(terms, "the problem"))


@pytest.mark.parametrize("question", QUESTIONS, ids=identify)
@pytest.mark.parametrize("value", [True, 1.0, 0.5, [], {}, [1], 2**40 + 1, None])
def test_members_of_a_wrong_type_are_named(question: Question, value: object) -> None:
    for member in question.terms:
        if value is None and member == "d_hid":
            continue
        with pytest.raises(InputError, match=f"'{member}' in the problem (has|is)"):
            read_question(Part({**question.terms, member: value}, "the problem"))


@pytest.mark.parametrize("task", ["", "dim", "Dimension", "fit ", "ranks", "x" * 10**6, "\n"])
def test_unknown_tasks_are_named(task: str) -> None:
    with pytest.raises(InputError, match="unknown task") as caught:
        read_question(Part({"task": task, "d": 1, "d_hid": None}, "the problem"))
    assert len(str(caught.value)) < 100
    assert "\n" not in str(caught.value)


def test_members_of_another_task_are_refused() -> None:
    """No task takes over the members of another."""
    for question, other in product(QUESTIONS, QUESTIONS):
        if question.TASK != other.TASK:
            with pytest.raises(InputError, match="the problem has"):
                read_question(Part({**question.terms, "task": other.TASK}, "the problem"))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Problem(PATTERN, 2, similarity="cosin"), "did you mean 'cosine'"),
        (lambda: Problem(PATTERN, 2, 4, similarity="l2"), "d_hid has a meaning for"),
        (lambda: Rank(PATTERN, 0), "rank must be a whole number of at least 1, not 0"),
        (lambda: Rank(PATTERN, True), "not True"),
        (lambda: Rank(PATTERN, 2, "signs"), "the kind of rank must be one of sign, global, row"),
        (lambda: Fit(PATTERN, 0, 1), "d must be a whole number of at least 1, not 0"),
        (lambda: Fit(PATTERN, 1, -1), "wrong must be a whole number of at least 0, not -1"),
        (lambda: Fit(PATTERN, 1, 0.5), "not 0.5"),
        (lambda: Fit(PATTERN, 1, 0, "columns"), "the unit must be one of rows, entries"),
        (lambda: Fit(PATTERN, 1, 0, "rows", "l1"), "unknown similarity 'l1'"),
        (lambda: Margin(PATTERN, -1, 2), "a margin is a fraction of at least 0"),
        (lambda: Margin(PATTERN, 1, 0), "with a positive denominator"),
        (lambda: Margin(PATTERN, 1, -2), "with a positive denominator"),
        (lambda: Margin(PATTERN, 2, 4), "no common factor"),
        (lambda: Margin(PATTERN, 0, 2), "no common factor"),
        (lambda: Margin(PATTERN, 0.5, 1), "numerator and denominator must be whole numbers"),
        (lambda: Margin(PATTERN, True, 1), "numerator and denominator must be whole numbers"),
        (lambda: Margin(PATTERN, 1, 2, d=0), "d must be a whole number of at least 1, not 0"),
        (lambda: Margin(PATTERN, 1, 2, d=1.5), "not 1.5"),
    ],
)
def test_questions_that_make_no_sense(make: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()


def test_claims_say_what_is_proven() -> None:
    assert (
        Problem(PATTERN, 2, similarity="l2").claim("NO") == "NO for d = 2 with Euclidean distance"
    )
    assert Rank(PATTERN, 3, "global").claim("YES") == "YES for rank at most 3 with one threshold"
    assert Fit(PATTERN, 2, 2, "entries", "cosine").claim("NO") == (
        "NO for at most 2 wrong entries in d = 2 with cosine similarity"
    )
    assert Margin(PATTERN, 3, 4, d=2).claim("YES") == "a margin of at least 0.75 in d = 2"
    assert Margin(PATTERN, 10, 1).claim("NO") == "no margin above 10"
    assert Margin(PATTERN, 1, 3).claim("NO") == "no margin above 1/3"
    assert Margin(PATTERN, 3, 4).value == Fraction(3, 4)


# ---------------------------------------------------------------- round trips


@pytest.mark.parametrize("proof", PROOFS, ids=lambda proof: proof.KIND)
@pytest.mark.parametrize("question", QUESTIONS, ids=identify)
def test_certificates_survive_a_round_trip(question: Question, proof: Any, stand_ins: Any) -> None:
    stand_ins(question.TASK)
    certificate = Certificate.of(question, proof)
    document = certificate.to_json()
    again = Certificate.from_bytes(certificate.to_bytes())
    assert again == certificate
    assert again.to_json() == document
    assert again.ask(PATTERN) == question
    found = again.verify(PATTERN)
    assert found.valid
    assert found.reason == question.claim(again.answer)
    validator_of(schemas.load("certificate")).validate(document)  # knows the stand-ins


def test_old_documents_need_no_task_or_similarity() -> None:
    document = Certificate.of(Problem(PATTERN, 1), Radon([0, 1, 2], [0, 1, 2])).to_json()
    assert document["problem"] == {"d": 1, "d_hid": None}
    for more in ({"task": "dimension"}, {"similarity": "dot"}):
        stated = {**document, "problem": {**document["problem"], **more}}
        SCHEMA.validate(stated)
        certificate = Certificate.from_json(stated)
        assert certificate.verify(PATTERN).reason == "NO for d = 1"
        assert certificate.is_about_dot_products


# ---------------------------------------------------------------- the gate


@pytest.mark.parametrize("proof", PROOFS, ids=lambda proof: proof.KIND)
@pytest.mark.parametrize("task", KNOWN_QUESTIONS)
def test_a_proof_holds_for_the_task_of_its_kind_only(task: str, proof: Any, stand_ins: Any) -> None:
    stand_ins(task)
    for question in QUESTIONS:
        found = check(question, proof)
        if task == question.TASK:
            assert found is None
        else:
            assert found == (
                f"a proof of kind {proof.KIND} answers the task {task}, not {question.TASK}"
            )


@pytest.mark.parametrize("proof", PROOFS, ids=lambda proof: proof.KIND)
@pytest.mark.parametrize("similarities", [("dot",), ("cosine",), ("l2",), ("cosine", "l2")])
def test_a_proof_holds_for_the_similarities_of_its_kind_only(
    similarities: tuple[str, ...], proof: Any, stand_ins: Any
) -> None:
    for question in QUESTIONS:
        stand_ins(question.TASK, similarities)
        similarity = str(getattr(question, "similarity", "dot"))
        found = check(question, proof)
        assert (found is None) == (similarity in similarities)
        if found is not None:
            assert found == (
                f"a proof of kind {proof.KIND} is about the similarity "
                f"{', '.join(similarities)}, not {similarity}"
            )


def test_a_nested_proof_of_another_task_proves_nothing(stand_ins: Any) -> None:
    """The check of a proof within a proof passes the gate, too."""
    inner = Yes([0])
    merged = Merged([0, 1, 2], [0, 1, 2], [0, 1, 2], [], [0, 1, 2], inner)
    stand_ins("dimension")
    assert check(Problem(PATTERN, 2), merged) is None
    for task in KNOWN_QUESTIONS:
        if task != "dimension":
            stand_ins(task)
            assert f"answers the task {task}, not dimension" in str(
                check(Problem(PATTERN, 2), merged)
            )
    stand_ins("dimension", ("cosine", "l2"))
    assert "is about the similarity" in str(check(Problem(PATTERN, 2), merged))
