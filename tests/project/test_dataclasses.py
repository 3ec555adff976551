"""Values are frozen: only working states of algorithms change after they are made."""

from __future__ import annotations

import re

from helpers.modules import MODULES

DECLARED = re.compile(r"^ *@dataclass(?:\((?P<options>.*)\))?\n *class (?P<name>\w+)", re.MULTILINE)

STATES = {
    "samapprox.attention.reasoning.decoders.assembly._Parts",
    "samapprox.attention.reasoning.locality.down_sets.DownSetSearch",
    "samapprox.attention.weights.rows.RowCount",
    "samapprox.proofs.values.clauses.ValueClauses",
    "samapprox.proofs.values.cut_clauses.CutClauses",
    "samapprox.proofs.values.clauses.Formula",
    "samapprox.reductions.encodings.dimacs._Answer",
    "samapprox.solvers.embeddings.circular_ones._Node",
    "samapprox.solvers.orientations.least._Clauses",
    "samapprox.solvers.questions.fits.hitting_sets.Tree",
}


def test_dataclasses_are_frozen_unless_they_are_states() -> None:
    is_frozen = {}
    for module, path in MODULES.items():
        text = path.read_text(encoding="utf-8")
        for found in DECLARED.finditer(text):
            is_frozen[f"{module}.{found['name']}"] = "frozen=True" in (found["options"] or "")
        assert len(DECLARED.findall(text)) == text.count("@dataclass"), module
    assert {name for name, frozen in is_frozen.items() if not frozen} == STATES
    assert len(is_frozen) > 300
