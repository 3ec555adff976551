"""`samapprox fit`: words, documents, certificates, curves and refusals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers.commands import refused, run
from helpers.schemas import assert_tight, schema

from samapprox import fit, fit_curve

EYE = "1000\n0100\n0010\n0001\n"


@pytest.fixture
def eye(tmp_path: Path) -> str:
    path = tmp_path / "eye.txt"
    path.write_text(EYE)
    return str(path)


def test_bounds_are_printed_and_certified(eye: str, tmp_path: Path) -> None:
    yes, no = str(tmp_path / "yes.json"), str(tmp_path / "no.json")
    done = run("fit", eye, "--yes", yes, "--no", no)
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    assert lines[0] == (
        "2 of 4 rows right (50.0 %) with d = 1: no embedding gets more of them right."
    )
    assert "NO for at most 1 wrong row in d = 1:" in lines
    assert "YES for at most 2 wrong rows in d = 1:" in lines
    for certificate, words in (
        (yes, "VALID: YES for at most 2 wrong rows in d = 1"),
        (no, "VALID: NO for at most 1 wrong row in d = 1"),
    ):
        assert run("verify", eye, certificate).stdout.splitlines()[0] == words
    other = tmp_path / "other.txt"
    other.write_text(EYE.replace("0001", "0011"))
    assert run("verify", str(other), no).exit_code == 1


def test_entries_are_counted(eye: str) -> None:
    done = run("fit", eye, "--entries")
    assert done.stdout.startswith("14 of 16 entries right (87.5 %) with d = 1: no embedding")
    assert "Wrong entries: [(" in done.stdout


def test_rows_are_right_at_k(eye: str, tmp_path: Path) -> None:
    yes, no = str(tmp_path / "yes.json"), str(tmp_path / "no.json")
    path = tmp_path / "wide.txt"
    path.write_text("100000\n010000\n001000\n000100\n000010\n000001\n")
    done = run("fit", str(path), "--at", "2", "--yes", yes, "--no", no)
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    words = "4 of 6 rows right at K = 2 (66.7 %) with d = 1"
    assert lines[0] == f"{words}: no embedding gets more of them right."
    assert "Mean recall at 2: 66.7 % is reached, and no embedding has more." in lines
    for certificate, answer in ((yes, "YES for at most 2 wrong rows"), (no, "NO for at most 1")):
        assert run("verify", str(path), certificate).stdout.startswith(f"VALID: {answer}")
    recall = run("fit", str(path), "--at", "2", "--recall", "--yes", yes, "--no", no)
    assert recall.exit_code == 0
    for certificate, claim in (
        (yes, "a mean recall at 2 of at least"),
        (no, "no mean recall at 2"),
    ):
        assert run("verify", str(path), certificate).stdout.startswith(f"VALID: {claim}")
    document = json.loads(run("fit", str(path), "--at", "2", "--json").stdout)
    assert_tight(schema("fit"), document)
    assert document["least_recall"] <= 2 / 3 <= document["most_recall"]
    assert (document["at"], document["upper"]) == (2, 2)
    curve = run("fit", eye, "--at", "1", "--curve").stdout.splitlines()
    assert curve[0].split()[:5] == ["d", "wrong", "rows", "right", "at"]
    assert curve[0].split()[5:] == ["1", "at", "most", "recall", "at", "1", "at", "most"]
    assert [line.split()[:2] for line in curve[1:]] == [["1", "2"], ["2", "0"]]
    everything = run("fit", eye, "--at", "4").stdout.splitlines()
    assert everything[0].startswith("4 of 4 rows right at K = 4")
    assert everything[1] == "K = 4 is the number of keys or more, so every row is right."


def test_a_trivial_bound_has_no_certificate(eye: str, tmp_path: Path) -> None:
    path = tmp_path / "no.json"
    done = run("fit", eye, "-d", "2", "--no", str(path))
    assert done.exit_code == 0
    assert f"no certificate written to {path}: the bound is trivial" in done.stderr
    assert not path.exists()


def test_documents_follow_their_schemas(eye: str) -> None:
    document = json.loads(run("fit", eye, "--json").stdout)
    assert_tight(schema("fit"), document)
    assert (document["lower"], document["upper"], document["total"]) == (2, 2, 4)
    nothing = json.loads(run("fit", eye, "-d", "2", "--json").stdout)
    assert_tight(schema("fit"), nothing)
    assert nothing["no"] is None
    curve = json.loads(run("fit", eye, "--curve", "--json").stdout)
    assert_tight(schema("fit-curve"), curve)
    assert [one["upper"] for one in curve["fits"]] == [2, 0]


def test_a_curve_is_a_table_and_a_picture(eye: str, tmp_path: Path) -> None:
    picture = tmp_path / "curve.png"
    done = run("fit", eye, "--curve", "--output", str(picture))
    assert done.stdout.splitlines() == [
        "d  wrong rows    right  at most",
        "1           2   50.0 %   50.0 %",
        "2           0  100.0 %  100.0 %",
        str(picture),
    ]
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_the_picture_is_named_beside_a_document_on_standard_error(eye: str, tmp_path: Path) -> None:
    picture = tmp_path / "curve.png"
    done = run("fit", eye, "--curve", "--json", "--output", str(picture))
    json.loads(done.stdout)
    assert done.stderr == f"{picture}\n"


def test_the_lines_of_a_curve_are_its_shares() -> None:
    curve = fit_curve([[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    axes = curve.draw().get_axes()[0]
    found = {line.get_label(): list(line.get_ydata()) for line in axes.get_lines()}
    shares = [one.share_right for one in curve.fits]
    assert found == {"embedding found": shares, "proven ceiling": shares}


@pytest.mark.parametrize(
    ("similarity", "headline"),
    [
        ("l2", "4 of 4 rows right (100.0 %) with Euclidean distance and d = 1: an embedding has"),
        (
            "cosine",
            "1 of 4 rows right (25.0 %) with cosine similarity and d = 1: no embedding gets",
        ),
        ("dot", "2 of 4 rows right (50.0 %) with d = 1: no embedding gets"),
    ],
)
def test_similarities(eye: str, tmp_path: Path, similarity: str, headline: str) -> None:
    yes = str(tmp_path / "yes.json")
    asked = [eye, "--similarity", similarity, "--time-limit", "10"]
    done = run("fit", *asked, "--yes", yes)
    assert done.stdout.startswith(headline)
    assert run("verify", eye, yes).stdout.startswith("VALID: YES for at most")
    document = json.loads(run("fit", *asked, "--json").stdout)
    assert_tight(schema("fit"), document)
    assert document["similarity"] == similarity


def test_a_curve_of_cosines_goes_on_to_the_last_dimension(eye: str) -> None:
    done = run("fit", eye, "--curve", "--similarity", "cosine", "--time-limit", "10")
    assert [line.split()[:2] for line in done.stdout.splitlines()[1:]] == [["1", "3"], ["2", "0"]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--curve", "-d", "2"], "--curve covers every d"),
        (["--curve", "--no", "no.json"], "--curve covers every d"),
        (["--output", "curve.png"], "--output needs --curve"),
        (["--embeddings", "q,k", "-d", "2"], "--embeddings does not go with -d"),
        (["--similarity", "all"], "--similarity all needs --embeddings"),
        (["-d", "0"], "d must be a whole number of at least 1"),
        (["--at", "0"], "0 is not in the range x>=1"),
        (["--at", "2", "--entries"], "--at counts rows"),
        (["--at", "2", "--embeddings", "q,k", "--truncate", "1"], "--truncate takes cut-offs"),
        (["--recall", "--at", "2"], "--recall says what --yes and --no certify"),
        (["--recall", "--yes", "yes.json"], "--recall says what --yes and --no certify"),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    eye: str, arguments: list[str], message: str
) -> None:
    refused(run("fit", eye, *arguments), message)


def test_a_unit_that_there_is_not_is_refused() -> None:
    with pytest.raises(ValueError, match="the unit must be one of rows, entries"):
        fit([[1, 0]], 1, unit="columns")  # type: ignore[arg-type]


def test_a_pattern_that_is_none_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bad.txt"
    path.write_text("10\n00\n")
    refused(run("fit", str(path)), "row 1")


def test_the_words_name_a_few_wrong_rows_and_the_document_all(tmp_path: Path) -> None:
    path = tmp_path / "eye.txt"
    path.write_text("\n".join("0" * row + "1" + "0" * (29 - row) for row in range(30)))
    arguments = "fit", str(path), "--time-limit", "1"
    words = run(*arguments).stdout
    line = next(line for line in words.splitlines() if "Wrong rows" in line)
    assert line.count(",") == 12
    assert line.endswith(".. and 16 more].")
    assert len(json.loads(run(*arguments, "--json").stdout)["wrong"]) == 28
