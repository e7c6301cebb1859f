"""How an agent that learns from its own search moves: in full where it learns, quickly elsewhere, and as in play.

Only some moves of self-play are searched in full (KataGo's playout cap randomisation, Wu 2019, arXiv 1902.10565); the
others bring games to their ends. PUCT goes on from what it found below the moves that have been played since.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.distributions import draw_rows
from agents.puct import told
from agents.search.guided import Found, GuidedSearch, Network, RootNoise
from agents.search.memory import Trees
from agents.search.positions import positions
from arena.config import require_above, require_at_least, require_between
from arena.data.batch import Batch
from arena.seeding import make_rng
from games.engine.game import Game


@dataclass(frozen=True)
class SearchConfig:
    """How moves are searched; the defaults are for two CPU cores."""

    simulations: int = 96
    """Of each move of self-play that the policy learns from."""
    quick_simulations: int = 24
    """Of the other moves, which only bring games to their ends."""
    full_share: float = 0.35
    """Share of the moves that are searched in full, above 0 to 1; drawn for all games at once."""
    play_simulations: int = 100
    """Of each move in tests, tournaments and play."""
    considered: int = 0
    """Actions that the halving of Gumbel AlphaZero begins with; 0 for PUCT with Dirichlet noise."""
    noise: float = 10.0
    """Of the Dirichlet distribution, in all over the actions (alpha is that divided by their number)."""
    noise_share: float = 0.25
    """Part of the noise in the priors at the root, 0 to 1."""
    opening_moves: int = 8
    """Moves of each seat and game that are drawn by visits; the best is played afterwards."""

    def __post_init__(self) -> None:
        require_above(self, 0, "noise", "full_share")
        require_at_least(self, 0, "considered", "opening_moves")
        require_at_least(self, 1, "simulations", "quick_simulations", "play_simulations")
        require_between(self, 0, 1, "noise_share", "full_share")


class SelfPlaySearch:
    """Searches the moves of one policy, and remembers its trees from move to move.

    Raises `UsageError` for games that cannot be searched; see `GuidedSearch`.
    """

    def __init__(self, game: Game, config: SearchConfig):
        self._game, self._config = game, config
        self._noise = None if config.considered else RootNoise(config.noise / game.num_actions, config.noise_share)
        self._full, self._quick, self._play = (
            GuidedSearch(game, number, config.considered)
            for number in (config.simulations, config.quick_simulations, config.play_simulations)
        )
        self.simulations = 0
        """Made so far, in training and otherwise."""
        self.forget()

    def forget(self) -> None:
        """Forget the trees of earlier games, and what was agreed."""
        self._trees = Trees(self._game)
        self._agreed: np.random.Generator | None = None

    def agree(self, seed: int) -> None:
        """Draw by this seed which moves are searched in full, as others do who search in other parts of a batch."""
        self._agreed = make_rng(seed)

    def hurry(self) -> None:
        """End the search under way, in games that are played and not learned from."""
        self._play.hurry()

    def answer(self, batch: Batch, state: Any, network: Network, rng: np.random.Generator, training: bool) -> Batch:
        """Search every row, the hidden `state` being that of the answer before; see `AlphaZeroPolicy.forward`."""
        states = positions(batch, self._game, "alphazero")
        full = not training or (self._agreed or rng).random() < self._config.full_share
        search = self._play if not training else self._full if full else self._quick
        kept = None if state is None else self._trees.pop_all(state.tree, states)
        noise = self._noise if training and full else None
        found = search.search(states, network, rng, noise, explores=training, kept=kept if search.goes_on else None)
        self.simulations += found.simulations
        answer = told(found)
        moves = np.zeros(len(states), np.int64) if state is None else np.array(state.moves)
        if training:
            answer.policy = Batch(target=(found.probs * full).astype(np.float32))
            if self._noise is not None:  # Gumbel's own random numbers explore
                answer.act = self._opened(found, moves, rng)
        trees = self._trees.put_all(found.trees, states, answer.act) if search.goes_on else np.zeros_like(moves)
        answer.state = Batch(moves=moves + 1, tree=trees)
        return answer

    def _opened(self, found: Found, moves: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
        """Actions [n]: in the opening drawn by visits, later the best."""
        drawn = draw_rows(found.probs, rng.random(len(moves)))
        return np.where(moves < self._config.opening_moves, drawn, found.act)
