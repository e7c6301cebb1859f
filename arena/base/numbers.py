"""Numbers in texts that people wrote."""

import math


def number_in(text: str) -> float:
    """Return the finite number that a text is, NaN for any other text.

    >>> number_in(" 1e-3"), number_in("inf"), number_in("many")
    (0.001, nan, nan)
    """
    try:
        number = float(text)
    except ValueError:
        return math.nan
    return number if math.isfinite(number) else math.nan
