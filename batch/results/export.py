"""Result files as Parquet, CSV or JSON lines."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, BinaryIO

from samapprox.batch.results.known_tasks import KNOWN_TASKS
from samapprox.batch.results.store import Store
from samapprox.errors import InputError, require_path
from samapprox.support.atomic import replacing
from samapprox.support.packages import require_package

_AT_ONCE = 10_000

Rows = Iterator[Sequence[tuple[Any, ...]]]
Writer = Callable[[BinaryIO, dict[str, str], Rows], None]


def export(store: Store, path: str | Path) -> None:
    """Write the view ``results``: one row per instance and question, without the evidence.

    Parameters
    ----------
    store : Store
        The result file, open.
    path : path
        The ending must be .parquet (needs pyarrow), .csv or .jsonl.

    Raises
    ------
    InputError
        The ending is another one, pyarrow is missing, or the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> from samapprox.batch import Question, Store, run
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     results = folder + "/results.sqlite"
    ...     _ = run(["line:rows=3,columns=4,count=2"], Question("decide", d=1), results, jobs=1)
    ...     with Store(results) as store:
    ...         export(store, folder + "/results.csv")
    ...     len(Path(folder, "results.csv").read_text().splitlines())
    3
    """
    write = require_exportable(path)
    columns, rows = _read(store)
    with replacing(Path(path)) as stream:
        write(stream, columns, rows)


def require_exportable(path: str | Path) -> Writer:
    """Refuse a file name to which results cannot be exported.

    Parameters
    ----------
    path : path
        The ending must be .parquet (needs pyarrow), .csv or .jsonl.

    Returns
    -------
    callable
        The function that writes this format; `export` calls it.

    Raises
    ------
    InputError
        Another ending, or pyarrow is missing.

    Examples
    --------
    >>> require_exportable("results.xls")
    Traceback (most recent call last):
    ...
    samapprox.errors.InputError: results.xls: results are exported as .parquet, .csv, .jsonl
    """
    require_path("path", path)
    ending = Path(path).suffix.lower()
    if ending not in _WRITERS:
        raise InputError(f"{path}: results are exported as {', '.join(_WRITERS)}")
    if ending == ".parquet":
        require_package("pyarrow", "parquet", f"{path}: Parquet")
    return _WRITERS[ending]


def _read(store: Store) -> tuple[dict[str, str], Rows]:
    """The columns with their SQL types, and all rows, some thousands at a time."""
    listed = store.query("SELECT name, type FROM pragma_table_info('results')").fetchall()
    columns = {name: kind for name, kind in listed if name != "question"}
    if any(not KNOWN_TASKS[asked.task].is_whole for asked in store.questions().values()):
        columns |= {"lower": "REAL", "upper": "REAL"}  # margins and shares are no whole numbers

    def rows() -> Rows:
        query = f"SELECT {', '.join(columns)} FROM results ORDER BY question, name"
        with closing(store.query(query)) as cursor:
            while some := cursor.fetchmany(_AT_ONCE):
                yield some

    return columns, rows()


def _write_csv(stream: BinaryIO, columns: dict[str, str], rows: Rows) -> None:
    text = io.TextIOWrapper(stream, encoding="utf-8", newline="", write_through=True)
    writer = csv.writer(text)
    writer.writerow(columns)
    for some in rows:
        writer.writerows(some)
    text.detach()  # the stream is not ours to close


def _write_jsonl(stream: BinaryIO, columns: dict[str, str], rows: Rows) -> None:
    for some in rows:
        for row in some:
            document = dict(zip(columns, row, strict=True))
            stream.write(json.dumps(document, ensure_ascii=False).encode() + b"\n")


def _write_parquet(stream: BinaryIO, columns: dict[str, str], rows: Rows) -> None:
    import pyarrow
    import pyarrow.parquet

    kinds = {"TEXT": pyarrow.string(), "REAL": pyarrow.float64()}
    schema = pyarrow.schema(
        [(name, kinds.get(kind, pyarrow.int64())) for name, kind in columns.items()]
    )
    with pyarrow.parquet.ParquetWriter(stream, schema) as writer:
        for some in rows:
            arrays = [
                pyarrow.array(values, field.type)
                for values, field in zip(zip(*some, strict=True), schema, strict=True)
            ]
            writer.write_table(pyarrow.Table.from_arrays(arrays, schema=schema))


_WRITERS: dict[str, Writer] = {
    ".parquet": _write_parquet,
    ".csv": _write_csv,
    ".jsonl": _write_jsonl,
}
