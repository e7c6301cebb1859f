"""What the features of a position count in its value, in centipawns: the parameters of `alphabeta` in chess."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.policy.parameters import Parameter

WEIGHTS = np.dtype(
    [
        ("tempo", np.int32),  # being to move
        ("bishop_pair", np.int32),
        ("bishop_pair_end", np.int32),
        ("doubled", np.int32),
        ("doubled_end", np.int32),
        ("isolated", np.int32),
        ("isolated_end", np.int32),
        ("open_file", np.int32),  # a rook on it
        ("open_file_end", np.int32),
        ("half_open_file", np.int32),
        ("half_open_file_end", np.int32),
        ("passed", np.int32, 8),  # by the rank as its owner sees it
        ("passed_end", np.int32, 8),
        ("mobility", np.int32, 7),  # each square attacked beyond `USUAL_MOBILITY`, by the kind of piece
        ("mobility_end", np.int32, 7),
        ("pressure", np.int32, 7),  # each square next to the other king that a piece attacks, in the middle game
    ],
    align=True,
)
"""Weights in the middle game and, with `_end`, in the endgame."""

SINGLE = {
    "tempo": 12,
    "bishop_pair": 24,
    "bishop_pair_end": 48,
    "doubled": -6,
    "doubled_end": -16,
    "isolated": -11,
    "isolated_end": -12,
    "open_file": 30,
    "open_file_end": 8,
    "half_open_file": 13,
    "half_open_file_end": 6,
}
"""Weights of one number, each a parameter."""
TABLES = {
    "passed": [0, 2, 2, 8, 26, 56, 92, 0],
    "passed_end": [0, 10, 16, 34, 62, 116, 176, 0],
    "mobility": [0, 0, 4, 4, 2, 1, 0],
    "mobility_end": [0, 0, 4, 4, 4, 4, 0],
    "pressure": [0, 0, 9, 9, 14, 20, 0],
}
"""Weights of several numbers; the parameter is what they are multiplied by, in percent."""
USUAL_MOBILITY = np.array([0, 0, 4, 6, 7, 13, 0])
"""[kind]: squares attacked that count as none."""
MOST, PERCENT = 500.0, 1000.0
"""Largest weight, and largest percentage."""

PARAMETERS = (
    *(Parameter(name, usual, -MOST, MOST, whole=True) for name, usual in SINGLE.items()),
    *(Parameter(name, 100, 0, PERCENT, whole=True) for name in TABLES),
)


def new_weights(values: Mapping[str, float] | None = None) -> NDArray[Any]:
    """Return a record of `WEIGHTS` [1] for these parameters, by default the usual ones."""
    values = {parameter.name: parameter.usual for parameter in PARAMETERS} | dict(values or {})
    weights = np.zeros(1, WEIGHTS)
    for name in SINGLE:
        weights[name] = values[name]
    for name, table in TABLES.items():
        weights[name] = np.rint(np.array(table) * values[name] / 100)
    return weights
