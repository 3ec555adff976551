"""The answer about the heads of a model: records, tables and documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from samapprox.attention.weights.rows import RowCount
from samapprox.batch.expectations import Failure
from samapprox.batch.report.heads import HeadMap
from samapprox.batch.results.store import Evidence
from samapprox.errors import MissingPackageError
from samapprox.support.documents import (
    Document,
    choice,
    listed,
    nullable,
    number,
    record,
    text,
    whole,
    write,
)
from samapprox.support.text import lay_out, plural

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True, slots=True)
class HeadDimension:
    """The least dimension that represents every pattern of a head under one rule.

    Attributes
    ----------
    family : str
        The part of the model, if it has several, and the rule: ``attention top3``.
    layer, head : int
        The place in the model, from 0.
    lower, upper : int
        Proven bounds: the greatest ones among the head's patterns.
    patterns : int
        The number of patterns: one for each text.
    evidence : tuple of Evidence
        The pattern and both certificates of each, if certificates were asked for.
    """

    family: str
    layer: int
    head: int
    lower: int
    upper: int
    patterns: int
    evidence: tuple[Evidence, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class HeadDimensions:
    """The least dimensions of the heads of a model, for some texts and rules.

    Attributes
    ----------
    source : str
        What the attention weights were read from.
    rules : tuple of str
        The names of the rules, as in ``top3``.
    time_limit : float
        Seconds for each pattern.
    head_size : int or None
        The dimension that the model gives to its heads, if it is known.
    results : str or None
        The result file, if it was kept.
    patterns : int
        Patterns of all heads.
    skipped : int
        Patterns that the result file already held.
    rows : RowCount
        The rows and matrices that could not be used, and the patterns that ask nothing.
    heads : tuple of HeadDimension
        One record for each head and rule, in the order of families, layers and heads.
    maps : tuple of HeadMap
        The same as maps of layers and heads, one for each family.
    unanswered : Counter of str
        Patterns without bounds, by family; the records leave them out.
    failures : tuple of Failure
        What failed.
    """

    source: str
    rules: tuple[str, ...]
    time_limit: float
    head_size: int | None
    results: str | None
    patterns: int
    skipped: int
    rows: RowCount
    heads: tuple[HeadDimension, ...]
    maps: tuple[HeadMap, ...]
    unanswered: Counter[str]
    failures: tuple[Failure, ...]

    def text(self, width: int | None = None) -> str:
        """Return a table of layers by heads for each family, and what it means.

        Parameters
        ----------
        width : int, optional
            The columns of the screen; columns of the table that do not fit follow below.
        """
        blocks = [
            "\n".join(
                describe_map(
                    found,
                    self.head_size,
                    masked=self.rows.masked.total(),
                    skipped=self.rows.skipped,
                    unanswered=self.unanswered[str(found.family)],
                    without_zeros=self.rows.without_zeros[str(found.family)],
                    width=width,
                )
            )
            for found in self.maps
        ]
        return "\n\n".join(blocks or ["No head has an answer."])

    def to_frame(self) -> DataFrame:
        """Return the records as a DataFrame with a row for each head and rule.

        Raises
        ------
        MissingPackageError
            The package pandas is not installed.
        """
        try:
            from pandas import DataFrame
        except ImportError:
            message = "to_frame() needs the package pandas: pip install pandas"
            raise MissingPackageError(message) from None
        columns = ("family", "layer", "head", "lower", "upper", "patterns")
        return DataFrame({name: [getattr(one, name) for one in self.heads] for name in columns})

    def to_json(self) -> dict[str, Any]:
        """Return the document of `heads --json`: see `samapprox schema heads`."""
        return DOCUMENT.write(
            self,
            rules=list(self.rules),
            head_dimension=self.head_size,
            rows={
                "all": self.rows.rows,
                "masked": self.rows.masked.total(),
                "tied": self.rows.tied,
            },
            skipped_matrices=self.rows.skipped,
            families=[self._family(found) for found in self.maps],
            failures=list(map(asdict, self.failures)),
        )

    def _family(self, found: HeadMap) -> dict[str, Any]:
        return {
            "family": found.family,
            "lower": found.bounds.lower,
            "upper": found.bounds.upper,
            "without_zeros": self.rows.without_zeros[str(found.family)],
            "heads": [write(_HEAD, one) for one in self.heads if one.family == found.family],
        }


def describe_map(
    found: HeadMap,
    head_size: int | None,
    *,
    masked: int = 0,
    skipped: int = 0,
    unanswered: int = 0,
    without_zeros: int = 0,
    width: int | None = None,
) -> Iterator[str]:
    """Lay out a table of layers by heads, and say in a line what it means."""
    most = max(cell.count for cell in found.cells.values())
    over = f" (the largest over {most} patterns)" if most > 1 else ""
    yield f"Least d by layer and head, {found.family}{over}:"
    right = [False] + [True] * len(found.heads)
    yield from lay_out(list(_table(found)), right, width=width)
    left_out = {
        f"masked {'row' if masked == 1 else 'rows'}": masked,
        f"skipped {'matrix' if skipped == 1 else 'matrices'}": skipped,
        f"{'pattern' if unanswered == 1 else 'patterns'} without an answer": unanswered,
    }
    named = ", ".join(f"{count} {thing}" for thing, count in left_out.items() if count)
    every = "every measured head" if skipped or unanswered else "every head"
    if without_zeros == found.patterns:
        yield "Nothing was asked of the heads: no pattern has a 0, so any embedding represents all."
    else:
        yield found.claim(every, f" (left out: {named})" if named else "", head_size)
    unsettled = sum(not cell.bounds.is_exact for cell in found.cells.values())
    if unsettled:
        total = plural(len(found.cells), "head")
        yield f"{unsettled} of {total} not settled; a longer --time-limit may settle more."


def _table(found: HeadMap) -> Iterator[list[str]]:
    yield ["", *(f"H{head}" for head in found.heads)]
    for layer in found.layers:
        cells = (found.cells.get((layer, head)) for head in found.heads)
        yield [f"L{layer}", *("" if cell is None else str(cell.bounds) for cell in cells)]


_HEAD = {
    "layer": whole(0),
    "head": whole(0),
    "lower": whole(1, "The greatest lower bound among the head's patterns."),
    "upper": whole(1, "The greatest upper bound among the head's patterns."),
    "patterns": whole(1),
}

DOCUMENT = Document(
    "heads",
    "What `samapprox heads --json` prints. Layers and heads are 0-based.",
    {
        "source": text("The file or folder of attention weights, or the folder of the model."),
        "rules": listed(
            text(), "How weights became patterns: top5, min0.1, unif or mass90.", least=1
        ),
        "time_limit": number(about="Seconds for each pattern.", above=0),
        "head_dimension": nullable(
            whole(1, "The dimension that the model gives to its heads; null where it is not known.")
        ),
        "results": nullable(text("The result file, if it was kept.")),
        "patterns": whole(1),
        "skipped": whole(0, "Patterns that the result file held already."),
        "rows": record(
            "Rows of all patterns.",
            all=whole(1),
            masked=whole(
                0, "Rows that are * because their weights cannot be used, such as padding."
            ),
            tied=whole(0, "Rows with several keys of equal weight for the last places."),
        ),
        "skipped_matrices": whole(0, "Matrices without any usable row."),
        "families": listed(
            record(
                family=text(),
                lower=whole(1, "Some head needs at least this dimension."),
                upper=whole(
                    1, "For these texts and this rule, every head fits into it, by some embedding."
                ),
                without_zeros=whole(0, "Patterns without any 0, which ask nothing of their heads."),
                heads=listed(record(**_HEAD), least=1),
            ),
            "One for each rule, and for each part of an encoder-decoder model.",
        ),
        "failures": listed(
            record(name=text(), kind=choice("contradiction", "error"), reason=text())
        ),
    },
)
