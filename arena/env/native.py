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
from arena.env.board import Array, HostBoard
from arena.env.device import settled_device
from arena.env.games import VectorGames
from arena.env.ids import Ids, seeds_for
from arena.env.openings import draw_opening
from games.engine.actions import Action
from games.engine.batch import Shown
from games.engine.compiler import instantiate
from games.engine.game import Game
from games.engine.registry import make_game


class GameVectorEnv(VectorGames):
    """`num_envs` games side by side; in each the seat to move acts, in turns of the game's own order.

    An observation is `Batch(agent_id, obs, mask)` of the seats to move: int [R], [R, *O], bool [R, A]. Rewards and ends
    are [R, P], one entry a seat. Nothing resets itself: a finished game (its mask all True) waits for `reset(id)`.
    Everything returned is a copy.

    On a CUDA device the games live there, everything returned is a torch tensor there, and actions and `id` may be;
    `states` are bytes [B, record] then. A seed gives the same games as on the CPU.

    Args:
        game: a `Game`, or the name of one.
        num_envs: B, how many are played.
        autoreset: a game that ends restarts in the same step, whose observation is that of the new game.
        threads: how many threads of the CPU may share a step, of as many cores at most; results do not depend on it.
        openings: games begin after 0 to so many random moves, any number as likely; one that would end so, at once.
        device: `cpu`, `cuda` (extra `cuda`), or `auto`, which is `cuda` where it can be used.
        options: of the game, if it is given by name.

    Raises `UsageError` if the device cannot be used, or has too little memory.

    """

    def __init__(
        self,
        game: Game | str,
        num_envs: int,
        autoreset: bool = False,
        threads: int = 1,
        openings: int = 0,
        device: str = "cpu",
        **options: Any,
    ):
        self.game = make_game(game, **options) if isinstance(game, str) else game
        require_at_least(1, num_envs=num_envs, threads=threads)
        require_at_least(0, openings=openings)
        self.autoreset, self.openings, self.device = autoreset, openings, settled_device(device)
        self._board = _board(self.game, num_envs, threads, self.device)
        self._games, self._count = self._board.games, num_envs
        if self.game.has_chance or openings:
            seeds = make_rng().integers(2**64, size=num_envs, dtype=np.uint64)
            self._board.seed(self._board.rows(None), seeds, determinizations=True)

    def __len__(self) -> int:
        return self._count

    @property
    def states(self) -> Array:
        """The positions, structured records [B]."""
        return self._games.states

    @property
    def seats(self) -> Array:
        """The seat to move in each game, [B]."""
        return self._games.seats

    @property
    def mask(self) -> Array:
        """The legal actions of the seats to move, [B, A]; all True in a finished game."""
        return self._games.mask

    @property
    def over(self) -> Array:
        """Mask of the games that have ended or never begun, [B]."""
        return self._games.over

    def reset(self, id: Ids = None, seed: int | Sequence[int] | None = None) -> tuple[Batch, Batch]:
        """Restart all games, or those of `id`; return observations and (empty) infos.

        A seed determines the chance events of this game and of the later ones in the same row; an integer counts up
        over the rows. Without a seed, the random stream of each row continues.
        """
        rows = self._board.rows(id)
        self._take_seeds(rows, seeds_for(seed, len(rows)))
        self._begin(rows)
        return self._observations(rows), Batch()

    def _begin(self, rows: Array) -> None:
        """Start the games in these rows."""
        if self.recorder is not None and (rows == self.recorder.board).any():
            self.recorder.begin(int(self._board.streams(self._board.rows(self.recorder.board))[0]))
        self._board.reset(rows)
        if self.openings:
            self._open(rows)

    def _open(self, rows: Array) -> None:
        """Play up to `openings` random moves in games that have just begun; one that would end so begins without."""
        board = self._board
        arrays = (self.states, self.seats, self.mask)
        initial = [board.take(array, rows) for array in arrays]
        moves = np.full((len(rows), self.openings), -1, np.int64)
        sums = np.zeros((len(rows), self.num_agents), np.float32)
        for ply in range(self.openings):
            draw_opening(board.streams(rows), board.numpy(board.take(self.mask, rows)), ply, moves)
            played = np.flatnonzero((moves[:, ply] >= 0) & ~board.numpy(self.over[rows]))
            if not len(played):
                break
            there = rows[board.array(played)]
            shown = board.advance(there, board.array(moves[played, ply]), False)
            sums[played] += board.numpy(shown.rewards)
        ended = np.flatnonzero(board.numpy(self.over[rows]))
        for array, first in zip(arrays, initial, strict=True):
            array[rows[board.array(ended)]] = first[board.array(ended)]
        moves[ended], sums[ended] = -1, 0
        self.over[rows] = False
        if self.recorder is not None:
            for place in np.flatnonzero(board.numpy(rows) == self.recorder.board).tolist():
                self.recorder.open(moves[place, moves[place] >= 0].tolist(), sums[place])

    def step(self, action: Array | Sequence[Action], id: Ids = None) -> tuple[Batch, Array, Array, Array, Batch]:
        """Play one action in each game, or in those of `id`.

        Returns observations, rewards [R, P] that these actions brought, terminated [R, P], truncated [R, P] (where the
        rules only cut the game off), and infos. Nothing is played, and `UsageError` raised, if the actions are not R
        whole numbers; `IllegalActionError` or `GameOverError` if one of them may not be played.
        """
        rows = self._board.rows(id)
        actions = self.checked_actions(action, rows)
        bad = self._board.first_illegal(rows, actions)
        if bad >= 0:
            raise self._refusal(rows, actions, self.mask[rows[bad]], bad)
        shown = self._board.advance(rows, actions, self.autoreset and not self.openings)
        if self.recorder is not None:
            self._record(rows, actions, shown.rewards)
        if self.autoreset and self.openings:
            self._restart_ended(rows, shown)
        observation = Batch(agent_id=shown.seats, obs=shown.obs, mask=shown.mask)
        return observation, shown.rewards, *self._as_ends(shown.ends), Batch()

    def _record(self, rows: Array, actions: Array, rewards: Array) -> None:
        """Tell the recorder of a step, of which only its own board's row leaves a device."""
        assert self.recorder is not None
        board = self._board
        here = board.places(rows == self.recorder.board)
        self.record_step(*(board.numpy(board.take(array, here)) for array in (rows, actions, rewards)))

    def checked_actions(self, action: Any, rows: Array) -> Array:
        """Return actions as int64 [R]; `UsageError` unless there is a whole number for each of `rows`."""
        actions = self._board.array(action)
        if actions.shape != rows.shape or not self._board.is_whole(actions):
            what = f"{actions.dtype} of shape {tuple(actions.shape)}"
            raise UsageError(f"step takes {len(rows)} whole numbers, one per game, not {what}")
        return self._board.whole(actions)

    def _refusal(self, rows: Array, actions: Array, mask: Array, place: int) -> UsageError:
        """Return the error that refuses the action at a place of a call, where `mask` [A] is legal."""
        return self.refusal(int(rows[place]), int(actions[place]), self._board.numpy(mask))

    def _restart_ended(self, rows: Array, shown: Shown) -> None:
        """Restart the ended games among `rows` with random moves; update the observations."""
        places = self._board.places(shown.ends[:, 0])
        if len(places):
            self._begin(rows[places])
            first = self._observations(rows[places])
            shown.seats[places], shown.obs[places], shown.mask[places] = first.agent_id, first.obs, first.mask

    def observations(self, id: Ids = None) -> Batch:
        """Return the latest observations of the games `id`: `agent_id` [R], `obs` [R, *O] and `mask` [R, A]."""
        return self._observations(self._board.rows(id))

    def _observations(self, rows: Array) -> Batch:
        board = self._board
        return Batch(agent_id=self.seats[rows], obs=board.observe_movers(rows), mask=board.take(self.mask, rows))

    def final_obs(self, id: Ids = None) -> Batch:
        """Return the view of every seat: `obs` [R, P, *O] and `mask` [R, P, A] (all True in a finished game)."""
        obs, mask = self._board.observe_all(self._board.rows(id))
        return Batch(obs=obs, mask=mask)

    def positions(self, id: Ids = None) -> NDArray[Any]:
        """Return states [R] of the games of `id` for searching agents, determinized for the seats to move.

        Hidden information, including future chance events, is replaced by a new sample. They are records of NumPy's
        wherever the games are played: searches run on the CPU.
        """
        board = self._board
        rows = board.rows(id)
        states: NDArray[Any] = board.records(rows)
        if self.game.has_chance or not self.game.perfect_information:
            knowledge = instantiate("games.engine.knowledge", self.game)
            knowledge.determinize_all(states, board.numpy(self.seats[rows]), board.next_determinizations(rows))
        return states

    def joint_masks(self, id: Ids = None) -> Array:
        """Return the legal choices of every seat in the games `id`, of simultaneous choices: bool [R, P, A].

        All False for a seat that has no choice (any more), all True in a finished game.
        """
        return self._board.joint_masks(self._board.rows(id))

    def step_joint(self, actions: Array, id: Ids = None) -> tuple[Batch, Array, Array, Array, Batch]:
        """Play the choices of all seats, [R, P], in a game of simultaneous choices; returns what `step` does.

        The entry of a seat that has no choice is ignored. `IllegalActionError` before anything is played.
        """
        board = self._board
        rows, actions = board.rows(id), board.array(actions)
        if not self.game.simultaneous:
            raise UsageError(f"{self.game.name} is played in turns: step takes the action of the seat to move")
        if self.autoreset:
            raise UsageError("a joint step plays the seats in turn, and autoreset=True begins games in between")
        if actions.shape != (len(rows), self.num_agents) or not board.is_whole(actions):
            shape = tuple(actions.shape)
            raise UsageError(f"step_joint takes whole numbers [{len(rows)}, {self.num_agents}], not {shape}")
        masks = board.joint_masks(rows)
        if len(over := board.places(self.over[rows])):
            raise self._refusal(rows, actions[:, 0] * 0, masks[over[0], 0], int(over[0]))
        has_choice = masks.any(2)
        inside = (actions >= 0) & (actions < self.game.num_actions)
        places, seats = board.array(np.arange(len(rows)))[:, None], board.array(np.arange(self.num_agents))[None]
        illegal = has_choice & ~(masks[places, seats, board.whole(actions * inside)] & inside)
        if len(bad := board.places(illegal.any(1))):
            seat = board.places(illegal[bad[0]])[0]
            raise self._refusal(rows, actions[:, seat], masks[bad[0], seat], int(bad[0]))
        rewards = board.array(np.zeros((len(rows), self.num_agents), np.float32))
        for seat in range(self.num_agents):
            to_play = board.places(has_choice[:, seat] & (self.seats[rows] == seat) & ~self.over[rows])
            if len(to_play):
                rewards[to_play] += self.step(actions[to_play, seat], rows[to_play])[1]
        ends = self.over[rows][:, None] | board.flags((len(rows), self.num_agents))
        return self._observations(rows), rewards, *self._as_ends(ends), Batch()

    def render(self) -> list[str]:
        """Return every board as text."""
        records = self._board.records(self._board.rows(None))
        return [self.picture(row, state).text() for row, state in enumerate(records)]

    def state_dict(self) -> Batch:
        """Return the state of all games as arrays of NumPy's, the same wherever they are played."""
        board = self._board
        rows = board.rows(None)
        arrays = {name: board.numpy(getattr(self._games, name)) for name in ("seats", "mask", "over")}
        states = board.records(rows).view(np.uint8).reshape(len(self), -1)
        guesses = board.numpy(self._games.determinization_streams).view(np.uint64)
        return Batch({"states": states} | arrays | {"streams": board.streams(rows), "guesses": guesses}, copy=True)

    def load_state_dict(self, arrays: Batch) -> None:
        """Load what `state_dict` returned; `UsageError` if it has another number of games or another game."""
        for name, own in self.state_dict().items():
            require_alike(own, arrays[name], name)
        if not ((arrays.seats >= 0) & (arrays.seats < self.num_agents) | arrays.over).all():
            raise UsageError(f"seats to move are not between 0 and {self.num_agents - 1}")
        board = self._board
        rows = board.rows(None)
        board.put_records(rows, np.array(arrays.states, order="C").view(self.game.state_dtype).reshape(-1))
        if self.recorder is not None:
            self.recorder.interrupt()
        for name in ("seats", "mask", "over"):
            getattr(self._games, name)[:] = board.array(arrays[name])
        board.seed(rows, arrays.guesses, determinizations=True)
        board.seed(rows, arrays.streams)

    def seed(self, seed: int | Sequence[int] | None = None) -> list[int | None]:
        """Use these seeds for chance events from the next `reset` on; return them."""
        seeds = seeds_for(seed, len(self))
        self._take_seeds(self._board.rows(None), seeds)
        return seeds

    def close(self) -> None:
        """Do nothing: there is nothing to release."""

    def _take_seeds(self, rows: Array, seeds: Sequence[int | None]) -> None:
        given = np.flatnonzero([seed is not None for seed in seeds])
        if len(given):
            values = np.array([seed % 2**64 for seed in seeds if seed is not None], np.uint64)
            self._board.seed(rows[self._board.array(given)], values)

    def _as_ends(self, ends: Array) -> tuple[Array, Array]:
        """Return terminated and truncated [R, P] for the flags of games that are over."""
        none = self._board.flags(ends.shape)
        return (none, ends) if self.game.truncates else (ends, none)


def _board(game: Game, num_games: int, threads: int, device: str) -> Any:
    """Return the board of a device, which is imported only where it is asked for."""
    if device == "cpu":
        return HostBoard(game, num_games, threads)
    from arena.env.device_board import DeviceBoard

    return DeviceBoard(game, num_games)


def require_resets_by_hand(env: Any) -> None:
    """Raise `UsageError` for games with automatic resets, whose final positions cannot be seen."""
    if isinstance(env, GameVectorEnv) and env.autoreset:
        raise UsageError("automatic resets would hide final positions: make the GameVectorEnv without autoreset=True")
