"""Sources and result files of `samapprox heads`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from helpers.attention.head_tables import SHIPPED, numbers, weights
from helpers.attention.saved_attentions import WAYS, Way
from helpers.commands import run
from helpers.schemas import assert_tight, schema

from samapprox import weak_dimension
from samapprox.attention import RowCount, TopK, binarize
from samapprox.batch import Question, Store

AXES = (
    "samapprox: note: the axes of 1 tensor are read as layer, head, queries, keys, because no "
    "name states a layer; for a batch of texts, use --axes text,head"
)

pytestmark = pytest.mark.usefixtures("_in_process")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Run in an empty folder, and report no progress: a busy machine may take ten seconds."""
    monkeypatch.setattr("samapprox.cli.instances.batch_progress._EVERY", float("inf"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


# ---------------------------------------------------------------- sources


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.name)
def test_attention_as_people_save_it(way: Way) -> None:
    """Every head of every layer is in its own cell of the table of its part of the model."""
    source, matrices = way.saved(Path("source"))
    done = run("heads", str(source), "--top-k", "1", "--results", "r.sqlite", "--json")
    assert done.exit_code == 0, done.output
    document = json.loads(done.stdout)
    assert_tight(schema("heads"), document)
    expected: dict[tuple[str, int, int], list[int]] = {}
    for (part, layer, head, _text), matrix in matrices.items():
        pattern = binarize(matrix, TopK(1), causal=way.causal, rows=RowCount())
        found = weak_dimension(pattern)
        family = f"{part} attention top1".lstrip()
        expected.setdefault((family, layer, head), []).append(found.lower)
    assert {
        (family["family"], head["layer"], head["head"]): (head["lower"], head["patterns"])
        for family in document["families"]
        for head in family["heads"]
    } == {place: (max(bounds), len(bounds)) for place, bounds in expected.items()}
    assert ("attention is causal" in done.stderr) == way.causal


OTHERS = sorted({*SHIPPED.parent.glob("*.npz")} - {SHIPPED})


@pytest.mark.parametrize(
    "source",
    [SHIPPED, *(pytest.param(path, marks=pytest.mark.slow) for path in OTHERS)],
    ids=lambda path: path.stem,
)
def test_tensors_of_all_shipped_texts(source: Path) -> None:
    done = run("heads", str(source), "--top-k", "1")
    assert done.exit_code == 0
    assert done.stderr.splitlines() == [AXES]
    assert [len(row) for row in numbers(done.stdout)] == [12] * 6
    assert f"Results in {source.stem}.heads.sqlite" in done.stdout


@pytest.mark.parametrize(
    ("name", "shape", "options", "notes"),
    [
        ("batch.npy", (2, 3, 6, 6), (), [AXES]),
        ("batch.npy", (2, 3, 6, 6), ("--axes", "text,head"), []),
        ("batch.npy", (2, 3, 6, 6), ("--axes", "layer,head"), []),
        ("layer_4.npy", (2, 3, 6, 6), (), []),
        ("one.npy", (1, 3, 6, 6), (), []),
        ("texts.npy", (2, 2, 3, 6, 6), (), [AXES.replace("layer,", "layer, text,")]),
    ],
)
def test_axes_that_the_shape_alone_states_are_said(
    name: str, shape: tuple[int, ...], options: tuple[str, ...], notes: list[str]
) -> None:
    np.save(name, weights(*shape))
    done = run("heads", name, *options)
    assert done.exit_code == 0
    assert done.stderr.splitlines() == notes


def test_rows_that_are_not_used_are_counted() -> None:
    tensor = weights(2, 3, 6, 6)
    tensor[:, :, 4:] = 0
    tensor[1, 2] = 3.0
    np.save("a.npy", tensor)
    done = run("heads", "a.npy")
    assert done.exit_code == 0, done.output
    assert "note: masked 10 of 30 rows: 10 of padding\n" in done.stderr
    assert "note: skipped 1 matrix: a.npy L1_H2: " in done.stderr
    assert [len(row) for row in numbers(done.stdout)] == [3, 2]
    document = json.loads(run("heads", "a.npy", "--json").stdout)
    assert document["rows"] == {"all": 30, "masked": 10, "tied": 0}
    assert (document["patterns"], document["skipped_matrices"]) == (5, 1)


def test_causal_attention_is_recognised_unless_it_is_named() -> None:
    tensor = np.tril(weights(1, 2, 6, 6))
    np.save("a.npy", tensor / tensor.sum(axis=-1, keepdims=True))
    for options, causal in (([], True), (["--causal"], True), (["--no-causal"], False)):
        done = run("heads", "a.npy", "--results", f"{causal}.sqlite", *options)
        assert ("attention is causal" in done.stderr) == (not options)
        with Store(f"{causal}.sqlite") as store:
            patterns = [store.evidence(row).pattern for row in (1, 2)]
        assert all((one.unspecified is not None) == causal for one in patterns if one)
        assert len(patterns) == 2


# ---------------------------------------------------------------- what is kept


def test_a_run_that_is_interrupted_continues() -> None:
    """Ctrl-C while large patterns are measured: the small ones are kept, and not measured again."""
    Path("set").mkdir()
    np.save("set/a.npy", weights(4, 6, 6))
    np.save("set/b.npy", weights(2, 60, 60))
    command = [sys.executable, "-m", "samapprox", "heads", "set", "--time-limit", "600"]
    process = subprocess.Popen(
        [*command, "--jobs", "1"], stderr=subprocess.PIPE, stdout=subprocess.PIPE
    )
    deadline = time.monotonic() + 300
    while kept() < 4 and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=60)
    assert (process.returncode, stdout) == (130, b"")
    assert b"what is finished is in set.heads.sqlite; run again to continue\n" in stderr
    before = kept()
    assert before == 4
    (Path("set") / "b.npy").unlink()
    done = run("heads", "set", "--time-limit", "600", "--json")
    assert json.loads(done.stdout)["skipped"] == 4


def kept() -> int:
    path = Path("set.heads.sqlite")
    if not path.is_file():
        return 0
    try:
        with Store(path) as store:
            return int(store.query("SELECT count(*) FROM result").fetchone()[0])
    except ValueError:  # it is being made
        return 0


def test_results_of_changed_weights_are_replaced() -> None:
    np.save("a.npy", weights(2, 2, 5, 5))
    assert run("heads", "a.npy").exit_code == 0
    os.utime("a.npy", (1, 1))
    assert json.loads(run("heads", "a.npy", "--json").stdout)["skipped"] == 4
    changed = np.load("a.npy")
    changed[0, 0] = changed[0, 0, ::-1]
    np.save("a.npy", changed)
    document = json.loads(run("heads", "a.npy", "--json").stdout)
    assert document["skipped"] == 3
    with Store("a.heads.sqlite") as store:
        assert store.query("SELECT count(*) FROM result").fetchone() == (4,)
        assert list(store.questions().values()) == [Question("dim", time_limit=10.0)]


def test_the_file_is_named_after_the_source() -> None:
    np.save("x.npy", weights(3, 3))
    for source, name in (("x.npy", "x"), (".", Path.cwd().name)):
        assert run("heads", source).stdout.endswith(f"Results in {name}.heads.sqlite\n")
