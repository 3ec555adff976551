"""Files that are broken, huge or malicious: one line that names file and place, never a crash."""

from __future__ import annotations

import io
import os
import pickle
import resource
import struct
import sys
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from helpers.archives import write_bomb
from helpers.commands import refused, run
from hypothesis import example, given
from hypothesis import strategies as st

from samapprox import InputError, load
from samapprox.formats import FORMATS

S = np.array([[1, 0, 0], [1, 1, 0], [0, 1, 1]], dtype=np.uint8)


def npy(shape: str, body: bytes = b"", descr: str = "|u1") -> bytes:
    """An npy file whose header says what the test likes."""
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + body


def zipped(members: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members.items():
            file.writestr(name, content)
    return stream.getvalue()


def npz(**arrays: object) -> bytes:
    stream = io.BytesIO()
    np.savez_compressed(stream, **{name: np.asarray(array) for name, array in arrays.items()})
    return stream.getvalue()


class Bomb:
    """Unpickling it would leave a trace."""

    def __reduce__(self) -> tuple[Callable[..., object], tuple[str]]:
        return os.mkdir, ("unpickled",)


def flipped(content: bytes, position: int) -> bytes:
    return content[:position] + bytes([content[position] ^ 0xFF]) + content[position + 1 :]


CSR: dict[str, object] = {
    "format": np.array(b"csr"),
    "shape": [2, 2],
    "indptr": [0, 1, 2],
    "indices": [0, 1],
    "data": [1, 1],
}
COO: dict[str, object] = {"format": "coo", "shape": [2, 2], "data": [1, 1]}

CASES = {
    "a letter": ("p.csv", b"1,0\n0,x\n", "line 2, column 1: 'x'"),
    "a two": ("p.csv", b"1,0\n0,2\n", "line 2, column 1: '2'"),
    "minus one": ("p.csv", b"1,-1\n", "line 1, column 1: '-1'"),
    "NaN in text": ("p.csv", b"1,nan\n", "line 1, column 1: 'nan'"),
    "ragged rows": ("p.csv", b"1,0\n1,0,1\n", "line 2 has 3 entries"),
    "not UTF-8": ("p.csv", b"1,0\n0,\xff\n", "line 2: byte 6 is not UTF-8"),
    "UTF-16": ("p.txt", "1 0\n".encode("utf-16"), "byte 0 is not UTF-8"),
    "empty file": ("p.csv", b"", "the file is empty"),
    "only comments": ("p.csv", b"# nothing\n\n", "the pattern is empty"),
    "no 1 in a row, text": ("p.csv", b"1,0\n0,0\n", "row 1 has no 1"),
    "no 1 in a row, npz": ("p.npz", npz(S=S * [[1], [1], [0]]), "row 2 has no 1"),
    "no 1 in a named row": (
        "p.npz",
        npz(S=[[1, 0], [0, 0]], queries=["q1", "q2"]),
        r"row 1 \('q2'\) has no 1",
    ),
    "NaN": ("p.npz", npz(S=np.where(S, 1.0, np.nan)), "row 0, column 1 is nan"),
    "two": ("p.npz", npz(S=S * 2), "row 0, column 0 is 2"),
    "minus one, int8": ("p.npz", npz(S=S.astype(np.int8) - 1), "row 0, column 1 is -1"),
    "infinity": ("p.npz", npz(S=np.where(S, 1.0, -np.inf)), "row 0, column 1 is -inf"),
    "complex": ("p.npz", npz(S=S.astype(complex)), "complex128"),
    "empty matrix": ("p.npz", npz(S=np.zeros((0, 3))), "empty"),
    "no columns": ("p.npz", npz(S=np.zeros((3, 0))), "empty"),
    "0-D": ("p.npz", npz(S=1), "0 dimensions"),
    "1-D": ("p.npz", npz(S=[1, 0]), "1 dimension "),
    "3-D": ("p.npz", npz(S=S[None]), "3 dimensions"),
    "several arrays": ("p.npz", npz(a=S, b=S), "none of the arrays a, b is named S"),
    "wrong care": ("p.npz", npz(S=S, care=S * 3), "care entry at row 0, column 0 is 3"),
    "too few names": ("p.npz", npz(S=S, row_names=["a"]), "row_names has shape"),
    "pickle": ("p.npz", pickle.dumps(Bomb()), "not a readable npz"),
    "object array in npz": (
        "p.npz",
        zipped({"S.npy": npy("(1, 1)", pickle.dumps(Bomb()), "|O")}),
        "never",
    ),
    "object array in npy": ("p.npy", npy("(1, 1)", pickle.dumps(Bomb()), "|O"), "never loaded"),
    "objects as names": (
        "p.npz",
        zipped(
            {"S.npy": npy("(1, 1)", b"\1"), "queries.npy": npy("(1,)", pickle.dumps(Bomb()), "|O")}
        ),
        "never loaded",
    ),
    "structured": ("p.npy", npy("(1,)", b"\1", "V1"), "never loaded"),
    "half a zip": ("p.npz", npz(S=S)[:100], "not a readable npz"),
    "zip without its end": ("p.npz", npz(S=S)[:-10], "not a readable npz"),
    "bad checksum": (
        "p.npz",
        flipped(zipped({"S.npy": npy("(3, 3)", S.tobytes())}), 60),
        "npz|damaged",
    ),
    "not a zip": ("p.npz", b"hello", "not a readable npz"),
    "zip without arrays": ("p.npz", zipped({"readme.txt": b"hi"}), "no numpy array"),
    "10^12 entries, npz": ("p.npz", zipped({"S.npy": npy("(1000000, 1000000)", b"\1")}), "claims"),
    "10^12 entries, npy": ("p.npy", npy("(1000000, 1000000)", b"\1"), "claims 1000000x1000000"),
    "10^12 entries, mtx": (
        "p.mtx",
        b"%%MatrixMarket matrix array integer general\n1000000 1000000\n1\n",
        "more than",
    ),
    "10^12 rows, mtx": (
        "p.mtx",
        b"%%MatrixMarket matrix coordinate integer general\n1000000000000 2 1\n1 1 1\n",
        "side of more than",
    ),
    "10^12 columns, mtx": (
        "p.mtx",
        b"%%MatrixMarket matrix coordinate integer general\n1 1000000000000 1\n1 1 1\n",
        "side of more than",
    ),
    "10^12 columns, csr": ("p.npz", npz(**{**CSR, "shape": [2, 10**12]}), "side of more than"),
    "10^12 rows, csr": ("p.npz", npz(**{**CSR, "shape": [10**12, 2]}), "side of more than"),
    "10^30 entries": ("p.npy", npy("(1" + "0" * 15 + ", 1" + "0" * 15 + ")"), "claims"),
    "negative shape": ("p.npy", npy("(-1, -1)", b"\1"), "damaged"),
    "text of no width": ("p.npy", npy("(1, 1)", b"", "<U0"), "damaged"),
    "too short": ("p.npy", npy("(2, 2)", b"\1"), "claims 2x2"),
    "too long": ("p.npy", npy("(1, 1)", b"\1\1"), "claims 1x1"),
    "header is code": ("p.npy", npy("__import__('os').mkdir('unpickled')"), "header"),
    "deep header": ("p.npy", npy("(" * 5000), "header"),
    "cut header": ("p.npy", npy("(1, 1)")[:20], "header"),
    "bare magic": ("p.npy", b"\x93NUMPY", "header"),
    "npy of the future": ("p.npy", b"\x93NUMPY\x09\x00" + bytes(100), "npy format 9.0"),
    "mtx without sizes": (
        "p.mtx",
        b"%%MatrixMarket matrix array integer general\n",
        "no size line",
    ),
    "mtx of infinitely many rows": (
        "p.mtx",
        b"%%MatrixMarket matrix coordinate integer general\ninf 2 1\n1 1 1\n",
        "sizes are whole numbers from 0 and below 2.53, not inf 2 1",
    ),
    "mtx of nan columns": (
        "p.mtx",
        b"%%MatrixMarket matrix array integer general\n2 nan\n1\n1\n",
        "sizes are whole numbers from 0 and below 2.53, not 2 nan",
    ),
    "mtx of more entries than floats hold": (
        "p.mtx",
        b"%%MatrixMarket matrix coordinate integer general\n2 2 1e400\n1 1 1\n",
        "sizes are whole numbers from 0 and below 2.53, not 2 2 inf",
    ),
    "mtx with an entry at infinity": (
        "p.mtx",
        b"%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 1 1\n1e400 nan 1\n",
        "entry 1 lies outside the matrix",
    ),
    "mtx of complex": (
        "p.mtx",
        b"%%MatrixMarket matrix array complex general\n1 1\n1 0\n",
        "a complex general Matrix Market file cannot",
    ),
    "mtx, more claimed than there": (
        "p.mtx",
        b"%%MatrixMarket matrix coordinate pattern general\n2 2 900000000\n1 1\n2 2\n",
        "the sizes say 900000000 entries, but 2 lines of entries are there",
    ),
    "mtx, too long a head": (
        "p.mtx",
        b"%%MatrixMarket matrix coordinate pattern general array\n2 2 2\n1 1\n2 2\n",
        "first line",
    ),
    "mtx, half a number": (
        "p.mtx",
        b"%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 1 1\n2 2 1x\n",
        "1x",
    ),
    "mtx, place outside": (
        "p.mtx",
        b"%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 1 1\n2 3 1\n",
        "entry 1 lies outside",
    ),
    "mtx, a 2": ("p.mtx", b"%%MatrixMarket matrix array real general\n1 1\n2\n", "is 2.0"),
    "jsonl, huge score": (
        "p.jsonl",
        b'{"query-id": "q", "corpus-id": "d", "score": 1' + b"0" * 400 + b"}",
        "line 1: the grade 1000",
    ),
    "4001 digits": ("p.npy", npy("(1" + "0" * 4000 + ", 1" + "0" * 4000 + ")"), "claims ..x.."),
    "a shape of truth": ("p.npy", npy("(True, 3)", b"\1\1\1"), "header"),
    "a header of gigabytes": (
        "p.npy",
        b"\x93NUMPY\x02\x00" + struct.pack("<I", 1 << 30) + bytes(100),
        "its npy header has 1073741824 bytes",
    ),
    "facts that are no list": (
        "p.npz",
        npz(S=S, facts='{"d": 1}'),
        "array 'facts' must hold a JSON list",
    ),
    "facts of dimension 0": (
        "p.npz",
        npz(S=S, facts='[{"d": 0, "d_hid": null, "answer": "YES", "reason": ""}]'),
        "array 'facts': a fact's d must be",
    ),
    "mtx nonsense": (
        "p.mtx",
        b"%%MatrixMarket nonsense\n1 1 1\n1 1 1\n",
        "not a Matrix Market header",
    ),
    "csr, pointer beyond": ("p.npz", npz(**{**CSR, "indptr": [0, 1, 3]}), "row pointers"),
    "csr, index beyond": ("p.npz", npz(**{**CSR, "indices": [0, 7]}), "column index"),
    "csr, index that wraps to 0": ("p.npz", npz(**{**CSR, "indices": [0, 2**32 + 1]}), "column"),
    "csr, unsigned pointers that step back": (
        "p.npz",
        npz(**{**CSR, "indptr": np.array([0, 2**63 + 1, 2], dtype=np.uint64)}),
        "row pointers",
    ),
    "csr, entry twice": (
        "p.npz",
        npz(**{**CSR, "indptr": [0, 2, 2], "indices": [0, 0]}),
        "given twice",
    ),
    "csr, value 2": ("p.npz", npz(**{**CSR, "data": [1, 2]}), "row 1, column 1 is 2"),
    "csr, float pointers": ("p.npz", npz(**{**CSR, "indptr": [0.0, 1.0, 2.0]}), "indptr"),
    "csr, no shape": ("p.npz", npz(**{k: v for k, v in CSR.items() if k != "shape"}), "shape"),
    "csr, no data": ("p.npz", npz(**{k: v for k, v in CSR.items() if k != "data"}), "data"),
    "csr, strange shape": ("p.npz", npz(**{**CSR, "shape": [2]}), "dimensions"),
    "csr, strange format": ("p.npz", npz(**{**CSR, "format": 7}), "layout '7'"),
    "csc, damaged": ("p.npz", npz(**{**CSR, "format": "csc", "indices": [0, 9]}), "damaged"),
    "csc, many columns": (
        "p.npz",
        npz(**{**CSR, "format": "csc", "shape": [2, 10**12]}),
        "side of more than",
    ),
    "coo, no coordinates": ("p.npz", npz(**COO), "no array 'row'"),
    "coo, row beyond": ("p.npz", npz(**COO, row=[0, 2], col=[0, 1]), "coordinates do not fit"),
    "coo, column beyond": ("p.npz", npz(**COO, row=[0, 1], col=[0, 2]), "column index"),
    "coo, too many rows": ("p.npz", npz(**COO, row=[0, 1, 1], col=[0, 1]), "do not fit"),
    "coo, three axes": ("p.npz", npz(**COO, coords=[[0], [0], [0]]), "two rows of integers"),
}


@pytest.mark.parametrize("case", CASES)
def test_one_line_that_names_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    name, content, message = CASES[case]
    monkeypatch.chdir(tmp_path)
    Path(name).write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        load(name)
    text = str(caught.value)
    assert text.startswith(name)
    assert "\n" not in text.strip()
    assert not Path("unpickled").exists()


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"p\.npz: No such file"):
        load(tmp_path / "p.npz")


def test_a_directory(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="directory"):
        load(tmp_path)


def test_a_name_that_no_file_can_have() -> None:
    with pytest.raises(InputError, match="null"):
        load("a\0b")


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_an_unreadable_file() -> None:
    # Reading the own memory at address 0 fails for everybody, the administrator included.
    with pytest.raises(InputError, match=r"/proc/self/mem: "):
        load("/proc/self/mem")


def test_damaged_lzma(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "p.npz", "w", zipfile.ZIP_LZMA) as file:
        file.writestr("S.npy", npy("(50, 50)", os.urandom(2500)))
    content = bytearray((tmp_path / "p.npz").read_bytes())
    content[200:1500] = bytes(1300)
    (tmp_path / "p.npz").write_bytes(content)
    with pytest.raises(InputError, match=r"p\.npz: "):
        load(tmp_path / "p.npz")


def test_text_arrays_do_not_unfold_without_end(tmp_path: Path) -> None:
    write_bomb(tmp_path / "p.npz", "S", npy("(1000, 1000)", descr="<U300"), 1_200_000_000)
    with pytest.raises(InputError, match="would unfold"):
        load(tmp_path / "p.npz")


@pytest.mark.parametrize("end", [" ", "\t", "\r", "", "\n\n"])
def test_matrix_market_may_end_as_it_likes(tmp_path: Path, end: str) -> None:
    head = "%%MatrixMarket matrix coordinate integer general\n%c\n2 2 2\n"
    (tmp_path / "p.mtx").write_text(head + "1 1 1\n2 2 1" + end)
    assert load(tmp_path / "p.mtx").to_text() == "10\n01"


def test_a_zip_bomb_is_refused_unread(tmp_path: Path) -> None:
    head, ones = npy("(4000000,)", descr="<U100"), npy("(4000000, 1)", b"\1" * 4_000_000)
    write_bomb(tmp_path / "p.npz", "queries", head, 1_600_000_000, S=ones)
    assert (tmp_path / "p.npz").stat().st_size < 10_000_000
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(InputError, match="would unfold to 1600000000 bytes"):
        load(tmp_path / "p.npz")
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 500_000  # KiB


def test_a_central_directory_that_lies_about_the_size(tmp_path: Path) -> None:
    content = zipped({"S.npy": npy("(100000, 100000)", b"\1")})
    size = len(npy("(100000, 100000)")) + 1
    lie = struct.pack("<I", 4_000_000_000)
    at = content.rindex(struct.pack("<I", size))  # the uncompressed size in the central directory
    (tmp_path / "p.npz").write_bytes(content[:at] + lie + content[at + 4 :])
    with pytest.raises(InputError, match="claims"):
        load(tmp_path / "p.npz")


VALID = {
    "npz": npz(S=S, care=S, row_names=["a", "b", "c"]),
    "sparse": npz(**CSR),
    "npy": npy("(3, 3)", S.tobytes()),
    "csv": b"1,0,*\n0,1,1\n",
    "mtx": b"%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 1 1\n2 2 1\n",
    "jsonl": b'{"q1": ["a", "b"]}\n{"q2": {"a": 1}}\n',
    "qrels": b"q1 0 a 1\nq2 0 b 1\n",
    "tsv": b"q1\ta\t1\nq2\tb\t1\n",
}


@pytest.mark.filterwarnings("ignore")
@given(st.sampled_from(sorted(VALID)), st.data())
def test_random_damage_is_an_input_error_or_a_pattern(kind: str, data: st.DataObject) -> None:
    content = bytearray(VALID[kind])
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, max(0, len(content) - 1)))
        match data.draw(st.sampled_from(["change", "cut", "insert", "drop"])):
            case "change" if content:
                content[at] = data.draw(st.integers(0, 255))
            case "cut":
                del content[at:]
            case "insert":
                content[at:at] = data.draw(st.binary(max_size=8))
            case "drop":
                del content[at : at + data.draw(st.integers(1, 8))]
    with suppress(InputError):
        assert load(io.BytesIO(bytes(content))).row_ones.min() > 0


@pytest.mark.filterwarnings("ignore")
@given(st.binary(max_size=200), st.sampled_from([entry.name for entry in FORMATS]))
@example(b"PK\x03\x04" + bytes(60), "npz")
@example(b"1e400,1\n", "text")
@example(b"9" * 6000, "text")
def test_any_bytes_as_any_format(content: bytes, name: str) -> None:
    with suppress(InputError):
        assert load(io.BytesIO(content), format=name).row_ones.min() > 0


def test_a_member_that_begins_before_its_file(tmp_path: Path) -> None:
    content = npz(S=S)
    place = content.rindex(b"PK\x05\x06") + 16  # where the directory of the zip file begins
    (start,) = struct.unpack_from("<I", content, place)
    path = tmp_path / "S.npz"
    path.write_bytes(content[:place] + struct.pack("<I", start + 10) + content[place + 4 :])
    with pytest.raises(InputError, match=r"S\.npz: not a readable npz \(zip\) file"):
        load(path)
    result = run("binarize", str(path), "--top-k", "1", "--output", str(tmp_path))
    refused(result, f"{path}: not a readable")
