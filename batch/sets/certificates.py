"""The certificates of an instance, for the task ``verify``."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from samapprox.batch.results.outcome import unpacked_certificate
from samapprox.batch.results.store import Store
from samapprox.errors import InputError
from samapprox.grading import Grading
from samapprox.proofs.certificate import Certificate

__all__ = ["certificates_of", "require_certificates"]

_ENDINGS = (".json", ".yes.json", ".no.json")


def require_certificates(place: str) -> None:
    """Refuse a place that is neither a folder nor a result file.

    Parameters
    ----------
    place : str

    Raises
    ------
    InputError
        The place is neither.
    """
    if not Path(place).is_dir():
        Store(place).close()


def certificates_of(name: str, place: str, grading: Grading | None = None) -> list[Certificate]:
    """Load all certificates for an instance.

    Parameters
    ----------
    name : str
        The name of the instance within its set.
    place : str
        A result file, where the name must be equal; or a folder with files NAME.json,
        NAME.yes.json and NAME.no.json, where NAME is the name with or without its ending.
    grading : Grading, optional
        In a result file, only certificates found under this rule count: others are about another
        pattern.

    Raises
    ------
    InputError
        A certificate cannot be read.

    Examples
    --------
    >>> import tempfile
    >>> from samapprox import decide
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     decide([[1, 0], [0, 1]]).certificate.save(folder + "/p.json")
    ...     [found.answer for found in certificates_of("p.npz", folder)]
    ['YES']
    """
    folder = Path(place)
    if not folder.is_dir():
        packed = _store(place).certificates(name, grading or Grading())
        return [c for c in map(unpacked_certificate, packed) if c is not None]
    stems = dict.fromkeys((name, str(Path(name).with_suffix(""))))
    files = [folder / (stem + ending) for stem in stems for ending in _ENDINGS]
    inside = [file for file in files if file.resolve().is_relative_to(folder.resolve())]
    try:
        return [Certificate.load(file) for file in inside if file.is_file()]
    except OSError as error:  # a name that no file can have
        raise InputError(f"{name}: {error.strerror or error}") from None


@lru_cache(maxsize=1)
def _store(place: str) -> Store:
    """The result file; it stays open as long as the process lives."""
    return Store(place)
