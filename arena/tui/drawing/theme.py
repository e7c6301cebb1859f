"""Themes and the colours of seats.

Colour only supports what shapes and words say. Seats have the Okabe-Ito hues (Color Universal Design, 2008), which
colour-blind people can tell apart, at the lightness that reads well on each background.
"""

from textual.theme import Theme

from games.engine.palette import BOWL, GROUNDS, INKS, LAST_GROUNDS, SEATS_ON_DARK, SIDES, SPIKES, Colour

SEATS = {
    True: tuple("#{:02x}{:02x}{:02x}".format(*colour) for colour in SEATS_ON_DARK),
    False: ("#0072b2", "#c25400", "#007a59", "#a8437e"),
}
"""Colour of each seat on a dark (True) and on a light theme."""
VERDICTS = {True: ("#2fc497", "#ee8866"), False: ("#007a59", "#b3371b")}
"""Colours for good and for bad news: bluish green and vermilion."""


PAINTS: dict[str, Colour] = {
    **SIDES,
    "bowl": BOWL,
    **{f"ink-{name}": colour for name, colour in INKS.items()},
    **{f"spike-{number}": colour for number, colour in enumerate(SPIKES)},
}
"""Colours of what is drawn on boards in either theme, by role."""
SURFACES: dict[str, Colour] = {**GROUNDS, **{f"last-{name}": colour for name, colour in LAST_GROUNDS.items()}}
"""Colours of what boards are made of, in either theme."""


def _variables(dark: bool) -> dict[str, str]:
    seats = {f"seat-{seat}": colour for seat, colour in enumerate(SEATS[dark])}
    good, bad = VERDICTS[dark]
    return seats | {"good": good, "bad": bad}


DARK = Theme(
    name="arena-dark",
    primary="#56b4e9",
    secondary="#8ea4b8",
    accent="#9ecbff",
    warning="#e6b450",
    error=VERDICTS[True][1],
    success=VERDICTS[True][0],
    foreground="#e4e7eb",
    background="#12161c",
    surface="#171c24",
    panel="#212936",
    dark=True,
    variables=_variables(True),
)
LIGHT = Theme(
    name="arena-light",
    primary="#0072b2",
    secondary="#4b6075",
    accent="#00568a",
    warning="#8a5a00",
    error=VERDICTS[False][1],
    success=VERDICTS[False][0],
    foreground="#1c2127",
    background="#fbfaf7",
    surface="#f3f1ec",
    panel="#e4e0d8",
    dark=False,
    variables=_variables(False),
)
