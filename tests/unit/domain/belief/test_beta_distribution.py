"""The Beta distribution agrees with SciPy's, for counts of every size."""

from __future__ import annotations

import itertools
import math
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from recall_plugin.domain.belief.beta_distribution import beta_cdf, beta_quantile, equal_tailed, log_beta

COUNTS = [10 ** (half / 2) for half in range(-6, 13)]
counts = st.floats(-3, 6).map(lambda exponent: 10**exponent)
probabilities = st.floats(1e-9, 1 - 1e-9)


def test_quantiles_and_probabilities_agree_with_scipy_from_a_thousandth_to_a_million() -> None:
    worst = 0.0
    for alpha, beta in itertools.product(COUNTS, COUNTS):
        for probability in (1e-6, 0.05, 0.5, 0.95):
            x = float(special.betaincinv(alpha, beta, probability))
            worst = max(worst, abs(beta_quantile(probability, alpha, beta) - x))
            worst = max(worst, abs(beta_cdf(x, alpha, beta) - float(special.betainc(alpha, beta, x))))

    assert worst < 1e-9


@given(alpha=counts, beta=counts, probability=probabilities)
def test_any_quantile_agrees_with_scipy(alpha: float, beta: float, probability: float) -> None:
    expected = float(special.betaincinv(alpha, beta, probability))

    assert beta_quantile(probability, alpha, beta) == pytest.approx(expected, abs=1e-9)


@given(alpha=counts, beta=counts, x=st.just(0.0) | st.floats(1e-300, 1))
def test_any_probability_agrees_with_scipy(alpha: float, beta: float, x: float) -> None:
    assert beta_cdf(x, alpha, beta) == pytest.approx(float(special.betainc(alpha, beta, x)), abs=1e-9)


@given(alpha=counts, beta=counts)
def test_the_logarithm_of_the_beta_function_agrees_with_scipy(alpha: float, beta: float) -> None:
    assert log_beta(alpha, beta) == pytest.approx(float(special.betaln(alpha, beta)), rel=1e-12, abs=1e-8)


@pytest.mark.parametrize(
    ("alpha", "beta", "exact"),
    [(1.0, 1.0, 0.0), (2.0, 3.0, -math.log(12)), (0.5, 0.5, math.log(math.pi)), (1.0, 1e6, -math.log(1e6))],
)
def test_known_values_of_the_beta_function_are_met(alpha: float, beta: float, exact: float) -> None:
    assert log_beta(alpha, beta) == pytest.approx(exact, abs=1e-14)


@pytest.mark.parametrize(("alpha", "beta"), [(1.1e7, 1.1e7), (1.1e7, 1e9), (3e9, 1.1e7), (1e7, 1e12), (1e15, 1.0)])
def test_counts_beyond_a_million_still_agree(alpha: float, beta: float) -> None:
    low, high = equal_tailed(0.9, alpha, beta)

    assert low == pytest.approx(float(special.betaincinv(alpha, beta, 0.05)), abs=1e-12)
    assert high == pytest.approx(float(special.betaincinv(alpha, beta, 0.95)), abs=1e-12)


@given(
    alpha=st.floats(1e-300, 1e15) | st.sampled_from([1e-300, 1e15]),
    beta=st.floats(1e-300, 1e15) | st.sampled_from([1e-300, 1e15]),
    mass=st.floats(1e-9, 1, exclude_max=True),
)
def test_an_interval_of_any_counts_is_ordered_and_within_0_and_1(alpha: float, beta: float, mass: float) -> None:
    low, high = equal_tailed(mass, alpha, beta)

    assert 0 <= low <= high + 1e-12 <= 1 + 1e-12


@pytest.mark.parametrize("alpha", [0.0, -1.0, 1e-301, 1.1e15, math.nan, math.inf])
def test_counts_that_make_no_distribution_are_refused(alpha: float) -> None:
    for call in (
        lambda: beta_cdf(0.5, alpha, 1),
        lambda: beta_quantile(0.5, 1, alpha),
        lambda: equal_tailed(0.9, alpha, 1),
    ):
        with pytest.raises(ValueError, match="between 1e-300 and 1e\\+15"):
            call()


def test_what_is_no_probability_is_refused() -> None:
    for probability in (-0.1, 1.1, math.nan):
        with pytest.raises(ValueError, match="between 0 and 1"):
            beta_quantile(probability, 1, 1)
    for mass in (0.0, 1.0, math.nan):
        with pytest.raises(ValueError, match="between 0 and 1"):
            equal_tailed(mass, 1, 1)


def test_the_ends_of_the_scale_are_exact() -> None:
    assert (beta_quantile(0, 2, 3), beta_quantile(1, 2, 3)) == (0.0, 1.0)
    assert (beta_cdf(-1, 2, 3), beta_cdf(0, 2, 3), beta_cdf(1, 2, 3), beta_cdf(2, 2, 3)) == (0.0, 0.0, 1.0, 1.0)


def test_a_thousand_intervals_take_less_than_a_quarter_of_a_second() -> None:
    started = time.process_time()
    for count in range(1000):
        equal_tailed(0.9, 3 + count / 5, 7)

    assert time.process_time() - started < 0.25
