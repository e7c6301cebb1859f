"""`RolloutSeats`: asks the policies of a manager for actions, each for its own rows of tensors."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from arena.data.batch import Batch
from arena.data.rows import as_array, write_rows
from arena.env.games import VectorGames
from arena.policy.base import BasePolicy
from arena.policy.manager import MultiAgentPolicyManager
from arena.policy.protocol import Policy
from arena.policy.rollout import Decision, LearnsFromRollouts


class RolloutSeats:
    """The players at each board, on the device where the learner computes.

    Policies that learn from rollouts answer tensors with tensors. Any other gets its rows as arrays.

    Args:
        manager: the policies, and who sits where.
        env: the boards.
        device: where the tensors are.

    """

    def __init__(self, manager: MultiAgentPolicyManager, env: VectorGames, device: torch.device):
        self._manager, self._env, self._device = manager, env, device
        self._boards = torch.arange(len(env), device=device)
        self._seated = torch.zeros((len(env), env.num_agents), dtype=torch.int64, device=device)
        self.note_policies()
        self.hidden = Batch()
        """Hidden states of all pairs of board and seat, [B * P, ...], as in `Acting`; empty if there are none."""

    def seat(self, boards: NDArray[np.int64]) -> None:
        """Let the manager assign policies to the games that begin on these boards."""
        self._manager.seat(boards, len(self._env), self._env.num_agents)
        self.follow(boards)
        if not self.hidden.is_empty():
            seats = np.arange(self._env.num_agents)
            self.hidden.empty_((boards[:, None] * len(seats) + seats).reshape(-1))

    def follow(self, boards: NDArray[np.int64]) -> None:
        """Note whom the manager has seated at these boards."""
        rows = torch.from_numpy(boards).to(self._device)
        self._seated[rows] = torch.from_numpy(self._manager.seated(boards)).to(self._device)
        self._note_playing()

    def note_policies(self) -> None:
        """Note which policies there are; a manager's places may have got others."""
        first = dict[Policy, int]()
        self._numbers = [first.setdefault(policy, number) for number, policy in enumerate(self._manager.policies)]
        self._first = torch.tensor(self._numbers, device=self._device)
        self._learns = torch.from_numpy(self._manager.is_learner).to(self._device)
        # at every step of the boards, to ask a protocol takes as long as to draw their actions
        self._by_tensors = [one if isinstance(one, LearnsFromRollouts) else None for one in self._manager.policies]
        self._note_playing()

    def _note_playing(self) -> None:
        """Note which of the policies sit anywhere."""
        several = len(set(self._numbers)) > 1
        self._playing = sorted({self._numbers[number] for number in self._manager.playing()}) if several else [0]

    def learners(self, policy_ids: Tensor) -> Iterator[tuple[str, BasePolicy, Tensor]]:
        """Yield name and policy of each learner, and a mask of its actions among `policy_ids` [...]."""
        manager = self._manager
        first = self._first[policy_ids]
        for number in sorted(set(self._numbers)):
            policy = manager.policies[number]
            if manager.is_learner[number]:
                assert isinstance(policy, BasePolicy)
                yield manager.names[number], policy, first == number

    def decide(self, group: slice, seat: Tensor, obs: Tensor, mask: Tensor) -> tuple[Decision, Tensor, Tensor]:
        """Return actions for the seats to move [n] on some boards, who they are [n], and whether they learn [n]."""
        boards = self._boards[group]
        policy_ids = self._seated[boards, seat]
        states = self._env.positions(np.arange(group.start, group.stop)) if self._manager.needs_state else None
        observation = Batch(agent_id=seat, obs=obs, mask=mask)
        if len(self._playing) == 1:
            decision = self._ask(self._playing[0], observation, boards, states)
        else:
            decision = Decision(torch.empty_like(seat), *torch.zeros((2, len(seat)), device=self._device))
            first = self._first[policy_ids]
            for number in self._playing:
                rows = (first == number).nonzero()[:, 0]
                if len(rows):
                    own = Batch({name: tensor[rows] for name, tensor in observation.items()})
                    shown = None if states is None else states[rows.numpy(force=True)]
                    for whole, part in zip(decision, self._ask(number, own, boards[rows], shown), strict=True):
                        whole[rows] = part
        return decision, policy_ids, self._learns[policy_ids]

    def _ask(self, number: int, observation: Batch, boards: Tensor, states: NDArray[Any] | None) -> Decision:
        """Return the actions of a policy for what seats see on some boards, whose positions are `states`."""
        by_tensors = self._by_tensors[number]
        if by_tensors is not None:
            return by_tensors.decide(observation.obs, observation.mask)
        act = torch.from_numpy(self._actions_of(number, observation, boards.numpy(force=True), states)).to(self._device)
        return Decision(act, *torch.zeros((2, len(act)), device=self._device))

    def _actions_of(
        self, number: int, observation: Batch, boards: NDArray[np.int64], states: NDArray[Any] | None
    ) -> NDArray[Any]:
        """Return the actions of a policy that takes arrays."""
        name, policy = self._manager.names[number], self._manager.policies[number]
        obs = Batch({key: tensor.numpy(force=True) for key, tensor in observation.items()})
        if states is not None:
            obs.state = states
        places = boards * self._env.num_agents + obs.agent_id
        hidden = Batch() if self.hidden.is_empty() else self.hidden.state
        before = hidden[name][places] if name in hidden else None
        answer = policy.forward(Batch(obs=obs, info=Batch(), env_id=boards), before)
        if answer.get("state") is not None:
            after = Batch(state=Batch({name: answer.state}))
            if not after.is_empty(recurse=True):
                write_rows(self.hidden, after, places, self._seated.numel())
        return as_array(answer.act).astype(np.int64)
