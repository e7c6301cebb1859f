"""Small agents whose moves a test can foretell."""

import threading
from typing import Any

import numpy as np

from arena.data.batch import Batch
from arena.policy.protocol import Policy


class FirstLegal(Policy):
    """Plays the legal action of the lowest number; is sure of it, and expects to lose a little."""

    def forward(self, batch: Batch, state: Any = None) -> Batch:
        act = batch.obs.mask.argmax(axis=1)
        probs = np.eye(batch.obs.mask.shape[1])[act]
        return Batch(act=act, probs=probs, value=np.full(len(act), -0.25))


class Telling(Policy):
    """Plays in the legal columns in turn, and tells all that there is to tell."""

    def forward(self, batch: Batch, state: Any = None) -> Batch:
        legal = batch.obs.mask
        chances = legal * np.arange(1, legal.shape[1] + 1)
        probs = chances / chances.sum(axis=1, keepdims=True)
        act = probs.argmax(axis=1)
        line = np.stack([act, act, act - 1], axis=1)
        stones = np.count_nonzero(batch.obs.obs.reshape(len(legal), -1), axis=1)
        value = np.sin(stones / 3) * 0.8
        return Batch(act=act, probs=probs, value=value, visits=(1000 * probs).astype(int), pv=line)


class Silent(Policy):
    """Plays as `FirstLegal` and tells nothing of its thoughts."""

    def forward(self, batch: Batch, state: Any = None) -> Batch:
        return Batch(act=batch.obs.mask.argmax(axis=1))


class Crashing(Policy):
    """Raises on every position."""

    def forward(self, batch: Batch, state: Any = None) -> Batch:
        raise ArithmeticError("lost count")


class Cheating(Policy):
    """Plays an action that there is none of."""

    def forward(self, batch: Batch, state: Any = None) -> Batch:
        return Batch(act=np.full(len(batch.obs.mask), 99))


class Patient(FirstLegal):
    """Thinks until it is told to go on."""

    def __init__(self) -> None:
        self.go_on = threading.Event()

    def forward(self, batch: Batch, state: Any = None) -> Batch:
        self.go_on.wait(600)
        return super().forward(batch)
