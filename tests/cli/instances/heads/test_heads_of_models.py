"""`samapprox heads` for models that it runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers.attention.head_tables import numbers
from helpers.attention.tiny_models import save_tiny_model
from helpers.commands import refused, run
from helpers.schemas import assert_tight, schema

from samapprox.batch import Store

pytestmark = pytest.mark.usefixtures("_in_process")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


TEXTS = "the cat sat on a mat\na dog\nthe dog sat on the cat on the mat\n"


@pytest.mark.parametrize("kind", ["bert", "gpt2"])
def test_a_model_that_is_run(kind: str) -> None:
    save_tiny_model(kind, Path("model"))
    Path("texts.txt").write_text(TEXTS)
    done = run("heads", "--model", "model", "--texts", "texts.txt", "--top-k", "2", "--mass", "0.8")
    assert done.exit_code == 0, done.output
    assert [len(row) for row in numbers(done.stdout)] == [2, 2, 2, 2]
    assert "attention top2 (the largest over 3 patterns):" in done.stdout
    assert "; the model gives its heads 4 dimensions.\n" in done.stdout
    assert done.stdout.endswith("Results in model.heads.sqlite\n")
    with Store("model.heads.sqlite") as store:
        rows = store.query("SELECT name, rows FROM result WHERE layer = 1 AND head = 0").fetchall()
    assert {(name.partition("/")[0], n) for name, n in rows} == {
        ("text0", 6),
        ("text1", 2),
        ("text2", 9),
    }


def test_an_encoder_decoder_model_has_three_maps() -> None:
    save_tiny_model("t5", Path("model"))
    Path("texts.txt").write_text(TEXTS)
    done = run("heads", "--model", "model", "--texts", "texts.txt", "--json")
    document = json.loads(done.stdout)
    assert_tight(schema("heads"), document)
    parts = [family["family"] for family in document["families"]]
    assert parts == [f"{part} attention unif" for part in ("cross", "decoder", "encoder")]
    assert document["head_dimension"] == 4


def test_a_text_that_is_too_long_is_noted() -> None:
    save_tiny_model("bert", Path("model"), positions=4)
    Path("texts.txt").write_text(TEXTS)
    done = run("heads", "--model", "model", "--texts", "texts.txt")
    assert done.exit_code == 0
    assert done.stderr.splitlines() == [
        "samapprox: note: model: text 0: the model takes 4 of its 6 tokens; the rest is left out",
        "samapprox: note: model: text 2: the model takes 4 of its 9 tokens; the rest is left out",
    ]


def test_a_model_in_place_of_weights_is_named() -> None:
    Path("model").mkdir()
    Path("model/config.json").write_text("{}")
    assert "no .npy, " in run("heads", "model").stderr
    Path("model/model.safetensors").write_bytes(b"")
    refused(run("heads", "model"), "model: holds a model, not attention weights; run it on texts")
