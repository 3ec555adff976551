"""Arguments and options that several sub-commands share, each defined once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from samapprox import Instance, load_instance
from samapprox.cli.files import CERTIFICATE, PICTURE, FileToWrite
from samapprox.cli.terminal import echo, show_progress
from samapprox.cli.values import (
    PATTERN_ENDINGS,
    Checked,
    Decorator,
    ParamType,
    complete_files,
    complete_names,
    gather,
    take_one,
    together,
)
from samapprox.errors import InputError, errors_within
from samapprox.formats import FORMATS, format_named
from samapprox.instance import UNJUDGED, Grading, Unjudged
from samapprox.problem import require_dimension
from samapprox.similarities import ATTENTION, SIMILARITIES, VALUE_SETS, SimilarityLike
from samapprox.support.limits import require_memory_limit, require_time_limit
from samapprox.support.packages import lazy_modules, require_name

if TYPE_CHECKING:
    from samapprox import Certificate
    from samapprox.pattern import Pattern
    from samapprox.proofs.base import Proof
    from samapprox.sign_matrix import SignMatrix


def format_option(text: str) -> Decorator[Any]:
    """``--format``: parameter `file_format`."""
    return click.option(
        "--format",
        "file_format",
        type=Checked(click.STRING, format_named),
        shell_complete=complete_names(lambda: [known.name for known in FORMATS]),
        help=text,
    )


judgements = together(
    click.option(
        "--relevant",
        metavar="GRADE",
        type=Checked(click.INT, lambda grade: Grading(relevant=grade)),
        default=Grading().relevant,
        show_default=True,
        help="For retrieval judgements: the least grade that counts as relevant (1).",
    ),
    click.option(
        "--unjudged",
        type=click.Choice(UNJUDGED),
        default=Grading().unjudged,
        show_default=True,
        help="For retrieval judgements: whether unjudged pairs are 0 or *.",
    ),
)
"""``--relevant`` and ``--unjudged``: parameters `relevant` and `unjudged`."""


@dataclass(frozen=True, slots=True)
class Source:
    """The file or stream that a command reads, and the options for reading it."""

    path: str
    file_format: str | None
    key: str | None
    relevant: int = Grading().relevant
    unjudged: Unjudged = Grading().unjudged
    causal: bool = False

    @property
    def origin(self) -> dict[str, Any]:
        """The members of documents about the source."""
        return {"source": self.path, "causal": self.causal}

    def read(self) -> Instance:
        """Read the pattern with the known facts about it."""
        with _show_reading(self.path):
            instance = load_instance(
                self.path,
                format=self.file_format,
                key=self.key,
                relevant=self.relevant,
                unjudged=self.unjudged,
            )
        return self._ignore_later(instance)

    def read_matrix(self) -> Instance:
        """Read a pattern as `read` does, or a sign matrix if the entries are signs."""
        from samapprox.formats.signs import load_matrix
        from samapprox.sign_matrix import SignMatrix

        with _show_reading(self.path):
            grading = Grading(self.relevant, self.unjudged)
            instance = load_matrix(
                self.path, format=self.file_format, key=self.key, grading=grading
            )
        if self.causal and isinstance(instance.pattern, SignMatrix):
            raise InputError(
                f"{self.path}: --causal is for patterns, and this is a matrix of signs"
            )
        return self._ignore_later(instance)

    def read_signs(self) -> SignMatrix:
        """Read a sign matrix: see `samapprox.formats.signs.as_sign_matrix`."""
        from samapprox.formats.signs import as_sign_matrix

        with _show_reading(self.path):
            return as_sign_matrix(self.path, format=self.file_format, key=self.key)

    def read_for(self, certificate: Certificate) -> Pattern:
        """Read what a certificate is about: a pattern, or for ranks a sign matrix."""
        from samapprox.proofs.questions import Rank

        if certificate.task != Rank.TASK:
            return self.read().pattern
        if self.causal:
            raise InputError("--causal is for patterns, and this certificate is about a rank")
        return self.read_signs()

    def _ignore_later(self, instance: Instance) -> Instance:
        """Ignore the entries above the diagonal, if attention is causal."""
        with errors_within(self.path):
            return instance.causal() if self.causal else instance


def _source_argument(name: str, *more: Decorator[Any]) -> Decorator[Any]:
    return together(
        click.argument("path", metavar=name, shell_complete=complete_files(PATTERN_ENDINGS)),
        format_option(f"Format of {name}, if it cannot be recognised."),
        click.option("--key", help="Array of an npz file to read; S[3] is matrix 3 of a stack S."),
        *more,
        gather("source", Source),
    )


pattern = _source_argument("PATTERN", judgements)
"""PATTERN, and options for reading it; with `causal`, parameter `source`: a `Source`."""

matrix = _source_argument("MATRIX")
"""MATRIX, a sign matrix, and options for reading it: parameter `source`, a `Source`."""

causal = click.option(
    "--causal", is_flag=True, help="Ignore entries above the diagonal (causal attention)."
)
"""``--causal``: parameter `causal`."""


def _show_reading(source: str) -> AbstractContextManager[object]:
    return show_progress(f"reading {source}") if source != "-" else nullcontext()


def require_index(option: str, kind: str, index: int, size: int) -> None:
    """Refuse a row or column that a pattern does not have."""
    if not 0 <= index < size:
        raise InputError(f"{option}: there is no {kind} {index}; {kind}s are 0..{size - 1}")


as_json = click.option(
    "--json", "as_json", is_flag=True, help="Print the answer as a JSON document."
)
"""``--json``: parameter `as_json`."""

EXIT_CODES = {"YES": 10, "NO": 20, "UNKNOWN": 30}
"""The exit status of each answer with ``--exit-code``."""

exit_code = click.option(
    "--exit-code", is_flag=True, help="Exit with 10 for YES, 20 for NO, 30 for UNKNOWN."
)
"""``--exit-code``: parameter `exit_code`."""

certificate = click.option(
    "--certificate",
    type=CERTIFICATE,
    help="Save the certificate to this file; - is standard output.",
)
"""``--certificate``, a file to write: parameter `certificate`."""


picture = click.option(
    "-o", "--output", type=PICTURE, required=True, help="Picture to write: a png, svg or pdf file."
)
"""``-o`` of commands that draw: parameter `output`."""


def _arithmetics() -> tuple[str, ...]:
    from samapprox.precision import EMBEDDING_FORMATS

    return (*EMBEDDING_FORMATS, *VALUE_SETS)


def _arithmetic_option(text: str, *names: str, **more: Any) -> Decorator[Any]:
    formats = "float64, float32, bfloat16, float16, float8_e4m3, float8_e5m2 or int8"
    return click.option(
        "--arithmetic",
        *names,
        multiple=True,
        type=Checked(click.STRING, lambda name: require_name("arithmetic", name, _arithmetics())),
        shell_complete=complete_names(_arithmetics),
        help=f"{text.format(formats)} With {', '.join(VALUE_SETS[:-1])} or {VALUE_SETS[-1]}, the "
        "question is about queries and keys with such entries alone.",
        **more,
    )


arithmetics = _arithmetic_option(
    "Also test the embedding of a YES in {} (may be repeated).", "arithmetics"
)
"""``--arithmetic``, which may be repeated: parameter `arithmetics`."""

embedding_format = _arithmetic_option(
    "Also find a small d whose embedding represents the pattern in this number format, in half of "
    "the time: {}.",
    callback=take_one,
)
"""``--arithmetic``, at most once: parameter `arithmetic`."""

batch_arithmetic = _arithmetic_option(
    "For dim: find the least d whose embedding represents the pattern in this number format: {}.",
    callback=take_one,
)
"""``--arithmetic`` of many patterns, at most once: parameter `arithmetic`."""


def time_limit(
    text: str = "Give up with UNKNOWN after this many seconds.", *, default: float = 60.0
) -> Decorator[Any]:
    """``--time-limit``: parameter `time_limit`."""
    return click.option(
        "--time-limit",
        type=Checked(click.FLOAT, require_time_limit),
        default=default,
        show_default=True,
        help=text,
    )


def seed(
    text: str = "Seed of all random choices: the same seed, the same answer.",
) -> Decorator[Any]:
    """``--seed``: parameter `seed`."""
    return click.option("--seed", type=int, default=0, show_default=True, help=text)


class Bytes(ParamType[int]):
    """A size in bytes, or with K, M or G in powers of 1024."""

    name = "size"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        """Return the number of bytes."""
        match = re.fullmatch(r"(\d{1,12}(?:\.\d{1,6})?) ?([KMG]?)i?B?", str(value).strip(), re.I)
        if match is None:
            self.fail(f"{value!r} is not a size such as 500M or 2GB", param, ctx)
        return int(float(match[1]) * 1024 ** " KMG".index(match[2].upper() or " "))


memory_limit = click.option(
    "--memory-limit",
    type=Checked(Bytes(), require_memory_limit),
    help="Give up with UNKNOWN when more memory than this is needed, such as 500M or 2G.",
)
"""``--memory-limit``: parameter `memory_limit`."""


DIMENSION = Checked(click.INT, lambda d: require_dimension("d", d))
"""The type of options for a query/key dimension."""

HIDDEN_DIMENSION = Checked(click.INT, lambda d_hid: require_dimension("d_hid", d_hid))
"""The type of options for a hidden dimension."""


def _strategies() -> list[str]:
    """Return the strategies for all similarities; the library knows which are for which."""
    from samapprox.solvers.engine.portfolio import strategies_for

    similarities = (*SIMILARITIES, *VALUE_SETS)
    records = (record for similarity in similarities for record in strategies_for(similarity))
    return list(dict.fromkeys(record.name for record in records))


def _strategy_option(text: str, *names: str) -> Decorator[Any]:
    return click.option(
        *names,
        multiple=True,
        type=Checked(click.STRING, lambda name: require_name("strategy", name, _strategies())),
        shell_complete=complete_names(_strategies),
        help=f"{text} (may be repeated).",
    )


strategies = together(
    _strategy_option("Use only this strategy", "--only", "--method"),
    _strategy_option("Leave this strategy out", "--without"),
)
"""``--only`` and ``--without``: parameters `only` and `without`."""

dimensions = together(
    click.option(
        "-d", "d", type=DIMENSION, default=1, show_default=True, help="Query/key dimension."
    ),
    click.option(
        "--d-hid",
        type=HIDDEN_DIMENSION,
        help="Hidden dimension of X: queries X W_Q and keys X W_K share X (matters below 2d).",
    ),
)
"""``-d`` and ``--d-hid``: parameters `d` and `d_hid`."""


def choose_similarity(similarity: str, arithmetics: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Return the similarity to ask about, and the number formats to test.

    A set of values among the arithmetics takes the place of the similarity.
    """
    sets = [name for name in arithmetics if name in VALUE_SETS]
    if not sets:
        return similarity, tuple(arithmetics)
    if len(arithmetics) > 1 or similarity != ATTENTION.name:
        others = [name for name in arithmetics if name != sets[0]] or [similarity]
        raise InputError(
            f"--arithmetic {sets[0]} is a question of its own; leave out {', '.join(others)}"
        )
    return sets[0], ()


similarity = click.option(
    "--similarity",
    type=click.Choice(SIMILARITIES),
    default=ATTENTION.name,
    show_default=True,
    help="How queries and keys are compared: dot products, dot products with keys on a sphere "
    "(cosine), or Euclidean distance (l2).",
)
"""``--similarity``: parameter `similarity`."""


def vectors_kind(path: str) -> str:
    """Return the ending of a file of vectors; refuse one that they are not written with."""
    if Path(path).suffix.lower() != ".npz":
        raise InputError(f"{path}: queries and documents are saved as .npz")
    return ".npz"


@dataclass(frozen=True, slots=True)
class SavedEmbedding:
    """The file for queries and keys, and whether it may be overwritten."""

    save_embedding: str | None
    force: bool

    def require_place(self, arithmetics: Sequence[str] = ()) -> None:
        """Refuse a file that exists and formats that it cannot have, before any search."""
        if self.save_embedding is None:
            if self.force:
                raise InputError("--force needs --save-embedding")
            return
        if not self.force and Path(self.save_embedding).exists():
            raise InputError(f"{self.save_embedding}: the file exists; --force overwrites it")
        if arithmetics:
            from samapprox.solvers.questions.evaluation.rounding import require_format

            for arithmetic in arithmetics:
                require_format(arithmetic)

    def write(
        self,
        pattern: Pattern,
        proof: Proof | None,
        similarity: SimilarityLike,
        arithmetic: str | None = None,
    ) -> None:
        """Write the vectors of a proof of YES, if they are wanted and right in the format."""
        path = self.save_embedding
        if path is None:
            return
        from samapprox.proofs.base import Witness

        if not isinstance(proof, Witness):  # an answer nevertheless, which sets the exit status
            echo(f"samapprox: no file is written to {path}: no embedding was found", err=True)
            return
        if similarity in VALUE_SETS:  # the file does not say which values its numbers have
            similarity = ATTENTION
        from samapprox.formats.vectors import save_vectors
        from samapprox.solvers.questions.evaluation.rounding import round_embedding

        with show_progress(f"writing {path}"):
            try:
                vectors = round_embedding(
                    pattern, proof, similarity=similarity, arithmetic=arithmetic or "float32"
                )
            except InputError as error:
                raise InputError(f"{path}: no file is written: {error}") from None
            save_vectors(vectors, path)
        echo(f"samapprox: queries and documents saved to {path}", err=True)


def saved_embedding(
    rule: str = "in float32 or in the --arithmetic, if every row is right in it",
) -> Decorator[Any]:
    """Add ``--save-embedding`` and ``--force``: parameter `saved`, a `SavedEmbedding`.

    `rule`: what the help says about formats and wrong rows.
    """
    return together(
        click.option(
            "--save-embedding",
            type=FileToWrite("samapprox.cli.options:vectors_kind", (".npz",)),
            help=f"Save queries and documents of a YES with their ids (npz), {rule}.",
        ),
        click.option("--force", is_flag=True, help="Let --save-embedding overwrite a file."),
        gather("saved", SavedEmbedding),
    )


__getattr__, __dir__ = lazy_modules(__name__)
