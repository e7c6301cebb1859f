"""Ask policies for moves; the only place that catches exceptions of agents."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from arena.base.errors import IllegalActionError
from arena.data.batch import Batch
from arena.data.rows import as_array, write_rows
from arena.env.games import VectorGames
from arena.match.verdict import Failure, Reason
from arena.policy.protocol import Policy
from arena.policy.torch_modes import without_gradient
from games.engine.actions import Action, action_of
from games.engine.game import Game

T = TypeVar("T")
NO_ACTION = -1
"""In place of an action: the policy failed."""


class FailedError(Exception):
    """Raised by a policy that gives its own reason for having no move."""

    def __init__(self, failure: Failure, transcript: str | None = None):
        super().__init__(failure.detail)
        self.failure = failure
        self.transcript = transcript
        """What it was asked and answered in words, as JSON; None if nothing was."""


@dataclass(frozen=True)
class Answer:
    """A policy's answer in one position."""

    action: Action
    """NO_ACTION if it failed."""
    failure: Failure | None = None
    probs: NDArray[np.floating[Any]] | None = None
    """Probability of each action [A]; None if not given."""
    value: float | None = None
    """Expected return of the seat to move; None if not given."""
    visits: NDArray[np.integer[Any]] | None = None
    """Visits of each action in its search [A]; None if not given."""
    pv: NDArray[np.integer[Any]] | None = None
    """Principal variation [L], -1 after its end; None if not given."""
    spent_s: float | None = None
    """Seconds that the policy says it took, without what is lost on the way to it; None if it does not."""
    hidden: Any = None
    """Hidden state after this move, one row; None if it keeps none."""
    transcript: str | None = None
    """What it was asked and answered in words, as JSON; None if nothing was."""


@dataclass(frozen=True)
class Answers:
    """A policy's answers in n positions."""

    actions: NDArray[Any]
    """Int64 [n], or float32 [n, k]; where it failed NO_ACTION, or NaN."""
    failures: Mapping[int, Failure] = field(default_factory=dict)
    """By row."""
    transcripts: Mapping[int, str] = field(default_factory=dict)
    """What was asked and answered in words, as JSON, by row."""
    extras: Batch = field(default_factory=Batch)
    """Optional parts of the answers: `probs` and `visits` [n, A], `value` and `spent_s` [n], `pv` [n, L], `state`
    (hidden state, n rows)."""

    def only(self) -> Answer:
        """Return the only answer of a batch of one."""
        if self.failures:
            return Answer(NO_ACTION, self.failures[0], transcript=self.transcripts.get(0))
        extras = {key: array[0] for key, array in self.extras.items() if key != "state"}
        value, spent_s = extras.get("value"), extras.get("spent_s")
        return Answer(
            action_of(self.actions[0]),
            probs=extras.get("probs"),
            value=None if value is None or np.isnan(value) else float(value),
            visits=extras.get("visits"),
            pv=extras.get("pv"),
            spent_s=None if spent_s is None else float(spent_s),
            hidden=self.extras.get("state"),
            transcript=self.transcripts.get(0),
        )


def view(
    env: VectorGames,
    rows: NDArray[np.int64],
    policy: Policy,
    history: NDArray[Any],
    lengths: NDArray[np.int64],
    initial: NDArray[Any] | None = None,
) -> Batch:
    """Return copies of the observations in `rows` [n], with states and moves if `policy` needs them.

    `history` [B, T] or [B, T, k] holds the actions of all games; the first `lengths` [B] of each row count. With the
    moves go the positions in which games began, records [B], if these are given.
    """
    obs = env.observations(rows)
    if policy.needs_state:
        obs.state = env.positions(rows)
    if (
        policy.needs_moves
        and env.game.action_box is None
        and env.game.perfect_information
        and not env.game.simultaneous
    ):
        played = np.arange(lengths[rows].max()) < lengths[rows, None]
        obs.moves = np.where(played, history[rows, : played.shape[1]], np.int32(-1))
        if initial is not None:
            obs.initial = initial[rows]
    return obs


def begin(policy: Policy, seed: int) -> Failure | None:
    """Reset a policy before its first move; return its failure, or None."""
    try:
        policy.reset(seed)
    except (Exception, SystemExit) as error:  # recorded, not raised: the agent loses at its first move
        return _failure(error)
    return None


def ask(game: Game, policy: Policy, obs: Batch, hidden: Any = None) -> Answers:
    """Return the policy's answers to the n rows of `obs`; `hidden` is its hidden state in each row, None at first.

    A policy that raises on a batch is asked again row by row, so that only the game at fault is lost.
    """
    try:
        result = _consult(game, policy, obs, hidden)
    except (Exception, SystemExit) as error:  # the agent loses this game; all others go on
        if len(obs) > 1:
            return _ask_each(game, policy, obs, hidden)
        transcript = error.transcript if isinstance(error, FailedError) else None
        return replace(failed(game, 1, _failure(error)), transcripts={} if transcript is None else {0: transcript})
    failures = {row: _failure(error) for row, error in _by_row(result, "failure", BaseException).items()}
    actions = result.pop("act")
    if failures:
        actions[list(failures)] = no_actions(game, len(failures))
    return Answers(actions, failures, _by_row(result, "transcript", str), result)


def _by_row(result: Batch, key: str, kind: type[T]) -> dict[int, T]:
    """Remove a key from an answer; return what it has for each row, as far as that is of a kind."""
    column = result.pop(key, ())
    return {row: one for row, one in enumerate(column) if isinstance(one, kind)}


def failed(game: Game, count: int, failure: Failure) -> Answers:
    """Return the answers of a policy that failed in `count` positions."""
    return Answers(no_actions(game, count), dict.fromkeys(range(count), failure))


def no_actions(game: Game, count: int) -> NDArray[Any]:
    """Return an array for `count` actions of a game, none of them legal: int64 [n], or float32 [n, k]."""
    if game.action_box is None:
        return np.full(count, NO_ACTION, np.int64)
    return np.full((count, *game.action_shape), np.nan, np.float32)


def _consult(game: Game, policy: Policy, obs: Batch, hidden: Any) -> Batch:
    """Return `act` and the extras that the policy gives; `TypeError` for a wrong shape or dtype."""
    with without_gradient():
        batch = Batch(obs=obs, info=Batch())
        answer = policy.forward(batch, hidden)
        act = as_array(answer.act)
        if game.action_box is not None:
            act = as_array(policy.map_action(act, batch))
    kind = ("iu", np.int64, "whole") if game.action_box is None else ("f", np.float32, "real")
    if act.shape != (wanted_shape := (len(obs), *game.action_shape)) or act.dtype.kind not in kind[0]:
        raise TypeError(f"act is {act.dtype} of shape {act.shape}, not {kind[2]} numbers of shape {wanted_shape}")
    result = Batch(act=act.astype(kind[1], copy=False))
    for key in ("failure", "transcript"):
        if answer.get(key) is not None:
            result[key] = answer[key]
    each, row = obs.mask.shape, (len(obs),)
    shapes = {"probs": each, "visits": each, "value": row, "spent_s": row, "pv": None}
    for key, shape in shapes.items():
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


def _ask_each(game: Game, policy: Policy, obs: Batch, hidden: Any) -> Answers:
    actions, extras = no_actions(game, len(obs)), Batch()
    failures: dict[int, Failure] = {}
    transcripts: dict[int, str] = {}
    for i in range(len(obs)):
        one = ask(game, policy, obs[i : i + 1], None if hidden is None else hidden[i : i + 1])
        actions[i] = one.actions[0]
        if one.transcripts:
            transcripts[i] = one.transcripts[0]
        if one.failures:
            failures[i] = one.failures[0]
        else:
            write_rows(extras, one.extras, np.array([i]), len(obs))
    return Answers(actions, failures, transcripts, extras)


def _failure(error: BaseException) -> Failure:
    if isinstance(error, FailedError):
        return error.failure
    reasons = {TimeoutError: Reason.LATE, IllegalActionError: Reason.ILLEGAL}
    reason = next((reasons[kind] for kind in reasons if isinstance(error, kind)), Reason.CRASHED)
    return Failure(f"{type(error).__name__}: {error}".splitlines()[0].removesuffix(": "), reason)
