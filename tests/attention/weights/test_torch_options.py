"""The way in which files of torch.save are opened, shown without PyTorch."""

from __future__ import annotations

import sys
from pathlib import Path
from pickle import UnpicklingError
from types import ModuleType
from zipfile import ZipFile

import pytest
from helpers.commands import refused, run

from samapprox import InputError
from samapprox.attention import load_attention


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """A file that begins as those of torch.save do."""
    path = tmp_path / "a.pt"
    with ZipFile(path, "w") as archive:
        archive.writestr("a/data.pkl", b"")
    return path


def test_nothing_but_tensors_is_ever_unpickled(
    saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[dict[str, object]] = []
    torch = ModuleType("torch")
    torch.Tensor = int  # type: ignore[attr-defined]
    torch.load = lambda _source, **options: calls.append(options)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "torch", torch)
    with pytest.raises(InputError, match=r"a\.pt: the file holds no tensor"):
        load_attention(saved)
    assert [call["weights_only"] for call in calls] == [True]


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (
            UnpicklingError("Unsupported global: GLOBAL own.Class"),
            "holds objects other than tensors",
        ),
        (
            UnpicklingError("pickle data was truncated"),
            "PyTorch cannot read the file: it is damaged",
        ),
        (
            RuntimeError("no central directory\nadvice"),
            "cannot read the file: no central directory",
        ),
    ],
)
def test_what_pytorch_cannot_read_is_one_line(
    saved: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, message: str
) -> None:
    def load(_source: object, **_options: object) -> None:
        raise error

    torch = ModuleType("torch")
    torch.load = load  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "torch", torch)
    refused(run("binarize", str(saved), "--uniform"), message)


def test_without_pytorch_one_line_names_the_extra(
    saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    refused(
        run("binarize", str(saved), "--uniform"),
        "a.pt: A file of torch.save needs the package torch: pip install 'samapprox[torch]'",
    )
