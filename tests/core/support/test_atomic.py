"""Files are written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from samapprox import InputError, Pattern, save
from samapprox.support.atomic import replacing, require_place


def test_a_link_stays_one(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"old")
    (tmp_path / "link").symlink_to("file")
    with replacing(tmp_path / "link") as stream:
        stream.write(b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_bytes() == b"new"


def test_a_new_file_has_the_permissions_of_all_others(tmp_path: Path) -> None:
    (tmp_path / "other").touch()
    with replacing(tmp_path / "file"):
        pass
    assert (tmp_path / "file").stat().st_mode == (tmp_path / "other").stat().st_mode


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, ValueError])
def test_what_was_there_stays_when_the_writer_fails(
    tmp_path: Path, error: type[BaseException]
) -> None:
    def write(stream: BinaryIO) -> None:
        stream.write(b"half of")
        raise error

    (tmp_path / "file").write_bytes(b"old")
    with pytest.raises(error), replacing(tmp_path / "file") as stream:
        write(stream)
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"old"]


def test_a_full_disk_is_told_with_the_name(tmp_path: Path) -> None:
    place = tmp_path / "file"
    with pytest.raises(InputError, match="file: No space left on device"), replacing(place):
        raise OSError(28, "No space left on device")
    assert not list(tmp_path.iterdir())


def test_a_pattern_on_a_full_disk_names_its_file_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("samapprox.formats.npz.write", fail)
    place = tmp_path / "p.npz"
    with pytest.raises(InputError) as refused:
        save(Pattern.from_text("10"), place)
    assert str(refused.value) == f"{place}: No space left on device"
    assert not list(tmp_path.iterdir())


def test_a_folder_that_takes_no_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(**_: Any) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("tempfile.mkstemp", denied)
    place = tmp_path / "file"
    with pytest.raises(InputError, match="file: Permission denied"), replacing(place):
        pytest.fail("there is nowhere to write to")


def test_a_folder_that_takes_no_files_is_refused_before_any_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "there").touch()
    monkeypatch.setattr("os.access", lambda *_: False)
    with pytest.raises(InputError, match="new: no file can be written in this folder"):
        require_place(tmp_path / "new")
    require_place(tmp_path / "there")  # may be appended to


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names here")
def test_a_pipe_is_written_to_and_stays_one(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        with replacing(tmp_path / "pipe") as stream:
            stream.write(b"told")
        assert os.read(reader, 9) == b"told"
    finally:
        os.close(reader)
    assert (tmp_path / "pipe").is_fifo()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no such device here")
def test_a_full_device_is_named() -> None:
    place = Path("/dev/full")
    with pytest.raises(InputError, match="full: No space"), replacing(place) as stream:
        stream.write(b"told")
