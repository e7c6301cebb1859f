"""`HostedVectorEnv`: games of somebody else's environment side by side, as compiled games are."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.base.checks import require_at_least
from arena.base.errors import UsageError
from arena.base.seeding import make_rng, next_seed
from arena.data.batch import Batch
from arena.env.games import VectorGames
from arena.env.hosted.environment import HostedEnv
from arena.env.hosted.game import EVERYBODY, HostedGame, env_seed, seat_to_move
from arena.env.ids import Ids, seeds_for
from games.engine.actions import Action, actions_of
from games.engine.picture import Picture
from games.engine.text import printable


class HostedVectorEnv(VectorGames):
    """`num_envs` games of a hosted game, stepped one after the other.

    The game that a place plays next has the next number of its random stream as its seed; a seed given to `reset` is
    that of the first game itself, so that `env.reset(seed=5)` of the environment alone begins the same game.

    Args:
        game: the game.
        num_envs: number of games side by side.
        openings: games begin after 0 to so many random moves; one that would end so begins without.

    """

    game: HostedGame

    def __init__(self, game: HostedGame, num_envs: int, openings: int = 0):
        require_at_least(1, num_envs=num_envs)
        require_at_least(0, openings=openings)
        self.game, self._openings = game, openings
        self._rows = np.arange(num_envs)
        self._envs: list[HostedEnv | None] = [None] * num_envs
        self._next_seeds: NDArray[np.uint64] = make_rng().integers(2**63, size=num_envs, dtype=np.uint64)
        self._seeds = np.zeros(num_envs, np.uint64)  # of the current games
        self._actions: list[list[Action]] = [[] for _ in range(num_envs)]
        self._seats = np.zeros(num_envs, np.int64)
        self._mask = np.ones((num_envs, game.num_actions), np.bool_)
        self._over = np.ones(num_envs, np.bool_)

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def states(self) -> NDArray[Any]:
        """The positions, structured records [B]: a seed and actions each."""
        return self._states(self._rows)

    def _states(self, rows: NDArray[np.int64]) -> NDArray[Any]:
        states = np.repeat(self.game.initial[None], len(rows))
        states["seed"], states["viewer"] = self._seeds[rows], EVERYBODY
        for place, row in enumerate(rows.tolist()):
            actions, env = self._actions[row], self._envs[row]
            states["length"][place] = len(actions)
            if actions:
                states["actions"][place, : len(actions)] = actions
            states["current_player"][place] = 0 if env is None else seat_to_move(env)
        return states

    @property
    def seats(self) -> NDArray[np.int64]:
        """The seat to move in each game, [B]."""
        return self._seats

    @property
    def mask(self) -> NDArray[np.bool_]:
        """The legal actions of the seats to move, [B, A]; all True in a finished game."""
        return self._mask

    @property
    def over(self) -> NDArray[np.bool_]:
        """Mask of the games that have ended or never begun, [B]."""
        return self._over

    def reset(self, id: Ids = None, seed: int | Sequence[int] | None = None) -> tuple[Batch, Batch]:
        """Restart all games, or those of `id`; return observations and (empty) infos."""
        rows = self.rows_of(id)
        self._take_seeds(rows, seeds_for(seed, len(rows)))
        for row in rows.tolist():
            self._seeds[row] = self._next_seeds[row]
            self._next_seeds[row] = next_seed(int(self._seeds[row]))
            if self.recorder is not None and row == self.recorder.board:
                self.recorder.begin(int(self._seeds[row]))
            self._bring(row, [])
            if self._openings:
                self._open(row)
        return self._observed(rows), Batch()

    def _bring(self, row: int, actions: Sequence[Action]) -> NDArray[np.float32]:
        """Begin the game of a row and play `actions`; return what they brought each seat, [P]."""
        env = self._envs[row] or self.game.new_env()
        self._envs[row] = env
        env.reset(env_seed(int(self._seeds[row])))
        self._actions[row] = []
        self._note(row, env)
        rewards = np.zeros(self.num_agents, np.float32)
        for action in actions:
            rewards += self._play(row, env, action)
        return rewards

    def _play(self, row: int, env: HostedEnv, action: Action) -> NDArray[np.float32]:
        """Take an action in the game of a row; return what it brought each seat, [P]."""
        rewards = env.step(action)
        self._actions[row].append(action)
        self._note(row, env)
        return rewards

    def _open(self, row: int) -> None:
        """Play up to `openings` random moves in the game of a row, which has just begun."""
        rng = np.random.default_rng([int(self._seeds[row]), self._openings])
        env = self._envs[row]
        assert env is not None
        actions: list[Action] = []
        for _ in range(rng.integers(self._openings + 1)):
            actions.append(env.random_action(rng))
            env.step(actions[-1])
            if env.over:
                actions = []
                break
        rewards = self._bring(row, actions)
        if self.recorder is not None and row == self.recorder.board:
            self.recorder.open(actions, rewards)

    def step(
        self, action: NDArray[Any] | Sequence[Action], id: Ids = None
    ) -> tuple[Batch, NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], Batch]:
        """Play one action in each game, or in those of `id`; see `VectorGames.step`.

        A game that reaches `game.max_length` actions is truncated. Raises `EnvironmentFaultError` where an environment
        fails.
        """
        rows = self.rows_of(id)
        actions = self.checked_actions(action, rows)
        played = actions_of(actions)
        if not (self.game.allow_each(actions, self._mask[rows]) & ~self._over[rows]).all():
            for row, one in zip(rows.tolist(), played, strict=True):
                if self._over[row] or not self.game.allows(one, self._mask[row]):
                    raise self.refusal(row, one, self._mask[row])
        rewards = np.empty((len(rows), self.num_agents), np.float32)
        ends = np.zeros((2, len(rows), self.num_agents), np.bool_)
        for place, (row, one) in enumerate(zip(rows.tolist(), played, strict=True)):
            env = self._envs[row]
            assert env is not None  # else it would be over
            rewards[place] = self._play(row, env, one)
            ends[0, place], ends[1, place] = env.terminated, env.truncated
        self.record_step(rows, actions, rewards)
        return self._observed(rows), rewards, ends[0], ends[1], Batch()

    def _note(self, row: int, env: HostedEnv) -> None:
        self._seats[row], self._over[row] = env.seat, env.over
        self._mask[row] = env.mask

    def observations(self, id: Ids = None) -> Batch:
        """Return the latest observations of the games `id`: `agent_id` [R], `obs` [R, *O] and `mask` [R, A]."""
        return self._observed(self.rows_of(id))

    def _observed(self, rows: NDArray[np.int64]) -> Batch:
        obs = np.empty((len(rows), *self.game.observation_shape), self.game.observation_dtype)
        for place, row in enumerate(rows.tolist()):
            env = self._started(row)
            obs[place] = env.observe(env.seat)
        return Batch(agent_id=self._seats[rows], obs=obs, mask=self._mask[rows])

    def final_obs(self, id: Ids = None) -> Batch:
        """Return the view of every seat: `obs` [R, P, *O] and `mask` [R, P, A] (all True but for the seat to move)."""
        rows = self.rows_of(id)
        shape = (len(rows), self.num_agents)
        obs = np.empty((*shape, *self.game.observation_shape), self.game.observation_dtype)
        mask = np.ones((*shape, self.game.num_actions), np.bool_)
        for place, row in enumerate(rows.tolist()):
            env = self._started(row)
            for seat in range(self.num_agents):
                obs[place, seat] = env.observe(seat)
            mask[place, self._seats[row]] = self._mask[row]
        return Batch(obs=obs, mask=mask)

    def _started(self, row: int) -> HostedEnv:
        env = self._envs[row]
        if env is None:
            raise UsageError(f"{self.game.name}, environment {row}: reset it before it is looked at")
        return env

    def positions(self, id: Ids = None) -> NDArray[Any]:
        """Return records [R] of the games `id`, limited to what the seats to move are shown."""
        rows = self.rows_of(id)
        states = self._states(rows)
        if not self.game.perfect_information:
            self.game.redact(states, self._seats[rows])
        return states

    def picture(self, row: int, state: NDArray[Any]) -> Picture:
        """Return the picture of the current position of a game; where a seed does not repeat it, of that very game."""
        if self.game.repeatable:
            return super().picture(row, state)
        return self.game.draw(self._started(row), int(state["viewer"]))

    def action_text(self, row: int, state: NDArray[Any], action: Action) -> str:
        """Return the name of an action in the current position of a game."""
        if self.game.repeatable:
            return super().action_text(row, state, action)
        return printable(self._started(row).action_text(action))

    def state_dict(self) -> Batch:
        """Return seeds and actions, from which the games are played again."""
        lengths = np.array([len(actions) for actions in self._actions], np.int64)
        width, shape = max(1, lengths.max()), self.game.action_shape
        numbered = self.game.action_box is None
        actions = np.full((len(self), width, *shape), -1, np.int64 if numbered else np.float32)
        for row, line in enumerate(self._actions):
            if line:
                actions[row, : len(line)] = line
        return Batch(
            seeds=self._seeds.copy(),
            next_seeds=self._next_seeds.copy(),
            begun=np.array([env is not None for env in self._envs]),
            lengths=lengths,
            actions=actions,
        )

    def load_state_dict(self, arrays: Batch) -> None:
        """Play the games of a `state_dict` again; `UsageError` if it is of other games, or they cannot be played."""
        own, count = self.state_dict(), len(self)
        for name in ("seeds", "next_seeds", "begun", "lengths"):
            if arrays[name].shape != (count,) or arrays[name].dtype != own[name].dtype:
                raise UsageError(f"{name} is {arrays[name].dtype} of shape {arrays[name].shape}, not one for each game")
        lengths, actions = arrays.lengths, arrays.actions
        alike = actions.dtype == own.actions.dtype and actions.shape[2:] == own.actions.shape[2:]
        longest = min(self.game.max_length, actions.shape[1]) if alike and actions.ndim >= 2 else -1
        if len(actions) != count or ((lengths < 0) | (lengths > longest)).any():
            raise UsageError("the actions are not as many as the lengths of the games say")
        played = np.arange(actions.shape[1]) < lengths[:, None]
        box = self.game.action_box
        legal = box.contain(actions) if box is not None else (actions >= 0) & (actions < self.game.num_actions)
        if not legal[played].all():
            raise UsageError(f"actions are not {f'numbers below {self.game.num_actions}' if box is None else box}")
        if self.recorder is not None:
            self.recorder.interrupt()
        self._seeds[:], self._next_seeds[:] = arrays.seeds, arrays.next_seeds
        for row in np.flatnonzero(arrays.begun).tolist():
            self._bring(row, actions_of(actions[row, : lengths[row]]))

    def seed(self, seed: int | Sequence[int] | None = None) -> list[int | None]:
        """Use these seeds from the next `reset` on; return them."""
        seeds = seeds_for(seed, len(self))
        self._take_seeds(self._rows, seeds)
        return seeds

    def _take_seeds(self, rows: NDArray[np.int64], seeds: Sequence[int | None]) -> None:
        for row, seed in zip(rows.tolist(), seeds, strict=True):
            if seed is not None:
                self._next_seeds[row] = seed % 2**63

    def close(self) -> None:
        """Close the environments."""
        for env in self._envs:
            if env is not None:
                env.close()
