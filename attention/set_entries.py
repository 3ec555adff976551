"""Matrices of attention weights as entries of sets of instances."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from samapprox.attention.binarization import NoUsableRow, Rule, binarize
from samapprox.attention.rows import RowCount
from samapprox.attention.weights.layouts import Place
from samapprox.errors import InputError
from samapprox.instance import Instance
from samapprox.pattern import Pattern

__all__ = ["Origin", "SetEntry", "binarize_matrix"]

Origin = Mapping[str, int | float | str]
"""The origin of a matrix, as instances keep it."""


@dataclass(frozen=True, slots=True)
class SetEntry:
    """One instance of a set and its place there.

    Attributes
    ----------
    path : str
        Within the set's folder: the tensor file's name, then layer, head and rule.
    instance : Instance
        Its origin has the file, the rule, ``layer``, ``head`` and ``text`` as whole numbers where
        they are known, ``causal`` and ``logits`` where they hold, and as ``family`` the part of
        the model and the rule, by which results are put together.
    """

    path: str
    instance: Instance


def binarize_matrix(
    weights: NDArray[Any],
    at: Place,
    rules: Sequence[Rule],
    *,
    folder: str,
    origin: Origin,
    rows: RowCount,
    where: str,
    causal: bool = False,
    logits: bool = False,
    ties: str | None = None,
    roundoff: float | None = None,
    names: tuple[Sequence[str], Sequence[str]] | None = None,
) -> Iterator[SetEntry]:
    """Yield the patterns of one matrix of weights, under every rule.

    Parameters
    ----------
    weights : ndarray, shape (m, n)
    at : Place
        Its place in the model.
    rules : sequence of Rule
    folder : str
        The folder of its patterns within the set.
    origin : mapping
        Where it comes from; ``part`` goes into the family.
    rows : RowCount
        Counts the rows; the matrix is skipped under a rule that can use none of them.
    where : str
        Name of the matrix in messages; may be empty.
    causal, logits, ties, roundoff
        As for `binarize`.
    names : pair of sequences of str, optional
        Names of the rows and of the columns.

    Examples
    --------
    >>> import numpy as np
    >>> from samapprox.attention import TopK
    >>> at = Place("L0_H3", {"layer": 0, "head": 3})
    >>> given = {"folder": "text0", "origin": {}, "rows": RowCount(), "where": "text 0"}
    >>> [entry.path for entry in binarize_matrix(np.eye(3), at, [TopK(1)], **given)]
    ['text0/L0_H3_top1.npz']
    """
    given = {"causal": causal, "logits": logits, "ties": ties}
    options = {name: value for name, value in given.items() if value}
    prefix = f"{where}: " if where else ""
    part = f"{origin['part']} " if "part" in origin else ""
    for rule in rules:
        known = dict(rows.examples)
        try:
            pattern = binarize(
                weights,
                rule,
                causal=causal,
                logits=logits,
                ties=ties,
                rows=rows,
                roundoff=roundoff,
            )
        except NoUsableRow as error:
            rows.skip(prefix + str(error))
            continue
        except InputError as error:
            raise InputError(prefix + str(error)) from None
        for fault in rows.examples.keys() - known.keys():
            rows.examples[fault] = prefix + rows.examples[fault]
        if names is not None:
            pattern = Pattern(pattern, row_names=names[0], column_names=names[1])
        stem = "_".join(filter(None, (at.name, rule.name)))
        full_origin = {
            "family": f"{part}attention {rule.name}",
            **origin,
            **at.coordinates,
            **options,
            "rule": rule.name,
        }
        yield SetEntry(f"{folder}/{stem}.npz", Instance(pattern, origin=full_origin))
