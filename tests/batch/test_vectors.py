"""Sets of vectors in a batch: the library's answers, limits, resumption, expectations, reports."""

from __future__ import annotations

import base64
import gzip
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from samapprox import InputError
from samapprox.attention.graphs import build
from samapprox.attention.vectors import count_orthogonal, furthest, furthest_layers, orthogonal_pair
from samapprox.batch import Failure, Outcome, Question, Store, judge, open_set, run
from samapprox.batch.expectations import failures_of, with_earlier
from samapprox.batch.report import Report, Selection, make_report
from samapprox.batch.report.aggregates import layer_means
from samapprox.batch.sets.entry import Entry, VectorFile
from samapprox.batch.workers.answer import answer
from samapprox.cli.papers.furthest import family_vectors
from samapprox.formats import save_vectors
from samapprox.reductions.vectors import generate
from samapprox.vectors import VectorSet

pytestmark = pytest.mark.usefixtures("_in_process")

ORTHOGONAL = Question("orthogonal")
FAMILIES = (
    "orthogonal-planted:n=20,d=16,count=3",
    "orthogonal-none:n=20,d=16,count=2",
    "orthogonal-random:n=20,d=16,count=3",
    "orthogonal-random:n=12,d=70,two_sets=1,count=2",
)


def outcomes(sources: list[str], question: Question, results: Path) -> list[Outcome]:
    done = run(sources, question, results, jobs=1)
    with Store(results) as store:
        return list(store.outcomes(done.question, evidence=True))


def of_file(vectors: VectorSet, question: Question, folder: Path) -> Outcome:
    """The answer about one file, in this process."""
    save_vectors(vectors, folder / "v.npz")
    entry = Entry("v.npz", "", VectorFile(str(folder / "v.npz")))
    return answer(entry, question, lambda _so_far: None)


def test_orthogonal_pairs_are_those_of_the_library(tmp_path: Path) -> None:
    found = outcomes(list(FAMILIES), ORTHOGONAL, tmp_path / "r.sqlite")
    assert len(found) == 10
    for one in found:
        name = one.name.rpartition("/")[2]  # the second set of a family has its number before
        family, vectors = name.partition(":")[0], family_vectors(name)
        pairs = count_orthogonal(vectors.first, vectors.second)
        pair = orthogonal_pair(vectors.first, vectors.second)
        assert (one.verdict, one.lower, one.upper) == ("YES" if pairs else "NO", pairs, pairs)
        assert one.family == family
        assert one.sha256 == vectors.sha256
        assert one.known == {"orthogonal-planted": "YES", "orthogonal-none": "NO"}.get(family)
        assert one.answer is not None
        document = json.loads(one.answer)
        assert document["pair"] == (None if pair is None else list(pair))
        if pair is not None:
            left, right = document["vectors"]
            assert not any(a == b == "1" for a, b in zip(left, right, strict=True))
        assert list(failures_of(one)) == []


def test_furthest_vectors_are_those_of_the_library(tmp_path: Path) -> None:
    sources = [
        "furthest-planted:n=20,d=6,count=2",
        "furthest-simplex:n=9",
        "furthest-clustered:n=9",
    ]
    for one in outcomes(sources, Question("furthest"), tmp_path / "r.sqlite"):
        vectors = family_vectors(one.name)
        assert one.answer is not None
        document = json.loads(one.answer)
        assert document["furthest"] == furthest(vectors.first).indices.tolist()
        assert (one.verdict, one.lower, one.upper) == ("EXACT", 1.0, 1.0)
        if "pair" in vectors.known:
            assert document["pair"] == vectors.known["pair"]


@pytest.mark.parametrize("relabel", [None, 7])
def test_recall_on_a_mask_is_that_of_the_library(tmp_path: Path, relabel: int | None) -> None:
    from samapprox.attention.graphs.heads import Relabelled

    question = Question("furthest", graph="bigbird:w=3,g=1,r=2", layers=4, relabel=relabel)
    vectors = generate("furthest-planted", n=40, d=6, seed=3)
    one = of_file(vectors, question, tmp_path)
    graphs = build("bigbird:w=3,g=1,r=2", 40).patterns
    asked = graphs if relabel is None else Relabelled(graphs, relabel)
    expected = furthest_layers(vectors.first, asked, layers=4)
    assert (one.verdict, one.lower, one.upper) == ("EXACT", *[expected.layers[-1].recall] * 2)
    document = json.loads(one.answer or "")
    assert [row["recall"] for row in document["layers"]] == [row.recall for row in expected.layers]
    assert (one.lower or 0) < 1
    full = of_file(vectors, Question("furthest", graph="full", layers=1), tmp_path)
    assert (full.lower, full.upper) == (1.0, 1.0)


@pytest.mark.parametrize("graph", [None, "window:w=5"])
def test_answers_do_not_depend_on_the_kernel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, graph: str | None
) -> None:
    """A process chooses kernels by its work so far; vectors of few values have many near ties."""
    from samapprox.attention.vectors import kernels

    vectors = VectorSet(np.random.default_rng(1).integers(0, 3, (40, 3)) / 3)
    found = []
    for compiled in (False, True):
        monkeypatch.setattr(kernels, "compilation_pays", lambda *_, pays=compiled: pays)
        found.append(of_file(vectors, Question("furthest", graph=graph), tmp_path))
    assert found[0].verdict == "EXACT"
    assert found[0].answer == found[1].answer


def test_boolean_vectors_on_a_mask_show_an_orthogonal_pair(tmp_path: Path) -> None:
    vectors = generate("orthogonal-planted", n=30, d=20, seed=1)
    one = of_file(vectors, Question("furthest", graph="star", layers=9, relabel=0), tmp_path)
    assert json.loads(one.answer or "")["pair"] == vectors.known["pair"]


def test_provisional_results_have_the_layers_so_far(tmp_path: Path) -> None:
    save_vectors(generate("furthest-planted", n=40, d=6), tmp_path / "v.npz")
    entry = Entry("v.npz", "", VectorFile(str(tmp_path / "v.npz")))
    seen: list[Outcome] = []
    last = answer(entry, Question("furthest", graph="window:w=3", layers=5), seen.append)
    recalls = [one.lower for one in seen]
    assert recalls == sorted(recalls, key=float)
    assert recalls[0] == 0.0
    assert recalls[-1] == last.lower
    assert {one.upper for one in seen} == {1.0}
    assert {one.verdict for one in seen} == {"INTERVAL"}


# ---------------------------------------------------------------- what sets state themselves


def test_wrong_statements_of_a_set_are_failures(tmp_path: Path) -> None:
    bits = np.array([[1, 1, 0], [1, 0, 1], [0, 0, 1]], dtype=np.uint8)
    for known, kind in [
        ({"pairs": 1, "pair": [0, 2]}, None),
        ({"pairs": 2}, "contradiction"),
        ({"pairs": 0}, "contradiction"),
        ({"pair": [0, 1]}, "invalid"),
        ({"pair": [0, 0]}, "invalid"),
        ({"pair": [0, 3]}, "error"),
        ({"pair": "first"}, "error"),
        ({"pairs": "many"}, "error"),
        ({"pairs": True}, "error"),
    ]:
        one = of_file(VectorSet(bits, known=known), ORTHOGONAL, tmp_path)
        assert {failure.kind for failure in failures_of(one)} == ({kind} if kind else set()), known


@pytest.mark.parametrize("graph", [None, "star"])
def test_wrong_furthest_vectors_of_a_set_are_failures(tmp_path: Path, graph: str | None) -> None:
    numbers = np.array([[0.0], [1.0], [5.0]])
    for known, verdict in [([2, 2, 0], "EXACT"), ([1, 2, 0], "INVALID"), ([2, 2, 7], "INVALID")]:
        vectors = VectorSet(numbers, furthest=np.array(known))
        one = of_file(vectors, Question("furthest", graph=graph), tmp_path)
        assert one.verdict == verdict
        assert (one.error is None) == (verdict == "EXACT")


def test_unusable_vectors_are_errors(tmp_path: Path) -> None:
    numbers = np.array([[0.5], [1.0]])
    assert "hold 0 and 1 only" in (of_file(VectorSet(numbers), ORTHOGONAL, tmp_path).error or "")
    two = VectorSet(numbers, numbers)
    question = Question("furthest", graph="star")
    assert "the file holds two" in (of_file(two, question, tmp_path).error or "")
    entry = Entry("v", "", VectorFile(str(tmp_path / "gone.npz")))
    assert answer(entry, ORTHOGONAL, print).verdict == "ERROR"
    mask = tmp_path / "mask.txt"
    mask.write_text("110\n111\n011\n")
    one = of_file(VectorSet(numbers), Question("furthest", graph=str(mask)), tmp_path)
    assert one.verdict == "ERROR"


# ---------------------------------------------------------------- sets


def test_folders_of_generated_sets(tmp_path: Path) -> None:
    folder = tmp_path / "sets"
    folder.mkdir()
    for seed in range(3):
        save_vectors(generate("orthogonal-planted", n=9, d=8, seed=seed), folder / f"{seed}.npz")
    (folder / "text.csv").write_text("1,1,0\n0,0,1\n")
    (folder / "notes.md").touch()
    found = outcomes([str(folder)], ORTHOGONAL, tmp_path / "r.sqlite")
    assert [(one.name, one.verdict, one.lower) for one in found] == [
        *((f"{seed}.npz", "YES", 1) for seed in range(3)),
        ("text.csv", "YES", 1),
    ]
    assert run([str(folder)], ORTHOGONAL, tmp_path / "r.sqlite", jobs=1).skipped == 4
    (one,) = outcomes([str(folder / "0.npz")], ORTHOGONAL, tmp_path / "one.sqlite")
    assert (one.name, one.rows, one.columns) == ("0.npz", 9, 8)


@pytest.mark.parametrize("two_sets", [False, True])
def test_tasks_about_patterns_name_those_about_vectors(tmp_path: Path, two_sets: bool) -> None:
    save_vectors(generate("orthogonal-none", n=5, d=4, two_sets=two_sets), tmp_path / "v.npz")
    (one,) = outcomes([str(tmp_path / "v.npz")], Question("dim"), tmp_path / "r.sqlite")
    assert "`samapprox furthest`, which are also tasks of `samapprox batch`" in (one.error or "")


def test_families_of_the_other_kind_are_refused() -> None:
    with pytest.raises(InputError, match="orthogonal-planted is a family of vectors, but the task"):
        open_set(["orthogonal-planted:n=5"])
    with pytest.raises(InputError, match="line is a family of patterns, but the task asks"):
        open_set(["line:rows=5"], about_vectors=True)
    with pytest.raises(InputError, match="families are: orthogonal-planted"):
        open_set(["orthogonal-plant"], about_vectors=True)


def test_open_sets_of_the_other_kind_are_errors(tmp_path: Path) -> None:
    for sources, about_vectors, task, fault in (
        (["orthogonal-none:n=5"], True, "dim", "asks about patterns"),
        (["line:rows=5"], False, "orthogonal", "asks about vectors"),
    ):
        held = open_set(sources, about_vectors=about_vectors)
        done = run(held, Question(task), tmp_path / "r.sqlite", jobs=1)  # type: ignore[arg-type]
        with Store(tmp_path / "r.sqlite") as store:
            (one,) = store.outcomes(done.question)
        assert fault in (one.error or "")
        assert "internal" not in (one.error or "")


def manifest(folder: Path, known: dict[str, object]) -> Path:
    save_vectors(generate("orthogonal-random", n=9, d=8, seed=4), folder / "v.npz")
    path = folder / "manifest.json"
    files = [{"file": "v.npz", "known": known}]
    sets = [{"name": "mine", "kind": "vectors", "files": files}]
    path.write_text(json.dumps({"format": "samapprox-manifest", "version": 1, "sets": sets}))
    return path


def test_manifests_state_counts(tmp_path: Path) -> None:
    vectors = generate("orthogonal-random", n=9, d=8, seed=4)
    pairs = count_orthogonal(vectors.first)
    for stated in (pairs, pairs + 1):
        path = manifest(tmp_path, {"pairs": stated})
        (one,) = outcomes([str(path)], ORTHOGONAL, tmp_path / "r.sqlite")  # the stamp has changed
        assert one.family == "orthogonal-random"
        assert len(list(failures_of(one))) == (stated != pairs)
        bare = one._replace(known=None, known_lower=None, known_upper=None)
        inform, _ = with_earlier([str(path)], ORTHOGONAL, tmp_path / "r.sqlite")
        assert (inform(bare).known_lower, inform(bare).known_upper) == (stated, stated)
    with pytest.raises(InputError, match="whole number"):
        open_set([str(manifest(tmp_path, {"pairs": 0.5}))], about_vectors=True)
    with pytest.raises(InputError, match="lists no pattern"):
        open_set([str(path)])


# ---------------------------------------------------------------- expectations and questions


def test_a_share_that_layers_must_find() -> None:
    some = [Outcome("a", "", verdict="EXACT", lower=0.5, upper=0.5)]
    assert [failures for _, failures in judge(some, recall=0.5)] == [[]]
    reason = "finds 50.0 % of the furthest vectors, but at least 51.0 % are expected"
    assert [f for _, f in judge(some, recall=0.51)] == [[Failure("a", "recall", reason)]]


@pytest.mark.parametrize(
    ("parameters", "fault"),
    [
        ({"layers": 3}, "need a graph"),
        ({"graph": "star", "layers": 0}, "at least 1"),
        ({"causal": True}, "about vectors"),
        ({"unjudged": "unspecified"}, "about vectors"),
        ({"d": 2}, "does not take d"),
    ],
)
def test_questions_that_make_no_sense(parameters: dict[str, object], fault: str) -> None:
    with pytest.raises(InputError, match=fault):
        Question("furthest", **parameters)  # type: ignore[arg-type]


def test_results_on_a_mask_are_read_without_its_file(tmp_path: Path) -> None:
    mask, results = tmp_path / "mask.txt", tmp_path / "r.sqlite"
    mask.write_text("110\n011\n111\n")
    question = Question("furthest", graph=str(mask))
    save_vectors(VectorSet(np.array([[0.0], [1.0], [5.0]])), tmp_path / "v.npz")
    outcomes([str(tmp_path / "v.npz")], question, results)
    mask.unlink()
    with Store(results) as store:
        assert list(store.questions().values()) == [question]
    for graph, fault in ((str(mask), "neither a file nor a known"), ("star:v=1", "parameter 'v'")):
        with pytest.raises(InputError, match=fault):
            run([str(tmp_path / "v.npz")], Question("furthest", graph=graph), results)


def test_masks_are_of_furthest_vectors_alone() -> None:
    with pytest.raises(
        InputError, match=r"orthogonal does not take graph \(--graph\); it takes none"
    ):
        Question("orthogonal", graph="star")
    question = Question("furthest", graph="star", relabel=2)
    assert str(question) == "furthest on star, 16 layers, relabel 2, 60 s, seed 0"


def test_earlier_results_on_another_mask_do_not_count(tmp_path: Path) -> None:
    results = tmp_path / "r.sqlite"
    outcomes(["furthest-planted:n=8,d=4"], Question("furthest", graph="star"), results)
    with pytest.raises(InputError, match="no earlier results"):
        with_earlier(
            [str(results)], Question("furthest", graph="window:w=3"), tmp_path / "o.sqlite"
        )
    _, earlier = with_earlier([str(results)], Question("furthest", graph="star"), tmp_path / "o")
    assert len(list(earlier)) == 1


# ---------------------------------------------------------------- reports


def page_of(results: Path) -> str:
    with Store(results) as store:
        return make_report(store, Report())


def details_of(page: str) -> dict[str, dict[str, Any]]:
    (packed,) = re.findall(r'id="details">([^<]*)<', page)
    found: dict[str, dict[str, Any]] = json.loads(gzip.decompress(base64.b64decode(packed)))
    return found


def test_reports_show_what_was_found(tmp_path: Path) -> None:
    results = tmp_path / "r.sqlite"
    outcomes(["orthogonal-planted:n=9,d=8", "orthogonal-none:n=9,d=8"], ORTHOGONAL, results)
    vectors = "furthest-planted:n=12,d=4,count=3"
    outcomes([vectors], Question("furthest"), results)
    for graph in ("window:w=3", "star"):
        outcomes([vectors], Question("furthest", graph=graph, layers=3), results)
    page = page_of(results)
    for words in (
        "orthogonal pairs in total",
        "of the furthest vectors are found, on average",
        "Mean share of furthest vectors found, by layer. window:w=3, 3 layers: ",
    ):
        assert words in page
    shown = [detail["answer"] for detail in details_of(page).values()]
    words = "\n".join(one["words"] for one in shown)
    assert "are orthogonal: no coordinate is 1 in both." in words
    assert "No two vectors are orthogonal." in words
    assert words.count("The greatest distance is 2") == 3
    assert words.count("On star, ") == 3
    assert [one["entries"]["columns"] for one in shown if one["entries"]] == [8]
    assert sum(one["picture"] is not None for one in shown) == 6


@pytest.mark.parametrize("layers", [3, 30])
def test_means_by_layer_are_those_of_all_results(tmp_path: Path, layers: int) -> None:
    question = Question("furthest", graph="window:w=5", layers=layers)
    found = outcomes(["furthest-planted:n=12,d=4,count=5"], question, tmp_path / "r.sqlite")
    recalls = [[row["recall"] for row in json.loads(one.answer or "")["layers"]] for one in found]
    most = max(map(len, recalls))
    full = [[*some, *[some[-1]] * (most - len(some))] for some in recalls]
    if layers == 30:
        assert len({len(some) for some in recalls}) > 1  # they settle at different times
    with Store(tmp_path / "r.sqlite") as store:
        means = layer_means(store, 1, question, Selection())
        assert layer_means(store, 1, Question("furthest"), Selection()) is None
    assert means is not None
    assert means.means == pytest.approx(np.mean(full, axis=0))


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ('{"pair": [0, 1], "vectors": ["11", "01"]}', "NOT VALID: vectors 0 and 1 share a 1."),
        ('{"pair": [0, 1], "vectors": ["1", "01"]}', "damaged"),
        ('{"pair": [0], "vectors": null}', "damaged"),
        ('{"layers": []}', "damaged"),
        ('{"layers": [{"recall": "<b>"}], "graph": 1, "settled": 0, "pair": null}', "damaged"),
        ('{"furthest": 3, "pair": [0, 1], "distance": 1}', "damaged"),
    ],
)
def test_reports_of_damaged_answers(tmp_path: Path, answer: str, words: str) -> None:
    results = tmp_path / "r.sqlite"
    outcomes(["orthogonal-planted:n=9,d=8"], ORTHOGONAL, results)
    with Store(results, write=True) as store:
        store.query("UPDATE evidence SET answer = ?", (answer,))
    (detail,) = details_of(page_of(results)).values()
    assert words in str(detail)
