"""Small learners that can be followed step by step."""

import numpy as np
import torch
from torch import nn

from arena.data import Batch
from arena.policy.base import BasePolicy
from tests.match.players import Lowest


class LearnerInTraining(Lowest):
    """Plays the legal action of the lowest number, and its transitions are worth storing."""

    learns = True


class Diary(BasePolicy):
    """Plays `act` wherever it sits, and writes down all that it is asked to do."""

    def __init__(self, act: int = 0, action_space=None):
        super().__init__(action_space=action_space)
        self.act = act
        self.weight = nn.Parameter(torch.zeros(2))
        self.seen: list[Batch] = []
        self.log: list[tuple] = []
        self.seeds: list[int | None] = []

    def reset(self, seed=None):
        self.seeds.append(seed)

    def forward(self, batch, state=None):
        self.seen.append(batch)
        n = len(batch.obs.agent_id)
        return Batch(act=np.full(n, self.act), policy=Batch(by=np.full(n, self.act)))

    def exploration_noise(self, act, batch):
        return act + 100

    def process_fn(self, batch, buffer, indices):
        self._note("process", indices.tolist())
        batch.twice = batch.rew * 2
        return batch

    def learn(self, batch, **kwargs):
        self._note("learn", batch.twice.tolist(), kwargs)
        return {"loss": float(batch.rew.sum())}

    def post_process_fn(self, batch, buffer, indices):
        self._note("post", np.asarray(indices).tolist())

    def _note(self, *what):
        self.log.append((*what, self.training, self.updating))


class Recurrent(BasePolicy):
    """Plays by a GRU cell over what it has seen in this game; a game begins at zero."""

    def __init__(self, seed: int, hidden: int = 4):
        super().__init__()
        torch.manual_seed(seed)
        self.cell = nn.GRUCell(2, hidden)
        self.head = nn.Linear(hidden, 5)

    def forward(self, batch, state=None):
        seen = torch.as_tensor(batch.obs.obs, dtype=torch.float32)
        before = None if state is None else torch.as_tensor(state.h)
        after = self.cell(seen, before)
        scores = self.head(after).masked_fill(~torch.as_tensor(batch.obs.mask), -torch.inf)
        return Batch(act=scores.argmax(dim=1).numpy(), state=Batch(h=after), policy=Batch(scores=scores))

    def learn(self, batch):
        return {}
