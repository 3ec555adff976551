"""Similarities are records: a new one needs one record, and nothing asks for names."""

from __future__ import annotations

import ast
import copy
import pickle
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from helpers.modules import MODULES

from samapprox import (
    Certificate,
    InputError,
    Pattern,
    Problem,
    Status,
    decide,
    evaluate,
    fit,
    similarities,
    verify,
    weak_dimension,
)
from samapprox.proofs import KNOWN_KINDS, Radon, check
from samapprox.proofs.questions import Fit
from samapprox.similarities import ATTENTION, SIMILARITIES, Similarity, find_similarity

SINGLES = Pattern.from_text("100\n010\n001")

# ---------------------------------------------------------------- records


@pytest.mark.parametrize("record", SIMILARITIES.values(), ids=str)
def test_parts_of_records_can_be_loaded(record: Similarity) -> None:
    for part in ("transfers", "scores", "measure"):
        assert (record.load(part) is None) == (getattr(record, part) is None)


@pytest.mark.parametrize("record", SIMILARITIES.values(), ids=str)
def test_a_copy_is_the_record_itself(record: Similarity) -> None:
    assert copy.deepcopy(record) is record
    assert pickle.loads(pickle.dumps(record)) is record
    assert find_similarity(record) is record
    assert find_similarity(record.name) is record


def test_a_record_that_is_not_in_the_table_is_refused() -> None:
    forged = replace(SIMILARITIES["l2"], below=0)
    with pytest.raises(InputError, match="unknown similarity 'l2'"):
        Problem(SINGLES, 1, similarity=forged)


def test_one_similarity_is_that_of_attention() -> None:
    assert [record for record in SIMILARITIES.values() if record.is_attention] == [ATTENTION]
    assert Problem(SINGLES, 1).similarity is ATTENTION
    assert "similarity" not in Problem(SINGLES, 1).terms


@pytest.mark.parametrize("record", SIMILARITIES.values(), ids=str)
def test_names_and_records_mean_the_same(record: Similarity) -> None:
    assert Problem(SINGLES, 2, similarity=record) == Problem(SINGLES, 2, similarity=record.name)
    assert Fit(SINGLES, 2, 0, similarity=record) == Fit(SINGLES, 2, 0, similarity=record.name)
    verdicts = [decide(SINGLES, 3, similarity=one) for one in (record, record.name)]
    assert [verdict.status for verdict in verdicts] == ["YES", "YES"]


# ---------------------------------------------------------------- a new one


@pytest.fixture(name="nonnegative")
def add_nonnegative(monkeypatch: pytest.MonkeyPatch) -> Similarity:
    """Dot products with keys whose entries are at least 0, as one file and one line add them."""
    record = Similarity(
        name="nonnegative",
        words="with keys of no negative entry",
        ranking="by dot product with keys of no negative entry",
        dimension_name="nonnegative dimension",
        regions="halfspaces",
    )
    monkeypatch.setitem(similarities.SIMILARITIES, record.name, record)
    return record


def test_decide_dim_and_fit_know_a_new_similarity(nonnegative: Similarity) -> None:
    verdict = decide(SINGLES, 1, similarity="nonnegative", time_limit=1)
    assert verdict.problem.similarity is nonnegative
    assert (verdict.status, verdict.lower, verdict.upper) == (Status.UNKNOWN, 1, 2)
    assert "nonnegative dimension is proven to lie in 1..2" in verdict.headline
    found = weak_dimension(SINGLES, similarity="nonnegative", time_limit=1)
    assert (found.lower, found.upper) == (1, 2)
    assert found.to_json()["similarity"] == "nonnegative"
    with pytest.raises(InputError, match="nonnegative"):
        fit(SINGLES, 1, similarity="nonnegative", time_limit=1)
    with pytest.raises(InputError, match="cannot be evaluated under the similarity nonnegative"):
        evaluate(SINGLES, [[1.0]] * 3, [[1.0]] * 3, similarity="nonnegative")


def test_kinds_that_do_not_name_it_are_refused(nonnegative: Similarity) -> None:
    """Also valid ones: no kind is right for a similarity by default."""
    problem = Problem(SINGLES, 1, similarity=nonnegative)
    proof = Radon([0, 1, 2], [0, 1, 2])
    assert check(Problem(SINGLES, 1), proof) is None
    for kind in KNOWN_KINDS.values():
        assert nonnegative.name not in kind.load_class().SIMILARITIES
    assert "is about the similarity dot, not nonnegative" in str(check(problem, proof))
    answered = decide(SINGLES, 2)
    assert answered.proof is not None
    fault = check(Problem(SINGLES, 2, similarity=nonnegative), answered.proof)
    assert "not nonnegative" in str(fault)


@pytest.mark.parametrize("names_it", [False, True])
def test_verify_asks_whether_the_kind_names_it(
    names_it: bool, nonnegative: Similarity, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Keys in a half-line can be moved to 0 and beyond, so this refutation happens to be right."""
    with monkeypatch.context() as during:
        during.setattr(Radon, "SIMILARITIES", (*Radon.SIMILARITIES, nonnegative.name))
        problem = Problem(SINGLES, 1, similarity=nonnegative)
        certificate = Certificate.of(problem, Radon([0, 1, 2], [0, 1, 2]))
        certificate.save(tmp_path / "refutation.json")
        if names_it:
            assert verify(SINGLES, tmp_path / "refutation.json")
    if not names_it:
        found = verify(SINGLES, tmp_path / "refutation.json")
        assert not found
        assert "not nonnegative" in found.reason


# ---------------------------------------------------------------- nobody else asks for names


def list_comparisons(tree: ast.AST) -> list[str]:
    """The comparisons, cases and tables of a module in which names of similarities occur."""
    found = []
    for node in ast.walk(tree):
        parts: list[Any] = []
        if isinstance(node, ast.Compare):
            parts = [node.left, *node.comparators]
        elif isinstance(node, ast.MatchValue):
            parts = [node.value]
        elif isinstance(node, ast.Dict):
            parts = [key for key in node.keys if key is not None]
        elif isinstance(node, ast.Subscript) and ast.unparse(node.value) != "Literal":
            parts = [node.slice]
        within = [one for part in parts for one in ast.walk(part)]
        names = [one.value for one in within if isinstance(one, ast.Constant)]
        if set(SIMILARITIES) & {name for name in names if isinstance(name, str)}:
            found.append(f"line {node.lineno}: {ast.unparse(node)}")
    return found


def test_the_test_finds_comparisons() -> None:
    source = "a == 'l2'\nb in ('dot', 'x')\n{'cosine': 3}\ntable['l2']\nmatch a:\n case 'l2': pass"
    assert len(list_comparisons(ast.parse(source))) == 5
    assert not list_comparisons(ast.parse("f('l2')\na == 'l1'\nsimilarities = ('dot',)"))


@pytest.mark.parametrize(
    "name", [name for name in MODULES if not name.startswith("samapprox.similarities")]
)
def test_no_other_module_compares_names(name: str) -> None:
    source = MODULES[name].read_text(encoding="utf-8")
    if re.search(rf"(['\"])({'|'.join(SIMILARITIES)})\1", source):  # few modules name any
        found = list_comparisons(ast.parse(source))
        assert not found, f"{name}: {found}"
