"""Decisions of one version of the package: a process that reads questions and prints answers.

Run as ``python -m dimensions.hard_list.answers``; the caller says by PYTHONPATH which version is
imported. A question is one line: case number, d, seconds of the processor, names of strategies.
Seconds do not count while compiled code is made or loaded.
"""

from __future__ import annotations

import json
import sys

from dimensions.frozen_list.answers import bounds_of, count_processor_time
from dimensions.hard_list.patterns import read_cases
from samapprox import decide
from samapprox.reductions.families import generate
from samapprox.support.limits import search_clock

WARM_UP = 4.0
"""Seconds for an open question, so that compiled code is loaded."""


def main() -> None:
    """Answer the lines of standard input, a line of JSON each."""
    count_processor_time()
    cases = read_cases()
    decide(generate("mask", graph="bigbird:w=3,g=2,r=3", n=32).pattern, 4, time_limit=WARM_UP)
    for line in sys.stdin:
        number, d, seconds, *only = line.split()
        pattern = cases[int(number)].pattern
        started = search_clock.now()
        found = decide(pattern, int(d), only=only, time_limit=float(seconds))
        lower, upper = bounds_of(found)
        taken = search_clock.now() - started
        print(json.dumps({"lower": lower, "upper": upper, "seconds": taken}), flush=True)


if __name__ == "__main__":
    main()
