"""Trained models beside what is proven: one command for each study.

    python benchmarks trained.training --study heads|copying|tasks [--only TEXT ..] [--minutes M]
    python benchmarks trained.training --study heads|copying|tasks --report

Needs PyTorch. Measures what benchmarks/trained/STUDY.csv lacks, from three seeds a cell, on one
core; a run that is interrupted goes on there. It then prints the tables of docs/studies/trained.md,
and draws its pictures. --report measures nothing.
"""

from __future__ import annotations

import argparse
import time
from importlib import import_module

STUDIES = {name: f"trained.{name}_study" for name in ("heads", "copying", "tasks")}
"""Study -> its module, with `measure_missing` and `report`."""

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--study", choices=list(STUDIES), required=True)
    parser.add_argument("--only", nargs="+", default=[], help="cells whose names contain a text")
    parser.add_argument("--minutes", type=float, default=60.0, help="begin no cell after them")
    parser.add_argument("--report", action="store_true", help="measure nothing")
    chosen = parser.parse_args()
    study = import_module(STUDIES[chosen.study])
    if not chosen.report:
        ends = time.monotonic() + 60 * chosen.minutes
        for name, cells in study.missing():
            if time.monotonic() > ends:
                break
            if not chosen.only or any(text in name for text in chosen.only):
                started = time.monotonic()
                study.TABLE.append(list(cells()))
                print(f"{name}: {time.monotonic() - started:.1f} s", flush=True)
    study.report()
