"""Attention weights, and the tables that `samapprox heads` prints about them."""

from __future__ import annotations

import re

import numpy as np

from samapprox import data

SHIPPED = data.path("attention/att_s02_n11.npz")

RNG = np.random.RandomState(7)


def weights(*shape: int) -> np.ndarray:
    """Random weights, each row of which sums to 1."""
    return RNG.dirichlet(np.ones(shape[-1]), size=shape[:-1])


def numbers(text: str) -> list[list[str]]:
    """The cells of all tables of an output."""
    lines = re.findall(r"^ *L\d+ +(.*)$", text, flags=re.MULTILINE)
    return [line.split() for line in lines]
