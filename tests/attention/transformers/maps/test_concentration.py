"""Assumption 2 and depth of Yun et al. (2020): each t against the map; what is printed amiss."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from samapprox import InputError
from samapprox.attention.graphs.universality import (
    Depth,
    contextual_blocks,
)
from samapprox.attention.transformers.maps import (
    Entmax,
    Hardmax,
    ProbabilityMap,
    Softmax,
    SparselinGen,
    TopKSoftmax,
)
from samapprox.attention.transformers.maps.concentration import (
    adversarial_rows,
    concentration,
    searched_gap,
    worst_row,
)
from samapprox.cli.main import cli

Row = NDArray[np.float64]

maps = st.one_of(
    st.just(Softmax()),
    st.builds(TopKSoftmax, st.integers(1, 9)),
    st.builds(SparselinGen, st.floats(0, 0.99)),
    st.builds(Entmax, st.floats(1, 4)),
)
etas = st.floats(1e-6, 1)
keys = st.integers(1, 40)


def rest(rho: ProbabilityMap, row: Row) -> float:
    return float(rho(row[None])[0, 1:].sum())


@pytest.mark.slow
@given(maps, keys, st.floats(0.1, 10), etas)
def test_the_map_confirms_the_least_t(rho: ProbabilityMap, n: int, zeta: float, eta: float) -> None:
    found = concentration(rho, n, zeta, eta)
    assert found.least == rho.least_gap(n, eta) / zeta
    assert found.searched * zeta == pytest.approx(found.least * zeta, rel=1e-7, abs=1e-9)
    assert found.greatest_rest <= eta + 1e-12
    assert found.published >= found.least * (1 - 1e-12)
    assert all(row[0] - row[1:].max() >= 0.3 for row in adversarial_rows(n, 0.3) if n > 1)


@given(maps, keys, etas, st.data())
def test_no_row_with_the_gap_leaves_more(
    rho: ProbabilityMap, n: int, eta: float, data: st.DataObject
) -> None:
    gap = rho.least_gap(n, eta) * (1 + 1e-9) + 1e-12
    below = data.draw(hnp.arrays(np.float64, n, elements=st.floats(0, 3) | st.just(math.inf)))
    row = worst_row(n, gap) - below
    row[0] = 0
    assert rest(rho, row) <= eta + 1e-9
    assert rest(rho, row) <= rest(rho, worst_row(n, gap)) + 1e-9


@pytest.mark.parametrize(
    "rho",
    [Softmax(), TopKSoftmax(3), SparselinGen(0.4), Entmax(1.5), Entmax(2), Entmax(3)],
    ids=str,
)
def test_less_than_the_least_t_fails(rho: ProbabilityMap) -> None:
    for n, eta in ((2, 0.2), (30, 0.01), (1000, 0.3)):
        gap = rho.least_gap(n, eta)
        assert gap > 0
        assert rest(rho, worst_row(n, gap * 0.999)) > eta
        assert concentration(rho, n, 1.0, eta).confirmed


def test_closed_forms() -> None:
    assert Softmax().least_gap(5, 0.2) == pytest.approx(math.log(16))
    assert TopKSoftmax(3).least_gap(5, 0.2) == pytest.approx(math.log(8))
    assert TopKSoftmax(1).least_gap(5, 0.2) == 0
    assert SparselinGen(0.5).least_gap(5, 0.2) == pytest.approx(0.5 * (0.8 - 0.05))
    assert Entmax(2).least_gap(5, 0.2) == pytest.approx(0.8 - 0.05)
    assert Entmax(3).least_gap(5, 0.2) == pytest.approx((0.8**2 - 0.05**2) / 2)
    assert Entmax(1 + 1e-12).least_gap(5, 0.2) == pytest.approx(math.log(16))
    for rho in (Softmax(), TopKSoftmax(2), SparselinGen(0.5), Entmax(1.5)):
        assert rho.least_gap(1, 1e-9) == rho.least_gap(9, 1) == searched_gap(rho, 9, 1) == 0


def test_the_published_t_of_sparselin_gen_is_not_the_least() -> None:
    """B.2 drops the factor 1 - lam; and for eta = 1 its t is 0, which Assumption 2 excludes."""
    rho, n, eta = SparselinGen(0.9), 100, 0.05
    assert rho.published_gap(n, eta) == 0.95
    assert rest(rho, worst_row(n, 0.1 * 0.95)) <= eta
    assert rho.published_gap(n, 1) == 0


def test_the_published_t_of_entmax_gives_all_to_one_key() -> None:
    """B.3, for 1 / (zeta (alpha - 1)); read as (1 / zeta) (alpha - 1) it fails."""
    for alpha in (1.25, 1.5, 2.0, 4.0):
        rho = Entmax(alpha)
        assert rest(rho, worst_row(50, rho.published_gap(50, 0.1))) == pytest.approx(0, abs=1e-12)
        assert rest(rho, worst_row(50, 0.9 * rho.published_gap(50, 0.1))) > 0
    assert rest(Entmax(1.5), worst_row(50, 0.5)) > 0.1


def test_ties_break_the_published_bound_of_top_k() -> None:
    """B.1 has k - 1 others; who keeps all scores that equal the k-th keeps n - 1."""
    n, k, eta = 50, 2, 0.1
    row = worst_row(n, TopKSoftmax(k).published_gap(n, eta))
    assert rest(TopKSoftmax(k), row) == pytest.approx(eta)
    kept = row >= np.sort(row)[-k]  # Zhao et al. (2019), as published
    tied = np.where(kept, np.exp(row), 0)
    assert tied[0] / tied.sum() < 0.5 < 1 - eta


def test_the_entropy_of_b3_must_be_of_p() -> None:
    """As printed it is that of v, a constant: then p . v alone counts, and hardmax is greatest."""
    v = np.array([0.3, 0.2, 0.0])
    p = Entmax(1.5)(v[None])[0]
    assert p[0] < 1
    assert p @ v < v[0]


def test_long_rows_are_not_run() -> None:
    found = concentration(Softmax(), 10**6, 1.0, 0.01)
    assert found.least == pytest.approx(math.log(999_999 * 99))
    assert (found.searched, found.rows, found.confirmed) == (None, 0, None)


@pytest.mark.parametrize(
    ("n", "zeta", "eta", "message"),
    [
        (0, 1.0, 0.1, "a row must have at least 1 key, not 0"),
        (5, 0.0, 0.1, "zeta must be above 0 and finite, not 0.0"),
        (5, math.nan, 0.1, "zeta must be above 0 and finite, not nan"),
        (5, 1.0, 0.0, "eta must be above 0 and at most 1, not 0.0"),
        (5, 1.0, 1.5, "eta must be above 0 and at most 1, not 1.5"),
    ],
)
def test_bad_input(n: int, zeta: float, eta: float, message: str) -> None:
    with pytest.raises(InputError) as error:
        concentration(Softmax(), n, zeta, eta)
    assert str(error.value) == message


# ---------------------------------------------------------------- depth, and the command


def test_depths_of_section_4_1() -> None:
    """Counted as in appendix D and E: d n / delta layers of Lemma 6, and so on."""
    n, d, steps, p, s = 5, 2, 3, 2, 4
    depth = Depth(n, d, steps, p, (s, s + 1), (n - 1, 2 * n))
    assert depth.quantization == sum(1 for _ in product(range(d), range(n * steps)))
    grid = len(list(product(range(steps), repeat=d)))  # values of one column of H
    assert contextual_blocks(n, d, steps, p, s) == p * (n - 1) * grid + s
    assert depth.contextual == (p * (n - 1) * grid + s, p * (n - 1) * grid + s + 1)
    assert depth.dense_contextual == n * grid + 1
    assert depth.along_walk == (p * (n - 1) + s, p * 2 * n + s + 1)
    assert Depth(n, d, steps, p, (s, s), (n, n), path=False).contextual is None
    assert 10**depth.value_log10 == pytest.approx(n * grid**n)
    with pytest.raises(InputError, match="1 / delta must be a whole number of at least 2, not 1"):
        Depth(5, 2, 1, p, (s, s), (n, n))
    with pytest.raises(InputError, match="must be at least 1, not 0"):
        Depth(5, 0, 2, p, (s, s), (n, n))
    with pytest.raises(InputError, match="too many to write out"):
        Depth(5, 1 << 24, 8, p, (s, s), (n, n))


def graph_check(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["graph", "check", "strided:w=4", "--n", "64", *arguments])


def test_the_command_tells_scale_and_depth() -> None:
    done = graph_check("--zeta", "0.1", "--eta", "0.01", "--d", "2", "--delta", "0.125")
    lines = done.stdout.splitlines()
    t = math.log(15 * 99) / 0.1
    assert lines[3].startswith(f"2 softmax: t = {t:.6g} for zeta = 0.1, eta = 0.01, 16 keys")
    assert "confirmed on 18 rows" in lines[3]
    assert lines[7].startswith("depth: 1024 blocks for quantization, 8067 for the contextual")
    assert "8067 for the contextual mapping as printed, 129 along the walk (full" in lines[7]
    assert "every t > 0" in graph_check("--zeta", "1", "--eta", "1").stdout
    none = CliRunner().invoke(
        cli, ["graph", "check", "window:causal=1", "--n", "5", "--d", "2", "--delta", "1/4"]
    )
    assert "depth:" not in none.stdout
    assert "no depth is printed: some token never hears of another" in none.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--map", "entmax"], "give --zeta and --eta together"),
        (["--zeta", "1"], "give --zeta and --eta together"),
        (["--d", "2"], "give --d and --delta together"),
        (["--d", "2", "--delta", "0.3"], "delta must be 1/2, 1/3, 1/4, .., not 0.3"),
        (["--d", "2", "--delta", "1e-999999999"], "delta must be 1/2, 1/3, 1/4, .., not 1e-99"),
        (["--d", "2", "--delta", "1/0"], "delta must be 1/2, 1/3, 1/4, .., not 1/0"),
        (["--d", "0", "--delta", "1/2"], "d (embedding dimension) must be at least 1, not 0"),
        (["--d", "99999999999", "--delta", "1/2"], "too many to write out"),
    ],
)
def test_bad_arguments(arguments: list[str], message: str) -> None:
    done = graph_check(*arguments)
    assert done.exit_code == 2
    assert message in done.stderr


def test_hardmax_needs_no_scale() -> None:
    """Every t > 0 puts all weight on the greatest score."""
    for keys_of_row, eta in product((1, 2, 9), (1e-9, 1.0)):
        found = concentration(Hardmax(), keys_of_row, 0.5, eta)
        assert (found.least, found.published, found.searched, found.confirmed) == (0, 0, 0, True)
