"""Small policies whose moves can be foretold, good and bad."""

import time

import numpy as np

from arena.data.batch import Batch
from arena.policy.protocol import Policy


class Lowest(Policy):
    """Plays the legal action of the lowest number."""

    def forward(self, batch, state=None):
        return Batch(act=batch.obs.mask.argmax(axis=1))


class Sleeper(Lowest):
    """Takes its time."""

    def __init__(self, seconds: float):
        self.seconds = seconds

    def forward(self, batch, state=None):
        time.sleep(self.seconds)
        return super().forward(batch, state)


class Highest(Policy):
    """Plays the legal action of the highest number."""

    def forward(self, batch, state=None):
        mask = batch.obs.mask
        return Batch(act=mask.shape[1] - 1 - mask[:, ::-1].argmax(axis=1))


class Counter(Policy):
    """Remembers how often it has moved in a game, n, and plays the legal action that comes n-th, in a circle."""

    def forward(self, batch, state=None):
        mask = batch.obs.mask
        moves = np.zeros(len(mask), np.int64) if state is None else state.moves
        act = [np.flatnonzero(row)[n % row.sum()] for row, n in zip(mask, moves, strict=True)]
        return Batch(act=np.array(act), state=Batch(moves=moves + 1))


class Bad(Lowest):
    """Plays the lowest legal action, but does something bad where that action is `trigger`."""

    def __init__(self, fault: str, trigger: int = 0):
        self.fault, self.trigger = fault, trigger

    def forward(self, batch, state=None):
        act = super().forward(batch).act
        if np.any(act == self.trigger):
            if self.fault == "raises":
                raise RuntimeError("out of\nwits")
            if self.fault == "shape":
                return Batch(act=np.zeros(len(act) + 1, np.int64))
            if self.fault == "probs":
                return Batch(act=act, probs=np.zeros(3))
        return Batch(act=np.where(act == self.trigger, {"illegal": -1, "beyond": 99}.get(self.fault, 0), act))


class Unfit(Lowest):
    """Cannot be made ready for a game."""

    def reset(self, seed=None):
        raise OSError("no engine")
