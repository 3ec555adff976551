"""Documents of every kind, written before each kind had a module of its own."""

from __future__ import annotations

import json

import pytest
from helpers.paths import STORED_CERTIFICATES
from helpers.schemas import schema

from samapprox import Certificate, Pattern
from samapprox.proofs import KNOWN_KINDS

OLD = json.loads((STORED_CERTIFICATES / "certificates_of_0.1.json").read_text())
KINDS_OF_0_1 = {
    "chirotope",
    "counting",
    "embedding",
    "forster",
    "radon",
    "self-attention",
    "shared-chirotope",
    "shattering",
    "sign-clash",
}
"""Those with a document here: a kind that is added later has none of that age."""

SCHEMA = schema("certificate")


def test_all_kinds_are_there() -> None:
    kinds = {json.loads(old["document"])["proof"]["kind"] for old in OLD.values()}
    assert kinds == KINDS_OF_0_1 <= set(KNOWN_KINDS)


@pytest.mark.parametrize("name", OLD)
def test_they_are_read_checked_and_written_as_before(name: str) -> None:
    text, pattern = OLD[name]["document"], Pattern.from_text("\n".join(OLD[name]["pattern"]))
    SCHEMA.validate(json.loads(text))
    certificate = Certificate.from_json(json.loads(text))
    assert json.dumps(certificate.to_json()) == text
    check = certificate.verify(pattern)
    assert check.valid, check.reason


def test_a_shared_chirotope_may_state_its_d() -> None:
    document = json.loads(OLD["shared-chirotope"]["document"])
    pattern = Pattern.from_text("\n".join(OLD["shared-chirotope"]["pattern"]))
    assert "d" not in document["proof"]
    stated = {**document, "proof": {**document["proof"], "d": document["proof"]["d_hid"]}}
    SCHEMA.validate(stated)
    certificate = Certificate.from_json(stated)
    assert certificate.verify(pattern)
    assert certificate.to_json() == document
    larger = {**document, "proof": {**document["proof"], "d": document["proof"]["d_hid"] + 1}}
    with pytest.raises(ValueError, match="d <= d_hid < 2d"):
        Certificate.from_json(larger)
