"""`GameVectorEnv`: thousands of games of one kind, stepped by one compiled call."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.base.checks import require_at_least
from arena.base.errors import UsageError
from arena.base.seeding import make_rng
from arena.data.batch import Batch
from arena.data.rows import require_alike
from arena.env.games import VectorGames
from arena.env.ids import Ids, rows_of, seeds_for
from arena.env.openings import draw_opening
from arena.env.row_threads import RowThreads
from games.engine.actions import Action
from games.engine.batch import Shown, new_games
from games.engine.chance import GAMMA
from games.engine.compiler import instantiate, kernels
from games.engine.game import Game
from games.engine.jit import Unchecked
from games.engine.registry import make_game
from games.engine.row_sharing import RowShare


class GameVectorEnv(VectorGames):
    """`num_envs` games side by side; in each the seat to move acts, in turns of the game's own order.

    An observation is `Batch(agent_id, obs, mask)` of the seats to move: int [R], [R, *O], bool [R, A]. Rewards and ends
    are [R, P], one entry a seat. Nothing resets itself: a finished game (its mask all True) waits for `reset(id)`.
    Everything returned is a copy.

    Args:
        game: a `Game`, or the name of one.
        num_envs: B, how many are played.
        autoreset: a game that ends begins anew in the same step, whose observation is that of the new game.
        threads: how many threads may share a step, of as many cores at most; results do not depend on it.
        openings: games begin after 0 to so many random moves, any number as likely; one that would end so, at once.
        options: of the game, if it is given by name.

    """

    def __init__(
        self,
        game: Game | str,
        num_envs: int,
        autoreset: bool = False,
        threads: int = 1,
        openings: int = 0,
        **options: Any,
    ):
        self.game = make_game(game, **options) if isinstance(game, str) else game
        require_at_least(1, num_envs=num_envs, threads=threads)
        require_at_least(0, openings=openings)
        self.autoreset, self.openings = autoreset, openings
        self._threads = RowThreads(threads)
        self._kernels = kernels(self.game)
        self._advance, self._first_illegal = Unchecked(self._kernels.advance), Unchecked(self._kernels.first_illegal)
        self._rows = np.arange(num_envs)
        self._chances = [self.game.chance_scratch() for _ in range(threads)]  # of each thread its own
        self._games = new_games(self.game, num_envs)
        if self.game.has_chance or openings:
            self._streams[:] = self._determinization_streams[:] = make_rng().integers(
                2**64, size=num_envs, dtype=np.uint64
            )

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def states(self) -> NDArray[Any]:
        """The positions, structured records [B]."""
        return self._games.states

    @property
    def seats(self) -> NDArray[np.int64]:
        """The seat to move in each game, [B]."""
        return self._games.seats

    @property
    def mask(self) -> NDArray[np.bool_]:
        """The legal actions of the seats to move, [B, A]; all True in a finished game."""
        return self._games.mask

    @property
    def over(self) -> NDArray[np.bool_]:
        """Mask of the games that have ended or never begun, [B]."""
        return self._games.over

    @property
    def _streams(self) -> NDArray[np.uint64]:
        return self._games.streams

    @property
    def _determinization_streams(self) -> NDArray[np.uint64]:
        return self._games.determinization_streams

    def reset(self, id: Ids = None, seed: int | Sequence[int] | None = None) -> tuple[Batch, Batch]:
        """Restart all games, or those of `id`; return observations and (empty) infos.

        A seed determines the chance events of this game and of the later ones in the same row; an integer counts up
        over the rows. Without a seed, the random stream of each row continues.
        """
        rows = self._rows if id is None else rows_of(id, len(self))
        self._take_seeds(rows, seeds_for(seed, len(rows)))
        self._begin(rows)
        return self.observations(rows), Batch()

    def _begin(self, rows: NDArray[np.int64]) -> None:
        """Start the games in these rows."""
        if self.recorder is not None and self.recorder.board in rows:
            self.recorder.begin(int(self._streams[self.recorder.board]))
        self._kernels.reset(self._games, rows, self._chances[0])
        if self.openings:
            self._open(rows)

    def _open(self, rows: NDArray[np.int64]) -> None:
        """Play up to `openings` random moves in games that have just begun; one that would end so begins without."""
        arrays = (self.states, self.seats, self.mask)
        initial = [array[rows] for array in arrays]
        moves = np.full((len(rows), self.openings), -1, np.int64)
        sums = np.zeros((len(rows), self.num_agents), np.float32)
        for ply in range(self.openings):
            draw_opening(self._streams[rows], self.mask[rows], ply, moves)
            played = np.flatnonzero((moves[:, ply] >= 0) & ~self.over[rows])
            if not len(played):
                break
            rewards = np.empty((len(played), self.num_agents), np.float32)
            unseen = self._room(played)
            self._kernels.step(self._games, rows[played], moves[played, ply], unseen, rewards, self._chances[0])
            sums[played] += rewards
        ended = np.flatnonzero(self.over[rows])
        for array, first in zip(arrays, initial, strict=True):
            array[rows[ended]] = first[ended]
        moves[ended], sums[ended] = -1, 0
        self.over[rows] = False
        if self.recorder is not None:
            for place in np.flatnonzero(rows == self.recorder.board).tolist():
                self.recorder.open(moves[place, moves[place] >= 0].tolist(), sums[place])

    def step(
        self, action: NDArray[Any] | Sequence[Action], id: Ids = None
    ) -> tuple[Batch, NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], Batch]:
        """Play one action in each game, or in those of `id`.

        Returns observations, rewards [R, P] that these actions brought, terminated [R, P], truncated [R, P] (where the
        rules only cut the game off), and infos. Nothing is played, and `UsageError` raised, if the actions are not R
        whole numbers; `IllegalActionError` or `GameOverError` if one of them may not be played.
        """
        rows = self._rows if id is None else rows_of(id, len(self))
        actions = self.checked_actions(action, rows)
        games = self._games
        bad = self._first_illegal.call(games, rows, actions)
        if bad >= 0:
            raise self.refusal(int(rows[bad]), int(actions[bad]), games.mask[rows[bad]])
        restart = self.autoreset and not self.openings
        shown = Shown(
            seats=np.empty(len(rows), np.int64),
            obs=self._room(rows),
            mask=np.empty((len(rows), self.game.num_actions), np.bool_),
            rewards=np.empty((len(rows), self.num_agents), np.float32),
            ends=np.empty((len(rows), self.num_agents), np.bool_),
        )
        advance, chances, gate = self._advance.call, self._chances, self._threads.gate
        self._threads.share(
            lambda thread, call: advance(
                games, rows, actions, restart, shown, chances[thread], RowShare(gate, thread, call)
            ),
            len(rows),
        )
        self.record_step(rows, actions, shown.rewards)
        if self.autoreset and self.openings:
            self._open_anew(rows, shown)
        observation = Batch(agent_id=shown.seats, obs=shown.obs, mask=shown.mask)
        return observation, shown.rewards, *self._as_ends(shown.ends), Batch()

    def _open_anew(self, rows: NDArray[np.int64], shown: Shown) -> None:
        """Restart the ended games among `rows` with random moves; update the observations."""
        places = np.flatnonzero(shown.ends[:, 0])
        if len(places):
            self._begin(rows[places])
            first = self.observations(rows[places])
            shown.seats[places], shown.obs[places], shown.mask[places] = first.agent_id, first.obs, first.mask

    def observations(self, id: Ids = None) -> Batch:
        """Return the latest observations of the games `id`: `agent_id` [R], `obs` [R, *O] and `mask` [R, A]."""
        rows = self._rows if id is None else rows_of(id, len(self))
        obs = self._room(rows)
        self._kernels.observe_movers(self.states, rows, self.seats, obs)
        # `take` copies whole rows three times as fast as indexing does
        return Batch(agent_id=self.seats[rows], obs=obs, mask=self.mask.take(rows, axis=0))

    def final_obs(self, id: Ids = None) -> Batch:
        """Return the view of every seat: `obs` [R, P, *O] and `mask` [R, P, A] (all True in a finished game)."""
        rows = self._rows if id is None else rows_of(id, len(self))
        shape = (len(rows), self.num_agents)
        obs = np.empty((*shape, *self.game.observation_shape), self.game.observation_dtype)
        mask = np.empty((*shape, self.game.num_actions), np.bool_)
        self._kernels.observe_all(self.states, rows, obs, mask)
        return Batch(obs=obs, mask=mask)

    def positions(self, id: Ids = None) -> NDArray[Any]:
        """Return states [R] of the games of `id` for searching agents, determinized for the seats to move.

        Hidden information, including future chance events, is replaced by a new sample.
        """
        rows = self._rows if id is None else rows_of(id, len(self))
        states: NDArray[Any] = self.states.take(rows)  # indexing copies records one field at a time
        if self.game.has_chance or not self.game.perfect_information:
            self._determinization_streams[rows] += GAMMA
            knowledge = instantiate("games.engine.knowledge", self.game)
            knowledge.determinize_all(states, self.seats[rows], self._determinization_streams[rows])
        return states

    def joint_masks(self, id: Ids = None) -> NDArray[np.bool_]:
        """Return the legal choices of every seat in the games `id`, of simultaneous choices: bool [R, P, A].

        All False for a seat that has no choice (any more), all True in a finished game.
        """
        rows = self._rows if id is None else rows_of(id, len(self))
        masks = np.empty((len(rows), self.num_agents, self.game.num_actions), np.bool_)
        self._kernels.joint_masks(self.states, rows, masks)
        return masks

    def step_joint(
        self, actions: NDArray[np.integer[Any]], id: Ids = None
    ) -> tuple[Batch, NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], Batch]:
        """Play the choices of all seats, [R, P], in a game of simultaneous choices; returns what `step` does.

        The entry of a seat that has no choice is ignored. `IllegalActionError` before anything is played.
        """
        rows = self._rows if id is None else rows_of(id, len(self))
        actions = np.asarray(actions)
        if not self.game.simultaneous:
            raise UsageError(f"{self.game.name} is played in turns: step takes the action of the seat to move")
        if self.autoreset:
            raise UsageError("a joint step plays the seats in turn, and autoreset=True begins games in between")
        if actions.shape != (len(rows), self.num_agents) or actions.dtype.kind not in "iu":
            raise UsageError(f"step_joint takes whole numbers [{len(rows)}, {self.num_agents}], not {actions.shape}")
        masks = self.joint_masks(rows)
        if (over := np.flatnonzero(self.over[rows])).size:
            raise self.refusal(int(rows[over[0]]), 0, masks[over[0], 0])
        has_choice: NDArray[np.bool_] = np.any(masks, axis=2)
        inside = (actions >= 0) & (actions < self.game.num_actions)
        chosen = np.take_along_axis(masks, np.where(inside, actions, 0)[:, :, None], axis=2)[:, :, 0] & inside
        if (bad := np.argwhere(has_choice & ~chosen)).size:
            raise self.refusal(int(rows[bad[0, 0]]), int(actions[tuple(bad[0])]), masks[tuple(bad[0])])
        rewards = np.zeros((len(rows), self.num_agents), np.float32)
        for seat in range(self.num_agents):
            to_play = np.flatnonzero(has_choice[:, seat] & (self.seats[rows] == seat) & ~self.over[rows])
            if len(to_play):
                rewards[to_play] += self.step(actions[to_play, seat], rows[to_play])[1]
        ends = np.repeat(self.over[rows, None], self.num_agents, axis=1)
        return self.observations(rows), rewards, *self._as_ends(ends), Batch()

    def state_dict(self) -> Batch:
        """Return the state of all games as arrays."""
        states = self.states.view(np.uint8).reshape(len(self), -1)
        arrays = {"states": states, "seats": self.seats, "mask": self.mask, "over": self.over}
        return Batch(arrays | {"streams": self._streams, "guesses": self._determinization_streams}, copy=True)

    def load_state_dict(self, arrays: Batch) -> None:
        """Load what `state_dict` returned; `UsageError` if it has another number of games or another game."""
        for name, own in self.state_dict().items():
            require_alike(own, arrays[name], name)
        if not ((arrays.seats >= 0) & (arrays.seats < self.num_agents) | arrays.over).all():
            raise UsageError(f"seats to move are not between 0 and {self.num_agents - 1}")
        self.states[:] = np.array(arrays.states, order="C").view(self.game.state_dtype).reshape(-1)
        if self.recorder is not None:
            self.recorder.interrupt()
        self.seats[:], self.mask[:], self.over[:] = arrays.seats, arrays.mask, arrays.over
        self._streams[:], self._determinization_streams[:] = arrays.streams, arrays.guesses

    def seed(self, seed: int | Sequence[int] | None = None) -> list[int | None]:
        """Use these seeds for chance events from the next `reset` on; return them."""
        seeds = seeds_for(seed, len(self))
        self._take_seeds(self._rows, seeds)
        return seeds

    def close(self) -> None:
        """Do nothing: there is nothing to release."""

    def _take_seeds(self, rows: NDArray[np.int64], seeds: Sequence[int | None]) -> None:
        for row, seed in zip(rows, seeds, strict=True):
            if seed is not None:
                self._streams[row] = seed % 2**64

    def _as_ends(self, ends: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return terminated and truncated [R, P] for the flags of games that are over."""
        none = np.zeros(ends.shape, np.bool_)  # several times as fast as `zeros_like`
        return (none, ends) if self.game.truncates else (ends, none)

    def _room(self, rows: NDArray[np.int64]) -> NDArray[Any]:
        """Return scratch memory for the observations of these rows."""
        return np.empty((len(rows), *self.game.observation_shape), self.game.observation_dtype)


def require_resets_by_hand(env: Any) -> None:
    """Raise `UsageError` for games with automatic resets, whose final positions cannot be seen."""
    if isinstance(env, GameVectorEnv) and env.autoreset:
        raise UsageError("automatic resets would hide final positions: make the GameVectorEnv without autoreset=True")
