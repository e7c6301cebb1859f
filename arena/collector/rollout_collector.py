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
from arena.collector.boards import RolloutBoards, Stepped
from arena.collector.episodes import joined
from arena.collector.rollout_seats import RolloutSeats
from arena.collector.steps import RolloutSteps
from arena.collector.transfers import FasterWay
from arena.data.batch import Batch
from arena.data.buffer.base import ReplayBuffer
from arena.data.rows import require_alike
from arena.data.stats import CollectStats
from arena.policy.base import BasePolicy
from arena.policy.manager import MultiAgentPolicyManager
from arena.policy.rollout import Rollout
from arena.policy.torch_modes import settle_threads, without_gradient

EndedGames = tuple[Tensor, Tensor, NDArray[np.int64]]
"""Of n games that have ended together: returns [n, P], lengths [n], and labels of the players [n, P]."""


class RolloutCollector:
    """Plays all boards step by step, for learners that learn from each collection once.

    What is collected is what a `Collector` collects, transition by transition, and so is what is saved. But it stays
    on the learner's device, as tensors: `rollouts` hands it out. Where both are on the CPU, tensors share the memory of
    NumPy's arrays.

    Args:
        manager: who plays; learners learn from rollouts.
        boards: the games, without automatic resets, on the learner's device or beside it.
        buffer: stays empty; a training that goes on with a `Collector` finds it saved as it needs it.

    """

    def __init__(self, manager: MultiAgentPolicyManager, boards: RolloutBoards, buffer: ReplayBuffer):
        settle_threads(manager)
        self.policy, self.env, self.buffer = manager, boards.env, buffer
        self.boards, self.device = boards, boards.device
        env = self.env
        self.num_envs, self.num_agents = len(env), env.num_agents
        self._all, self._way = np.arange(self.num_envs), FasterWay(boards.ways)
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
        self.boards.see(self.env.reset(**(gym_reset_kwargs or {}))[0])
        self._seats.seat(self._all)
        if reset_stats:
            self.reset_stat()

    def reset_stat(self) -> None:
        """Reset the counters to zero."""
        self.collect_step, self.collect_episode, self.collect_time = 0, 0, 0.0

    def reset_buffer(self, keep_statistics: bool = False) -> None:
        """Forget what has been collected; transitions whose outcome is not known yet stay open."""
        self._steps.forget(self.boards.seat)

    def state_dict(self) -> Batch:
        """Return the boards, open transitions and unfinished games as arrays, as a `Collector` does."""
        if self._steps.taken:
            raise UsageError("what has been collected is saved with nothing; learn from it first")
        seated, transitions = self.policy.seated(self._all), self._steps.state_dict()
        transitions.rows.info.players = self.policy.labels[seated].repeat(self.num_agents, axis=0)
        obs = Batch(agent_id=self.boards.seat, obs=self.boards.obs, mask=self.boards.mask)
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
        self.boards.see(self.env.observations())
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
        ended: list[EndedGames] = []
        with without_gradient():
            groups = self._way.choose()
            pending = [self._ask(group) for group in groups]
            for left in range(moves - 1, -1, -1):
                for number, group in enumerate(groups):
                    games = self._step(group, pending[number])
                    if games is not None:
                        ended.append(games)
                    if left:  # answered while the next group steps, where the boards are beside the device
                        pending[number] = self._ask(group)
        seconds = time.perf_counter() - start
        self._way.took(seconds / moves)
        return self._stats(ended, moves * self.num_envs, seconds)

    def rollouts(self) -> Iterator[tuple[str, BasePolicy, Rollout]]:
        """Yield name, policy and transitions of each learner that has any."""
        steps = self._steps
        outcomes = steps.outcomes(self.boards.seat)
        rows = slice(len(outcomes.rew))
        for name, policy, own in self._seats.learners(steps.rows.policy_id[rows]):
            rollout = steps.rollout(steps.rows.stored[rows] & own, outcomes, self.boards.obs)
            if len(rollout.rew):
                yield name, policy, rollout

    def _make_room(self, moves: int) -> None:
        """Provide for so many further moves on each board; raise `UsageError` if the device has not enough memory."""
        if self._steps.room >= moves:
            return
        if self._steps.taken:
            raise UsageError("a collection follows another that nobody has learned from: reset_buffer() first")
        needed = RolloutSteps.bytes_of(self.env, moves)
        there = self.boards.free_bytes()
        if there is not None and needed > there:
            raise UsageError(
                f"{moves} moves on {self.num_envs:,} boards of {self.env.game.name} need {needed / 1e6:,.0f} MB of "
                f"memory on the device, which has {there / 1e6:,.0f} MB free: give fewer --boards or --moves"
            )
        state = self._steps.state_dict()
        self._steps = RolloutSteps(self.env, moves, self.device)
        self._steps.load_state_dict(state)

    def _ask(self, group: slice) -> tuple[Tensor, ...]:
        """Ask for the next actions on the boards of a group; return what is known of them, in the order of a step."""
        boards = self.boards
        observation = boards.seat[group], boards.obs[group], boards.mask[group]
        decision, policy_ids, learns = self._seats.decide(group, *observation)
        boards.send(group, decision.act)
        return *observation, *decision, policy_ids, learns

    def _step(self, group: slice, columns: tuple[Tensor, ...]) -> EndedGames | None:
        """Make the moves of a group; return the games that they end, in whose place new ones begin."""
        step = self.boards.step(group)
        row = self._steps.add(group, *columns, step.rew, step.over, step.cut)
        self._returns[group] += step.rew
        self._lens[group] += 1
        if step.last is not None:
            self._steps.add_last(row, *step.last)
        games = self._finish(step) if len(step.rows) else None
        self.boards.show(group)
        return games

    def _finish(self, step: Stepped) -> EndedGames:
        """Return the returns, lengths and players of games that have ended, and begin new ones."""
        ended = step.ended
        games = self._returns[ended], self._lens[ended], self.policy.labels[self.policy.seated(step.rows)]
        self.boards.begin(step)
        self._seats.seat(step.rows)
        self._returns[ended], self._lens[ended] = 0.0, 0
        return games

    def _stats(self, ended: list[EndedGames], steps: int, seconds: float) -> CollectStats:
        arrays = [(ret.numpy(force=True), lens.numpy(force=True), players) for ret, lens, players in ended]
        returns, lens, players = joined(arrays, self.num_agents)
        self.collect_step += steps
        self.collect_episode += len(lens)
        self.collect_time += seconds
        stats = CollectStats.of_collection(returns, lens, steps, seconds)
        return replace(stats, players=players.reshape(-1, self.num_agents))
