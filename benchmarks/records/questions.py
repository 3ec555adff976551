"""The patterns of the tables, part by part, and the command that bounds each of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from dimensions.dim import MASKS

from samapprox import Pattern, data, load
from samapprox.reductions.families import generate

__all__ = ["PARTS", "SEED", "TOKENS", "Question", "questions"]

SEED = 0
TOKENS = (32, 64, 128)
PARTS = ("minilm", "limit", "masks", "hadamard", "planes", "subsets", "hamming")

Parameters = Mapping[str, int | str | bool]

_SUBSETS: dict[int, tuple[int, ...]] = {
    2: (4, 5, 6, 20, 60),
    3: (6, 7, 8, 9, 12),
    4: (8, 9, 10, 11, 12),
}
"""Sizes of subsets -> numbers of keys."""

_CLOSE: dict[int, tuple[int, ...]] = {1: (4, 5, 6), 2: (5, 6, 7, 8), 3: (7, 8)}
"""Largest distances of close strings -> numbers of bits."""

_DISTANT: dict[int, tuple[int, ...]] = {1: (3, 4, 5, 6, 7, 8), 2: (5, 6, 7, 8)}
"""Distances of strings -> numbers of bits."""


@dataclass(frozen=True)
class Question:
    """A pattern and how to get it: a file of the data folder, or a family with its parameters.

    Attributes
    ----------
    part, name : str
    file : str
        Empty for a generated pattern.
    family : str
    parameters : mapping
        As `samapprox.reductions.families.generate` takes them.
    normalised : bool
        Whether a row of the pattern is all ones, so that its sign-rank is the weak dimension + 1.
    ranked : bool
        Whether the sign-rank is asked for, and not the weak dimension.
    """

    part: str
    name: str
    file: str = ""
    family: str = ""
    parameters: Parameters = field(default_factory=dict)
    normalised: bool = False
    ranked: bool = False

    @property
    def pattern(self) -> Pattern:
        """The pattern, read from its file or generated."""
        if self.file:
            return load(data.path(self.file))
        others = {name: value for name, value in self.parameters.items() if name != "causal"}
        return generate(self.family, causal="causal" in self.parameters, **others).pattern

    @property
    def arguments(self) -> str:
        """The arguments of `samapprox generate`."""
        return " ".join([self.family, *map(_option, *zip(*self.parameters.items(), strict=True))])

    def command(self, seconds: float, only: Iterable[str]) -> str:
        """The command that finds the same bounds."""
        chosen = "".join(f" --only {name}" for name in only)
        how = f"--seed {SEED} --time-limit {seconds:g}{chosen} --no no.json --yes yes.json"
        if self.file:
            return f"samapprox dim data/{self.file} {how}"
        task = "rank" if self.ranked else "dim"
        return f"samapprox generate {self.arguments} --output m.npz && samapprox {task} m.npz {how}"


def _option(name: str, value: int | str | bool) -> str:
    flag = "--" + name.replace("_", "-")
    return flag if value is True else f"{flag} {value}"


def questions(tokens: Iterable[int] = TOKENS) -> Iterator[Question]:
    """All lines, in the order of the pages; masks of these numbers of tokens."""
    for path in data.files("minilm"):
        yield Question("minilm", Path(path).stem, f"minilm/{path.name}")
    yield Question("limit", "limit", "limit/limit.npz")
    yield from _masks(tokens)
    for n in (4, 8, 12, 16):
        yield _family("hadamard", "hadamard", {"n": n}, normalised=True)
    for q in (2, 3, 4, 5):
        yield _family("planes", "projective-plane", {"q": q})
        signs = {"q": q, "sign_rank": True}
        yield _family("planes", "projective-plane", signs, normalised=True)
    for k, sizes in _SUBSETS.items():
        for n in sizes:
            yield _family("subsets", "all-subsets", {"n": n, "k": k})
    for k, sizes in _CLOSE.items():
        for n in sizes:
            yield _family("hamming", "gap-hamming", {"n": n, "k": k}, ranked=True)
    for k, sizes in _DISTANT.items():
        for n in sizes:
            yield _family("hamming", "hamming", {"n": n, "k": k}, ranked=True)


def _masks(tokens: Iterable[int]) -> Iterator[Question]:
    for n in tokens:
        for graph in MASKS:
            for causal in (False, True):
                name = f"{graph}, n = {n}{', causal' * causal}"
                parameters: Parameters = {"graph": graph, "n": n}
                if causal:
                    parameters = {**parameters, "causal": True}
                yield Question("masks", name, "", "mask", parameters)


def _family(
    part: str,
    family: str,
    parameters: Parameters,
    *,
    normalised: bool = False,
    ranked: bool = False,
) -> Question:
    """A question that is named after its family and parameters."""
    given = [
        name.replace("_", "-") if value is True else f"{name} = {value}"
        for name, value in parameters.items()
    ]
    return Question(part, ", ".join([family, *given]), "", family, parameters, normalised, ranked)
