"""The output of `samapprox cot locality` as text."""

from __future__ import annotations

from samapprox.attention.reasoning.locality.hearing import Hearing
from samapprox.attention.reasoning.locality.order import BestOrder
from samapprox.attention.reasoning.locality.report import LocalityReport
from samapprox.attention.reasoning.locality.summaries import SummaryLoad
from samapprox.cli.terminal import paint_first
from samapprox.support.plural import plural

__all__ = ["describe"]


def describe(report: LocalityReport) -> list[str]:
    """Describe the measures, one on a line."""
    lines = [
        f"tokens: {report.needs.n}, {report.given} of them given",
        f"needs: {report.needs.edges}",
        f"locality: {_locality(report)}",
        f"live width: {report.live.greatest} of {report.needs.n}, before token {report.live.place}",
    ]
    if report.best is not None:
        lines.append(f"best order: {_order(report.best)}")
    if report.hearing is not None:
        layers = plural(report.hearing.layers, "layer")
        lines.append(f"{report.mask}, {layers}: {paint_first(_heard(report.hearing))}")
    if report.summaries is not None:
        lines += _load(report.summaries)
    return lines


def _locality(report: LocalityReport) -> str:
    found = report.locality
    own = f"m = {found.generated} among generated tokens{_edge(found.generated_edge)}"
    return f"{own}, {found.everything} with the input{_edge(found.everything_edge)}"


def _edge(edge: tuple[int, int] | None) -> str:
    return "" if edge is None else " (token {} needs {})".format(*edge)


def _order(best: BestOrder) -> str:
    searched = f"{plural(best.sets, 'down-set')} searched"
    if best.width == best.lower:
        return f"live width {best.width}, the least possible ({searched})"
    if best.optimal:
        return (
            f"live width {best.width}, the least possible as CP-SAT claims "
            f"(proven: at least {best.lower}; {searched})"
        )
    claimed = "" if best.claimed == best.lower else f", CP-SAT claims at least {best.claimed}"
    return f"live width {best.width}; proven: at least {best.lower} ({searched}){claimed}"


def _heard(hearing: Hearing) -> str:
    if hearing.complete:
        depth = plural(hearing.depth, "layer")
        return f"YES, each step can have heard of all that it needs (after {depth})"
    token, need = hearing.missing[0].tolist()
    steps = len({step for step, _ in hearing.missing.tolist()})
    lost = f"{plural(len(hearing.missing), 'need')} of {plural(steps, 'step')}"
    return (
        f"NO, position {token - 1}, which predicts token {token}, cannot have heard of token "
        f"{need}, which it needs ({lost} in all)"
    )


def _load(found: SummaryLoad) -> list[str]:
    if not found.far.size:
        return [f"summary tokens: no value must pass; windows alone reach {found.reach} positions"]
    lost = f"; {len(found.lost)} cannot" if found.lost.size else ""
    lines = [
        f"summary tokens: {plural(len(found.far), 'value')} must pass, at most "
        f"{found.blocks.max()} of a block (needed over more than {found.reach} positions{lost})"
    ]
    if found.crowd is not None:
        crowd = found.crowd
        lines.append(
            f"load of a summary token: at least {found.load} "
            f"({plural(crowd.values, 'value')} of the tokens {crowd.first} to {crowd.last} reach "
            f"{plural(crowd.carriers, 'summary token')})"
        )
    return lines
