"""Asking a policy for moves; the one place where what an agent raises is caught."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.data.batch import Batch
from arena.policy.protocol import Policy


@dataclass(frozen=True)
class Answer:
    """What a policy said to one position."""

    action: int | None
    """None if it raised."""
    error: str = ""
    """What it raised, in a line."""
    probs: NDArray[np.floating[Any]] | None = None
    """Its chance of each action [A], if it tells."""
    value: float | None = None
    """The return that the seat to move expects, if it tells."""
    hidden: Any = None
    """Its hidden state after this move."""


def ask(policy: Policy, obs: Batch, hidden: Sequence[Any] | None = None) -> list[Answer]:
    """One answer a row of `obs` (agent_id, obs, mask, and state where the policy needs it).

    `hidden` holds the hidden state of each row's game, all None at the start. A policy that raises on a batch is asked
    again row by row, so that the fault is found in the game where it happens.
    """
    n = len(obs)
    state = None if hidden is None or any(h is None for h in hidden) else Batch.stack(list(hidden))
    try:
        result = policy.forward(Batch(obs=obs, info=Batch()), state)
        actions = np.asarray(result.act)
        if actions.shape != (n,) or actions.dtype.kind not in "iu":
            raise TypeError(f"act is {actions.dtype} of shape {actions.shape}, not {n} whole numbers")
    except Exception as error:  # an agent's fault is its own: it loses this game, and nothing else stops
        if n > 1:
            rows = range(n)
            return [ask(policy, obs[i : i + 1], None if hidden is None else hidden[i : i + 1])[0] for i in rows]
        return [Answer(None, error=f"{type(error).__name__}: {error}".splitlines()[0])]
    probs, value, after = result.get("probs"), result.get("value"), result.get("state")
    return [
        Answer(
            int(actions[i]),
            probs=None if probs is None else np.asarray(probs[i]),
            value=None if value is None else float(value[i]),
            hidden=None if after is None else after[i],
        )
        for i in range(n)
    ]
