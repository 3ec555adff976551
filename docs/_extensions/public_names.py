"""Pages of the public names: what each package offers in its `__all__`."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import GenericAlias, ModuleType

from plain_docstrings import escape_line
from sphinx.application import Sphinx
from sphinx.config import Config

__all__ = ["PACKAGES", "public_modules", "public_names", "setup"]

PACKAGES = {
    "samapprox": "Patterns, decisions and their answers",
    "samapprox.results": "Results of all questions",
    "samapprox.similarities": "Similarities of queries and keys",
    "samapprox.proofs": "Kinds of proof and their checker",
    "samapprox.formats": "Files of patterns, judgements and vectors",
    "samapprox.pictures": "Pictures of patterns and proofs",
    "samapprox.attention": "Attention weights to patterns, and layers with known tasks",
    "samapprox.attention.graphs": "Sparse attention masks",
    "samapprox.attention.transformers": "Transformer blocks",
    "samapprox.attention.transformers.maps": "Probability maps",
    "samapprox.attention.transformers.universality": "Universal transformers",
    "samapprox.attention.approximation": "Approximate attention matrices",
    "samapprox.attention.vectors": "Furthest and orthogonal vectors",
    "samapprox.attention.reasoning": "Reasoning tasks as chains of thought",
    "samapprox.attention.reasoning.locality": "What the tokens of chains depend on",
    "samapprox.attention.reasoning.capacity": "Bounds on the width of models, and their costs",
    "samapprox.attention.reasoning.decoders": "Decoders that write chains",
    "samapprox.reductions": "Maps between problems",
    "samapprox.reductions.encodings": "Encodings for other solvers",
    "samapprox.reductions.exports": "Refutations for other proof checkers",
    "samapprox.reductions.families": "Instance families",
    "samapprox.reductions.vectors": "Families of vector sets",
    "samapprox.solvers": "Strategies and how they are run",
    "samapprox.batch": "Many instances and their results",
    "samapprox.batch.report": "Reports of result files",
    "samapprox.data": "Shipped instances",
    "samapprox.schemas": "JSON Schemas of all documents",
    "samapprox.second_checker": "The second checker of certificates, in JavaScript",
}
"""Package -> what it is for, in the order of the index."""

TASKS = {
    "Decide, and find the least dimension": """
        decide weak_dimension decide_many hidden_dimensions dimension_in_arithmetic
        dimension_for_margin
        Verdict Status WeakDimension ArithmeticDimension MarginDimension
    """,
    "Measure the heads of a model": "heads HeadDimensions HeadDimension",
    "Read and write patterns": "load save load_instance Pattern Instance Fact Problem",
    "Check proofs": "verify Certificate Embedding",
    "Find out how much d dimensions get right": "fit fit_curve BestFit FitCurve",
    "Evaluate given embeddings": "evaluate Evaluation",
    "Find margins": "margin MarginBounds",
    "Find ranks of sign matrices": "rank sign_rank SignMatrix MatrixRank",
    "Handle errors and interrupts": """
        SamapproxError InputError CertificateError Interrupted InputWarning __version__
    """,
}
"""Task -> the public names of `samapprox` that serve it, the first one first."""

_PUBLIC = (
    "Everything listed here is public. Packages that are not loaded at first are imported when "
    "they are used: ``samapprox.attention.binarize`` needs only ``import samapprox``."
)


def public_modules(package: str) -> list[ModuleType]:
    """Return the package if it has `__all__`, else those of its modules that are for users."""
    own = import_module(package)
    if hasattr(own, "__all__"):
        return [own]
    every = sorted(found.name for found in iter_modules(own.__path__) if not found.ispkg)
    modules = [import_module(f"{package}.{name}") for name in every]
    return [module for module in modules if getattr(module, "__all__", ())]


def public_names(module: ModuleType) -> list[str]:
    """Return the full names that a module offers, those with underscores left out."""
    return [f"{module.__name__}.{name}" for name in module.__all__ if not name.startswith("_")]


def _find_homes() -> dict[int, str]:
    """The identity of every public class and function -> its first full name."""
    homes: dict[int, str] = {}
    for package in PACKAGES:
        for module in public_modules(package):
            for name in public_names(module):
                homes.setdefault(id(_value_of(name)), name)
    return homes


def _value_of(name: str) -> object:
    module, _, own = name.rpartition(".")
    return getattr(import_module(module), own)


def _is_alias_of_type(value: object) -> bool:
    """Whether a value is a name for a type such as `dict[int, str]`."""
    return isinstance(value, GenericAlias)


def _entries(names: Iterable[str], homes: dict[int, str]) -> list[str]:
    """A table of the names with a page each, and entries for those without a page.

    What another package offers too has its page there: Sphinx describes an object once.
    """
    paged, others = [], []
    for name in names:
        value = _value_of(name)
        home = homes[id(value)]
        if _is_alias_of_type(value):
            others += [f".. py:data:: {name}", "", f"   A name for the type ``{value}``.", ""]
        elif home != name and (isinstance(value, type) or callable(value)):
            kind = "class" if isinstance(value, type) else "function"
            others += [f".. py:{kind}:: {name}", "", f"   The same as `{home}`.", ""]
        else:
            paged.append(name)
    table = [".. autosummary::", "   :toctree: names", "   :nosignatures:", ""]
    return [*table, *_indented(f"~{name}" for name in paged), "", *others] if paged else others


def _page(package: str, homes: dict[int, str]) -> str:
    """The page of a package, with a section for every module that has names."""
    lines = [package, "=" * len(package), "", f"{PACKAGES[package]}.", ""]
    modules = public_modules(package)
    if package == "samapprox":
        for task, names in TASKS.items():
            own = [f"{package}.{name}" for name in names.split() if not name.startswith("_")]
            lines += [task, "-" * len(task), "", *_entries(own, homes)]
        return "\n".join(lines)
    for module in modules:
        if len(modules) > 1:
            name = module.__name__.rpartition(".")[2]
            lines += [name, "-" * len(name), ""]
            lines += [escape_line((module.__doc__ or "").splitlines()[0]), ""]
        lines += _entries(public_names(module), homes)
    return "\n".join(lines)


def _index() -> str:
    """The page that lists the packages."""
    lines = ["Python interface", "================", "", _PUBLIC, ""]
    lines += [".. list-table::", "   :widths: auto", ""]
    for package, purpose in PACKAGES.items():
        lines += [f"   * - :doc:`{package}`", f"     - {purpose}"]
    entries = [f"{package.removeprefix('samapprox.')} <{package}>" for package in PACKAGES]
    return "\n".join([*lines, "", ".. toctree::", "   :hidden:", "", *_indented(entries), ""])


def _indented(entries: Iterable[str]) -> list[str]:
    return [f"   {entry}" for entry in entries]


def _write_pages(app: Sphinx, _config: Config) -> None:
    """Write the pages of all packages, and remove pages of names that are gone."""
    folder = Path(app.srcdir) / "reference" / "api"
    folder.mkdir(exist_ok=True)
    homes = _find_homes()
    pages = {package: _page(package, homes) for package in PACKAGES} | {"index": _index()}
    for package, text in pages.items():
        path = folder / f"{package}.rst"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    lines = [line for text in pages.values() for line in text.splitlines()]
    listed = {line.strip().removeprefix("~") for line in lines}
    for path in [*folder.glob("*.rst"), *folder.glob("names/*.rst")]:
        if path.stem not in (pages if path.parent == folder else listed):
            path.unlink()


def setup(app: Sphinx) -> dict[str, bool]:
    """Write the pages before Sphinx lists its sources, where autosummary looks for tables."""
    app.connect("config-inited", _write_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
