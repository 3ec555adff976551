"""Expectations of `samapprox batch`: known facts and earlier results."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from helpers.batch.batches import TRIANGLE, batch, listed
from helpers.commands import refused
from helpers.paths import ROOT

from samapprox import Fact, Instance, save
from samapprox.batch import Outcome, Question, Store, judge

pytestmark = pytest.mark.usefixtures("_in_process")


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)


def test_known_truth_denied_is_a_failure() -> None:
    listed(Fact(1, None, "YES", "a lie"))
    result = batch("set", "--junit", "j.xml", "--summary", "s.md")
    assert result.exit_code == 1
    said = "contradiction: triangle.npz: NO is proven, but YES is known"
    assert f"samapprox: {said}\n" in result.stderr  # as it comes
    assert said not in result.stdout  # once
    assert "1 instance: 1 NO; 1 failure; in results.sqlite" in result.stdout
    cases = ElementTree.parse("j.xml").getroot().findall(".//testcase")
    assert [[failure.get("type") for failure in case.findall("failure")] for case in cases] == [
        ["contradiction"]
    ]
    assert "| triangle.npz | contradiction | NO is proven, but YES is known |" in Path(
        "s.md"
    ).read_text(encoding="utf-8")
    assert batch("set", "--task", "dim").exit_code == 1
    # It is judged again, though not decided again.
    again = batch("set")
    assert again.exit_code == 1
    assert (said in again.stdout, again.stderr) == (True, "")


def test_a_manifest_to_expect() -> None:
    listed()
    facts = [{"d": 1, "d_hid": None, "answer": "YES", "reason": "a lie"}]
    file = {"file": "set/triangle.npz", "sha256": "0" * 64, "facts": facts}
    sets = [{"name": "x", "kind": "pattern", "files": [file]}]
    document = {"format": "samapprox-manifest", "version": 1, "sets": sets}
    Path("m.json").write_text(json.dumps(document))
    assert batch("set").exit_code == 0
    assert batch("set", "--expect", "m.json").exit_code == 1
    facts[0]["answer"] = "NO"
    Path("m.json").write_text(json.dumps(document))
    assert batch("set", "--expect", "m.json").exit_code == 0


def test_all_places_that_state_something_about_a_file_count() -> None:
    listed()
    yes, no = [{"d": 1, "answer": "YES"}], [{"d": 1, "answer": "NO"}]
    for name, stated in (("lie", [yes]), ("truth", [no]), ("silent", [[]]), ("both", [yes, no])):
        files = [{"file": "triangle.npz", "facts": facts} for facts in stated]
        sets = [{"name": "x", "kind": "pattern", "files": files}]
        document = {"format": "samapprox-manifest", "version": 1, "sets": sets}
        Path(f"{name}.json").write_text(json.dumps(document))
    # the later one states nothing
    assert batch("set", "--expect", "lie.json", "--expect", "silent.json").exit_code == 1
    assert batch("set", "--expect", "truth.json", "--expect", "silent.json").exit_code == 0
    words = "triangle.npz: the facts contradict each other: NO for d = 1 and YES for d = 1"
    refused(batch("set", "--expect", "both.json"), f"both.json: {words}")
    refused(batch("set", "--expect", "lie.json", "--expect", "truth.json"), f"truth.json: {words}")
    known = [expect_dimensions({"int8": d}, name=f"known{d}.json") for d in (3, 4)]
    result = batch("set", "--expect", known[0], "--expect", known[1])
    refused(result, "known4.json: triangle.npz: int8 is known to be 3 and 4; correct one of them")


def expect_dimensions(
    known: dict[str, object], file: str = "triangle.npz", name: str = "m.json"
) -> str:
    sets = [{"name": "own", "kind": "pattern", "files": [{"file": file, "known": known}]}]
    document = {"format": "samapprox-manifest", "version": 1, "sets": sets}
    Path(name).write_text(json.dumps(document))
    return name


@pytest.mark.parametrize("is_set", [False, True])
def test_a_dimension_in_a_number_format_is_expected(is_set: bool) -> None:
    """More dimensions are a failure, and so is a proof that so few cannot do; fewer are not."""
    listed()
    manifest = expect_dimensions({"int8": 3, "float16": 1}, "set/triangle.npz")
    asked = [manifest] if is_set else ["set", "--expect", manifest]
    asked += ["--task", "dim", "--quiet", "--json", "--junit", "j.xml", "--arithmetic"]
    assert batch(*asked, "int8").exit_code == 0  # d = 2 is enough
    with Store("results.sqlite", write=True) as store:
        store.query("UPDATE result SET upper = 4, verdict = 'INTERVAL'")
    result = batch(*asked, "int8")
    assert result.exit_code == 1
    said = "int8 <= 3 is expected, but 2..4 is found"
    [failure] = json.loads(result.stdout)["failures"]
    assert (failure["kind"], failure["reason"]) == ("lost", said)
    cases = ElementTree.parse("j.xml").getroot().findall(".//failure")
    assert [(one.get("type"), one.get("message")) for one in cases] == [("lost", said)]
    [failure] = json.loads(batch(*asked, "float16").stdout)["failures"]
    assert failure["kind"] == "contradiction"
    assert failure["reason"] == "proven to be 2, but known to be at most 1"
    for other in ("bfloat16", "binary"):  # nothing is known about these
        assert batch(*asked, other).exit_code == 0


def test_a_dimension_in_a_set_of_values_is_expected() -> None:
    listed()
    asked = ["set", "--arithmetic", "binary", "--expect"]
    for d, code in ((1, 1), (2, 0)):
        expected = expect_dimensions({"binary": d})
        assert batch(*asked, expected, "--task", "dim", "--quiet").exit_code == code
        assert batch(*asked, expected, "-d", str(d), "--quiet").exit_code == code


def test_judgements_with_other_ones_are_not_what_a_dimension_is_expected_for() -> None:
    Path("a.qrels").write_text("q 0 x 1\nq 0 y 0\np 0 y 2\n")
    manifest = expect_dimensions({"binary": 1}, "a.qrels")
    asked = [manifest, "--task", "dim", "--arithmetic", "binary", "--quiet"]
    for rule, known in (("--unjudged=unspecified", 1), ("--relevant=2", None)):
        assert batch(*asked, rule).exit_code == 0
        with Store("results.sqlite") as store:
            [one] = store.outcomes(max(store.questions()))
            assert one.known_upper == known
        assert batch("a.qrels", *asked[1:], rule, "--expect", manifest).exit_code == 0


@pytest.mark.parametrize(
    ("known", "said"),
    [
        ({"int9": 3}, "a.txt: unknown number format 'int9' (did you mean 'int8'?)"),
        (
            {"int8": 0},
            "a.txt: the known dimension in int8 must be a whole number of at least 1, not 0",
        ),
        (
            {"int8": "3"},
            "a.txt: the known dimension in int8 must be a whole number of at least 1, not '3'",
        ),
    ],
)
def test_known_dimensions_that_make_no_sense(known: dict[str, object], said: str) -> None:
    Path("a.txt").write_text("10\n01\n")
    result = batch("a.txt", "--expect", expect_dimensions(known, "a.txt"))
    assert result.exit_code == 2
    assert said in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


def test_an_earlier_file_to_expect() -> None:
    listed()
    assert batch("set", "--task", "dim", "--results", "old.sqlite").exit_code == 0
    arguments = ["set", "--task", "dim", "--results", "new.sqlite", "--expect", "old.sqlite"]
    assert batch(*arguments, "--slower", "1000").exit_code == 0
    with Store("old.sqlite", write=True) as store:
        store.query("UPDATE result SET lower = 1, upper = 1")
    result = batch(*arguments)
    assert result.exit_code == 1
    said = "proven to be 2, but was proven to be 1 before"
    assert f"contradiction: triangle.npz: {said}\n" in result.stdout


def test_two_earlier_files_are_one_too_many() -> None:
    listed()
    for name in ("a.sqlite", "b.sqlite"):
        assert batch("set", "--results", name).exit_code == 0
    result = batch("set", "--results", "c.sqlite", "--expect", "a.sqlite", "--expect", "b.sqlite")
    assert result.exit_code == 2
    assert "one earlier result file, not with several" in result.stderr
    assert not Path("c.sqlite").exists()


def outcome(verdict: str, lower: int = 1, upper: int = 9, seconds: float = 1.0) -> Outcome:
    return Outcome(
        "a", "", sha256="sha", verdict=verdict, lower=lower, upper=upper, seconds=seconds
    )


@pytest.mark.parametrize(
    ("now", "before", "kinds"),
    [
        (outcome("YES"), outcome("YES"), []),
        (outcome("YES", 1, 2), outcome("NO", 3, 9), ["contradiction"]),
        (outcome("YES"), outcome("UNKNOWN"), []),
        (outcome("UNKNOWN"), outcome("YES", 1, 1), ["lost"]),
        (outcome("INTERVAL", 2, 4), outcome("EXACT", 3, 3), ["lost"]),
        (outcome("INTERVAL", 4, 5), outcome("EXACT", 3, 3), ["contradiction", "lost"]),
        (outcome("EXACT", 3, 3), outcome("INTERVAL", 2, 4), []),
        (outcome("YES", seconds=2.05), outcome("YES"), []),
        (outcome("YES", seconds=2.2), outcome("YES"), ["slow"]),
        (outcome("INVALID"), outcome("VALID"), ["invalid"]),
        (outcome("ERROR"), outcome("YES"), ["error"]),
        (outcome("NONE"), outcome("VALID"), ["lost"]),
        (outcome("NO"), outcome("YES")._replace(sha256="other"), []),
        (outcome("NO"), outcome("YES")._replace(name="b"), []),
    ],
)
def test_what_counts_as_worse(now: Outcome, before: Outcome, kinds: list[str]) -> None:
    earlier = [outcome("YES")._replace(name="A"), before]
    ((same, failures),) = judge([now], earlier, slower=2.0)
    assert same is now
    assert sorted(failure.kind for failure in failures) == sorted(kinds)


def test_results_and_earlier_ones_are_matched_by_name() -> None:
    now = [outcome("NO")._replace(name=name) for name in "bdf"]
    before = [outcome("YES")._replace(name=name) for name in "abcdg"]
    found = {
        one.name: [failure.kind for failure in failures] for one, failures in judge(now, before)
    }
    assert found == {"b": ["contradiction"], "d": ["contradiction"], "f": []}


def test_facts_that_contradict_each_other() -> None:
    """A file against a manifest is a failure, two facts of one manifest are a mistake in it."""
    listed(Fact(1, None, "NO", "Radon's theorem"))
    for task in ("decide", "dim"):
        result = batch("set", "--task", task, "--expect", manifest_of("triangle.npz"), "--quiet")
        assert result.exit_code == 1
        said = "the known facts about it contradict each other: they imply at least 2 and at most 1"
        assert f"contradiction: triangle.npz: {said}; correct one of them" in result.stdout
        assert result.output.count("contradiction") == 1


@pytest.mark.parametrize("expected", [False, True])
@pytest.mark.parametrize(
    ("file", "said"),
    [
        (
            {"file": "a.txt", "facts": [{"d": 1, "answer": "NO"}, {"d": 1, "answer": "YES"}]},
            "m.json: a.txt: the facts contradict each other: NO for d = 1 and YES for d = 1",
        ),
        (
            {
                "file": "a.txt",
                "facts": [
                    {"d": 3, "d_hid": 3, "answer": "YES"},
                    {"d": 2, "answer": "YES"},
                    {"d": 3, "d_hid": 4, "answer": "NO"},
                ],
            },
            "m.json: a.txt: the facts contradict each other: "
            "NO for d = 3, d_hid = 4 and YES for d = 3, d_hid = 3; correct one of them",
        ),
        ({"file": "run0\\a.txt"}, r"m.json: 'run0\\a.txt' has a backslash; write / between"),
        ({"file": "..\\a.txt"}, r"'..\\a.txt' has a backslash"),
    ],
)
def test_mistakes_in_a_manifest_are_one_line(
    file: dict[str, object], said: str, expected: bool
) -> None:
    Path("run0").mkdir()
    for name in ("a.txt", "run0/a.txt", "run0\\a.txt"):
        Path(name).write_text("10\n01\n")
    document = {
        "format": "samapprox-manifest",
        "version": 1,
        "sets": [{"name": "own", "kind": "pattern", "files": [file]}],
    }
    Path("m.json").write_text(json.dumps(document))
    result = batch("a.txt", "--expect", "m.json") if expected else batch("m.json")
    assert result.exit_code == 2
    assert said in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    assert not Path("results.sqlite").exists()


def test_the_same_file_twice() -> None:
    """Results of an earlier version within the same file are the earlier ones."""
    listed()
    assert batch("set").exit_code == 0
    said = batch("set", "--expect", "results.sqlite").stderr
    assert "no earlier results for decide d = 1, 60 s, seed 0; this" in said
    with Store("results.sqlite", write=True) as store:
        store.query("UPDATE question SET version = '0.0.1'")
        store.query("UPDATE result SET verdict = 'YES'")
    result = batch("set", "--expect", "results.sqlite")
    assert result.exit_code == 1
    assert "NO is proven, but YES was before" in result.stdout
    with Store("results.sqlite") as store:
        assert [one.version for one in store.questions().values()][:1] == ["0.0.1"]
        assert Question("decide", d=1) in store.questions().values()


def manifest_of(*files: str) -> str:
    facts = [{"d": 1, "answer": "YES"}]  # a lie about the triangle
    listed = [{"file": file, "facts": facts} for file in files]
    sets = [{"name": "own", "kind": "pattern", "files": listed}]
    document = {"format": "samapprox-manifest", "version": 1, "sets": sets}
    Path("m.json").write_text(json.dumps(document))
    return "m.json"


def test_files_of_one_name_in_several_folders_are_told_apart() -> None:
    for folder in ("set/L0", "set/L1", "other"):
        Path(folder).mkdir(parents=True)
        save(Instance(TRIANGLE), f"{folder}/triangle.npz")
    manifest = manifest_of("L0/triangle.npz", "L1/triangle.npz")
    for sources, prefix in [(["set"], ""), (["set", "other"], "set/")]:
        result = batch(*sources, "--expect", manifest)
        assert result.exit_code == 1
        assert [line for line in result.stdout.splitlines() if "contradiction" in line] == [
            f"contradiction: {prefix}{layer}/triangle.npz: NO is proven, but YES is known"
            for layer in ("L0", "L1")
        ]


def test_a_fact_about_all_entries_does_not_deny_a_causal_answer() -> None:
    listed()
    files = [{"file": "triangle.npz", "facts": [{"d": 1, "answer": "NO"}]}]
    sets = [{"name": "own", "kind": "pattern", "files": files}]
    document = {"format": "samapprox-manifest", "version": 1, "sets": sets}
    Path("m.json").write_text(json.dumps(document))
    result = batch("set", "--causal", "--expect", "m.json")
    assert result.exit_code == 0
    assert "1 instance: 1 YES" in result.stdout


def test_an_expectation_about_nothing_is_told() -> None:
    listed()
    result = batch("set", "--expect", manifest_of("square.npz"), "--junit", "j.xml")
    assert result.exit_code == 2
    assert "1 NO" in result.stdout
    assert Path("j.xml").exists()
    assert "m.json: matches no instance of the set, such as triangle.npz" in result.stderr
    Path("set/triangle.npz").rename("set/renamed.npz")
    again = batch("set", "--expect", "results.sqlite", "--results", "now.sqlite")
    assert again.exit_code == 2
    assert "results.sqlite: matches no instance" in again.stderr


def test_the_manifest_of_the_documentation() -> None:
    text = (ROOT / "docs" / "howto" / "batch.md").read_text(encoding="utf-8")
    Path("m.json").write_text(text.split("```json\n")[1].split("```")[0])
    Path("run0").mkdir()
    np.save("run0/p000.npy", TRIANGLE.to_array())
    Path("run0/p001.txt").write_text("10\n01\n")
    result = batch("m.json", "--expect", "m.json")
    assert (result.exit_code, result.stderr) == (0, "")
    assert "2 instances: 1 YES, 1 NO" in result.stdout
    Path("run0/p000.npy").unlink()
    result = batch("m.json", "--results", "again.sqlite")
    assert result.exit_code == 1
    assert result.output.count("run0/p000.npy") == 1  # the path says the name
