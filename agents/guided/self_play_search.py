"""Search of a policy that learns from its own search: full and quick searches in self-play, and the search in play.

Only some moves of self-play are searched in full (KataGo's playout cap randomisation, Wu 2019, arXiv 1902.10565); the
others only advance the games. PUCT continues from the subtree below the moves played since.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.configs.search import SearchConfig
from agents.guided.guided import GuidedSearch, Network, RootNoise, SearchResult
from agents.guided.puct import as_output
from agents.learning.distributions import draw_rows
from agents.search.memory import Trees
from agents.search.positions import positions
from arena.base.seeding import make_rng
from arena.data.batch import Batch
from games.engine.game import Game


class SelfPlaySearch:
    """Searches the moves of one policy and keeps its trees from move to move.

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
        """Number of simulations so far, in training and in play."""
        self.forget()

    def forget(self) -> None:
        """Drop the trees of earlier games and the agreed seed."""
        self._trees = Trees(self._game)
        self._agreed: np.random.Generator | None = None

    def agree(self, seed: int) -> None:
        """Set the seed that decides which moves are searched in full.

        Processes that search parts of one batch agree on it.
        """
        self._agreed = make_rng(seed)

    def hurry(self) -> None:
        """End the current search in play."""
        self._play.hurry()

    def answer(
        self, batch: Batch, state: Any, network: Network, rng: np.random.Generator, training: bool, threads: int
    ) -> Batch:
        """Search every row; `state` is the hidden state of the previous call. See `AlphaZeroPolicy.forward`."""
        states = positions(batch, self._game, "alphazero")
        full = not training or (self._agreed or rng).random() < self._config.full_share
        search = self._play if not training else self._full if full else self._quick
        kept = None if state is None else self._trees.pop_all(state.tree, states)
        noise = self._noise if training and full else None
        kept = kept if search.reuses_trees else None
        result = search.search(states, network, rng, noise, explores=training, kept=kept, threads=threads)
        self.simulations += result.simulations
        answer = as_output(result)
        moves = np.zeros(len(states), np.int64) if state is None else np.array(state.moves)
        if training:
            answer.policy = Batch(target=(result.probs * full).astype(np.float32))
            if self._noise is not None:  # Gumbel's own random numbers explore
                answer.act = self._play_opening(result, moves, rng)
        trees = self._trees.put_all(result.trees, states, answer.act) if search.reuses_trees else np.zeros_like(moves)
        answer.state = Batch(moves=moves + 1, tree=trees)
        return answer

    def _play_opening(
        self, result: SearchResult, moves: NDArray[np.int64], rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """Return actions [n]: drawn by visits in the opening, the best ones later."""
        drawn = draw_rows(result.probs, rng.random(len(moves)))
        return np.where(moves < self._config.opening_moves, drawn, result.act)
