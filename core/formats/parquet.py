"""Vectors with ids in Parquet: a column of ids, and one of lists of numbers."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from samapprox.errors import InputError
from samapprox.support.packages import require_package
from samapprox.vectors import VectorSet

__all__ = ["load_parquet"]


def load_parquet(path: str | os.PathLike[str]) -> VectorSet:
    """Read the one column of lists as vectors, and the one column of text or whole numbers as ids.

    Further columns are allowed if one of the candidates is named `id`. Lists become float32 or
    float64, as they are stored. Raises InputError: pyarrow is missing, or the file has no such
    columns.
    """
    path = Path(path)
    require_package("pyarrow", "parquet", f"{path}: Parquet")
    import pyarrow
    import pyarrow.parquet

    try:
        table = pyarrow.parquet.read_table(path)
    except (OSError, pyarrow.ArrowException) as error:
        reason = getattr(error, "strerror", None) or str(error).partition("\n")[0]
        raise InputError(f"{path}: {reason}") from None
    with_lists = [field.name for field in table.schema if _is_list(field.type)]
    with_ids = [field.name for field in table.schema if _is_id(field.type)]
    if len(with_lists) != 1:
        raise InputError(
            f"{path}: {len(with_lists)} columns of lists of numbers ({', '.join(with_lists)}); "
            "vectors are one such column"
        )
    if "id" in with_ids:
        with_ids = ["id"]
    if len(with_ids) > 1:
        raise InputError(
            f"{path}: the columns {', '.join(with_ids)} may all be ids; name one of them `id`"
        )
    try:
        vectors = _read_vectors(table.column(with_lists[0]).combine_chunks())
        ids = None
        if with_ids:
            column = table.column(with_ids[0])
            if column.null_count:
                raise InputError(f"the column {with_ids[0]!r} has ids that are null")
            ids = tuple(map(str, column.to_pylist()))
        return VectorSet(vectors, first_ids=ids)
    except InputError as error:
        raise error.within(str(path)) from None


def _is_list(kind: Any) -> bool:
    import pyarrow.types as types

    is_list = types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)
    return bool(
        is_list and (types.is_floating(kind.value_type) or types.is_integer(kind.value_type))
    )


def _is_id(kind: Any) -> bool:
    import pyarrow.types as types

    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_integer(kind))


def _read_vectors(column: Any) -> np.ndarray[Any, Any]:
    """Return lists of equal length as a matrix."""
    if column.null_count or not len(column):
        raise InputError("the column of lists is empty or has nulls; every row needs a vector")
    import pyarrow.compute as compute

    lengths = compute.list_value_length(column).to_numpy(zero_copy_only=False)
    if (lengths != lengths[0]).any():
        place = int(np.flatnonzero(lengths != lengths[0])[0])
        raise InputError(
            f"vector {place} has {lengths[place]} numbers, the first vector has {lengths[0]}; "
            "every vector needs the same dimension"
        )
    flat = column.flatten()
    if flat.null_count:
        raise InputError("a vector has numbers that are null")
    return np.asarray(flat.to_numpy(zero_copy_only=False)).reshape(len(column), int(lengths[0]))
