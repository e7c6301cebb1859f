"""`AsyncCollector`: a collector that does not wait for slow environments."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from arena.base.errors import UsageError
from arena.collector.collector import Collector
from arena.data.batch import Batch
from arena.data.rows import write_rows
from arena.data.stats import CollectStats
from arena.data.widening import widen

Ints = NDArray[np.int64]


class AsyncCollector(Collector):
    """A `Collector` for vector environments with `wait_num` or `timeout`, whose steps return in parts.

    Environments that have finished a step act again while the others are busy. The action in a busy environment opens a
    transition when its result arrives. A step that is unfinished at the end of a collection belongs to the next one. A
    reset drops such steps, which is counted (`CollectStats.n_dropped_steps`).

    The arguments are those of `Collector`.
    """

    _in_parts: ClassVar[bool] = True

    def reset_env(self, gym_reset_kwargs: dict[str, Any] | None = None) -> None:
        """Begin new episodes in all environments; the results of unfinished steps are dropped."""
        super().reset_env(gym_reset_kwargs)
        self._busy = np.zeros(self.num_envs, np.bool_)
        self._chosen = Batch()  # what was done in busy environments, one row an environment

    def collect(
        self,
        n_step: int | None = None,
        n_episode: int | None = None,
        random: bool = False,
        render: float | None = None,
        no_grad: bool = True,
        reset_before_collect: bool = False,
        gym_reset_kwargs: dict[str, Any] | None = None,
    ) -> CollectStats:
        """Collect at least `n_step` environment steps, or at least `n_episode` episodes.

        As `Collector.collect`, but there are more steps if several environments answer at once, and more episodes if
        one ends that was under way in an environment that has had its share. Episodes are assigned to environments
        beforehand here too: fast environments that have had theirs wait. `reset_before_collect` is for `n_episode`
        alone, `UsageError` otherwise. `render` waits for busy environments.
        """
        if reset_before_collect and n_episode is None:
            raise UsageError("reset_before_collect has an effect with n_episode only; for n_step, reset_env() first")
        return super().collect(n_step, n_episode, random, render, no_grad, reset_before_collect, gym_reset_kwargs)

    def most_steps(self, n_step: int) -> int:
        """Return the largest number of steps of `collect(n_step)`, reached if all answer when one step is missing."""
        return n_step - 1 + self.num_envs

    def _step(self, env_ids: Ints, random: bool) -> tuple[int, Ints]:
        """Send actions to the idle ones of these environments, and process all finished steps."""
        idle = env_ids[~self._busy[env_ids]]
        if len(idle):
            sent, chosen = self._choose(idle, random)
            result = self._envs.step(sent, idle)
            widen(self._chosen, chosen)
            write_rows(self._chosen, chosen, idle, self.num_envs)
            self._busy[idle] = True
        else:
            result = self._envs.step(None, None)
        answered = result[4].pop("env_id")
        self._busy[answered] = False
        return len(answered), self._take_in(answered, self._chosen[answered], result)
