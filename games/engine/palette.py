"""Colours of boards, pieces and cards, RGB; the same on screens of either theme and in images."""

Colour = tuple[int, int, int]
"""Red, green and blue, 0 to 255."""

SEATS: tuple[Colour, ...] = ((0, 114, 178), (230, 159, 0), (0, 158, 115), (204, 121, 167))
"""Colour of each seat without a side of its own, of the Okabe-Ito set that colour-blind people can tell apart."""
SEATS_ON_DARK: tuple[Colour, ...] = ((86, 180, 233), (230, 159, 0), (47, 196, 151), (226, 150, 192))
"""The same hues on a dark ground."""
SIDES: dict[str, Colour] = {"white": (252, 250, 242), "black": (14, 14, 16)}
"""Colours of the sides of games that are played with white and black."""
GROUNDS: dict[str, Colour] = {
    "light": (172, 146, 104),
    "dark": (118, 86, 58),
    "wood": (186, 142, 82),
    "felt": (40, 104, 78),
    "rail": (72, 52, 38),
    "face": (248, 245, 236),
    "back": (58, 74, 110),
}
"""Surfaces: light and dark squares (in whose middle tones both white and black stand out), a go board, the cloth of
othello, backgammon and card tables, the frame of a backgammon board, and the two sides of a card."""
LAST_GROUNDS: dict[str, Colour] = {"light": (168, 164, 84), "dark": (126, 116, 46)}
"""Squares that the last move ended on."""
SPIKES: tuple[Colour, Colour] = (196, 164, 112), (142, 72, 52)
"""The points of a backgammon board, by turns."""
BOWL: Colour = (104, 70, 38)
"""The inside of a bowl."""
INKS: dict[str, Colour] = {
    "black": (24, 24, 28),
    "red": (196, 22, 42),
    "blue": (22, 78, 186),
    "green": (0, 112, 52),
    "yellow": (150, 108, 0),
    "grey": (110, 110, 110),
}
"""Colours of what is printed on cards and dice."""
