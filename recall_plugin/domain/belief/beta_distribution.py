"""The Beta distribution: its cumulative probability, its quantiles and its equal-tailed intervals.

Continued fraction: DiDonato and Morris, "Algorithm 708: Significant digit computation of the incomplete beta function
ratios", ACM TOMS 18 (1992), equation 9. First guess of a quantile: Abramowitz and Stegun, 26.5.22.
"""

from __future__ import annotations

import math
from statistics import NormalDist

# Within these bounds no intermediate result over- or underflows, and one more observation is not lost in rounding.
SMALLEST_COUNT, LARGEST_COUNT = 1e-300, 1e15

_NORMAL = NormalDist()
_HALF_LOG_TWO_PI = 0.5 * math.log(2 * math.pi)
# From here on five terms of Stirling's series are exact to the last bit.
_STIRLING_FROM = 10.0
_FRACTION_PRECISION = 1e-15
_FRACTION_TERMS = 20_000
# Beyond these log-odds a probability is 0 or 1 in double precision.
_LOWEST_LOGIT, _HIGHEST_LOGIT = -745.0, 40.0
# A step of Halley's method leaves about the cube of its length as error.
_LAST_STEP = 1e-5
_STEPS = 200
# Above this, for both counts, the normal guess is better than 1e-10 and the continued fraction long.
_NORMAL_FROM = 1e7


def log_beta(alpha: float, beta: float) -> float:
    """The natural logarithm of the Beta function, without the cancellation that large counts bring.

    alpha, beta: 1e-300 to 1e15.
    """
    small, large = (alpha, beta) if alpha <= beta else (beta, alpha)
    if large < _STIRLING_FROM:
        return math.lgamma(small) + math.lgamma(large) - math.lgamma(small + large)
    rest = _stirling_rest(large) - _stirling_rest(small + large) - (large - 0.5) * math.log1p(small / large)
    if small < _STIRLING_FROM:
        return math.lgamma(small) + rest + small - small * math.log(small + large)
    return _HALF_LOG_TWO_PI + _stirling_rest(small) + rest - 0.5 * math.log(small) - small * math.log1p(large / small)


def beta_cdf(x: float, alpha: float, beta: float) -> float:
    """The probability that a Beta(alpha, beta) variable is at most x: the regularised incomplete beta function.

    x: any number; below 0 the probability is 0, above 1 it is 1. alpha, beta: 1e-300 to 1e15. Raises ValueError.
    """
    _check(alpha, beta)
    if not x > 0:
        return 0.0
    if x >= 1:
        return 1.0
    logit = math.log(x) - math.log1p(-x)
    return _below(logit, x, alpha, beta, log_beta(alpha, beta))[0]


def beta_quantile(probability: float, alpha: float, beta: float) -> float:
    """The x at or below which a Beta(alpha, beta) variable falls with `probability`, to 1e-10.

    probability: 0 to 1. alpha, beta: 1e-300 to 1e15. Raises ValueError.
    """
    _check(alpha, beta)
    if not 0 <= probability <= 1:
        raise ValueError(f"a probability lies between 0 and 1, not at {probability}")
    if probability in {0, 1}:
        return float(probability)
    log_norm = log_beta(alpha, beta)
    if probability <= 0.5:
        return _lower_quantile(probability, alpha, beta, log_norm)
    return 1.0 - _lower_quantile(1.0 - probability, beta, alpha, log_norm)


def equal_tailed(mass: float, alpha: float, beta: float) -> tuple[float, float]:
    """The interval (low, high) that a Beta(alpha, beta) variable misses to either side with the same probability.

    mass: the probability inside, above 0 and below 1. alpha, beta: 1e-300 to 1e15. Raises ValueError.
    """
    _check(alpha, beta)
    if not 0 < mass < 1:
        raise ValueError(f"the mass of an interval lies between 0 and 1, not at {mass}")
    tail = (1.0 - mass) / 2
    log_norm = log_beta(alpha, beta)
    return _lower_quantile(tail, alpha, beta, log_norm), 1.0 - _lower_quantile(tail, beta, alpha, log_norm)


def _check(alpha: float, beta: float) -> None:
    for count in (alpha, beta):
        if not SMALLEST_COUNT <= count <= LARGEST_COUNT:
            raise ValueError(f"a count lies between {SMALLEST_COUNT:g} and {LARGEST_COUNT:g}, not at {count}")


def _stirling_rest(z: float) -> float:
    """What Stirling's formula for lgamma(z) leaves out."""
    inverse = 1.0 / z
    square = inverse * inverse
    return inverse * (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square * (1 / 1680 - square / 1188))))


def _lower_quantile(probability: float, alpha: float, beta: float, log_norm: float) -> float:
    """The quantile of a probability up to 0.5. log_norm: log_beta(alpha, beta).

    Solved for the log-odds of x: there the logarithm of the probability is concave and, towards 0, a straight line, so
    that Newton's method (here with Halley's correction) goes straight to the root from nearly everywhere.
    """
    low, high = _LOWEST_LOGIT, _HIGHEST_LOGIT
    logit = min(max(_guess(probability, alpha, beta, log_norm), low), high)
    if alpha > _NORMAL_FROM and beta > _NORMAL_FROM:
        return _expit(logit)
    total = alpha + beta
    for _ in range(_STEPS):
        x = _expit(logit)
        below, density = _below(logit, x, alpha, beta, log_norm)
        if below < probability:
            low = logit
        else:
            high = logit
        step = math.inf
        if below > 0 and density > 0:
            slope = density / below
            step = -math.log(below / probability) / slope
            step /= max(0.5, 1 + step * (alpha - total * x - slope) / 2)
        following = logit + step
        if not low <= following <= high:
            following = (low + high) / 2
            step = following - logit
        logit = following
        if abs(step) < _LAST_STEP:
            break
    return _expit(logit)


def _guess(probability: float, alpha: float, beta: float, log_norm: float) -> float:
    """Log-odds near the quantile; at or below them where a count is 1 or less."""
    if alpha <= 1 or beta <= 1:
        return (math.log(probability) + math.log(alpha) + log_norm) / alpha
    z = -_NORMAL.inv_cdf(probability)
    a, b = 1 / (2 * alpha - 1), 1 / (2 * beta - 1)
    h = 2 / (a + b)
    r = (z * z - 3) / 6
    w = z * math.sqrt(h + r) / h - (b - a) * (r + 5 / 6 - 2 / (3 * h))
    return math.log(alpha / beta) - 2 * w


def _expit(logit: float) -> float:
    odds = math.exp(-abs(logit))
    return 1 / (1 + odds) if logit >= 0 else odds / (1 + odds)


def _below(logit: float, x: float, alpha: float, beta: float, log_norm: float) -> tuple[float, float]:
    """The probability below x, and the density there with respect to the log-odds. x: that of the log-odds."""
    far = math.log1p(math.exp(-abs(logit)))
    log_x, log_rest = (-far, -far - logit) if logit >= 0 else (logit - far, -far)
    density = math.exp(alpha * log_x + beta * log_rest - log_norm)
    if x * (alpha + beta + 2) <= alpha + 1:
        return min(1.0, density * _fraction(x, alpha, beta)), density
    return max(0.0, 1.0 - density * _fraction(_expit(-logit), beta, alpha)), density


def _fraction(x: float, alpha: float, beta: float) -> float:
    """The probability below x over the density; x: at most about the mean, where the fraction converges quickly."""
    lead = alpha - (alpha + beta) * x + 1
    twice = 2 - x
    value = alpha * lead / (alpha + 1)
    upper, lower = value, 0.0
    for m in range(1, _FRACTION_TERMS):
        odd = alpha + 2 * m - 1
        part = m * (beta - m) * x / odd
        numerator = (alpha + m - 1) * (alpha + beta + m - 1) * x / odd * part
        term = m + part + (alpha + m) * (lead + m * twice) / (odd + 2)
        lower = 1 / (term + numerator * lower)
        upper = term + numerator / upper
        factor = upper * lower
        value *= factor
        if abs(factor - 1) < _FRACTION_PRECISION:
            break
    return 1 / value
