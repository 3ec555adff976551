"""The known methods: one module each, with `build(request) -> Construction`."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from samapprox.attention.approximation.checker import Report, check
from samapprox.attention.approximation.layer import AttentionLayer
from samapprox.attention.approximation.precision import report_in
from samapprox.attention.approximation.request import Approximation, Construction, Request
from samapprox.errors import InputError, require_type
from samapprox.support.packages import look_up

_HERE = "samapprox.attention.approximation.methods"

METHODS = {
    "projection": f"{_HERE}.projection:build",
    "plain-projection": f"{_HERE}.projection:build_plainly",
    "circle": f"{_HERE}.moment_curves:build_on_circle",
    "line": f"{_HERE}.moment_curves:build_on_line",
    "rings": f"{_HERE}.rings:build",
    "hypercube": f"{_HERE}.sign_keys:build_hypercube",
    "random-keys": f"{_HERE}.sign_keys:build_random_keys",
    "optimised": f"{_HERE}.optimised:build",
}
"""Method -> module and function, imported when used."""


def builder(method: str) -> Callable[[Request], Construction]:
    """Return the function of a method."""
    return cast("Callable[[Request], Construction]", look_up(method, METHODS, "method"))


def approximate(request: Request, method: str, *, time_limit: float | None = None) -> Approximation:
    """Run a method and check its layer.

    Parameters
    ----------
    request : Request
        The matrix, the precision to reach, and the choices of the method.
    method : str
        A key of `METHODS`.
    time_limit : float, optional
        Seconds after which a search ends with what it has found, and says so in its facts.

    Returns
    -------
    Approximation
        Its report says whether it holds.

    Raises
    ------
    InputError
        No such method, one that cannot serve the request, or that has found nothing in time.

    Examples
    --------
    >>> from samapprox.attention.approximation import sample
    >>> found = approximate(Request(target=sample(16, 1, 1.0), eps1=0.5, eps2=1.0), "projection")
    >>> found.report.holds, found.layer.d == 2 * found.layer.rank
    (True, True)
    """
    require_type("request", request, Request, "a Request")
    request = request.within(time_limit)
    built = builder(method)(request)
    request.report_progress("checking")
    report = check(built.layer, request.target, request.eps1, request.eps2)
    _require_limits(request, method, built.layer, report)
    return Approximation(method, built.layer, report, built.facts)


def _require_limits(request: Request, method: str, layer: AttentionLayer, report: Report) -> None:
    """Refuse a layer that breaks the spread or the arithmetic of the request."""
    if request.spread is not None and report.spread > request.spread:
        raise InputError(
            f"{method} spreads a row's logits over {report.spread:.6g}, not {request.spread:.6g}; "
            "give more, or take the method 'optimised'"
        )
    if request.arithmetic is None or not report.holds:
        return
    found = report_in(request.arithmetic, layer, request.target, request.eps1, request.eps2)
    if found is None or not found.holds:
        raise InputError(
            f"{method} does not hold in {request.arithmetic}; take another, or the method "
            "'optimised'"
        )
