"""Answers of a task besides its bounds, in words and as a picture."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from samapprox.batch.report.evidence import picture_of
from samapprox.batch.report.heads import Interval
from samapprox.errors import InputError
from samapprox.support.text import percent, plural

__all__ = ["show_answer"]

_MOST_QUERIES = 10
_MOST_LAYERS = 40
_MOST_CELLS = 1 << 10  # of two vectors that the page draws

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
