"""`Collector`: lets a policy act in environments and stores what each agent experiences."""

import time
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from arena.collector.preprocess import PreprocessFn, begun, stepped
from arena.collector.transitions import OpenTransitions
from arena.data.batch import Batch
from arena.data.buffer.base import ReplayBuffer
from arena.data.buffer.manager import VectorReplayBuffer
from arena.data.rows import as_array, write_rows
from arena.data.stats import CollectStats
from arena.env.base import BaseVectorEnv, DummyVectorEnv
from arena.env.native import GameVectorEnv
from arena.errors import UsageError
from arena.policy.protocol import Policy
from arena.policy.random import RandomPolicy
from arena.policy.torch_modes import without_gradient

Ints = NDArray[np.int64]


class Collector:
    """Steps a policy in environments, an exact number of steps or episodes, and stores transitions.

    Every pair of environment and agent is a virtual single-agent environment with a sub-buffer of its own: a transition
    opens when the agent acts and closes, with the agent's own next observation and all it earned in between, when it is
    next asked or its episode ends. Stored are the seats that learn: all of them, or, with a `MultiAgentPolicyManager`,
    those whose policy is a learner.

    Args:
        policy: who acts. With several agents in the environment, a manager, or one policy for all seats.
        env: a vector environment, or a single one.
        buffer: where transitions go; one sub-buffer for each environment and learning seat. It is not emptied. With
            None the collector makes one that holds the last transition of each.
        preprocess_fn: may replace what is seen, earned and stored. It is called with `obs` and `env_id` for
            observations that no step brought (at a reset, and the last ones of several agents), and after a step with
            `obs_next`, `rew`, `terminated`, `truncated`, `done`, `act`, `info`, `policy` and `env_id`; it gives a Batch
            or dict of the entries that change. Returns are those of the rewards it gives; an `info` it gives is stored.
        exploration_noise: let the policy change its actions for exploration.

    """

    def __init__(
        self,
        policy: Policy,
        env: gym.Env[Any, Any] | BaseVectorEnv | GameVectorEnv | Any,
        buffer: ReplayBuffer | None = None,
        preprocess_fn: PreprocessFn | None = None,
        exploration_noise: bool = False,
    ):
        self.policy = policy
        self.env = env if isinstance(env, BaseVectorEnv | GameVectorEnv) else DummyVectorEnv([lambda: env])
        self.preprocess_fn = preprocess_fn
        self.exploration_noise = exploration_noise
        self._random = RandomPolicy()
        self.num_envs, self.num_agents = len(self.env), self.env.num_agents
        self._manager: Any = policy if hasattr(policy, "learning_seats") else None
        seats = np.arange(self.num_agents) if self._manager is None else self._manager.learning_seats(self.num_agents)
        self._slot = np.full(self.num_agents, -1, np.int64)  # which of an environment's sub-buffers a seat has
        self._slot[seats] = np.arange(len(seats))
        self._num_slots = len(seats)
        self.buffer = self._fitting(buffer)
        self.is_closed = False
        self._all = np.arange(self.num_envs)
        self.reset(reset_buffer=False)

    def _fitting(self, buffer: ReplayBuffer | None) -> ReplayBuffer:
        needed = self.num_envs * self._num_slots
        if buffer is None:
            return VectorReplayBuffer(max(needed, 1), max(needed, 1))
        if buffer.buffer_num < needed:
            raise UsageError(
                f"the buffer has {buffer.buffer_num} sub-buffers; {self.num_envs} environments with {self._num_slots} "
                f"learning seats need {needed}: VectorReplayBuffer(total_size, {needed})"
            )
        return buffer

    # --- state --------------------------------------------------------------------------------------------------

    def reset(
        self, reset_buffer: bool = True, reset_stats: bool = True, gym_reset_kwargs: dict[str, Any] | None = None
    ) -> None:
        """Reset the environments and, if asked, buffer and counters."""
        if reset_stats:
            self.reset_stat()
        if reset_buffer:
            self.reset_buffer()
        self.reset_env(gym_reset_kwargs)

    def reset_stat(self) -> None:
        """Set the counters to zero."""
        self.collect_step, self.collect_episode, self.collect_time = 0, 0, 0.0

    def reset_buffer(self, keep_statistics: bool = False) -> None:
        """Empty the buffer."""
        self.buffer.reset(keep_statistics=keep_statistics)

    def reset_env(self, gym_reset_kwargs: dict[str, Any] | None = None) -> None:
        """Begin new episodes everywhere; open transitions and hidden states are forgotten."""
        self._require_open()
        shape = (self.num_envs, self.num_agents)
        self.transitions = OpenTransitions(*shape)
        self._returns = np.zeros(shape)
        self._lens = np.zeros(self.num_envs, np.int64)
        self._hidden = Batch()  # one row a pair of environment and seat
        self._obs = Batch()
        self._begin(self._all, gym_reset_kwargs)

    def _begin(self, env_ids: Ints, gym_reset_kwargs: dict[str, Any] | None = None) -> None:
        """Start episodes in these environments."""
        if isinstance(self.env, GameVectorEnv):
            if gym_reset_kwargs:
                raise UsageError(f"native games are reset without options: gym_reset_kwargs={gym_reset_kwargs}")
            obs, _ = self.env.reset(env_ids)
        else:
            obs, _ = self.env.reset(env_ids, **(gym_reset_kwargs or {}))
        if self.preprocess_fn is not None:
            obs = begun(self.preprocess_fn, obs, env_ids)
        write_rows(self._obs, Batch(obs=obs), env_ids, self.num_envs)
        if self._manager is not None:
            self._manager.seat(env_ids, self.num_envs, self.num_agents)
        self._returns[env_ids] = 0.0
        self._lens[env_ids] = 0
        if not self._hidden.is_empty():
            places = (env_ids[:, None] * self.num_agents + np.arange(self.num_agents)).reshape(-1)
            self._hidden.empty_(places)

    def arrays(self) -> Batch:
        """The state of native environments, of open transitions and of episodes under way, as arrays, to be saved."""
        if not isinstance(self.env, GameVectorEnv):
            raise UsageError("only collectors of native games can be saved")
        seated = Batch() if self._manager is None else Batch(seated=self._manager.seated(self._all))
        return Batch(
            env=self.env.arrays(),
            transitions=self.transitions.arrays(),
            obs=self._obs,
            hidden=self._hidden,
            returns=self._returns,
            lens=self._lens,
            manager=seated,
        )

    def restore(self, arrays: Batch) -> None:
        """Take over what `arrays` gave."""
        assert isinstance(self.env, GameVectorEnv)
        self.env.restore(arrays.env)
        self.transitions.restore(arrays.transitions)
        self._obs, self._hidden = arrays.obs, arrays.get("hidden", Batch())
        self._returns, self._lens = arrays.returns, arrays.lens
        if self._manager is not None:
            self._manager.restore_seats(arrays.manager.seated)

    def close(self) -> None:
        """Close the environments; a second time does nothing."""
        if not self.is_closed:
            self.is_closed = True
            self.env.close()

    def _require_open(self) -> None:
        if self.is_closed:
            raise UsageError("the collector is closed")

    # --- collecting ---------------------------------------------------------------------------------------------

    def collect(
        self,
        n_step: int | None = None,
        n_episode: int | None = None,
        random: bool = False,
        render: float | None = None,
        no_grad: bool = True,
        reset_before_collect: bool = False,
        gym_reset_kwargs: dict[str, Any] | None = None,
    ) -> CollectStats:
        """Collect `n_step` environment steps (rounded up to a multiple of the environments) or `n_episode` episodes.

        Episodes are assigned to environments beforehand, so that short ones are not preferred. `random` takes random
        legal actions in place of the policy's; `render` shows the environments after each step and sleeps so many
        seconds; `no_grad` computes actions without gradients. Raises `UsageError` unless exactly one number above 0
        is given.
        """
        self._require_open()
        if (n_step is None) == (n_episode is None) or (n_step or n_episode or 0) < 1:
            raise UsageError(f"give one of n_step={n_step} and n_episode={n_episode}, a number above 0")
        if reset_before_collect:
            self.reset_env(gym_reset_kwargs)
        start = time.perf_counter()
        quota = None if n_episode is None else n_episode // self.num_envs + (self._all < n_episode % self.num_envs)
        finished: list[tuple[NDArray[np.float64], Ints, Ints]] = []
        steps = 0
        with without_gradient() if no_grad else nullcontext():
            while steps < n_step if n_step is not None else quota is not None and quota.any():
                env_ids = self._all if quota is None else np.flatnonzero(quota)
                ended = self._step(env_ids, random)
                steps += len(env_ids)
                if render is not None:
                    _show(self.env.render())
                    time.sleep(render)
                if len(ended):
                    finished.append(self._finish(ended))
                    if quota is not None:
                        quota[ended] -= 1
        return self._stats(finished, steps, time.perf_counter() - start)

    def _step(self, env_ids: Ints, random: bool) -> Ints:
        """One step of these environments; returns those whose episode has ended."""
        everywhere = len(env_ids) == self.num_envs
        obs = self._obs.obs if everywhere else self._obs.obs[env_ids]
        seats = obs.agent_id if self.env.agents else np.zeros(len(env_ids), np.int64)
        act, extra = self._act(env_ids, seats, obs, random)
        obs_next, rew, terminated, truncated, info = self.env.step(self._mapped(act), env_ids)
        if self.preprocess_fn is not None:
            told = dict(obs_next=obs_next, rew=rew, terminated=terminated, truncated=truncated, act=act, info=info)
            step = stepped(self.preprocess_fn, told | {"policy": extra.policy, "env_id": env_ids})
            obs_next, rew, terminated, truncated, act = (step[key] for key in tuple(told)[:5])
            extra = Batch(policy=step["policy"], info=Batch(extra.info, **step["info"]))
        self._open(env_ids, seats, obs, act, extra)
        if not self.env.agents:
            rew, terminated, truncated = rew[:, None], terminated[:, None], truncated[:, None]
        over = terminated | truncated
        self._returns[env_ids] += rew
        self._lens[env_ids] += 1
        self.transitions.earn(env_ids, rew)
        self._close_ended(env_ids, obs_next, terminated, truncated)
        self._close_asked(env_ids, obs_next, over)
        write_rows(self._obs, Batch(obs=obs_next), env_ids, self.num_envs)
        return env_ids[over.all(axis=1)]

    def _act(self, env_ids: Ints, seats: Ints, obs: Any, random: bool) -> tuple[NDArray[Any], Batch]:
        """Actions [n], and what else is to be stored with them (`policy` and `info`)."""
        if random:
            return self._random_actions(env_ids, obs), Batch(policy=Batch(), info=self._players(env_ids, seats))
        batch = Batch(obs=obs, info=Batch(), env_id=env_ids)
        if self.policy.needs_state:
            if not isinstance(self.env, GameVectorEnv):
                raise UsageError("a policy that searches needs a native game, whose positions can be copied")
            batch.obs = Batch(obs)  # a new batch around the same arrays: what is stored keeps no states
            batch.obs.state = self.env.states[env_ids]
        places = env_ids * self.num_agents + seats
        hidden = None if self._hidden.is_empty() else self._hidden.state[places]
        result = self.policy.forward(batch, hidden)
        after = result.get("state")
        if isinstance(after, Batch) and not after.is_empty(recurse=True):
            write_rows(self._hidden, Batch(state=after), places, self.num_envs * self.num_agents)
        act = as_array(result.act)
        if self.exploration_noise and hasattr(self.policy, "exploration_noise"):
            act = self.policy.exploration_noise(act, batch)
        return act, Batch(policy=result.get("policy", Batch()), info=self._players(env_ids, seats))

    def _players(self, env_ids: Ints, seats: Ints) -> Batch:
        """Who acts and who sits where, if a manager knows: `policy_id` [n] and the labels of all `players` [n, P]."""
        if self._manager is None:
            return Batch()
        seated = self._manager.seated(env_ids)
        return Batch(policy_id=seated[np.arange(len(seats)), seats], players=self._manager.labels[seated])

    def _random_actions(self, env_ids: Ints, obs: Any) -> NDArray[Any]:
        if isinstance(obs, Batch) and "mask" in obs and obs.mask.shape[1]:
            return as_array(self._random.forward(Batch(obs=obs)).act)
        assert isinstance(self.env, BaseVectorEnv)
        return np.array([space.sample() for space in self.env.get_env_attr("action_space", env_ids)])

    def _mapped(self, act: NDArray[Any]) -> Any:
        map_action: Callable[[Any], Any] | None = getattr(self.policy, "map_action", None)
        return act if map_action is None else map_action(act)

    # --- transitions --------------------------------------------------------------------------------------------

    def _open(self, env_ids: Ints, seats: Ints, obs: Any, act: NDArray[Any], extra: Batch) -> None:
        stored = self._slot[seats] >= 0
        if self._manager is not None:
            stored &= self._manager.is_learner[extra.info.policy_id]
        rows = Batch(obs=obs, act=act, info=extra.info, policy=extra.policy)
        if stored.all():
            self.transitions.open(env_ids, seats, rows)
        elif stored.any():
            self.transitions.open(env_ids[stored], seats[stored], rows[stored])

    def _close_asked(self, env_ids: Ints, obs_next: Any, over: NDArray[np.bool_]) -> None:
        """Close the transitions of agents that are asked to act again."""
        seats = obs_next.agent_id if self.env.agents else np.zeros(len(env_ids), np.int64)
        row = np.arange(len(env_ids))
        asked = self.transitions.is_open[env_ids, seats] & ~over[row, seats]
        if asked.all():
            self._store(env_ids, seats, obs_next, asked & False, asked & False)
        elif asked.any():
            no = np.zeros(np.count_nonzero(asked), np.bool_)
            self._store(env_ids[asked], seats[asked], obs_next[asked], no, no)

    def _close_ended(
        self, env_ids: Ints, obs_next: Any, terminated: NDArray[np.bool_], truncated: NDArray[np.bool_]
    ) -> None:
        """Close the transitions of agents whose episode has ended, with what they see at that moment."""
        rows, seats = np.nonzero(self.transitions.is_open[env_ids] & (terminated | truncated))
        if len(rows) == 0:
            return
        if self.env.agents:
            games, inverse = np.unique(rows, return_inverse=True)
            final = self.env.final_obs(env_ids[games])[inverse, seats]
            final.agent_id = seats
            if self.preprocess_fn is not None:
                final = begun(self.preprocess_fn, final, env_ids[rows])
        else:
            final = obs_next[rows]
        self._store(env_ids[rows], seats, final, terminated[rows, seats], truncated[rows, seats])

    def _store(
        self, env_ids: Ints, seats: Ints, obs_next: Any, terminated: NDArray[np.bool_], truncated: NDArray[np.bool_]
    ) -> None:
        rows = self.transitions.close(env_ids, seats, obs_next, terminated, truncated)
        self.buffer.add(rows, env_ids * self._num_slots + self._slot[seats])

    def _finish(self, env_ids: Ints) -> tuple[NDArray[np.float64], Ints, Ints]:
        """Note the episodes that ended in these environments, and begin new ones."""
        players = np.zeros((len(env_ids), 0), np.int64)
        if self._manager is not None:
            players = self._manager.labels[self._manager.seated(env_ids)]
        ended = self._returns[env_ids].copy(), self._lens[env_ids].copy(), players
        self.transitions.forget(env_ids)
        self._begin(env_ids)
        return ended

    def _stats(
        self, finished: list[tuple[NDArray[np.float64], Ints, Ints]], steps: int, seconds: float
    ) -> CollectStats:
        returns = np.concatenate([f[0] for f in finished]) if finished else np.zeros((0, self.num_agents))
        lens = np.concatenate([f[1] for f in finished]) if finished else np.zeros(0, np.int64)
        players = np.concatenate([f[2] for f in finished]) if finished else np.zeros((0, self.num_agents), np.int64)
        self.collect_step += steps
        self.collect_episode += len(lens)
        self.collect_time += seconds
        return CollectStats.with_autogenerated_stats(
            returns=returns if self.env.agents else returns[:, 0],
            lens=lens,
            n_collected_episodes=len(lens),
            n_collected_steps=steps,
            collect_time=seconds,
            collect_speed=steps / max(seconds, 1e-9),
            players=players if self._manager is not None else None,
        )


def _show(frames: list[Any]) -> None:
    """Print what environments render as text."""
    for frame in frames:
        if isinstance(frame, str):
            print(frame)
