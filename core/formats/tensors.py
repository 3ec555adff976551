"""Formats of tensors, recognised by how a file begins."""

from __future__ import annotations

from pathlib import PurePath

__all__ = ["TENSOR_ENDINGS", "TORCH_ENDINGS", "tensor_format"]

TORCH_ENDINGS = (".pt", ".pth", ".bin")
"""Names of files that torch.save writes."""

TENSOR_ENDINGS = (".npy", ".npz", ".safetensors", *TORCH_ENDINGS)
"""Names of files that hold tensors."""

_PICKLE = b"\x80"
_LONGEST_HEADER = 100_000_000  # of safetensors


def tensor_format(name: str, head: bytes) -> str | None:
    """Recognise the format of a file of tensors.

    Parameters
    ----------
    name : str
        File name; its ending counts where the first bytes leave a choice.
    head : bytes
        The first bytes of the file, at least 64 of a longer file.

    Returns
    -------
    {"npy", "npz", "safetensors", "torch"} or None

    Examples
    --------
    >>> tensor_format("a.npy", bytes([0x93]) + b"NUMPY")
    'npy'
    >>> tensor_format("pattern.txt", b"1 0 *") is None
    True
    """
    ending = PurePath(name).suffix.lower()
    if head.startswith(b"\x93NUMPY"):
        return "npy"
    if head.startswith(b"PK"):
        first_member = head[30 : 30 + int.from_bytes(head[26:28], "little")]
        return "torch" if first_member.endswith(b"/data.pkl") else "npz"
    if ending == ".safetensors" or (
        head[8:9] == b"{" and int.from_bytes(head[:8], "little") <= _LONGEST_HEADER
    ):
        return "safetensors"
    if ending in TORCH_ENDINGS and head.startswith(_PICKLE):
        return "torch"
    return None
