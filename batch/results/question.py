"""Questions of a batch: a task with its parameters."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from samapprox.batch.results.known_tasks import KNOWN_TASKS, TASKS, Task
from samapprox.errors import InputError, abridge, require_flag, require_type, require_whole
from samapprox.instance import UNJUDGED, Grading, Unjudged
from samapprox.problem import require_dimension
from samapprox.proofs.members import LARGEST
from samapprox.proofs.questions import RANK_KINDS, UNITS, RankKind, Unit
from samapprox.similarities import ATTENTION, SIMILARITIES, VALUE_SETS, Similarity, find_comparison
from samapprox.support.documents import Schema, choice, flag, nullable, number, text, whole, write
from samapprox.support.limits import require_time_limit
from samapprox.support.packages import require_name
from samapprox.support.text import plural
from samapprox.version import __version__

_LAYERS = 16  # on a mask, by default


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of questions, as documents and the command line have it."""

    schema: Schema | None  # of its member in documents; None: they do not have it
    option: str = ""  # for parameters that belong to some tasks only
    help: str = ""
    needed: str = ""  # its name in a message that it is missing


PARAMETERS = {
    "task": Parameter(choice(*TASKS)),
    "d": Parameter(
        nullable(whole(1)),
        "-d",
        "Query/key dimension, for decide, fit and margin.  [default for decide: 1; for margin: "
        "any]",
        needed="a dimension (d, -d)",
    ),
    "d_hid": Parameter(nullable(whole(1)), "--d-hid", "Hidden dimension of X, for decide."),
    "similarity": Parameter(
        choice(*SIMILARITIES, *VALUE_SETS),
        "--similarity",
        "Similarity of queries and keys, for decide, dim, evaluate and fit.",
    ),
    "arithmetic": Parameter(
        nullable(text("For dim: the number format of embeddings; otherwise null.")), "--arithmetic"
    ),
    "unit": Parameter(
        choice(*UNITS, None, about="For fit: what is counted; otherwise null."),
        "--entries",
        "For fit: count wrong entries instead of rows.",
    ),
    "at": Parameter(
        nullable(whole(1, "K, if rows are to be right at K; otherwise null.")),
        "--at",
        "For fit and evaluate: count the rows whose ones are not among the first K keys.",
    ),
    "kind": Parameter(
        choice(*RANK_KINDS, None, about="For rank: its kind; otherwise null."),
        "--kind",
        "For rank: thresholds 0, one for all rows, or one for each row.  [default: sign]",
    ),
    "graph": Parameter(
        nullable(text("For furthest: the mask, or null for full attention.")),
        "--graph",
        "For furthest: relay candidates on this mask, layer by layer, instead of full attention "
        "(may be repeated, to compare masks).",
    ),
    "layers": Parameter(
        nullable(whole(1, "On a mask: the most layers; otherwise null.")),
        "--layers",
        "With --graph: the most layers.  [default: 16]",
    ),
    "relabel": Parameter(
        nullable(whole(None, "Seed of new places for the tokens in every layer; null: they stay.")),
        "--relabel",
        "With --graph: put the tokens at random places of the mask in every layer.",
    ),
    "causal": Parameter(flag()),
    "relevant": Parameter(whole(1, "Of retrieval judgements: the least grade that makes a 1.")),
    "unjudged": Parameter(
        choice(*UNJUDGED, about="Of retrieval judgements: what nobody judged is 0 or *.")
    ),
    "embeddings": Parameter(
        nullable(text("For evaluate: the folder of vectors; otherwise null.")),
        "--embeddings",
        "For evaluate: the folder with queries and keys of instance NAME in NAME.npz.",
    ),
    "runs": Parameter(
        nullable(text("For evaluate: the folder of runs; otherwise null.")),
        "--runs",
        "For evaluate: the folder with the TREC run of judgement set NAME in NAME.run, NAME.trec, "
        "or one of these with .gz, instead of vectors.",
    ),
    "certificates": Parameter(
        None,
        "--certificates",
        "For verify: the certificates, in a folder or an earlier result file.",
        needed="certificates, a folder or a result file (--certificates)",
    ),
    "time_limit": Parameter(number(above=0)),
    "memory_limit": Parameter(nullable(whole(1))),
    "seed": Parameter(whole(None)),
}
"""The parameters by name, in the order of documents."""

MEMBERS = {name: one.schema for name, one in PARAMETERS.items() if one.schema is not None}
"""The members of the question in documents."""

_LIMITS = ("time_limit", "memory_limit", "seed")
_NUMBERS = ("d", "d_hid", "at", "layers", "relabel", "memory_limit", "seed")
_TEXTS = ("similarity", "arithmetic", "unit", "kind", "graph", "embeddings", "runs", "certificates")


@dataclass(frozen=True, slots=True)
class Question:
    """A task with its parameters; results for equal questions are interchangeable.

    Attributes
    ----------
    task : str
        One of ``TASKS``.
    d : int or None
        Query/key dimension; only for ``decide``, ``fit`` and ``margin``, where None stands for any.
    d_hid : int or None
        Hidden dimension of X, only for ``decide``; None for the free case.
    causal : bool
        Whether only entries on and below the diagonal count.
    relevant : int
        For retrieval judgements: the least grade that counts as 1.
    unjudged : {"zero", "unspecified"}
        For retrieval judgements: the entries of pairs without a judgement.
    time_limit : float
        Seconds for each instance.
    memory_limit : int or None
        Bytes of resident memory of the answering process.
    seed : int
        Seed of all random choices; it fits into 64 bits.
    certificates : str or None
        A folder or an earlier result file with the certificates for ``verify``.
    similarity : {"dot", "cosine", "l2"}
        For ``decide``, ``dim``, ``evaluate`` and ``fit``.
    unit : {"rows", "entries"} or None
        The items that ``fit`` counts, rows by default; None for other tasks.
    at : int or None
        K, for ``evaluate`` and ``fit``: rows are right if their ones are among the first K keys.
    kind : {"sign", "global", "row"} or None
        The kind of rank, "sign" by default; None for other tasks than ``rank``.
    graph : str or None
        The mask on which ``furthest`` relays candidates, by name or file; None for full attention.
    layers : int or None
        The most layers on this mask, 16 by default; None without a mask.
    relabel : int or None
        The seed of new places for the tokens in every layer; None if they stay.
    embeddings : str or None
        A folder with the queries and keys for ``evaluate``.
    runs : str or None
        A folder with runs for ``evaluate``, in place of vectors.
    arithmetic : str or None
        The number format in which an embedding must be right, for ``dim``: one of
        `samapprox.precision.EMBEDDING_FORMATS`.
    version : str
        The version of this package.

    Raises
    ------
    InputError
        An unknown task, a number out of range, or a choice that the task does not have.

    Examples
    --------
    >>> str(Question("decide", d=2, causal=True, version="1.0"))
    'decide d = 2 causal, 60 s, seed 0'
    >>> str(Question("dim", relevant=2, unjudged="unspecified"))
    'dim, relevant >= 2, unjudged unspecified, 60 s, seed 0'
    >>> str(Question("fit", d=2, unit="entries")), str(Question("dim", similarity="l2"))
    ('fit d = 2 entries, 60 s, seed 0', 'dim l2, 60 s, seed 0')
    >>> Question("rank").kind
    'sign'
    """

    task: Task
    d: int | None = None
    d_hid: int | None = None
    causal: bool = False
    relevant: int = 1
    unjudged: Unjudged = "zero"
    time_limit: float = 60.0
    memory_limit: int | None = None
    seed: int = 0
    certificates: str | None = None
    similarity: str = ATTENTION.name
    unit: Unit | None = None
    at: int | None = None
    kind: RankKind | None = None
    graph: str | None = None
    layers: int | None = None
    relabel: int | None = None
    embeddings: str | None = None
    runs: str | None = None
    arithmetic: str | None = None
    version: str = __version__

    def __post_init__(self) -> None:
        require_name("task", self.task, TASKS)
        require_flag("causal", self.causal)
        for name in _TEXTS:
            if getattr(self, name) is not None:
                require_type(name, getattr(self, name), str, "a text")
        for name in _NUMBERS:
            if getattr(self, name) is not None:
                require_whole(name, getattr(self, name))
                object.__setattr__(self, name, int(getattr(self, name)))
        require_whole("seed", self.seed)
        Grading(self.relevant, self.unjudged)  # refuses other values
        require_time_limit(self.time_limit)
        for seed in (self.seed, self.relabel or 0):
            if not -(1 << 63) <= seed < 1 << 63:
                raise InputError(f"the seed must fit into 64 bits, not {abridge(seed)}")
        self._require_parameters()
        for name in ("d", "d_hid"):
            if getattr(self, name) is not None:
                require_dimension(name, getattr(self, name))
        if self.d_hid is not None and not self.similarity_record.is_attention:
            raise InputError("d_hid (--d-hid) and a similarity other than dot exclude each other")
        if self.similarity in VALUE_SETS and self.task not in ("decide", "dim"):
            raise InputError(f"the task {self.task} does not take sets of values (--arithmetic)")
        self._require_format()
        self._complete("unit", UNITS)
        if self.at is not None and (self.at < 1 or self.unit == "entries"):
            raise InputError(f"at (--at) counts rows and must be at least 1, not {self.at}")
        if (self.at or 0) > LARGEST:
            raise InputError(f"at (--at) must be at most {LARGEST}, not {self.at}")
        self._complete("kind", RANK_KINDS)
        if self.is_about_vectors and (self.causal or not self.grading.is_default):
            raise InputError(
                f"the task {self.task} is about vectors, which have no entries to leave out"
            )
        self._complete_layers()
        if self.task == "evaluate":
            self._require_given()

    def _require_parameters(self) -> None:
        """Refuse parameters of other tasks, and questions that lack one of their own."""
        known = KNOWN_TASKS[self.task]
        options = {name: one.option for name, one in PARAMETERS.items() if one.option}
        given = {name for name in options if getattr(self, name) not in (None, ATTENTION.name)}
        for name in sorted(given.difference(known.parameters)):
            own = ", ".join(f"{one} ({options[one]})" for one in known.parameters) or "none"
            why = " and is about dot products" if name == "similarity" else ""
            raise InputError(
                f"the task {self.task} does not take {name} ({options[name]}){why}; it takes {own}"
            )
        for name in known.required:
            if name not in given:
                raise InputError(f"the task {self.task} needs {PARAMETERS[name].needed}")

    def _require_given(self) -> None:
        """Refuse vectors with runs, and neither of them; runs fix the order of documents."""
        if (self.embeddings is None) == (self.runs is None):
            raise InputError(
                "the task evaluate needs a folder with vectors (embeddings, --embeddings) or one "
                "with runs (runs, --runs), not both"
            )
        if self.runs is not None and (self.causal or not self.similarity_record.is_attention):
            raise InputError("runs (--runs) take no similarity (--similarity) and no --causal")

    def _require_format(self) -> None:
        """Refuse unknown number formats, and formats for other similarities than dot products."""
        if self.arithmetic is None:
            return
        if not self.similarity_record.is_attention:
            raise InputError(
                f"number formats (--arithmetic) are about dot products, not about {self.similarity}"
            )
        from samapprox.precision import require_arithmetic

        require_arithmetic(self.arithmetic)

    def _complete(self, name: str, choices: tuple[str, ...]) -> None:
        """Use the first choice where the task takes the parameter and none is given."""
        value = getattr(self, name)
        if value is None and name in KNOWN_TASKS[self.task].parameters:
            object.__setattr__(self, name, choices[0])
        elif value is not None:
            require_name(name, value, choices)

    def _complete_layers(self) -> None:
        """Use 16 layers on a mask by default; refuse layers without a mask."""
        if self.graph is None:
            if (self.layers, self.relabel) != (None, None):
                raise InputError("layers (--layers) and relabel (--relabel) need a graph (--graph)")
            return
        if self.layers is None:
            object.__setattr__(self, "layers", _LAYERS)
        elif self.layers < 1:
            raise InputError(f"layers (--layers) must be at least 1, not {self.layers}")
        if self.graph == "-":
            raise InputError("a batch cannot read its graph (--graph) from standard input")

    @property
    def is_about_vectors(self) -> bool:
        """Whether instances are sets of vectors, not patterns."""
        return KNOWN_TASKS[self.task].about_vectors

    @property
    def similarity_record(self) -> Similarity:
        """The record of the similarity."""
        return find_comparison(self.similarity)

    @property
    def number_format(self) -> str | None:
        """The number format or the set of values of queries and keys; None for real numbers.

        Examples
        --------
        >>> Question("dim", arithmetic="int8").number_format
        'int8'
        >>> Question("decide", d=2, similarity="binary").number_format
        'binary'
        """
        return self.arithmetic if self.similarity_record.values is None else self.similarity

    @property
    def measure(self) -> str:
        """The number that the bounds of a result are about.

        Examples
        --------
        >>> Question("dim").measure, Question("fit", d=1).measure
        ('the weak dimension', 'the least number of wrong rows')
        >>> Question("margin", d=2).measure
        'the largest margin in d = 2'
        """
        if self.task == "fit":
            manner = "" if self.similarity_record.is_attention else f" ({self.similarity})"
            depth = "" if self.at is None else f" at K = {self.at}"
            return f"the least number of wrong {self.unit}{depth}{manner}"
        if self.task == "evaluate":
            depth = "" if self.at is None else f" at K = {self.at}"
            of_what = f"of given vectors{depth} ({self.similarity})"
            return (
                f"the number of wrong rows {of_what if self.runs is None else f'of a run{depth}'}"
            )
        if self.task == "margin" and self.d is not None:
            return f"{KNOWN_TASKS[self.task].measure} in d = {self.d}"
        if self.graph is not None:
            return f"{KNOWN_TASKS[self.task].measure} on {self.graph}"
        if self.arithmetic is not None:
            return f"the least dimension in {self.arithmetic}"
        if self.task in ("decide", "dim") and not self.similarity_record.is_attention:
            return f"the least dimension ({self.similarity})"
        return KNOWN_TASKS[self.task].measure

    @property
    def layers_in_words(self) -> str:
        """The mask and its layers, if a mask is asked about.

        Examples
        --------
        >>> Question("furthest", graph="star", layers=3, relabel=5).layers_in_words
        'star, 3 layers, relabel 5'
        """
        parts = [str(self.graph), plural(self.layers or 0, "layer")]
        return ", ".join(parts + [f"relabel {self.relabel}"] * (self.relabel is not None))

    @property
    def grading(self) -> Grading:
        """The rule that turns graded judgements into entries."""
        return Grading(self.relevant, self.unjudged)

    def is_comparable(self, other: Question) -> bool:
        """Whether the other question asks the same within other limits."""
        asked = MEMBERS.keys() - _LIMITS
        return all(getattr(self, name) == getattr(other, name) for name in asked)

    def to_json(self) -> dict[str, Any]:
        """Return the question as a member of documents."""
        return write(MEMBERS, self)

    def __str__(self) -> str:
        words: list[str] = [self.task]
        words += [f"d = {self.d}"] * (self.d is not None)
        words += [f"d_hid = {self.d_hid}"] * (self.d_hid is not None)
        words += ["entries"] * (self.unit == "entries")
        words += [] if self.at is None else [f"at {self.at}"]
        words += [] if self.kind is None else [self.kind]
        words += [] if self.similarity_record.is_attention else [self.similarity]
        words += [] if self.arithmetic is None else [self.arithmetic]
        words += [] if self.graph is None else [f"on {self.layers_in_words}"]
        words += ["causal"] * self.causal
        words += [] if self.embeddings is None else [f"vectors {Path(self.embeddings).name}"]
        words += [] if self.runs is None else [f"runs {Path(self.runs).name}"]
        rules = [] if self.grading.is_default else [str(self.grading)]
        return ", ".join([" ".join(words), *rules, f"{self.time_limit:g} s, seed {self.seed}"])
