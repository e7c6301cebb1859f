"""`RolloutCollector`: lets the policies of a manager play native games, and records them as tensors on one device."""

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from arena.base.errors import UsageError
from arena.collector.episodes import Ended, joined
from arena.collector.rollout_seats import RolloutSeats
from arena.collector.steps import RolloutSteps
from arena.data.batch import Batch
from arena.data.buffer.base import ReplayBuffer
from arena.data.rows import require_alike
from arena.data.stats import CollectStats
from arena.env.device import available_bytes
from arena.env.native import GameVectorEnv
from arena.policy.base import BasePolicy
from arena.policy.manager import MultiAgentPolicyManager
from arena.policy.rollout import Rollout
from arena.policy.torch_modes import settle_threads, without_gradient


class RolloutCollector:
    """Plays all boards of a `GameVectorEnv` step by step, for learners that learn from each collection once.

    What is collected is what a `Collector` collects, transition by transition, and so is what is saved. But it stays
    on the device of the boards, as tensors: `rollouts` hands it out. Games on the CPU take the same way, as torch
    tensors that share the memory of NumPy's arrays.

    Args:
        manager: who plays; learners learn from rollouts.
        env: the boards, without automatic resets.
        buffer: stays empty; a training that goes on with a `Collector` finds it saved as it needs it.

    """

    def __init__(self, manager: MultiAgentPolicyManager, env: GameVectorEnv, buffer: ReplayBuffer):
        settle_threads(manager)
        self.policy, self.env, self.buffer = manager, env, buffer
        self.num_envs, self.num_agents = len(env), env.num_agents
        self.device = torch.as_tensor(env.seats).device
        self._all = np.arange(self.num_envs)
        self._seats = RolloutSeats(manager, env, self.device)
        self._steps = RolloutSteps(env, 0, self.device)
        self._returns = torch.zeros((self.num_envs, self.num_agents), dtype=torch.float64, device=self.device)
        self._lens = torch.zeros(self.num_envs, dtype=torch.int64, device=self.device)
        self.reset(reset_buffer=False)

    # --- state --------------------------------------------------------------------------------------------------

    def reset(
        self, reset_buffer: bool = True, reset_stats: bool = True, gym_reset_kwargs: dict[str, Any] | None = None
    ) -> None:
        """Begin new games on all boards (`gym_reset_kwargs`: `seed`) and, if asked, reset the counters.

        What has been collected, and all open transitions, are dropped.
        """
        self._steps.clear()
        self._returns.zero_()
        self._lens.zero_()
        self._see(self.env.reset(**(gym_reset_kwargs or {}))[0])
        self._seats.seat(self._all)
        if reset_stats:
            self.reset_stat()

    def reset_stat(self) -> None:
        """Reset the counters to zero."""
        self.collect_step, self.collect_episode, self.collect_time = 0, 0, 0.0

    def reset_buffer(self, keep_statistics: bool = False) -> None:
        """Forget what has been collected; transitions whose outcome is not known yet stay open."""
        self._steps.forget(self._seat)

    def state_dict(self) -> Batch:
        """Return the boards, open transitions and unfinished games as arrays, as a `Collector` does."""
        if self._steps.taken:
            raise UsageError("what has been collected is saved with nothing; learn from it first")
        seated, transitions = self.policy.seated(self._all), self._steps.state_dict()
        transitions.rows.info.players = self.policy.labels[seated].repeat(self.num_agents, axis=0)
        obs = Batch(agent_id=self._seat, obs=self._obs, mask=self._mask)
        arrays = Batch(
            env=self.env.state_dict(),
            transitions=transitions,
            obs=Batch(obs=obs),
            hidden=self._seats.hidden,
            returns=self._returns,
            lens=self._lens,
            manager=Batch(seated=seated),
        )
        arrays.to_numpy()
        return arrays

    def load_state_dict(self, arrays: Batch) -> None:
        """Load what `state_dict` returned, or that of a `Collector`; `UsageError` if it belongs to other boards."""
        for name, own in (("returns", self._returns), ("lens", self._lens)):
            require_alike(own.numpy(force=True), arrays[name], name)
            own.copy_(torch.from_numpy(arrays[name]))
        self.env.load_state_dict(arrays.env)
        self._steps.load_state_dict(arrays.transitions)
        self._see(self.env.observations())
        self.policy.restore_seats(arrays.manager.seated)
        self._seats.follow(self._all)
        self._seats.hidden = arrays.get("hidden", Batch())

    def close(self) -> None:
        """Close the boards."""
        self.env.close()

    # --- collecting ---------------------------------------------------------------------------------------------

    def most_steps(self, n_step: int) -> int:
        """Return the largest number of steps that `collect(n_step)` makes."""
        return -(-n_step // self.num_envs) * self.num_envs

    def collect(self, n_step: int | None = None, n_episode: int | None = None) -> CollectStats:
        """Collect `n_step` moves, rounded up to a multiple of the boards.

        Raises `UsageError` if `n_step` is missing or below 1, or if `n_episode` is given.
        """
        if n_step is None or n_step < 1 or n_episode is not None:
            raise UsageError(f"rollouts are collected by n_step, 1 or more; got n_step={n_step}, n_episode={n_episode}")
        start, moves = time.perf_counter(), -(-n_step // self.num_envs)
        self._make_room(moves)
        self._seats.note_policies()
        ended: list[tuple[Tensor, Tensor, NDArray[np.int64]]] = []
        with without_gradient():
            for _ in range(moves):
                boards = self._step()
                if len(boards):
                    ended.append(self._finish(boards))
        return self._stats(ended, moves * self.num_envs, time.perf_counter() - start)

    def rollouts(self) -> Iterator[tuple[str, BasePolicy, Rollout]]:
        """Yield name, policy and transitions of each learner that has any."""
        steps = self._steps
        outcomes = steps.outcomes(self._seat)
        rows = slice(len(outcomes.rew))
        for name, policy, own in self._seats.learners(steps.rows.policy_id[rows]):
            rollout = steps.rollout(steps.rows.stored[rows] & own, outcomes, self._obs)
            if len(rollout.rew):
                yield name, policy, rollout

    def _make_room(self, moves: int) -> None:
        """Provide for so many further moves on each board; raise `UsageError` if the device has not enough memory."""
        if self._steps.room >= moves:
            return
        if self._steps.taken:
            raise UsageError("a collection follows another that nobody has learned from: reset_buffer() first")
        needed = RolloutSteps.bytes_of(self.env, moves)
        if self.env.device == "cuda" and needed > (there := available_bytes()):
            raise UsageError(
                f"{moves} moves on {self.num_envs:,} boards of {self.env.game.name} need {needed / 1e6:,.0f} MB of "
                f"memory on the device, which has {there / 1e6:,.0f} MB free: give fewer --boards or --moves"
            )
        state = self._steps.state_dict()
        self._steps = RolloutSteps(self.env, moves, self.device)
        self._steps.load_state_dict(state)

    def _step(self) -> Tensor:
        """Make a move on every board; return the boards whose game has ended."""
        seat, obs, mask = self._seat, self._obs, self._mask
        decision, policy_ids, learns = self._seats.decide(seat, obs, mask)
        observation, rew, terminated, truncated, _ = self.env.step(decision.act)
        rew = torch.as_tensor(rew)
        over = torch.as_tensor(truncated if self.env.game.truncates else terminated)[:, 0]
        self._steps.add(seat, obs, mask, *decision, policy_ids, learns, rew, over)
        self._returns += rew
        self._lens += 1
        self._see(observation)
        return over.nonzero()[:, 0]

    def _finish(self, boards: Tensor) -> tuple[Tensor, Tensor, NDArray[np.int64]]:
        """Return the returns, lengths and players of games that have ended on these boards, and begin new ones."""
        rows = boards.numpy(force=True)
        ended = self._returns[boards], self._lens[boards], self.policy.labels[self.policy.seated(rows)]
        if self.env.game.truncates:
            self._steps.add_last(boards, torch.as_tensor(self.env.final_obs(rows).obs))
        first, _ = self.env.reset(rows)
        for now, new in ((self._seat, first.agent_id), (self._obs, first.obs), (self._mask, first.mask)):
            now[boards] = torch.as_tensor(new)
        self._seats.seat(rows)
        self._returns[boards], self._lens[boards] = 0.0, 0
        return ended

    def _see(self, observation: Batch) -> None:
        """Note which seats are to move, what they see, and their legal actions."""
        self._seat, self._obs, self._mask = (torch.as_tensor(observation[name]) for name in ("agent_id", "obs", "mask"))

    def _stats(self, ended: list[tuple[Tensor, Tensor, NDArray[np.int64]]], steps: int, seconds: float) -> CollectStats:
        arrays: list[Ended] = [(ret.numpy(force=True), lens.numpy(force=True), players) for ret, lens, players in ended]
        returns, lens, players = joined(arrays, self.num_agents)
        self.collect_step += steps
        self.collect_episode += len(lens)
        self.collect_time += seconds
        stats = CollectStats.with_autogenerated_stats(
            returns=returns,
            lens=lens,
            n_collected_episodes=len(lens),
            n_collected_steps=steps,
            collect_time=seconds,
            collect_speed=steps / max(seconds, 1e-9),
        )
        return replace(stats, players=players.reshape(-1, self.num_agents))
