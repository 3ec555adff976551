"""Files compressed by gzip are read as what they hold; damaged ones are one line."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from samapprox import InputError, load
from samapprox.cli.main import cli
from samapprox.formats import files, load_judgements

FILES = {
    "a.qrels.gz": b"q1 0 doc7 1\nq1 0 doc8 0\nq2 0 doc8 1\n",
    "a.txt.gz": b"q1 0 doc7 1\nq1 0 doc8 0\nq2 0 doc8 1\n",
    "a.TSV.GZ": b"query-id\tcorpus-id\tscore\nq1\tdoc7\t1\nq1\tdoc8\t0\nq2\tdoc8\t1\n",
    "a.jsonl.gz": b'{"q1": ["doc7"]}\n{"q2": ["doc8"]}\n',
    "a.csv.gz": b"1,0\n0,1\n",
    "a.mtx.gz": b"%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 1\n2 2\n",
    "a.dat": b"1 0\n0 1\n",
}


@pytest.mark.parametrize("name", FILES)
def test_every_text_format(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(gzip.compress(FILES[name]))
    assert load(path).to_text() == "10\n01"
    assert load(io.BytesIO(path.read_bytes())).to_text() == "10\n01"


def test_arrays(tmp_path: Path) -> None:
    stream = io.BytesIO()
    np.savez(stream, S=np.eye(2, dtype=np.uint8))
    (tmp_path / "a.npz.gz").write_bytes(gzip.compress(stream.getvalue()))
    assert load(tmp_path / "a.npz.gz").to_text() == "10\n01"


def test_members_one_after_the_other_are_one_file() -> None:
    parts = gzip.compress(b"10\n"), gzip.compress(b"01\n")
    assert load(io.BytesIO(b"".join(parts))).to_text() == "10\n01"


def test_judgements_keep_their_names(tmp_path: Path) -> None:
    path = tmp_path / "a.qrels.gz"
    path.write_bytes(gzip.compress(FILES["a.qrels.gz"]))
    assert load_judgements(path).instance().pattern.row_names == ("q1", "q2")


LINES = b"".join(b"q%d 0 doc%d 1\n" % (i, i * i % 977) for i in range(20_000))


def damaged(kind: str) -> bytes:
    packed = gzip.compress(LINES)
    if kind == "truncated":
        return packed[: len(packed) // 2]
    if kind == "cut short":
        return packed[:-3]
    if kind == "wrong sum":
        return packed[:-8] + bytes(4) + packed[-4:]
    if kind == "overwritten":
        return packed[:2000] + bytes(60) + packed[2060:]
    return packed[:5]


@pytest.mark.parametrize(
    ("kind", "fault"),
    [
        ("truncated", "the gzip file ends early, in line 9"),
        ("cut short", "the gzip file ends early, in line 20001 of what it holds"),
        ("wrong sum", "the gzip file is damaged, in line 20001"),
        ("overwritten", "the gzip file is damaged, in line "),
        ("head alone", "the gzip file ends early, in line 1 of what it holds"),
    ],
)
def test_damaged_files_are_one_line(tmp_path: Path, kind: str, fault: str) -> None:
    path = tmp_path / "a.qrels.gz"
    path.write_bytes(damaged(kind))
    done = CliRunner().invoke(cli, ["show", str(path)])
    assert done.exit_code == 2
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith(f"samapprox: error: {path}: {fault}")
    assert done.stderr.endswith("download or compress it again\n")


def test_falsely_named_files(tmp_path: Path) -> None:
    path = tmp_path / "a.csv.gz"
    path.write_bytes(b"1,0\n0,1\n")
    with pytest.raises(InputError, match=r"a\.csv\.gz: named \.gz, but not compressed by gzip"):
        load(path)
    path.write_bytes(b"")
    with pytest.raises(InputError, match="the file is empty"):
        load(path)


def test_what_unpacks_to_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_MOST_UNPACKED", 1 << 22)
    bomb = gzip.compress(b"1" * (1 << 26))
    with pytest.raises(InputError, match="unpacks to more than 4 MB"):
        load(io.BytesIO(bomb))


def test_wrong_entries_are_named_by_their_line() -> None:
    with pytest.raises(InputError, match="line 2, column 1: '2' is not 0, 1 or"):
        load(io.BytesIO(gzip.compress(b"10\n12\n")))
