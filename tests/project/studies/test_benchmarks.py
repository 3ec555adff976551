"""Benchmarks start: each imports, and names its parts; none harms what is there."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from dimensions import scale
from dimensions.scale_instances import LOCALITY, SINK, head, judged, scattered
from records import make_data
from scipy.sparse import bmat, csr_array
from scipy.sparse.csgraph import connected_components
from shared.child import Child, run
from shared.paths import BENCHMARKS, command_of

from samapprox import Pattern, load, save, weak_dimension
from samapprox.reductions.families import generate

MODULES = sorted(
    ".".join(path.relative_to(BENCHMARKS).with_suffix("").parts)
    for path in BENCHMARKS.rglob("*.py")
    if path.stem not in ("__init__", "__main__")
)


@pytest.mark.parametrize("name", MODULES)
def test_every_benchmark_can_be_imported(name: str) -> None:
    assert import_module(name).__doc__


def test_no_benchmark_hides_a_module() -> None:
    """Their folder comes first on the path of scripts, before the standard library."""
    own = {name.partition(".")[0] for name in MODULES}
    needed = {"faiss", "mpmath", "networkx", "numba", "numpy", "ortools", "pandas", "scipy"}
    assert own.isdisjoint({*sys.stdlib_module_names, *needed, "torch", "transformers"})


@pytest.mark.parametrize("name", ["papers.reasoning", "papers.universality"])
def test_every_part_of_a_table_exists(name: str) -> None:
    for place in import_module(name).PARTS.values():
        module, _, function = place.partition(":")
        assert getattr(import_module(module), function).__doc__, place


@pytest.mark.parametrize(
    "name",
    [
        "commands.batch",
        "dimensions.line",
        "papers.approximate",
        "papers.reasoning",
        "papers.universality",
    ],
)
def test_a_benchmark_names_its_parts(name: str) -> None:
    done = subprocess.run(command_of(name, "nothing"), capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "there is no part 'nothing'; there are: " in done.stderr


def test_all_benchmarks_are_listed() -> None:
    done = subprocess.run([sys.executable, str(BENCHMARKS)], capture_output=True, text=True)
    listed = {line.partition(" ")[0] for line in done.stdout.splitlines()}
    files = {name: BENCHMARKS / f"{name.replace('.', '/')}.py" for name in MODULES}
    programs = {name for name, path in files.items() if '= "__main__"' in path.read_text()}
    ends_of_pipes = {"dimensions.frozen_list.answers", "dimensions.hard_list.answers"}
    assert programs - listed == ends_of_pipes


def test_unknown_benchmarks_are_refused() -> None:
    done = subprocess.run(command_of("nothing"), capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr == "there is no benchmark 'nothing'; `python benchmarks` lists them\n"


def test_shipped_data_survives_a_wrong_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped = tmp_path / "data" / "minilm" / "p.npz"
    shipped.parent.mkdir(parents=True)
    shipped.touch()
    monkeypatch.setattr(make_data, "DATA", tmp_path / "data")
    with pytest.raises(SystemExit, match="has no folder minilm/"):
        make_data.main(tmp_path)
    assert shipped.exists()


# ------------------------------------------------------------------------ instances of real sizes


def test_a_head_has_the_largest_logits_of_each_row() -> None:
    n, top, seed = 30, 4, 3
    rng = np.random.RandomState(seed)
    logits = np.full((n, n), -np.inf)
    for i in range(n):
        for j in range(i + 1):
            logits[i, j] = rng.normal() - LOCALITY * (i - j) + (SINK if j == 0 else 0.0)
    entries = head(n, top, seed).to_array()
    for i in range(n):
        chosen = entries[i] == 1
        assert chosen.sum() == min(top, i + 1)
        assert logits[i, chosen].min() > logits[i, ~chosen].max(initial=-np.inf)


@pytest.mark.parametrize("seed", range(3))
def test_judged_components_stay_small(seed: int) -> None:
    pattern = judged(400, 5_000, largest=8, seed=seed)
    assert pattern.row_ones.min() >= 1
    assert pattern.row_ones.max() <= 4
    entries = csr_array(pattern.to_array())
    _, component = connected_components(bmat([[None, entries], [entries.T, None]]))
    queries, documents = component[:400], component[400:]
    judged_ones = documents[np.unique(entries.indices)]
    assert np.bincount(queries).max() <= 8
    assert np.bincount(judged_ones).max() <= 8
    assert (np.bincount(queries) > 1).any()  # some queries share documents


def test_scattered_rows_have_few_ones_and_stay_sparse() -> None:
    pattern = scattered(3_000, 5_000, most=4, seed=1)
    assert 1 <= pattern.row_ones.min() <= pattern.row_ones.max() == 4
    assert pattern == scattered(3_000, 5_000, most=4, seed=1)
    assert "Sparse" in type(pattern.ones).__name__


# ----------------------------------------------------------------------------------- goals and rows


def test_a_row_is_run_and_its_certificates_are_checked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    row = scale.Row(
        "small",
        lambda: generate("mask", graph="window:w=3", n=9).pattern,
        (scale.Goal(20, bounded=True), scale.Goal(20, exactly=2), scale.Goal(20, at_most=1)),
    )
    lines = scale.table([row], tmp_path, None)
    assert [line["missed"] for line in lines] == ["", "", "bounds"]
    assert (tmp_path / "small.yes.json").exists()
    assert (tmp_path / "small.no.json").exists()
    assert "| small | exactly 2 in 20 s | 2 |" in capsys.readouterr().out


def test_a_certificate_of_another_pattern_is_a_miss(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = scale.Row("forged", lambda: Pattern(np.eye(4)), (scale.Goal(20, exactly=2),))
    path = scale.instance(row, tmp_path, None)
    assert path is not None
    no = weak_dimension(np.eye(3)).no
    assert no is not None
    assert no.certificate is not None
    certificate = no.certificate

    def forge(arguments: list[str], **limits: float) -> Child:
        child = run(arguments, **limits)  # type: ignore[arg-type]
        if arguments[0] == "dim":
            certificate.save(tmp_path / "forged.no.json")
        return child

    monkeypatch.setattr(scale, "run", forge)
    ((_, found, missed),) = scale.measure(row, path, tmp_path)
    assert found.lower == found.upper == 2
    assert missed == "forged.no.json is not verified"


@pytest.mark.parametrize(
    ("goal", "found", "missed"),
    [
        (scale.Goal(2, exactly=3), scale.Measured("", 3, 3, True, 1.9), None),
        (scale.Goal(2, exactly=3), scale.Measured("", 3, 3, True, 2.1), "2.1 s"),
        (scale.Goal(2, exactly=3), scale.Measured("", 3, 4, True, 1.0), "bounds"),
        (scale.Goal(60, width=2), scale.Measured("", 3, 5, True, 60.9), None),
        (scale.Goal(60, width=2), scale.Measured("", 3, 5, True, 61.1), "61.1 s"),
        (scale.Goal(60, width=2), scale.Measured("", 3, 6, True, 9.0), "bounds"),
        (scale.Goal(60, at_most=8, gigabytes=4), scale.Measured("", 2, 8, True, 9, 3.9), None),
        (scale.Goal(60, at_most=8, gigabytes=4), scale.Measured("", 2, 8, True, 9, 4.1), "4.1 GB"),
        (scale.Goal(2, bounded=True), scale.Measured("", 2, 9, False, 1.0), "bounds"),
        (scale.Goal(3, answer="YES"), scale.Measured("UNKNOWN", seconds=3.0), "UNKNOWN"),
        (scale.Goal(3), scale.Measured("UNKNOWN", seconds=3.9), None),
        (scale.Goal(3), scale.Measured(seconds=0.1, fault="no such file"), "no such file"),
    ],
)
def test_goals(goal: scale.Goal, found: scale.Measured, missed: str | None) -> None:
    assert goal.missed_by(found) == missed


def test_rows_without_judgements_are_left_out_by_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        scale.main(["--only", "judgements", "--judgements", str(tmp_path)])
    assert ended.value.code == 0
    out = capsys.readouterr().out
    assert "Left out, no judgement file: judgements-core17, judgements-robust05" in out


def test_figures_of_other_rows_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "scale.csv"
    lines = [{**dict.fromkeys(scale.COLUMNS, ""), "row": name} for name in ("components", "x")]
    scale.write(lines, path)
    scale.write([{**lines[0], "goal": "new"}], path)
    kept = path.read_text().splitlines()
    assert len(kept) == 3
    assert kept[1].startswith("components,new,")
    assert kept[2].startswith("x,,")


def test_unknown_rows_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        scale.main(["--only", "nothing"])
    assert ended.value.code == 2
    assert "there is no row 'nothing'" in capsys.readouterr().err


def test_names_of_rows_are_distinct() -> None:
    names = [row.name for row in scale.ROWS]
    assert len(set(names)) == len(names)


def test_a_child_is_ended_when_patience_is(tmp_path: Path) -> None:
    save(load(np.eye(40)), tmp_path / "eye.npz")
    child = run(["dim", str(tmp_path / "eye.npz")], most_seconds=0.01)
    assert child.status < 0
    assert scale.Measured.of(child).fault == "killed"
