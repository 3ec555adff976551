"""Switches of parts of a formula: few that contradict each other."""

from __future__ import annotations

from samapprox.solvers.backends.sat import Sat

__all__ = ["minimal_switches"]


def minimal_switches(sat: Sat, switches: list[int]) -> list[int]:
    """Find as few switches as contradict each other when on; all if no subset does.

    A call of the solver for each switch that stays.
    """
    if sat.solve(switches) is not False:
        return switches
    kept, sure = sorted(sat.conflict), 0
    while sure < len(kept):
        trial = kept[:sure] + kept[sure + 1 :]
        answer = sat.solve(trial)
        if answer is None:
            break
        if answer:
            sure += 1
        else:
            conflict = set(sat.conflict)
            kept = [switch for switch in trial if switch in conflict]
    return kept
