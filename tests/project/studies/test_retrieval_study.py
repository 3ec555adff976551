"""The study of judgement sets: one command, a table, certificates that hold, and a page."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from helpers.paths import ROOT
from retrieval import judgements
from shared.markers import END

from samapprox import Certificate, load

GRADED = "q1 0 a 2\nq1 0 b 0\nq2 0 b 2\nq2 0 c 0\nq3 0 c 2\nq3 0 a 1\nq4 0 d 1\n"


@pytest.fixture
def sets(tmp_path: Path) -> Path:
    folder = tmp_path / "sets"
    folder.mkdir()
    (folder / "graded.qrels").write_text(GRADED)
    (folder / "plain.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td2\t1\n")
    (folder / "notes.md").write_text("no judgements\n")
    return folder


def study(sets: Path, *options: str) -> list[dict[str, str]]:
    output = sets.parent / "out"
    judgements.main([str(sets), "--output", str(output), "--seconds", "20", *options])
    with (output / "table.csv").open(newline="") as stream:
        return list(csv.DictReader(stream))


@pytest.mark.filterwarnings("ignore:.* queries .* left out:samapprox.InputWarning")
def test_every_bound_has_its_certificate(sets: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = study(sets)
    rules = [(row["name"], row["relevant"], row["unjudged"]) for row in rows]
    assert rules == [
        *(("graded", relevant, rule) for relevant in "12" for rule in ("zero", "unspecified")),
        *(("plain", "1", rule) for rule in ("zero", "unspecified")),
    ]
    assert "plain.tsv, relevant >= 2, unjudged zero: left out:" in capsys.readouterr().err
    folder = sets.parent / "out" / "certificates"
    checked = 0
    for row in rows:
        file = "graded.qrels" if row["name"] == "graded" else "plain.tsv"
        relevant, rule = int(row["relevant"]), row["unjudged"]
        pattern = load(sets / file, relevant=relevant, unjudged=rule)  # type: ignore[arg-type]
        assert pattern.shape == (int(row["queries"]), int(row["documents"]))
        assert row["lower"] == row["upper"]
        for side, d in (("no", int(row["lower"]) - 1), ("yes", int(row["upper"]))):
            path = folder / f"{row['name']}.relevant-{relevant}.{rule}.{side}.json.gz"
            assert path.exists() == bool(row[side])
            if path.exists():
                certificate = Certificate.load(path)
                assert (certificate.answer, certificate.d) == (side.upper(), d)
                assert certificate.verify(pattern)
                checked += 1
    assert checked >= len(rows)


def test_unspecified_pairs_never_need_more(sets: Path) -> None:
    bounds = {(row["name"], row["relevant"], row["unjudged"]): row for row in study(sets)}
    for (name, relevant, rule), row in bounds.items():
        if rule == "unspecified":
            assert int(row["lower"]) <= int(bounds[name, relevant, "zero"]["upper"])


def test_the_table_goes_between_the_markers(sets: Path) -> None:
    page = sets.parent / "page.md"
    page.write_text(f"before\n\n{judgements.BEGIN}\n\nan older table\n\n{END}\n\nafter\n")
    for _ in range(2):
        study(sets, "--relevant", "1", "--unjudged", "zero", "--page", str(page))
    text = page.read_text()
    assert text.startswith(f"before\n\n{judgements.BEGIN}\n\n| set |")
    assert text.endswith(f"\n\n{END}\n\nafter\n")
    assert "older" not in text
    table = (sets.parent / "out" / "table.md").read_text()
    assert table in text
    assert len(table.splitlines()) == 4
    bars = {line.count("|") for line in table.splitlines()}
    assert len(bars) == 1


def test_the_page_has_the_markers() -> None:
    text = (ROOT / "docs" / "studies" / "retrieval.md").read_text(encoding="utf-8")
    assert text.index(judgements.BEGIN) < text.index(END)


@pytest.mark.parametrize("options", [["--relevant", "0"], ["--unjudged", "one"]])
def test_wrong_rules_end_it(
    sets: Path, options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        study(sets, *options)
    assert ended.value.code == 2
    assert "Traceback" not in capsys.readouterr().err


def test_an_empty_folder_ends_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        judgements.main([str(tmp_path)])
    assert ended.value.code == 2
    assert "there is no judgement set in it (.qrels, .tsv, .jsonl)" in capsys.readouterr().err
