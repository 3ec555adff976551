"""The report as one HTML page that needs no network."""

from __future__ import annotations

import base64
import gzip
import json
import sqlite3
from collections.abc import Callable
from dataclasses import astuple, dataclass, field, fields
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

from samapprox.batch.report.evidence import detail, picture_of
from samapprox.batch.report.heads import Interval
from samapprox.batch.report.section import Section, section_of
from samapprox.batch.report.selection import Chosen, Selection, chosen_results
from samapprox.batch.results.known_tasks import KNOWN_TASKS
from samapprox.batch.results.store import Store
from samapprox.errors import InputError, require_whole
from samapprox.second_checker import script
from samapprox.support.atomic import replacing
from samapprox.support.progress import OnProgress, Progress
from samapprox.support.text import percent, plural

_MOST_QUERIES = 10
_MOST_LAYERS = 40
_MOST_CELLS = 1 << 10  # cells of the largest pair of vectors that the page draws

Shown = dict[str, Any]


def show_answer(answer: Shown, *, picture: bool) -> Shown:
    r"""Return what a page shows of an answer: words, entries to draw and a picture.

    Two vectors that are shown as orthogonal are compared again.

    >>> show_answer({"pair": [0, 1], "vectors": ["10", "01"]}, picture=False)["words"]
    'Vectors 0 and 1 are orthogonal: no coordinate is 1 in both.\n  0: 10\n  1: 01'
    """
    show: Callable[[Shown], Shown] = _show_orthogonal
    if "layers" in answer:
        show = _show_layers
    elif "furthest" in answer:
        show = _show_furthest
    elif "least_recall" in answer:
        show = _show_recall
    elif "within" in answer:
        show = _show_run
    try:
        shown = {"entries": None, "picture": None, **show(answer)}
        if picture and "layers" in answer:
            shown["picture"] = picture_of(lambda: _draw(answer))
    except (TypeError, ValueError, KeyError, IndexError, OverflowError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"the stored answer is damaged: {error}") from None
    return shown


def _show_orthogonal(answer: Shown) -> Shown:
    """The pair, and its vectors if they are stored: two lines without a common 1."""
    if answer["pair"] is None:
        return {"words": "No two vectors are orthogonal."}
    i, j = map(int, answer["pair"])
    words = f"Vectors {i} and {j} are orthogonal"
    if answer["vectors"] is None:
        return {"words": f"{words}; they are too long to show."}
    left, right = map(str, answer["vectors"])
    if len(left) != len(right) or set(left + right) - set("01"):
        raise InputError("the stored answer is damaged: two vectors have the same length")
    if any(a == b == "1" for a, b in zip(left, right, strict=True)):
        return {"words": f"NOT VALID: vectors {i} and {j} share a 1."}
    width = len(str(max(i, j)))
    lines = [f"  {at:>{width}}: {bits}" for at, bits in ((i, left), (j, right))]
    words = "\n".join([f"{words}: no coordinate is 1 in both.", *lines])
    if 2 * len(left) > _MOST_CELLS:
        return {"words": words}
    return {"words": words, "entries": {"rows": 2, "columns": len(left), "entries": left + right}}


def _show_furthest(answer: Shown) -> Shown:
    """The two vectors that are furthest apart, and the furthest one of the first few."""
    i, j = map(int, answer["pair"])
    lines = [f"The greatest distance is {float(answer['distance']):.6g}, from {i} to {j}."]
    furthest = answer["furthest"]
    if furthest is not None:
        few = ", ".join(f"{at}: {int(far)}" for at, far in enumerate(furthest[:_MOST_QUERIES]))
        left = len(furthest) - _MOST_QUERIES
        lines.append(f"The furthest vectors: {few}{f', and {left} more' if left > 0 else ''}.")
    return {"words": "\n".join(lines)}


def _show_layers(answer: Shown) -> Shown:
    """A table of the layers, and what they found at the end."""
    layers = answer["layers"]
    last = layers[-1]
    words = (
        f"On {answer['graph']}, {plural(len(layers), 'layer')} find "
        f"{percent(float(last['recall']))} of the furthest vectors"
    )
    words += ", and no further layer changes anything." if answer["settled"] else "."
    lines = [words]
    if answer["pair"] is not None:
        i, j = map(int, answer["pair"])
        lines.append(f"They show that {i} and {j} are orthogonal.")
    lines.append("  layer   recall  mean regret  pairs compared")
    lines += [
        f"  {int(row['layer']):5}  {percent(float(row['recall'])):>7}  "
        f"{float(row['mean_regret']):11.6f}  {int(row['pairs']):14}"
        for row in layers[:_MOST_LAYERS]
    ]
    if len(layers) > _MOST_LAYERS:
        lines.append(f"  and {plural(len(layers) - _MOST_LAYERS, 'more layer')}")
    return {"words": "\n".join(lines)}


def _show_recall(answer: Shown) -> Shown:
    """The bounds on the greatest mean recall at K, which certificates prove."""
    least, most = float(answer["least_recall"]), float(answer["most_recall"])
    bounds = Interval(least, least if answer["recall_exact"] else most)
    return {"words": f"The greatest mean recall at K: {bounds.in_percent()}."}


def _show_run(answer: Shown) -> Shown:
    """The measures of a run, and the shares of its queries by depth."""
    queries = plural(int(answer["queries"]), "query")
    lines = [f"All relevant documents come first for {int(answer['right'])} of {queries}."]
    shares = [f"{percent(float(e['share']))} at {int(e['depth'])}" for e in answer["within"]]
    lines.append(f"Queries with all relevant documents among the first k: {', '.join(shares)}.")
    lines += [f"{name}\t{float(mean):.4f}" for name, mean in (answer["measures"] or {}).items()]
    if answer["unasked"]:
        left_out = plural(int(answer["unasked"]), "query")
        lines.append(f"{left_out} of the run without judgements left out.")
    if answer["unanswered"]:
        unanswered = plural(int(answer["unanswered"]), "query")
        lines.append(f"The run has no document at all for {unanswered}.")
    return {"words": "\n".join(lines)}


def _draw(answer: Shown) -> Any:
    """Recall and compared pairs, layer by layer."""
    from samapprox.pictures.charts import LayerCurve, draw_layers

    layers, possible = answer["layers"], answer["possible_pairs"]
    recall = [layer["recall"] for layer in layers]
    coverage = [layer["pairs"] / possible for layer in layers]
    return draw_layers([LayerCurve(answer["graph"], recall, coverage, float(answer["bound"]))])


_MOST_BYTES = 8 << 20  # compressed bytes of details; further details are left out
_MOST_SOURCES = 8 << 20  # characters for the second checker; further proofs are shown without


@dataclass(frozen=True, slots=True)
class Report:
    """The contents of a report page.

    Attributes
    ----------
    selection : Selection
        Conditions on the results that the page counts.
    listed : int
        The greatest number of results that are listed one by one, each with its pattern and its
        proofs in words.
    pictures : int
        The number of listed results, from the first, that have pictures of their proofs, too.
    head_size : int or None
        The dimension that the model gives its heads, to stand beside what they need.
    """

    selection: Selection = field(default_factory=Selection)
    listed: int = 500
    pictures: int = 30
    head_size: int | None = None

    def __post_init__(self) -> None:
        require_whole("listed", self.listed, 0)
        require_whole("pictures", self.pictures, 0)


def write_report(
    source: str | Path,
    target: str | Path,
    report: Report | None = None,
    progress: OnProgress | None = None,
) -> None:
    """Write the report of a result file.

    Parameters
    ----------
    source, target : path
        The result file, and the page to write.
    report : Report, optional
        What the page lists; by default the results that need attention.
    progress : callable, optional
        Called with a `samapprox.support.progress.Progress` for each listed result.

    Raises
    ------
    InputError
        The result file cannot be used, no result is selected, or the page cannot be written.

    Notes
    -----
    About ten passes of SQL over all results, and an exact check of every proof that is shown. A
    batch may add results meanwhile: the page describes the file at one moment.

    Examples
    --------
    >>> import tempfile
    >>> from samapprox.batch import Question, run
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     results, page = folder + "/results.sqlite", folder + "/report.html"
    ...     _ = run(["line:rows=3,columns=4,count=2"], Question("decide", d=1), results, jobs=1)
    ...     write_report(results, page)
    ...     "decide d = 1, 60 s, seed 0" in Path(page).read_text()
    True
    """
    with Store(source) as store:
        try:
            store.connection.execute("BEGIN")
            page = make_report(store, report or Report(), progress)
        except sqlite3.Error as error:
            raise InputError(f"{source}: cannot be used as a result file: {error}") from None
        except InputError:
            raise
        except (
            TypeError,
            ValueError,
            OverflowError,
        ) as error:  # SQLite lets a column hold anything
            raise InputError(
                f"{source}: contains values that no result can have: {error}"
            ) from None
    with replacing(Path(target)) as stream:
        stream.write(page.encode("utf-8", "replace"))


def make_report(store: Store, report: Report, progress: OnProgress | None = None) -> str:
    """Return the page as text; see `write_report`.

    Parameters
    ----------
    store : Store
        The result file, open.
    report : Report
        What the page lists.
    progress : callable, optional
        As for `write_report`.

    Returns
    -------
    str
        A whole page in HTML, which loads nothing else.

    Raises
    ------
    InputError
        No result is selected.
    """
    found = (
        section_of(store, number, question, report.selection, report.head_size)
        for number, question in store.questions().items()
    )
    sections = [section for section in found if section is not None]
    if not sections:
        words = f" with {report.selection}" if str(report.selection) else ""
        raise InputError(f"{store.path}: no results{words}")
    listed = _listed(store, sections, report)
    details = _details(store, [row for _, row in listed], report.pictures, progress)
    total = sum(section.totals.results for section in sections)
    data = {
        "columns": [item.name for item in fields(Chosen)] + ["question"],
        "questions": {section.number: str(section.question) for section in sections},
        "bounds": {
            section.number: KNOWN_TASKS[section.question.task].short for section in sections
        },
        "results": [[*astuple(row), number] for number, row in listed],
    }
    return Template(_text("page.html")).substitute(
        title=escape(f"Results in {store.path.name}"),
        style=_text("page.css"),
        checker=script(),
        script="\n".join([_text("recheck.js"), _text("page.js")]),
        summary=escape(_summary(sections, report.selection, total)),
        sections="\n".join(section.html() for section in sections),
        listed=escape(_what_is_listed(len(listed), total, len(details), report.pictures)),
        data=_embedded(data),
        details=base64.b64encode(gzip.compress(json.dumps(details).encode(), 6, mtime=0)).decode(),
    )


def _listed(store: Store, sections: list[Section], report: Report) -> list[tuple[int, Chosen]]:
    """The listed results with their question's number; the questions share the room."""
    room, found = report.listed, []
    for left, section in zip(range(len(sections), 0, -1), sections, strict=True):
        rows = chosen_results(store, section.number, report.selection, -(-room // left))
        found += [(section.number, row) for row in rows]
        room -= len(rows)
    return found


def _details(
    store: Store, rows: list[Chosen], pictures: int, progress: OnProgress | None
) -> dict[int, dict[str, Any]]:
    """The details of results by their ids, as many as have room."""
    found: dict[int, dict[str, Any]] = {}
    used, sources = 0, 0
    for done, row in enumerate(rows):
        if progress is not None:
            progress(Progress(f"result {done + 1} of {len(rows)}", share=done / len(rows)))
        try:
            evidence = store.evidence(row.id)
            shown = detail(evidence, pictures=done < pictures)
            if evidence.answer is not None:
                shown["answer"] = show_answer(evidence.answer, picture=done < pictures)
        except InputError as error:
            shown = {"pattern": None, "source": None, "proofs": [], "trail": [str(error)]}
        bare = _without_sources(shown)
        used += len(gzip.compress(json.dumps(bare).encode(), 1))
        if used > _MOST_BYTES:
            break
        length = _count_characters(shown)
        fits = sources + length <= _MOST_SOURCES
        sources += length * fits
        found[row.id] = shown if fits else bare
    return found


def _count_characters(shown: dict[str, Any]) -> int:
    return len(shown["source"] or "") + sum(
        len(proof["certificate"] or "") for proof in shown["proofs"]
    )


def _without_sources(shown: dict[str, Any]) -> dict[str, Any]:
    """The details without what only the second checker reads."""
    proofs = [{**proof, "certificate": None} for proof in shown["proofs"]]
    return {**shown, "source": None, "proofs": proofs}


def _summary(sections: list[Section], selection: Selection, total: int) -> str:
    asked = "one question" if len(sections) == 1 else f"{len(sections)} questions"
    words = f"{total:,} result{'s' * (total != 1)} for {asked}"
    return f"{words}; only {selection}." if str(selection) else f"{words}."


def _what_is_listed(listed: int, total: int, details: int, pictures: int) -> str:
    """Say which results are listed, and how to see the others."""
    if listed == total:
        sentences = ["This list has all results."]
    else:
        sentences = [
            f"This list has {listed:,} of {total:,} results: from every family in turn, first "
            "errors, then open cases, then the slowest results."
        ]
    drawn = min(pictures, listed)
    if drawn:
        sentences.append(f"The first {drawn:,} have pictures.")
    if details < listed:
        sentences.append(f"There is room for the details of only {details:,}.")
    sentences.append(
        "Every proof on this page was checked by samapprox when the page was made. With "
        "JavaScript, your browser checks it once more, by a second program, when you open a result."
    )
    if listed < total or pictures < listed:
        sentences.append(
            "For a page of other results use samapprox report with --family, --verdict or --name; "
            "for a longer list, or more pictures, use --list and --pictures."
        )
    return " ".join(sentences)


def _embedded(data: object) -> str:
    """JSON in which no name can end the script element."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _text(name: str) -> str:
    return (files("samapprox.batch.report") / name).read_text(encoding="utf-8")
