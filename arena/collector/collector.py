"""`Collector`: lets a policy act in environments and stores what each agent experiences."""

import time
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from arena.base.errors import UsageError
from arena.collector.acting import Acting, Choice
from arena.collector.environments import Environments, StepResult
from arena.collector.episodes import Ended, Episodes, joined
from arena.collector.preprocess import PreprocessFn, last_infos, preprocess_reset, preprocess_step
from arena.collector.sub_buffers import SubBuffers
from arena.collector.transitions import OpenTransitions, Outcome, same_types
from arena.data.batch import Batch
from arena.data.buffer.base import ReplayBuffer
from arena.data.infos import columns, fitted
from arena.data.rows import require_alike, write_rows
from arena.data.stats import CollectStats
from arena.data.widening import widen
from arena.env.base import BaseVectorEnv
from arena.env.games import VectorGames
from arena.policy.manager import MultiAgentPolicyManager
from arena.policy.protocol import Policy
from arena.policy.torch_modes import settle_threads, without_gradient

Ints = NDArray[np.int64]


class Collector:
    """Steps a policy in environments, an exact number of steps or episodes, and stores transitions.

    Every pair of environment and agent is a virtual single-agent environment with a sub-buffer of its own: a transition
    opens when the agent acts and closes, with the agent's own next observation and its rewards in between, when it acts
    again or its episode ends. Stored are the seats that learn: all of them, or, with a `MultiAgentPolicyManager`, those
    whose policy is a learner.

    Infos are columns of a Batch, see `arena.data.infos`. A policy finds in `batch.info` what came with the observation,
    from a reset or from a step; a transition stores what came with its next observation, the info of its step. Of
    several agents each has its own. Whatever an info holds stays in memory as long as the transition.

    Args:
        policy: who acts. With several agents in the environment, a manager, or one policy for all seats.
        env: a vector environment, ours or Gymnasium's, or a single one. Gymnasium's step all at once; see
            `FromGymnasium` for what becomes of the steps of those that have had their share of `n_episode`.
        buffer: where transitions go; one sub-buffer for each environment and learning seat. It is not emptied. With
            None the collector makes one that holds the last transition of each.
        preprocess_fn: may replace what is seen, earned and stored. It is called with `obs` and `env_id` for
            observations that no step brought (at a reset, and the last ones of several agents), and after a step with
            `obs_next`, `rew`, `terminated`, `truncated`, `done`, `act`, `info`, `policy` and `env_id`; it gives a Batch
            or dict of the entries that change. Returns are those of the rewards it gives; an `info` it gives stands in
            place of the environment's, an empty one to store none.
        exploration_noise: let the policy change its actions for exploration.

    """

    _in_parts: ClassVar[bool] = False  # whether the environments return from a step in parts

    def __init__(
        self,
        policy: Policy,
        env: gym.Env[Any, Any] | gym.vector.VectorEnv[Any, Any, Any] | BaseVectorEnv | VectorGames | Any,
        buffer: ReplayBuffer | None = None,
        preprocess_fn: PreprocessFn | None = None,
        exploration_noise: bool = False,
    ):
        settle_threads(policy)
        self.policy = policy
        self._envs = Environments(env, self._in_parts)
        self.env = self._envs.env
        self.preprocess_fn = preprocess_fn
        self.exploration_noise = exploration_noise
        self.num_envs, self.num_agents = len(self.env), self.env.num_agents
        self._manager = policy if isinstance(policy, MultiAgentPolicyManager) else None
        self._rings = SubBuffers(self.num_envs, self.num_agents, self._learning_seats())
        self.buffer = self._rings.fitting(buffer)
        self.is_closed = False
        self._all = np.arange(self.num_envs)
        self._dropped_before = self._envs.dropped_steps()
        self.reset(reset_buffer=False)

    def _learning_seats(self) -> Ints:
        return np.arange(self.num_agents) if self._manager is None else self._manager.learning_seats(self.num_agents)

    # --- state --------------------------------------------------------------------------------------------------

    def reset(
        self, reset_buffer: bool = True, reset_stats: bool = True, gym_reset_kwargs: dict[str, Any] | None = None
    ) -> None:
        """Reset the environments (`gym_reset_kwargs`: `seed`, `options`) and, if asked, buffer and counters."""
        self.reset_env(gym_reset_kwargs)
        if reset_stats:
            self.reset_stat()
        if reset_buffer:
            self.reset_buffer()

    def reset_stat(self) -> None:
        """Reset the counters to zero."""
        self.collect_step, self.collect_episode, self.collect_time = 0, 0, 0.0

    def reset_buffer(self, keep_statistics: bool = False) -> None:
        """Empty the buffer; with `keep_statistics`, keep the returns and lengths of unfinished episodes."""
        self.buffer.reset(keep_statistics=keep_statistics)

    def reset_env(self, gym_reset_kwargs: dict[str, Any] | None = None) -> None:
        """Begin new episodes in all environments; open transitions and hidden states are dropped.

        In the buffer, unfinished episodes are truncated.
        """
        self._require_open()
        obs, info = self._envs.reset(self._all, gym_reset_kwargs)
        self._envs.failed = True  # until episodes have begun
        self.buffer.cut()
        self.transitions = OpenTransitions(self.num_envs, self.num_agents, self.policy.needs_rewards)
        self.episodes = Episodes(self.num_envs, self.num_agents)
        self._acting = Acting(self.env)
        self._obs, self._info = Batch(), Batch()
        self._record_resets(self._all, obs, info)
        self._envs.failed = False

    def _record_resets(self, env_ids: Ints, obs: Any, info: Batch) -> None:
        """Record that episodes have begun in these environments, with observations `obs` and infos `info`."""
        if self.preprocess_fn is not None:
            obs = preprocess_reset(self.preprocess_fn, obs, env_ids)
        self._require_free_names(info)
        self._see(env_ids, obs, info)
        if self._manager is not None:
            self._manager.seat(env_ids, self.num_envs, self.num_agents)
        self.episodes.begin(env_ids)
        self._acting.forget(env_ids)

    def _see(self, env_ids: Ints, obs: Any, info: Batch) -> None:
        """Store the current observations and infos of these environments."""
        everywhere = env_ids is self._all
        if info.__dict__ or self._info.__dict__:
            write_rows(self._info, fitted(self._info, info), env_ids, self.num_envs)
        stored = self._obs.get("obs")
        if everywhere and type(obs) is type(stored) is np.ndarray and obs.dtype == stored.dtype:
            np.copyto(stored, obs)  # the common case of one agent
            return
        rows = Batch(obs=obs)
        widen(self._obs, rows)
        write_rows(self._obs, rows, slice(None) if everywhere else env_ids, self.num_envs)

    def state_dict(self) -> Batch:
        """Return the state of native environments, open transitions and unfinished episodes as arrays."""
        if not isinstance(self.env, VectorGames):
            raise UsageError("only collectors of native games can be saved")
        seated = Batch() if self._manager is None else Batch(seated=self._manager.seated(self._all))
        return Batch(
            env=self.env.state_dict(),
            transitions=self.transitions.state_dict(),
            obs=self._obs,
            hidden=self._acting.hidden,
            returns=self.episodes.returns,
            lens=self.episodes.lens,
            manager=seated,
        )

    def load_state_dict(self, arrays: Batch) -> None:
        """Load what `state_dict` returned; `UsageError` if it belongs to other environments."""
        assert isinstance(self.env, VectorGames)
        for name, own in (("returns", self.episodes.returns), ("lens", self.episodes.lens)):
            require_alike(own, arrays[name], name)
        self.env.load_state_dict(arrays.env)
        self.transitions.load_state_dict(arrays.transitions)
        self._obs, self._acting.hidden = arrays.obs, arrays.get("hidden", Batch())
        self.episodes.returns, self.episodes.lens = arrays.returns, arrays.lens
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

    def _require_ready(self) -> None:
        """Raise `UsageError` unless collecting can continue where it stopped."""
        self._require_open()
        if self._envs.failed:
            raise UsageError("an environment has failed: reset_env(), or collect with reset_before_collect=True")
        new = self._learning_seats()
        if not (stored := self._rings.has(new)).all():
            raise UsageError(
                f"seats {new[~stored].tolist()} have learners since this collector was made, and no sub-buffers in it: "
                "make a new collector"
            )

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

        In Gymnasium's vector environments, of which not all step while episodes begin, `n_step` may be exceeded by
        `num_envs` - 1. Episodes are assigned to environments beforehand, so that short ones are not preferred. `random`
        takes random legal actions in place of the policy's; `render` shows the environments after each step and sleeps
        so many seconds; `no_grad` computes actions without gradients; `reset_before_collect` begins new episodes first,
        with `seed` and `options` of `gym_reset_kwargs`. Raises `UsageError` unless exactly one number above 0 is given.
        """
        self._require_amount(n_step, n_episode)
        if gym_reset_kwargs and not reset_before_collect:
            raise UsageError("gym_reset_kwargs are for a reset: give them with reset_before_collect=True")
        if reset_before_collect:
            self.reset_env(gym_reset_kwargs)
        self._require_ready()
        start = time.perf_counter()
        quota = None if n_episode is None else n_episode // self.num_envs + (self._all < n_episode % self.num_envs)
        if quota is not None:
            self._envs.require_idle(np.flatnonzero((quota == 0) & (self.episodes.lens > 0)))
        with without_gradient() if no_grad else nullcontext():
            ended, steps = self._take_steps(n_step, quota, random, render)
        return self._stats(ended, steps, time.perf_counter() - start)

    def most_steps(self, n_step: int) -> int:
        """Return the largest number of steps that `collect(n_step)` makes."""
        if self._envs.begin_by_themselves:  # which keeps some of them from stepping
            return n_step - 1 + self.num_envs
        return -(-n_step // self.num_envs) * self.num_envs

    def _require_amount(self, n_step: int | None, n_episode: int | None) -> None:
        number = n_episode if n_step is None else n_step
        if (n_step is None) == (n_episode is None) or not isinstance(number, int | np.integer) or number < 1:
            raise UsageError(f"give one of n_step={n_step} and n_episode={n_episode}, a whole number above 0")

    def _take_steps(
        self, n_step: int | None, quota: Ints | None, random: bool, render: float | None
    ) -> tuple[list[Ended], int]:
        """Take at least `n_step` steps, or each environment's `quota` of episodes; return these and the steps made."""
        ended: list[Ended] = []
        steps = 0
        while steps < n_step if n_step is not None else quota is not None and quota.any():
            taken, over = self._step(self._all if quota is None else np.flatnonzero(quota), random)
            steps += taken
            if render is not None:
                self._envs.show()
                time.sleep(render)
            if len(over):
                ended.append(self._finish(over))
                if quota is not None:
                    quota[over] = np.maximum(quota[over] - 1, 0)
        return ended, steps

    def _step(self, env_ids: Ints, random: bool) -> tuple[int, Ints]:
        """Step these environments; return the number of steps made, and the environments whose episode ended."""
        fresh, obs, info, env_ids = self._envs.take_up(env_ids)
        if len(fresh):
            self._record_resets(fresh, obs, info)
        sent, chosen = self._choose(env_ids, random)
        result = self._envs.step(sent, None if env_ids is self._all else env_ids)
        return len(env_ids), self._take_in(env_ids, chosen, result)

    def _choose(self, env_ids: Ints, random: bool) -> Choice:
        """Return actions for these environments; `info` names the acting policies, if there is a manager."""
        obs = self._current_obs(env_ids)
        seats = self._seats(obs, len(env_ids))
        info = self._info[env_ids] if self._info.__dict__ else Batch()
        batch = Batch(obs=obs, info=info, env_id=env_ids)
        if random:
            sent, chosen = self._acting.at_random(self.policy, batch)
        else:
            sent, chosen = self._acting.by(self.policy, seats, batch, self.exploration_noise)
        chosen.info = self._players(env_ids, seats)
        return sent, chosen

    def _current_obs(self, env_ids: Ints) -> Any:
        """Return the observations of these environments."""
        return self._obs.obs if len(env_ids) == self.num_envs else self._obs.obs[env_ids]

    def _seats(self, obs: Any, count: int) -> Ints:
        """Return the seats that act, [n]."""
        return obs.agent_id if self.env.agents else np.zeros(count, np.int64)

    def _players(self, env_ids: Ints, seats: Ints) -> Batch:
        """Return `policy_id` [n] of the acting policies and labels of all `players` [n, P]; empty without a manager."""
        if self._manager is None:
            return Batch()
        seated = self._manager.seated(env_ids)
        return Batch(policy_id=seated[np.arange(len(seats)), seats], players=self._manager.labels[seated])

    # --- what came of it ----------------------------------------------------------------------------------------

    def _take_in(self, env_ids: Ints, chosen: Batch, result: StepResult) -> Ints:
        """Store the results of a step of these environments; return those whose episode has ended."""
        obs_next, rew, terminated, truncated, env_info = result
        info = env_info
        if self.preprocess_fn is not None:
            entries = dict(obs_next=obs_next, rew=rew, terminated=terminated, truncated=truncated, act=chosen.act)
            entries |= dict(info=info, policy=chosen.policy, env_id=env_ids)
            step = preprocess_step(self.preprocess_fn, entries)
            obs_next, rew, terminated, truncated = (step[key] for key in ("obs_next", "rew", "terminated", "truncated"))
            chosen, info = Batch(act=step["act"], policy=step["policy"], info=chosen.info), step["info"]
        self._require_free_names(info)
        obs = self._current_obs(env_ids)
        rows = Batch(obs=obs, act=chosen.act, info=chosen.info, policy=chosen.policy)
        if self.env.agents:
            outcome = Outcome(
                env_ids, obs_next.agent_id, obs_next, info, info is not env_info, rew, terminated, truncated
            )
            self._store_seats(obs.agent_id, rows, outcome)
            over = (terminated | truncated).T.copy().all(axis=0)  # a fifth of what `all(axis=1)` takes
        else:
            rows.update(rew=rew, terminated=terminated, truncated=truncated, obs_next=obs_next)
            rows.info.__dict__.update(info.__dict__)
            self._store(env_ids, rows)
            over, rew = terminated | truncated, rew[:, None]
        self.episodes.count(env_ids, rew)
        self._see(env_ids, obs_next, info)
        return env_ids[over]

    def _require_free_names(self, info: Batch) -> None:
        """Raise `UsageError` if infos use the names under which the players and rewards are stored."""
        reserved = {"policy_id", "players"} if self._manager is not None else set()
        reserved |= {"rewards"} if self.transitions.keeps_rewards else set()
        if taken := sorted(info.__dict__.keys() & reserved):
            raise UsageError(f"an environment's infos hold {', '.join(taken)}, reserved for the players: rename it")

    def _store(self, env_ids: Ints, rows: Batch) -> None:
        """Store the steps of single-agent environments, if the agent learns."""
        if self._manager is not None:
            stored = self._learns(np.zeros(len(env_ids), np.int64), rows)
            env_ids, rows = env_ids[stored], rows[stored]
        if len(env_ids):
            same_types(rows)
            self.buffer.add(rows, env_ids)  # one seat an environment: their numbers are those of the sub-buffers

    def _store_seats(self, seats: Ints, rows: Batch, step: Outcome) -> None:
        """Open the transitions of learners that have acted; store those that a step closes."""
        stored = self._learns(seats, rows)
        if stored.all():
            self.transitions.open(step.env_ids, seats, rows)
        elif stored.any():
            self.transitions.open(step.env_ids[stored], seats[stored], rows[stored])
        for where, whose, closed in self.transitions.closed_by(step, partial(self._last, step)):
            self.buffer.add(closed, self._rings.of(where, whose))

    def _learns(self, seats: Ints, rows: Batch) -> NDArray[np.bool_]:
        """Return whether the transitions of these seats are stored, [n]."""
        stored = self._rings.has(seats)
        return stored if self._manager is None else stored & self._manager.is_learner[rows.info.policy_id]

    def _finish(self, env_ids: Ints) -> Ended:
        """Note the episodes that ended in these environments, and begin new ones."""
        players = np.zeros((len(env_ids), 0), np.int64)
        if self._manager is not None:
            players = self._manager.labels[self._manager.seated(env_ids)]
        ended = self.episodes.ended(env_ids, players)
        if not self._envs.begin_by_themselves:
            self._record_resets(env_ids, *self._envs.reset(env_ids))
        return ended

    def _last(self, step: Outcome, rows: Ints, seats: Ints) -> tuple[Any, Batch]:
        """Return the last observations and infos of these seats in rows of a step in which their episode ended."""
        first_of_game = np.append(True, rows[1:] > rows[:-1])  # rows are in ascending order
        env_ids, places = step.env_ids[rows[first_of_game]], (np.cumsum(first_of_game) - 1, seats)
        final = self._envs.final_obs(env_ids)[places]
        final.agent_id = seats
        infos = self._envs.final_infos(env_ids, places)
        if self.preprocess_fn is None:
            return final, columns(infos) if infos else Batch()
        return preprocess_reset(self.preprocess_fn, final, step.env_ids[rows]), last_infos(infos, step, rows)

    def _stats(self, ended: list[Ended], steps: int, seconds: float) -> CollectStats:
        returns, lens, players = joined(ended, self.num_agents)
        self.collect_step += steps
        self.collect_episode += len(lens)
        self.collect_time += seconds
        before, self._dropped_before = self._dropped_before, self._envs.dropped_steps()
        stats = CollectStats.of_collection(returns if self.env.agents else returns[:, 0], lens, steps, seconds)
        return replace(
            stats,
            players=None if self._manager is None else players.reshape(-1, self.num_agents),
            n_dropped_steps=self._dropped_before[0] - before[0],
            n_restarts=self._dropped_before[1] - before[1],
        )
