"""Opponents for a game: agents, each with a description, and people at the same keyboard."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from arena.policy.zoo.card import ELO, ZooCard

PERSON = "human"
SEARCH, SEARCH_HIDDEN = "mcts:400", "ismcts:400"
"""Agents that fit every game in which nothing is hidden, and those in which something is."""


class Opponent(NamedTuple):
    """One choice."""

    spec: str
    meaning: str


ANYBODY = Opponent(PERSON, "a person at this keyboard (human:NAME gives a name)")


def fitting(traits: str | None) -> str:
    """Return the agent that a person plays first: it plays the game, and plays it well enough to be beaten.

    `traits` are those that the home screen shows; None if they are not known.

    >>> fitting("2p perfect"), fitting("4p simul."), fitting(None)
    ('mcts:400', 'ismcts:400', 'random')
    """
    if traits is None:
        return "random"
    return SEARCH_HIDDEN if _hides(traits) else SEARCH


def of_zoo(card: ZooCard) -> tuple[Opponent, ...]:
    """Return the levels of a game, the weakest first, and its champion."""
    where = f" on {card.levels_on}" if card.levels_on else ""
    words = (
        f"Elo {level.rating:.0f}, where random is 0" if card.scale == ELO else f"{level.rating:+.2f} a game"
        for level in card.levels
    )
    levels = (Opponent(f"level:{number}", meaning + where) for number, meaning in enumerate(words, start=1))
    return (*levels, Opponent("champion", f"the best there is: {card.why}"))


def opponents(
    traits: str | None, trained: Sequence[str], exact: Sequence[str] = (), zoo: Sequence[Opponent] = ()
) -> tuple[Opponent, ...]:
    """Return the choices for a game: its levels, agents trained here, then others; what cannot play it is left out.

    `exact` are the agents that solve it, `zoo` its levels and its champion.
    """
    solved = (Opponent(spec, "makes no mistake wherever the game is solved") for spec in exact)
    return (*zoo, *(Opponent(spec, "trained here") for spec in trained), *_usual(traits), *solved, ANYBODY)


def _usual(traits: str | None) -> Iterator[Opponent]:
    words = (traits or "").split()
    if traits is not None and _hides(traits):
        yield Opponent(SEARCH_HIDDEN, "searches what may be hidden, 400 playouts: a fair opponent")
        yield Opponent("ismcts:4000", "searches what may be hidden, 4,000 playouts: strong, and slower")
    elif traits is not None:
        yield Opponent(SEARCH, "tree search, 400 playouts: a fair opponent")
        yield Opponent("mcts:4000", "tree search, 4,000 playouts: strong, and slower")
        yield Opponent("mcts:50", "tree search, 50 playouts: weak")
        if words[0] == "2p":
            yield Opponent("alphabeta:4", "looks four moves ahead")
        if "chance" not in words:
            yield Opponent("one-ply", "looks one move ahead: for beginners")
    yield Opponent("random", "plays any legal move")


def _hides(traits: str) -> bool:
    return "hidden" in traits.split() or "simul." in traits.split()
