"""`samapprox binarize`, and what the other commands say about attention weights."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pytest
from helpers.attention.saved_attentions import attention, write_safetensors
from helpers.commands import refused, run

from samapprox import decide, load

pytestmark = pytest.mark.usefixtures("_in_process")


def weights_files(folder: Path) -> dict[str, Path]:
    weights = attention(3, 2, 5, 5)
    np.save(folder / "one.npy", weights[0, 0])
    np.save(folder / "stack.npy", weights)
    np.savez(folder / "layers.npz", *weights)
    np.savez(folder / "one.npz", attention=weights[0, 0])
    write_safetensors(folder / "a.safetensors", {"A": weights}, "F32")
    # As torch.save begins its files, in zip and before.
    with zipfile.ZipFile(folder / "a.pt", "w") as file:
        file.writestr("archive/data.pkl", b"\x80\x02.")
    (folder / "old.bin").write_bytes(b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.")
    return {path.name: path for path in sorted(folder.iterdir())}


NAMES = ["one.npy", "stack.npy", "layers.npz", "one.npz", "a.safetensors", "a.pt", "old.bin"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "command",
    ["decide {}", "dim {}", "show {}", "plot {} --output p.png", "verify {} c.json"],
)
def test_commands_about_patterns_say_where_weights_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, name: str
) -> None:
    weights_files(tmp_path)
    monkeypatch.chdir(tmp_path)
    certificate = decide([[1, 0], [0, 1]]).certificate
    assert certificate is not None
    certificate.save("c.json")  # `verify` reads the certificate first
    done = run(*command.format(name).split())
    refused(done, f"{name}: ")
    assert "`samapprox heads FILE`" in done.stderr
    assert "`samapprox binarize FILE --uniform`" in done.stderr


@pytest.mark.parametrize("name", NAMES)
def test_batch_says_where_weights_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    weights_files(tmp_path)
    monkeypatch.chdir(tmp_path)
    done = run("batch", name, "--results", "r.sqlite", "--jobs", "1")
    assert done.exit_code in (1, 2)
    if name != "layers.npz":  # its arrays are stacks, whose entries fail one by one
        assert "`samapprox heads FILE`" in done.stderr


def test_stacks_of_patterns_name_the_key_and_batch(tmp_path: Path) -> None:
    np.savez(tmp_path / "stack.npz", S=np.ones((3, 2, 4, 4), dtype=np.uint8))
    done = run("decide", str(tmp_path / "stack.npz"))
    refused(done, "--key 'S[0,0]' selects the first, and `samapprox batch` answers for all")
    assert "heads" not in done.stderr


def test_the_key_that_an_error_advises_works(tmp_path: Path) -> None:
    np.savez(tmp_path / "stack.npz", masks=np.ones((3, 2, 4, 4), dtype=np.uint8))
    refused(run("decide", str(tmp_path / "stack.npz")), "--key 'masks[0,0]'")
    assert run("decide", str(tmp_path / "stack.npz"), "--key", "masks[0,0]").exit_code == 0


@pytest.mark.parametrize("name", ["stack.npy", "layers.npz", "a.safetensors"])
def test_several_patterns_never_make_a_folder_called_npz(tmp_path: Path, name: str) -> None:
    path = weights_files(tmp_path)[name]
    target = tmp_path / "out.npz"
    refused(run("binarize", str(path), "--uniform", "-o", str(target)), "without the ending .npz")
    assert not target.exists()
    target.mkdir()
    assert run("binarize", str(path), "--uniform", "-o", str(target)).exit_code == 0


def test_several_tensors_need_a_folder_or_a_key(tmp_path: Path) -> None:
    path = str(weights_files(tmp_path)["layers.npz"])
    refused(run("binarize", path, "--uniform"), "name a folder by --output, or one tensor by --key")
    done = run("binarize", path, "--uniform", "--key", "arr_1", "--select", "0")
    assert (done.exit_code, len(done.stdout.splitlines())) == (0, 5)


def test_batch_axes_of_size_1_are_no_stack(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", attention(1, 1, 4, 4))
    done = run("binarize", str(tmp_path / "a.npy"), "--uniform")
    assert (done.exit_code, len(done.stdout.splitlines())) == (0, 4)
    out = tmp_path / "one.npz"
    assert run("binarize", str(tmp_path / "a.npy"), "--uniform", "-o", str(out)).exit_code == 0
    assert load(out).shape == (4, 4)


def test_causal_is_recognised_named_or_denied(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", attention(4, 4, causal=True))
    for options, stars, note in (
        ([], True, True),
        (["--causal"], True, False),
        (["--no-causal"], False, False),
    ):
        done = run("binarize", str(tmp_path / "a.npy"), "--top-k", "1", *options)
        assert done.exit_code == 0
        assert done.stdout.splitlines()[0] == ("1***" if stars else "1000")
        assert ("--no-causal keeps them" in done.stderr) == note


def test_a_bad_row_is_masked_and_a_bad_matrix_skipped(tmp_path: Path) -> None:
    weights = attention(2, 4, 4)
    weights[0, 2] = 0
    weights[1] *= 3.2
    np.save(tmp_path / "a.npy", weights)
    done = run("binarize", str(tmp_path / "a.npy"), "--top-k", "1", "-o", str(tmp_path / "out"))
    assert done.exit_code == 0
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["a_0_top1.npz"]
    masked, skipped = done.stderr.splitlines()
    assert masked == "samapprox: note: masked 1 of 4 rows: 1 of padding"
    assert skipped.startswith("samapprox: note: skipped 1 matrix: matrix [1]: no row can be used")
    done = run("binarize", str(tmp_path / "a.npy"), "--top-k", "1", "--select", "1")
    refused(done, "sum to 3.2, not 1; say so if these are logits")


def test_stacked_layers_of_one_batch_are_named_by_layer_and_head(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", attention(3, 1, 2, 4, 4))
    out = tmp_path / "out"
    assert run("binarize", str(tmp_path / "a.npy"), "--uniform", "-o", str(out)).exit_code == 0
    names = sorted(path.relative_to(out).as_posix() for path in out.rglob("*.npz"))
    assert names == [f"a/L{layer}_H{head}_unif.npz" for layer in range(3) for head in range(2)]
    done = run("binarize", str(tmp_path / "a.npy"), "--uniform", "--select", "2,0,1")
    assert (done.exit_code, len(done.stdout.splitlines())) == (0, 4)
