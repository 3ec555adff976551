"""Zip files that unfold to far more than they hold."""

from __future__ import annotations

import zipfile
from pathlib import Path


def write_bomb(path: Path, name: str, head: bytes, zeros: int, **others: bytes) -> None:
    """Write a zip file with a member that unfolds to this many bytes of zeros."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
        for other, content in others.items():
            file.writestr(f"{other}.npy", content)
        with file.open(f"{name}.npy", "w", force_zip64=True) as stream:
            stream.write(head)
            for _ in range(zeros // 100_000_000):
                stream.write(bytes(100_000_000))
