"""`MultiAgentPolicyManager`: several policies that share a batch, each called for its own rows."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from torch import nn

from arena.base.errors import UsageError
from arena.base.seeding import spawn_seeds
from arena.data.batch import Batch
from arena.data.buffer.base import ReplayBuffer
from arena.data.rows import as_array, write_rows
from arena.data.widening import widen
from arena.policy.base import BasePolicy
from arena.policy.protocol import Policy
from arena.policy.shapes import Shapes

Seating = Callable[[NDArray[np.int64]], NDArray[np.int64]]
"""Called when games begin: maps environment numbers [n] to the policy numbers of their seats [n, P]."""


@runtime_checkable
class HasPossibleAgents(Protocol):
    """A PettingZoo environment, whose `agents` are missing before its first episode."""

    @property
    def possible_agents(self) -> Iterable[str]:
        """Names of all agents."""


@runtime_checkable
class HasAgents(Protocol):
    """An environment that names its agents."""

    @property
    def agents(self) -> Iterable[str]:
        """Names of the agents."""


def _agents_of(env: Any) -> tuple[str, ...]:
    """Return the names of an environment's agents, none if it has no names."""
    if isinstance(env, HasPossibleAgents):
        return tuple(env.possible_agents)
    return tuple(env.agents) if isinstance(env, HasAgents) else ()


COMMON = Shapes()
"""Of policies that take the arrays of a game as they are."""


class MultiAgentPolicyManager(BasePolicy):
    """Groups the rows of a batch by the policy of their seat, and calls each policy once.

    Six rows of two-player games, policy 0 at seat 0 and policy 1 at seat 1: with `batch.obs.agent_id` = [0, 1, 1, 0, 0,
    1] policy 0 is called for rows 0, 3, 4 and policy 1 for rows 1, 2, 5. A policy at several seats (self-play) is
    called for all their rows at once and learns from them in one update.

    Args:
        policies: one a seat; with a `mapping`, any number, which it refers to. The same object may stand several times.
        env: the environment they play in, for the agents' names.
        mapping: who sits where: None (policy i at seat i), policy numbers by environment and seat [B, P], or a function
            that is asked for them whenever games begin.
        learners: numbers of the policies whose transitions are stored and learned from; by default those that learn.

    """

    def __init__(
        self,
        policies: Sequence[Policy],
        env: Any = None,
        mapping: NDArray[np.int64] | Seating | None = None,
        learners: Sequence[int] | None = None,
    ):
        super().__init__()
        self.policies = list(policies)
        agents = _agents_of(env) or tuple(f"agent_{i + 1}" for i in range(len(policies)))
        if mapping is None and len(policies) != len(agents):
            raise UsageError(f"{len(agents)} agents need as many policies, not {len(policies)}")
        self.names = agents if mapping is None else tuple(f"policy_{i}" for i in range(len(policies)))
        """A name for each policy, which its figures are prefixed with: that of its agent, unless there is a mapping."""
        self._modules_held = nn.ModuleList(p for p in dict.fromkeys(policies) if isinstance(p, nn.Module))
        self._frozen_in_training: list[nn.Module] = []  # those that a test has put in testing state for a while
        self._mapping = mapping
        self.by_seat_alone = False
        """True if policy i answers for seat i whoever holds it, as in a policy that another manager seats."""
        self.shapes: Mapping[Any, Shapes] = {}
        """What policies get of the arrays of a game, for those that get it otherwise than it is."""
        self._seated = np.zeros((0, 0), np.int64)
        chosen = [i for i, p in enumerate(policies) if p.learns] if learners is None else list(learners)
        if not set(chosen) <= set(range(len(policies))):
            raise UsageError(f"learners {chosen} are not among the policies 0 to {len(policies) - 1}")
        self._learners_given = learners is not None
        self.is_learner = np.isin(np.arange(len(policies)), chosen)
        """Mask of the policies that learn, [number of policies]."""
        self.labels = np.arange(len(policies))
        """A number for each policy, stored with every transition of a game it takes part in."""

    @property
    def needs_state(self) -> bool:  # type: ignore[override]  # a constant of other policies, here that of those held
        """True if one of the policies needs state records."""
        return any(policy.needs_state for policy in self.policies)

    @property
    def needs_rewards(self) -> bool:  # type: ignore[override]  # likewise
        """True if one of the learners needs the rewards of all seats."""
        return any(
            policy.needs_rewards for policy, learns in zip(self.policies, self.is_learner, strict=True) if learns
        )

    def reset(self, seed: int | None = None) -> None:
        """Reset every policy; with a seed, each gets an independent random stream."""
        policies = list(dict.fromkeys(self.policies))
        seeds = [None] * len(policies) if seed is None else spawn_seeds(seed, count=len(policies))
        for policy, one in zip(policies, seeds, strict=True):
            policy.reset(one)

    def agree(self, seed: int) -> None:
        """Call `Policy.agree` of every policy, each with its own seed."""
        policies = list(dict.fromkeys(self.policies))
        for policy, one in zip(policies, spawn_seeds(seed, count=len(policies)), strict=True):
            policy.agree(one)

    def train(self, mode: bool = True) -> Self:
        """Set the mode of the learners; others are in testing mode in tests, otherwise in their original mode."""
        learning: set[Any] = {policy for policy, learns in zip(self.policies, self.is_learner, strict=True) if learns}
        frozen = {policy: policy.training for policy in self._modules_held if policy not in learning}
        if not mode and self.training:
            self._frozen_in_training = [policy for policy, training in frozen.items() if training]
        back = self._frozen_in_training if mode and not self.training else []
        super().train(mode)
        for policy, training in frozen.items():
            policy.train(mode and (training or policy in back))
        return self

    # --- seats --------------------------------------------------------------------------------------------------

    def seat(self, env_ids: NDArray[np.int64], num_envs: int, num_agents: int) -> None:
        """Assign policies to the seats of games that begin in these of `num_envs` environments."""
        if self._seated.shape != (num_envs, num_agents):
            self._seated = np.tile(np.arange(num_agents), (num_envs, 1))
        if callable(self._mapping):
            self._seated[env_ids] = self._checked(self._mapping(env_ids), (len(env_ids), num_agents))
        elif self._mapping is not None:
            self._seated[env_ids] = self._checked(self._mapping, (num_envs, num_agents))[env_ids]

    def _checked(self, seated: NDArray[np.int64], shape: tuple[int, int]) -> NDArray[np.int64]:
        """Return policy numbers from a mapping; `UsageError` for a wrong shape or unknown policies."""
        seated = np.asarray(seated)
        if seated.shape != shape or seated.dtype.kind not in "iu":
            raise UsageError(f"the mapping gives {seated.dtype} of shape {seated.shape}, not whole numbers of {shape}")
        if seated.min(initial=0) < 0 or seated.max(initial=0) >= len(self.policies):
            raise UsageError(f"the mapping names policies that are not among 0 to {len(self.policies) - 1}")
        return seated

    def seated(self, env_ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the policy at each seat of these environments: numbers [n, P]."""
        return self._seated[env_ids]

    def restore_seats(self, seated: NDArray[np.int64]) -> None:
        """Restore the policy numbers of all seats [B, P]; `UsageError` for unknown policies."""
        self._seated = self._checked(seated, seated.shape)

    def playing(self) -> set[int]:
        """Return the numbers of the policies that have a seat."""
        return set(np.flatnonzero(np.bincount(self._seated.reshape(-1))).tolist())  # faster than `np.unique`

    def learning_seats(self, num_agents: int) -> NDArray[np.int64]:
        """Return the seats that a learner may have."""
        if callable(self._mapping):
            return np.arange(num_agents) if self.is_learner.any() else np.zeros(0, np.int64)
        if self._mapping is None and num_agents != len(self.policies):
            how = (
                " (an environment of several agents is a MultiAgentEnv or a PettingZoo environment)"
                if num_agents == 1
                else ""
            )
            raise UsageError(f"{num_agents} agents need as many policies, not {len(self.policies)}{how}")
        seated = np.arange(num_agents)[None]
        if self._mapping is not None:
            seated = self._checked(self._mapping, (len(self._mapping), num_agents))
        return np.flatnonzero(self.is_learner[seated].any(axis=0))

    def replace_policy(self, policy: Policy, agent_id: int | str) -> None:
        """Replace the policy of an agent, given by its name (see `names`) or its number.

        Agents are numbered from 1, as in Tianshou's manual: 1 is the first of `names`. The policies of a `mapping` have
        the numbers that it uses, from 0. Whether the new policy learns is determined by the arguments of the manager
        or, without these, by the policy.
        """
        first = 0 if self._mapping is not None else 1
        numbers = range(first, first + len(self.names))
        is_number = isinstance(agent_id, int | np.integer) and not isinstance(agent_id, bool)
        if agent_id not in self.names and not (is_number and agent_id in numbers):
            there = ", ".join(f"{number} ({name})" for number, name in zip(numbers, self.names, strict=True))
            raise UsageError(f"no agent {agent_id!r}; by number or name there are {there}")
        index = self.names.index(agent_id) if isinstance(agent_id, str) else int(agent_id) - first
        self.policies[index] = policy
        if not self._learners_given:
            self.is_learner[index] = policy.learns
        self._modules_held = nn.ModuleList(p for p in dict.fromkeys(self.policies) if isinstance(p, nn.Module))

    def _groups(self, policy_ids: NDArray[np.int64]) -> Iterator[tuple[str, Policy, NDArray[np.int64]]]:
        """Yield name, object and rows of each policy, given the policy number of each row."""
        first: dict[Policy, int] = {}
        canonical = np.array([first.setdefault(policy, i) for i, policy in enumerate(self.policies)])
        policy_ids = canonical[policy_ids]
        order = np.argsort(policy_ids, kind="stable")
        numbers, starts = np.unique(policy_ids[order], return_index=True)
        for number, rows in zip(numbers, np.split(order, starts[1:]), strict=True):
            yield self.names[number], self.policies[number], rows

    def _policy_ids(self, batch: Batch) -> NDArray[np.int64]:
        """Return the policy number of each row of a batch."""
        seats: NDArray[np.int64] = np.asarray(batch.obs.agent_id)
        if self.by_seat_alone:
            return seats
        if "policy_id" in batch.get("info", ()):
            policy_ids: NDArray[np.int64] = batch.info.policy_id
            return policy_ids
        if self._mapping is None:
            return seats
        if "env_id" not in batch:
            raise UsageError("with a mapping, a batch needs env_id: the environment of each row")
        return self._seated[batch.env_id, seats]

    # --- acting -------------------------------------------------------------------------------------------------

    def forward(self, batch: Batch, state: Batch | None = None) -> Batch:
        """Choose actions for all rows.

        Returns `act`, `policy` and `state` (per policy name) of all rows, `policy_id` [n], the policy of each row, and
        `out`, per policy name its output for its own rows (empty for one without rows).
        """
        policy_ids = self._policy_ids(batch)
        result, out = Batch(policy=Batch(), state=Batch()), Batch()
        out.__dict__.update(dict.fromkeys(self.names, Batch()))
        for name, policy, rows in self._groups(policy_ids):
            before = None if state is None or name not in state else state[name][rows]
            shapes = self.shapes.get(policy, COMMON)
            answer = policy.forward(shapes.batch(batch[rows]), before)
            out.__dict__[name] = answer
            after = Batch() if answer.get("state") is None else Batch({name: answer.state})
            part = Batch(act=shapes.padded(as_array(answer.act)), policy=answer.get("policy", Batch()), state=after)
            widen(result, part)
            write_rows(result, part, rows, len(policy_ids))
        result.policy_id, result.out = policy_ids, out
        return result

    def exploration_noise(self, act: NDArray[Any], batch: Batch) -> NDArray[Any]:
        """Apply each policy's exploration to its own rows."""
        for _, policy, rows in self._groups(self._policy_ids(batch)):
            if isinstance(policy, BasePolicy):
                shapes = self.shapes.get(policy, COMMON)
                noisy = policy.exploration_noise(shapes.actions(act[rows]), shapes.batch(batch[rows]))
                act[rows] = shapes.padded(noisy)
        return act

    def map_action(self, act: Any, batch: Batch | None = None) -> Any:
        """Map each policy's own actions (those of `batch`) to actions of the environment."""
        return self._mapped("map_action", act, batch)

    def map_action_inverse(self, act: Any, batch: Batch | None = None) -> Any:
        """Return each policy's actions that `map_action` turns into these."""
        return self._mapped("map_action_inverse", act, batch)

    def _mapped(self, mapping: str, act: Any, batch: Batch | None) -> Any:
        if not any(isinstance(policy, BasePolicy) and policy.maps_actions for policy in self.policies):
            return act  # moves of games: there is nothing to group
        if batch is None:
            raise UsageError(
                f"{mapping}(act, batch) of several policies needs the batch, to know whose actions they are"
            )
        result = Batch()
        for _, policy, rows in self._groups(self._policy_ids(batch)):
            shapes = self.shapes.get(policy, COMMON)
            own = shapes.actions(act[rows])
            if isinstance(policy, MultiAgentPolicyManager):  # which has to know whose actions they are, in turn
                own = policy._mapped(mapping, own, batch[rows])
            elif isinstance(policy, BasePolicy):
                own = getattr(policy, mapping)(own)
            part = Batch(act=shapes.padded(own))
            widen(result, part)
            write_rows(result, part, rows, len(act))
        return result.act

    # --- learning -----------------------------------------------------------------------------------------------

    def process_fn(self, batch: Batch, buffer: ReplayBuffer, indices: NDArray[np.int64]) -> Batch:
        """Return each learner's transitions by name, with its targets and their places (`indices`)."""
        parts = Batch()
        for name, policy, rows in self._groups(self._policy_ids(batch)):
            if isinstance(policy, BasePolicy) and self.is_learner[self.policies.index(policy)]:
                shapes = self.shapes.get(policy, COMMON)
                with _updating(policy):
                    part = policy.process_fn(shapes.batch(batch[rows]), shapes.buffer(buffer), indices[rows])
                part.indices = indices[rows]
                parts[name] = part
        return parts

    def learn(self, batch: Batch, **kwargs: Any) -> dict[str, Any]:
        """Call `learn` of each learner on its part, with these keywords; figures are prefixed with its name."""
        figures = {}
        for name, policy, part in self._parts(batch):
            with _updating(policy):
                learned = policy.learn(part, **kwargs)
            figures.update({f"{name}/{key}": value for key, value in learned.items()})
        return figures

    def post_process_fn(self, batch: Batch, buffer: ReplayBuffer, indices: NDArray[np.int64]) -> None:
        """Post-process each learner's part, and advance its learning-rate schedule if it has one."""
        for _, policy, part in self._parts(batch):
            with _updating(policy):
                policy.post_process_fn(part, self.shapes.get(policy, COMMON).buffer(buffer), part.indices)
            if policy.lr_scheduler is not None:
                policy.lr_scheduler.step()

    def _parts(self, batch: Batch) -> Iterator[tuple[str, BasePolicy, Batch]]:
        """Yield the learners that have a part in a processed batch."""
        for name, policy in zip(self.names, self.policies, strict=True):
            if name in batch and isinstance(policy, BasePolicy):
                yield name, policy, batch[name]


@contextmanager
def _updating(policy: BasePolicy) -> Iterator[None]:
    """Set `updating` of a policy within the context, as its own `update` does."""
    policy.updating = True
    try:
        yield
    finally:
        policy.updating = False
