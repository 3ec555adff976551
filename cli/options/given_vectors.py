"""Options for sets of vectors, for given vectors and runs, their measures and their join."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from samapprox.cli.options import as_json
from samapprox.cli.values import Decorator, complete_files, gather, together
from samapprox.errors import InputError, errors_within

if TYPE_CHECKING:
    from samapprox.vectors import VectorSet


VECTOR_ENDINGS = (".npz", ".npy", ".txt", ".csv")
"""The endings of files with vectors."""

vectors_options = together(
    click.option("--key", help="Array of an npz file to read; two arrays as A,B."),
    click.option(
        "--threads", type=click.IntRange(1, 1024), help="Number of threads; all cores by default."
    ),
    as_json,
)
"""Options for reading and searching vectors: parameters `key`, `threads` and `as_json`."""

vectors = together(
    click.argument("source", metavar="VECTORS", shell_complete=complete_files(VECTOR_ENDINGS)),
    vectors_options,
)
"""VECTORS, with `vectors_options`: parameters `source`, `key`, `threads` and `as_json`."""


@dataclass(frozen=True, slots=True)
class GivenVectors:
    """Files of vectors and of their ids, and the rule for their join with a pattern."""

    embeddings: str | None
    query_ids: str | None
    document_ids: str | None
    by_position: bool
    skip_missing: bool
    truncate: str | None

    @property
    def lengths(self) -> list[int]:
        """The lengths to which vectors are cut."""
        try:
            return [int(length) for length in (self.truncate or "").split(",")]
        except ValueError:
            raise InputError(
                f"--truncate: {self.truncate!r} are no lengths such as 16,32,64"
            ) from None

    @property
    def files(self) -> list[str]:
        """The files of vectors."""
        return [] if self.embeddings is None else self.embeddings.split(",")

    @property
    def sources(self) -> list[str]:
        """All files that are read."""
        return [*self.files, *(ids for ids in (self.query_ids, self.document_ids) if ids)]

    @property
    def joining(self) -> dict[str, bool]:
        """The options of the join."""
        return {"by_position": self.by_position, "skip_missing": self.skip_missing}

    def require_none(self, *, but: str | None = None) -> None:
        """Refuse options that nothing is done with, as there are no vectors, but perhaps one."""
        for name in ("query_ids", "document_ids", "by_position", "skip_missing", "truncate"):
            if getattr(self, name) and name != but:
                raise InputError(f"--{name.replace('_', '-')} needs --embeddings")

    def read(self) -> VectorSet:
        """Read the vectors and their ids."""
        from samapprox.attention.weights.embeddings import load_embeddings
        from samapprox.formats.vectors import load_ids

        if "" in self.files:
            raise InputError("--embeddings: a name is empty; give Q,K or one file of both")
        vectors = load_embeddings(self.files)
        for name, file in (("first_ids", self.query_ids), ("second_ids", self.document_ids)):
            if file is not None:
                ids = load_ids(file)
                with errors_within(file):
                    vectors = vectors.name(**{name: ids})
        return vectors


given_vectors_options: Decorator[Any] = together(
    click.option(
        "--embeddings",
        metavar="Q,K",
        help="Evaluate these embeddings instead: files of queries and keys (npy, npz, parquet, "
        "safetensors or text), or one file of both.",
    ),
    click.option(
        "--query-ids",
        metavar="FILE",
        help="Ids of the queries of --embeddings: one a line, a JSON list, npy or npz.",
    ),
    click.option("--document-ids", metavar="FILE", help="Ids of the keys of --embeddings."),
    click.option(
        "--by-position",
        is_flag=True,
        help="Vectors without ids stand in the order of PATTERN, which `show --ids` prints.",
    ),
    click.option(
        "--skip-missing",
        is_flag=True,
        help="Leave out the queries and documents of PATTERN that have no vector.",
    ),
    click.option(
        "--truncate",
        metavar="D,..",
        help="Evaluate the leading coordinates of --embeddings, for each of these lengths.",
    ),
    gather("given", GivenVectors),
)
"""``--embeddings`` and the options for its ids: parameter `given`, a `GivenVectors`."""


@dataclass(frozen=True, slots=True)
class GivenRuns:
    """Files of runs, and the names of measures."""

    runs: tuple[str, ...]
    measures: str | None

    @property
    def names(self) -> list[str]:
        """The names of the measures, which commas or blanks separate."""
        return [] if self.measures is None else _split(self.measures)


def _split(text: str) -> list[str]:
    """Split a text at commas and blanks outside brackets.

    >>> _split("R@10, nDCG(dcg='log2',cutoff=5) RR")
    ['R@10', "nDCG(dcg='log2',cutoff=5)", 'RR']
    """
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter in ", " and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return [part for part in parts if part]


runs_options: Decorator[Any] = together(
    click.option(
        "--run",
        "runs",
        multiple=True,
        metavar="FILE",
        help="Evaluate this run of judged queries instead (TREC's six columns; may be repeated).",
    ),
    click.option(
        "--measures",
        help="Measures of --run and --truncate by ir_measures' names, such as 'R@10 nDCG@10 RR'.",
    ),
    gather("given_runs", GivenRuns),
)
"""``--run`` and ``--measures``: parameter `given_runs`, a `GivenRuns`."""
