"""Models that are run on texts: their own weights, token by token, and nothing that is padding."""

from __future__ import annotations

import json
import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.attention.tiny_models import KINDS, save_tiny_model

from samapprox import InputError
from samapprox.attention import TopK, Uniform, binarize
from samapprox.attention.weights.models import LanguageModel, model_attentions
from samapprox.attention.weights.sets import binarize_model
from samapprox.errors import InputWarning

TEXTS = ["the cat sat on a mat", "a dog", "dog"]
PARTS = {kind: [""] for kind in KINDS} | {"t5": ["encoder", "decoder", "cross"]}


@pytest.mark.parametrize("kind", KINDS)
def test_every_layer_of_every_text(tmp_path: Path, kind: str) -> None:
    save_tiny_model(kind, tmp_path / "model")
    found = list(model_attentions(tmp_path / "model", TEXTS))
    assert [(one.text, one.part, one.layer) for one in found] == [
        (text, part, layer) for text in range(3) for part in PARTS[kind] for layer in range(2)
    ]
    for one in found:
        words = tuple(TEXTS[one.text].split())
        shifted = ("[PAD]", *words[:-1])
        assert one.queries == (shifted if one.part in ("decoder", "cross") else words)
        assert one.keys == (shifted if one.part == "decoder" else words)
        assert one.weights.dtype == np.float32
        assert one.weights.shape == (2, len(words), len(words))
        np.testing.assert_allclose(one.weights.sum(axis=2), 1, atol=1e-5)
        later = np.triu(one.weights, 1).any()
        looks_back = kind in ("gpt2", "llama") or one.part == "decoder"
        assert bool(later) == (not looks_back and len(words) > 1)
        assert one.is_causal == (looks_back and len(words) > 1)
    assert LanguageModel(tmp_path / "model").head_dimension == 4


@pytest.mark.parametrize("kind", ["bert", "gpt2"])
def test_the_weights_are_those_of_queries_and_keys(tmp_path: Path, kind: str) -> None:
    """Layer 0 once more from its matrices: softmax of Q K^T / 2, under the mask of the kind."""
    import_torch: Any = pytest.importorskip("torch")
    model = save_tiny_model(kind, tmp_path / "model").eval()
    (found, *_) = model_attentions(tmp_path / "model", TEXTS[:1])
    ids = import_torch.tensor([[2, 3, 4, 5, 7, 6]])
    with import_torch.inference_mode():
        if kind == "bert":
            attention = model.encoder.layer[0].attention.self
            x = model.embeddings(ids)[0]
            queries, keys = attention.query(x), attention.key(x)
        else:
            block = model.transformer.h[0]
            x = model.transformer.wte(ids)[0] + model.transformer.wpe(import_torch.arange(6))
            queries, keys, _ = block.attn.c_attn(block.ln_1(x)).split(8, dim=1)
    for head in range(2):
        columns = slice(4 * head, 4 * head + 4)
        logits = (queries[:, columns] @ keys[:, columns].T / 2).numpy().astype(float)
        if kind == "gpt2":
            logits[np.triu_indices(6, 1)] = -np.inf
        weights = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
        np.testing.assert_allclose(found.weights[head], weights, atol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_patterns_of_a_model(tmp_path: Path, kind: str) -> None:
    save_tiny_model(kind, tmp_path / "model")
    model = LanguageModel(tmp_path / "model")
    rules = [TopK(1), Uniform()]
    entries = list(binarize_model(model, TEXTS, rules))
    assert len({entry.path for entry in entries}) == len(entries)
    expected = [
        (one, head, rule)
        for one in model_attentions(tmp_path / "model", TEXTS)
        for head in range(2)
        for rule in rules
    ]
    assert len(entries) == len(expected)
    for entry, (one, head, rule) in zip(entries, expected, strict=True):
        origin, pattern = entry.instance.origin, entry.instance.pattern
        assert (origin["text"], origin["layer"], origin["head"]) == (one.text, one.layer, head)
        assert origin["family"] == f"{one.part} attention {rule.name}".strip()
        assert pattern == binarize(one.weights[head], rule, causal=one.is_causal)
        assert (pattern.row_names, pattern.column_names) == (one.queries, one.keys)
        assert (pattern.unspecified is not None) == one.is_causal == ("causal" in origin)


def test_later_tokens_count_where_the_user_says_so(tmp_path: Path) -> None:
    save_tiny_model("gpt2", tmp_path / "gpt2")
    save_tiny_model("t5", tmp_path / "t5")
    gpt2, t5 = LanguageModel(tmp_path / "gpt2"), LanguageModel(tmp_path / "t5")
    for entry in binarize_model(gpt2, TEXTS[:1], [Uniform()], causal=False):
        assert entry.instance.pattern.unspecified is None
    for entry in binarize_model(t5, TEXTS[:1], [Uniform()], causal=True):
        decodes = entry.instance.origin["part"] == "decoder"
        assert (entry.instance.pattern.unspecified is not None) == decodes


def test_a_long_text_is_cut_where_the_model_ends_and_said_so(tmp_path: Path) -> None:
    save_tiny_model("bert", tmp_path / "model", positions=4)
    with pytest.warns(InputWarning, match="text 0: the model takes 4 of its 6 tokens"):
        found = list(model_attentions(tmp_path / "model", TEXTS[:1]))
    assert found[0].queries == ("the", "cat", "sat", "on")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(list(model_attentions(tmp_path / "model", ["the cat sat on"]))) == 2


def test_what_is_no_model_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such folder; models are read from local"):
        LanguageModel("bert-base-uncased")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=r"empty: there is no config\.json"):
        LanguageModel(tmp_path / "empty")
    with pytest.raises(InputError, match="there is no such folder"):
        LanguageModel("bad\0name")


def test_damaged_models_are_one_line(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    save_tiny_model("bert", folder)
    config = (folder / "config.json").read_text()
    (folder / "config.json").write_text(
        config.replace('"num_hidden_layers": 2', '"num_hidden_layers": 3')
    )
    with pytest.raises(InputError, match=r"model: \d+ of the model's weights are missing"):
        LanguageModel(folder)
    (folder / "config.json").write_text(json.dumps({"model_type": "no such type"}))
    with pytest.raises(InputError, match="model: not a model that can be read"):
        LanguageModel(folder)
    (folder / "config.json").write_text(config)
    (folder / "model.safetensors").write_bytes(b"not this")
    with pytest.raises(InputError, match="model: not a model that can be read"):
        LanguageModel(folder)
    (folder / "model.safetensors").unlink()
    with pytest.raises(InputError, match="model: not a model that can be read"):
        LanguageModel(folder)


def test_models_with_code_or_pickles_are_refused_without_foreign_advice(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    save_tiny_model("bert", folder)
    config = json.loads((folder / "config.json").read_text())
    code = {"model_type": "own", "auto_map": {"AutoConfig": "own.Config", "AutoModel": "own.Model"}}
    (folder / "own.py").write_text("raise SystemExit('run')")
    (folder / "config.json").write_text(json.dumps({**config, **code}))
    with pytest.raises(InputError, match=r"it brings code of its own, which is never run$"):
        LanguageModel(folder)
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "model.safetensors").unlink()
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps({"weight": Path("a")}))
    with pytest.raises(InputError) as refused:
        LanguageModel(folder)
    assert "weights_only" not in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_text_without_tokens_is_named(tmp_path: Path) -> None:
    save_tiny_model("bert", tmp_path / "model")
    with pytest.raises(InputError, match="text 1: the tokenizer finds no token in '  '"):
        list(model_attentions(tmp_path / "model", ["the cat", "  "]))


def test_a_missing_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "config.json").write_text("{}")
    monkeypatch.setitem(__import__("sys").modules, "torch", None)
    with pytest.raises(InputError, match=r"Running a model needs .*'samapprox\[transformers\]'"):
        LanguageModel(tmp_path)
