"""Folders of attention tensors, and the attention of a model, as sets of instances."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from helpers.commands import refused

from samapprox import InputError, Pattern, data, load, load_instance
from samapprox.attention import (
    Mass,
    RowCount,
    Threshold,
    TopK,
    Uniform,
    binarize,
    load_attention,
)
from samapprox.attention.weights.rows import Fault
from samapprox.attention.weights.sets import binarize_set
from samapprox.attention.weights.tensors import open_tensors
from samapprox.cli.main import cli

RNG = np.random.RandomState(0)


def weights(*shape: int) -> np.ndarray:
    return RNG.dirichlet(np.ones(shape[-1]), size=shape[:-1]).astype(np.float32)


def written(path: Path, **tensors: np.ndarray) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".npy":
        np.save(path, next(iter(tensors.values())))
    elif path.suffix == ".npz":
        np.savez_compressed(path, **tensors)
    else:
        from safetensors.numpy import save_file

        save_file(tensors, path)
    return path


# ---------------------------------------------------------------- the patterns


@pytest.mark.parametrize("kind", ["npy", "npz", "safetensors"])
def test_every_matrix_of_a_file_in_order(tmp_path: Path, kind: str) -> None:
    tensor = weights(2, 3, 4, 5)
    path = written(tmp_path / f"a.{kind}", A=tensor)
    entries = list(binarize_set(path, [TopK(1), Mass(0.5)]))
    assert [entry.path for entry in entries] == [
        f"a/L{layer}_H{head}_{rule}.npz"
        for layer in range(2)
        for head in range(3)
        for rule in ("top1", "mass50")
    ]
    for k, entry in enumerate(entries):
        layer, head = divmod(k // 2, 3)
        rule = (TopK(1), Mass(0.5))[k % 2]
        assert entry.instance.pattern == binarize(tensor[layer, head], rule)
        told = {
            "family": f"attention {rule.name}",
            "attention": path.name,
            "layer": layer,
            "head": head,
            "rule": rule.name,
        }
        assert dict(entry.instance.origin) == {**told, **({} if kind == "npy" else {"key": "A"})}


@pytest.mark.parametrize("kind", ["npy", "npz", "safetensors"])
@pytest.mark.parametrize("select", [(), (1,), (1, 2)])
def test_parts_of_a_tensor(tmp_path: Path, kind: str, select: tuple[int, ...]) -> None:
    tensor = weights(2, 3, 4, 5)
    path = written(tmp_path / f"a.{kind}", A=tensor)
    with open_tensors(path) as file:
        read = list(file.tensor(file.names[0]).matrices(select))
    assert np.array_equal(np.array(read), tensor[select].reshape(-1, 4, 5))


def test_fortran_order(tmp_path: Path) -> None:
    tensor = weights(2, 3, 4, 5)
    np.save(tmp_path / "a.npy", np.asfortranarray(tensor))
    for select in [(), (1,), (0, 2)]:
        with open_tensors(tmp_path / "a.npy") as file:
            read = list(file.tensor("").matrices(select))
        assert np.array_equal(np.array(read), tensor[select].reshape(-1, 4, 5))


def test_a_model_in_a_folder(tmp_path: Path) -> None:
    for layer in range(2):
        written(tmp_path / "model" / f"layer_{layer}.npy", A=weights(3, 4, 4))
    written(tmp_path / "model" / "deep" / "x.npz", **{"h.5.attn": weights(2, 4, 4)})
    pair = {"blocks.0.attn": weights(2, 4, 4), "blocks.1.attn": weights(2, 4, 4)}
    written(tmp_path / "model" / "y.safetensors", mlp=weights(7, 7), **pair)
    (tmp_path / "model" / "README.txt").write_text("no tensor")
    entries = list(binarize_set(tmp_path / "model", [Uniform()], key=None))
    places = {
        e.path: (e.instance.origin.get("layer"), e.instance.origin.get("head")) for e in entries
    }
    assert len(places) == len(entries) == 3 + 3 + 2 + 4 + 1
    assert places["layer_1/L1_H2_unif.npz"] == (1, 2)
    assert places["deep/x/L5_H1_unif.npz"] == (5, 1)
    assert places["y/blocks.1.attn/L1_H0_unif.npz"] == (1, 0)
    assert places["y/mlp/unif.npz"] == (None, None)
    attention = list(binarize_set(tmp_path / "model", [Uniform()], key="*attn*"))
    assert len(attention) == 6


def test_files_of_one_stem_keep_apart(tmp_path: Path) -> None:
    written(tmp_path / "a.npy", A=weights(3, 3))
    written(tmp_path / "a.npz", A=weights(3, 3))
    paths = [entry.path for entry in binarize_set(tmp_path, [TopK(1)])]
    assert paths == ["a.npy/top1.npz", "a.npz/top1.npz"]


def test_names_of_tensors_are_no_paths(tmp_path: Path) -> None:
    names = {"../../etc/x": weights(3, 3), "..": weights(3, 3), "a b": weights(3, 3)}
    written(tmp_path / "a.safetensors", **names)
    paths = {entry.path for entry in binarize_set(tmp_path, [TopK(1)])}
    assert not any(part in ("", ".", "..") for path in paths for part in path.split("/"))
    assert len(paths) == 3


@pytest.mark.parametrize("kind", ["npy", "npz"])
def test_one_matrix_at_a_time_is_in_memory(tmp_path: Path, kind: str) -> None:
    tensor = np.full((20, 16, 64, 64), 1 / 64, dtype=np.float32)
    path = written(tmp_path / f"a.{kind}", A=tensor)
    size = tensor.nbytes
    del tensor
    tracemalloc.start()
    count = sum(1 for _ in binarize_set(path, [TopK(1)], ties="first"))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 320
    assert peak < size / 4


# ---------------------------------------------------------------- what is refused


def test_errors_name_the_file(tmp_path: Path) -> None:
    path = written(tmp_path / "a.npz", A=weights(2, 3, 4, 4), B=weights(2, 2))
    (tmp_path / "cut.npz").write_bytes(path.read_bytes()[:-40])
    written(tmp_path / "int.safetensors", A=np.ones((2, 2), dtype=np.int8))
    written(tmp_path / "six.npy", A=weights(2, 2, 2, 2, 3, 3))
    written(tmp_path / "row.npy", A=np.ones(3))
    written(tmp_path / "none.npy", A=np.ones((0, 3, 3)))
    for name in ("cut.npz", "int.safetensors", "six.npy", "row.npy", "none.npy", "missing.npy"):
        with pytest.raises(InputError, match=name):
            list(binarize_set(tmp_path / name, [TopK(1)]))
    with pytest.raises(InputError, match="no tensor's name fits 'q'"):
        list(binarize_set(path, [TopK(1)], key="q"))
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=r"no \.npy, \.npz, \.safetensors, .* file"):
        list(binarize_set(tmp_path / "empty", [TopK(1)]))


def test_rows_that_cannot_be_used_are_masked_and_counted(tmp_path: Path) -> None:
    tensor = weights(2, 3, 4, 5)
    tensor[0, 1, 3] = 0
    tensor[1, 2, 0] *= 3
    tensor[1, 0] *= 3.2
    path = written(tmp_path / "a.npy", A=tensor)
    rows = RowCount()
    entries = {e.path: e.instance.pattern for e in binarize_set(path, [TopK(1)], rows=rows)}
    assert len(entries) == rows.patterns == 5
    assert entries["a/L0_H1_top1.npz"].to_text().splitlines()[3] == "1****"
    assert entries["a/L1_H2_top1.npz"].to_text().splitlines()[0] == "1****"
    assert (rows.rows, rows.masked) == (20, {Fault.PADDING: 1, Fault.SUM: 1})
    masked, skipped, axes = rows.lines()
    assert masked.startswith(
        "masked 2 of 20 rows: 1 of padding, 1 whose weights do not sum to 1 "
        f"({path} L1_H2: the weights of row 0 sum to 3, not 1;"
    )
    assert "skipped 1 matrix" in skipped
    assert f"{path} L1_H0: no row can be used: the weights of row 0 sum to 3.2, not 1" in skipped
    assert "--logits" in skipped
    assert axes.startswith("the axes of 1 tensor are read as layer, head, queries, keys, because")


def test_a_source_without_any_usable_row_is_an_error(tmp_path: Path) -> None:
    path = written(tmp_path / "a.npy", A=weights(2, 3, 4, 4) * 3.2)
    with pytest.raises(InputError, match=r"L0_H0: no row .* sum to 3\.2.*so on: 6 skipped"):
        list(binarize_set(path, [TopK(1)]))


def test_ties_keep_all_tied_keys_and_are_counted(tmp_path: Path) -> None:
    tensor = weights(1, 1, 3, 3)
    tensor[0, 0, 1] = [0.2, 0.4, 0.4]
    path = written(tmp_path / "a.npy", A=tensor)
    rows = RowCount()
    (entry,) = binarize_set(path, [TopK(1)], rows=rows)
    assert entry.instance.pattern.to_text().splitlines()[1] == "011"
    assert rows.lines() == [
        "equal weights at the cut in 1 row: all of the tied keys are kept (--ties)"
    ]


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["layers.0.probs", "layers.0.scores"], r"has layer 0, head 0, as layers\.0\.probs"),
        (["layer_1", "layer_01"], r"--key 'layer_01'"),
    ],
)
def test_two_tensors_of_one_layer(tmp_path: Path, names: list[str], message: str) -> None:
    path = written(tmp_path / "a.npz", **{name: weights(2, 3, 3) for name in names})
    with pytest.raises(InputError, match=message):
        list(binarize_set(path, [TopK(1)]))
    assert len(list(binarize_set(path, [TopK(1)], key=names[1]))) == 2


def test_parts_of_a_model_have_layers_of_their_own(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", **{"layers.0.encoder": np.eye(2), "layers.0.decoder": np.eye(2)})
    entries = list(binarize_set(tmp_path / "a.npz", [TopK(1)], causal=False))
    assert {entry.instance.origin["part"] for entry in entries} == {"encoder", "decoder"}


def test_two_files_of_one_layer(tmp_path: Path) -> None:
    for name in ("layer_1.npy", "layer_01.npy"):
        written(tmp_path / name, A=weights(2, 3, 3))
    with pytest.raises(InputError, match=r"as layer_01\.npy has; keep one of the files in another"):
        list(binarize_set(tmp_path, [TopK(1)]))


def test_causal_is_about_the_decoder_of_an_encoder_decoder_model(tmp_path: Path) -> None:
    parts = {
        "encoder_attentions.0": weights(2, 5, 5),
        "decoder_attentions.0": np.tril(np.ones((2, 4, 4))) / np.arange(1, 5)[:, None],
        "cross_attentions.0": weights(2, 4, 5),
    }
    path = written(tmp_path / "a.npz", **parts)
    for causal in (None, True):
        entries = binarize_set(path, [Uniform()], causal=causal)
        found = {e.instance.origin["part"] for e in entries if "causal" in e.instance.origin}
        assert found == {"decoder"}
    np.savez(path, **{"cross_attentions.0": parts["decoder_attentions.0"]})
    assert "causal" not in next(binarize_set(path, [Uniform()])).instance.origin


def test_lists_of_texts_or_of_layers(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    np.savez(path, weights(3, 2, 4, 4), weights(3, 2, 5, 5))
    with pytest.raises(InputError, match=r"--axes layer,head if every tensor is a text"):
        list(binarize_set(path, [TopK(1)]))
    for axes, fixed in ((("layer", "head"), "text"), (("text", "head"), "layer")):
        entries = list(binarize_set(path, [TopK(1)], axes=axes))
        assert [e.instance.origin[fixed] for e in entries] == [0] * 6 + [1] * 6


def test_layers_may_differ_in_their_heads(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", weights(2, 3, 4, 4), weights(2, 1, 4, 4))
    entries = list(binarize_set(tmp_path / "a.npz", [TopK(1)], causal=False))
    assert len(entries) == 2 * 3 + 2 * 1


def test_damage_is_found_while_reading(tmp_path: Path) -> None:
    path = written(tmp_path / "a.npz", A=weights(8, 8, 16, 16))
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0xFF
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"a\.npz: "):
        list(binarize_set(path, [Threshold(1e-9)], logits=True))


# ---------------------------------------------------------------- the command


def run(*arguments: str) -> Any:
    return CliRunner().invoke(cli, ["binarize", *arguments])


def test_the_shipped_tensors_as_a_set(tmp_path: Path) -> None:
    source = data.path("attention/att_s02_n11.npz").parent
    done = run(str(source), "--uniform", "--top-k", "1", "--output", str(tmp_path / "set"))
    assert (done.exit_code, done.stdout) == (0, f"{tmp_path / 'set'}: 432 patterns\n")
    head = load_instance(tmp_path / "set" / "att_s02_n11" / "L4_H10_unif.npz")
    assert head.pattern == load(data.path("minilm/s02_L4_H10_unif_n11.npz"))
    assert (head.origin["layer"], head.origin["head"]) == (4, 10)
    assert (head.origin["rule"], head.origin["attention"]) == ("unif", "att_s02_n11.npz")
    wanted = load_attention(source / "att_s20_n45.npz", select=(5, 11))
    assert load(tmp_path / "set/att_s20_n45/L5_H11_top1.npz") == binarize(wanted, TopK(1))


def test_axes_make_a_set_of_a_file(tmp_path: Path) -> None:
    path = written(tmp_path / "a.npy", A=weights(2, 1, 2, 3, 3))
    done = run(str(path), "--top-k", "1", "--axes", "layer,text,head", "--output", str(tmp_path))
    assert (done.exit_code, done.stderr) == (0, "")
    assert load(tmp_path / "a" / "L1_text0_H1_top1.npz").shape == (3, 3)


def test_tensors_of_one_file_do_not_overwrite_each_other(tmp_path: Path) -> None:
    tensors = {f"layers.{at}.attn": weights(2, 3, 3) for at in range(2)}
    path = written(tmp_path / "model.npz", **tensors)
    for name in tensors:
        done = run(str(path), "--key", name, "--uniform", "--output", str(tmp_path / "set"))
        assert done.exit_code == 0
    assert sorted(file.name for file in (tmp_path / "set").iterdir()) == [
        f"model_layers.{layer}.attn_{head}_unif.npz" for layer in range(2) for head in range(2)
    ]


def test_tensors_that_are_no_attention_are_skipped(tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    written(path, attn=weights(2, 3, 3), embed=-np.ones((4, 3)), bias=np.ones(3))
    done = run(str(tmp_path), "--uniform", "--output", str(tmp_path / "set"))
    assert (done.exit_code, done.stdout) == (0, f"{tmp_path / 'set'}: 2 patterns\n")
    assert "note: skipped 2 matrices" in done.stderr
    done = run(str(path), "--uniform", "--key", "*attn*", "--output", str(tmp_path / "set"))
    assert (done.exit_code, done.stderr) == (0, "")
    for key in ("embed", "bias", "[be]*"):
        done = run(str(path), "--uniform", "--key", key, "--output", str(tmp_path / "set"))
        refused(done, "model.npz: ")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--uniform"], "name a folder by --output"),
        (["--output", "set"], "name one rule"),
        (["--uniform", "--axes", "L", "--output", "set"], "different lower-case words"),
        (["--uniform", "--axes", "layer", "--output", "set"], "2 leading axes, not 1"),
        (["--uniform", "--select", "9", "--output", "set"], "no layer 9; choose 0 to 5"),
        (["--uniform", "--key", "B", "--output", "set"], "no tensor's name fits 'B'"),
    ],
)
def test_bad_options(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run(str(data.path("attention/att_s02_n11.npz").parent), *options)
    assert done.exit_code == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "options", [{"axes": 3}, {"axes": "layer,head"}, {"select": 4}, {"select": "4"}]
)
def test_what_is_no_tuple_of_axes_or_numbers_is_refused_in_one_line(
    options: dict[str, Any],
) -> None:
    path = data.path("attention/att_s02_n11.npz")
    with pytest.raises(InputError, match=r"^(axes|select|key) must be a [^\n]+, not [^\n]+$"):
        list(binarize_set(path, [TopK(1)], **options))


def test_equal_input_gives_equal_bytes(tmp_path: Path) -> None:
    path = written(tmp_path / "a.npy", A=weights(2, 2, 3, 3))
    for out in ("x", "y"):
        run(str(path), "--axes", "layer,head", "--mass", "0.9", "--output", str(tmp_path / out))
    x, y = (sorted((tmp_path / out).rglob("*.npz")) for out in ("x", "y"))
    assert [p.read_bytes() for p in x] == [p.read_bytes() for p in y]
    assert len(x) == 4
    assert isinstance(load(x[0]), Pattern)
