"""Asking a policy for moves; the one place where what an agent raises is caught."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.data.batch import Batch
from arena.data.rows import as_array, write_rows
from arena.env.native import GameVectorEnv
from arena.match.verdict import Failure
from arena.policy.protocol import Policy
from arena.policy.torch_modes import without_gradient

NO_ACTION = -1
"""Stands where an action would, if there is a failure instead."""


class FailedError(Exception):
    """What a policy raises that knows itself why there is no move."""

    def __init__(self, failure: Failure):
        super().__init__(failure.detail)
        self.failure = failure


@dataclass(frozen=True)
class Answer:
    """What a policy said to one position."""

    action: int
    """NO_ACTION if it failed."""
    failure: Failure | None = None
    probs: NDArray[np.floating[Any]] | None = None
    """Its chance of each action [A], if it tells."""
    value: float | None = None
    """The return that the seat to move expects, if it tells."""
    visits: NDArray[np.integer[Any]] | None = None
    """How often its search has tried each action [A], if it tells."""
    pv: NDArray[np.integer[Any]] | None = None
    """The line of play that it expects [L], -1 after its end, if it tells."""
    hidden: Any = None
    """Its hidden state after this move, one row; None if it keeps none."""


@dataclass(frozen=True)
class Answers:
    """What a policy said to n positions."""

    actions: NDArray[np.int64]
    """[n]; NO_ACTION where it failed."""
    failures: Mapping[int, Failure] = field(default_factory=dict)
    """By row."""
    told: Batch = field(default_factory=Batch)
    """`probs` and `visits` [n, A], `value` [n], `pv` [n, L] and `state` (its hidden state, n rows), as far as given."""

    def only(self) -> Answer:
        """The answer, where there is one."""
        if self.failures:
            return Answer(NO_ACTION, self.failures[0])
        told = {key: array[0] for key, array in self.told.items() if key != "state"}
        value = told.get("value")
        return Answer(
            int(self.actions[0]),
            probs=told.get("probs"),
            value=None if value is None else float(value),
            visits=told.get("visits"),
            pv=told.get("pv"),
            hidden=self.told.get("state"),
        )


def view(
    env: GameVectorEnv,
    rows: NDArray[np.int64],
    policy: Policy,
    history: NDArray[np.int32],
    lengths: NDArray[np.int64],
) -> Batch:
    """What `policy` may see of the games in `rows`, in copies of its own.

    `history` [B, T] holds the actions played in all games, of which the first `lengths` [B] count.
    """
    seen = env.observations(rows)
    if policy.needs_state:
        seen.state = env.positions(rows)
    if policy.needs_moves and env.game.perfect_information and not env.game.simultaneous:
        played = np.arange(lengths[rows].max()) < lengths[rows, None]
        seen.moves = np.where(played, history[rows, : played.shape[1]], np.int32(-1))
    return seen


def begin(policy: Policy, seed: int) -> Failure | None:
    """Reset a policy before its first move; returns how it failed, if it did."""
    try:
        policy.reset(seed)
    except (Exception, SystemExit) as error:  # an agent's fault is its own: it loses when it is asked to move
        return _failure(error)
    return None


def ask(policy: Policy, obs: Batch, hidden: Any = None) -> Answers:
    """Answers to the n rows of `obs`, with the hidden state of each row's game (None while there is none).

    A policy that raises on a batch is asked again row by row, so that the fault is found in the game where it happens.
    """
    try:
        result = _consult(policy, obs, hidden)
    except (Exception, SystemExit) as error:  # an agent's fault is its own: it loses this game, and nothing else stops
        if len(obs) > 1:
            return _ask_each(policy, obs, hidden)
        return failed(1, _failure(error))
    return Answers(result.pop("act"), told=result)


def failed(count: int, failure: Failure) -> Answers:
    """The answers of a policy that has failed in `count` positions."""
    return Answers(np.full(count, NO_ACTION, np.int64), dict.fromkeys(range(count), failure))


def _consult(policy: Policy, obs: Batch, hidden: Any) -> Batch:
    """`act`, and what else of `Answers.told` the policy gives; `TypeError` if it is of the wrong shape."""
    with without_gradient():
        answer = policy.forward(Batch(obs=obs, info=Batch()), hidden)
    act = as_array(answer.act)
    if act.shape != (len(obs),) or act.dtype.kind not in "iu":
        raise TypeError(f"act is {act.dtype} of shape {act.shape}, not {len(obs)} whole numbers")
    result = Batch(act=act.astype(np.int64, copy=False))
    for key, shape in (("probs", obs.mask.shape), ("visits", obs.mask.shape), ("value", act.shape), ("pv", None)):
        if answer.get(key) is not None:
            array = as_array(answer[key])
            wanted = (len(obs), *array.shape[1:2]) if shape is None else shape
            if array.shape != wanted:
                raise TypeError(f"{key} is of shape {array.shape}, not {wanted}")
            result[key] = array
    state = answer.get("state")
    if state is not None and not (isinstance(state, Batch) and state.is_empty()):
        result.state = state
    return result


def _ask_each(policy: Policy, obs: Batch, hidden: Any) -> Answers:
    actions, failures, told = np.zeros(len(obs), np.int64), {}, Batch()
    for i in range(len(obs)):
        one = ask(policy, obs[i : i + 1], None if hidden is None else hidden[i : i + 1])
        actions[i] = one.actions[0]
        if one.failures:
            failures[i] = one.failures[0]
        else:
            write_rows(told, one.told, np.array([i]), len(obs))
    return Answers(actions, failures, told)


def _failure(error: BaseException) -> Failure:
    if isinstance(error, FailedError):
        return error.failure
    return Failure(f"{type(error).__name__}: {error}".splitlines()[0].removesuffix(": "))
