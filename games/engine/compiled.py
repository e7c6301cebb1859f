"""`CompiledGame`: a game of this engine, with its rules."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from games.engine.chance import has_stream
from games.engine.check import find_problems
from games.engine.compiler import instantiate
from games.engine.errors import DescriptionError
from games.engine.game import Game, Problem, State
from games.engine.ruleset import Ruleset

HIDDEN = ("redact", "determinize", "information_state")
"""Rules that a game with hidden information must have: without them, searches and screens would see everything."""


@dataclass(frozen=True, eq=False)
class CompiledGame(Game):
    """A game whose rules the engine compiles, so that thousands are stepped in one call and positions are searched.

    Raises `DescriptionError` where the rules do not fit the traits.
    """

    rules: Ruleset = field(kw_only=True)
    """The game's functions, as `games.engine.rules` describes them."""

    def __post_init__(self) -> None:
        if not isinstance(self.rules, Ruleset):
            raise DescriptionError(f"{self.name}: rules={self.rules!r} is not a Ruleset, which names each function")
        named = {name for name, _ in self.rules.named()}
        secrets = [rule for rule in HIDDEN if rule in named] + ["simultaneous"] * self.simultaneous
        if self.perfect_information and secrets:
            raise DescriptionError(f"{self.name}: {secrets[0]} hides something, so say perfect_information=False")
        missing = []
        if not self.perfect_information:
            missing += [f"the rule {rule}" for rule in HIDDEN if rule not in named]
            missing += ["information_shape"] * (self.information_shape is None)
        if self.has_chance:
            missing += ["the rule chance_outcomes"] * ("chance_outcomes" not in named)
            missing += ["RANDOM_FIELD in its record"] * (not has_stream(self.state_dtype))
        if missing:
            traits = ["perfect_information=False"] * (not self.perfect_information)
            traits += [f"num_outcomes={self.num_outcomes}"] * self.has_chance
            raise DescriptionError(f"{self.name}: a game with {', '.join(traits)} needs {', '.join(missing)}")

    def ruleset(self) -> Ruleset:
        """Return the rules to compile."""
        return self.rules

    def problems(self, num_games: int, seed: int) -> Iterator[Problem]:
        """Play random games by seeds from `seed` on; yield the result of each check of the contract of games."""
        return find_problems(self, num_games, seed)

    def redact(self, states: State, seats: NDArray[np.int64]) -> None:
        """Blank in each of `states` [R] what its seat of `seats` [R] may not know, in place."""
        instantiate("games.engine.knowledge", self).redact_all(states, seats)
