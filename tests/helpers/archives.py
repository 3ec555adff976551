"""Zip files that unfold to far more than they hold."""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path

_BLOCK = 100_000_000


def write_bomb(path: Path, name: str, head: bytes, zeros: int, **others: bytes) -> None:
    """Write a zip file with a member that unfolds to this many bytes of zeros.

    One block is compressed, and repeated. The checksum is wrong, so reading the member to its end
    fails, too.
    """
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
        for other, content in others.items():
            file.writestr(f"{other}.npy", content)
        blocks = zeros // _BLOCK
        packed = _compress(head) + blocks * _compress(bytes(_BLOCK)) + _compress(b"", zlib.Z_FINISH)
        member = zipfile.ZipInfo(f"{name}.npy")
        member.compress_type = zipfile.ZIP_DEFLATED
        member.CRC, member.compress_size = 0, len(packed)
        member.file_size, member.header_offset = len(head) + blocks * _BLOCK, file.fp.tell()
        file.fp.write(member.FileHeader(zip64=True) + packed)
        file.start_dir, file._didModify = file.fp.tell(), True
        file.filelist.append(member)
        file.NameToInfo[member.filename] = member


def _compress(content: bytes, end: int = zlib.Z_FULL_FLUSH) -> bytes:
    """Compress a part of a stream, to which others can be joined."""
    stream = zlib.compressobj(1, zlib.DEFLATED, -zlib.MAX_WBITS)
    return stream.compress(content) + stream.flush(end)
