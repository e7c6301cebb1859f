"""Letters and digits made of 5 x 7 dots, for pictures made of pixels."""

from functools import cache

import numpy as np
from numpy.typing import NDArray

HEIGHT, WIDTH = 7, 5
SIGNS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
COLUMNS = bytes.fromhex(
    "3e5149453e 00427f4000 4261514946 2141454b31 1814127f10 2745454539 3c4a494930 0171090503 3649494936 0649492f1e"
    "7e1111117e 7f49494936 3e41414122 7f4141221c 7f49494941 7f09090901 3e4149497a 7f0808087f 00417f4100 2040413f01"
    "7f08142241 7f40404040 7f020c027f 7f0408107f 3e4141413e 7f09090906 3e4151215e 7f09192946 4649494931 01017f0101"
    "3f4040403f 1f2040201f 3f4038403f 6314081463 0708700807 6151494543"
)
"""Five columns for each sign, the topmost dot as the lowest bit."""
DOTS = np.unpackbits(np.frombuffer(COLUMNS, np.uint8).reshape(len(SIGNS), WIDTH, 1), axis=2, bitorder="little")


@cache
def dots(text: str, scale: int = 1) -> NDArray[np.bool_]:
    """Return the dots of a word in capitals [7 * scale, (6 * signs - 1) * scale]; signs that are not known stay blank.

    >>> print("\\n".join("".join(" #"[dot] for dot in row) for row in dots("K4").astype(int)))
    #   #    #
    #  #    ##
    # #    # #
    ##    #  #
    # #   #####
    #  #     #
    #   #    #
    """
    image = np.zeros((HEIGHT, max(0, (WIDTH + 1) * len(text) - 1)), np.bool_)
    for i, sign in enumerate(text.upper()):
        if sign in SIGNS:
            left = i * (WIDTH + 1)
            image[:, left : left + WIDTH] = DOTS[SIGNS.index(sign), :, :HEIGHT].T
    image = image.repeat(scale, axis=0).repeat(scale, axis=1)
    image.setflags(write=False)  # it is kept, and given again
    return image
