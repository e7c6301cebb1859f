"""Replay buffers from Minari datasets and as Minari datasets: how offline data is exchanged.

A Minari episode of T steps has T + 1 observations; a buffer has T transitions, each with its own and its next one.
The space decides what stands for what, as where vector environments stack observations: dictionaries are batches;
tuples are arrays [T, k, ...] if their k parts are arrays of one shape, else objects ([T, k] within a dictionary, [T]
tuples outside); text is objects.
"""

import shutil
import warnings
from collections.abc import Iterator
from types import ModuleType
from typing import TYPE_CHECKING, Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from arena.base.errors import UsageError
from arena.base.extras import install_command
from arena.data.batch import Batch
from arena.data.buffer.base import ReplayBuffer

if TYPE_CHECKING:
    from minari import MinariDataset


def buffer_from_minari(dataset: "MinariDataset | str") -> ReplayBuffer:
    """Return a full buffer of all episodes of a dataset, given itself or by the id of a local one.

    Episodes stand one after the other; one that ends without a flag counts as truncated there, so that the next is not
    taken for its continuation. An `info` is that of the step, not of the reset. For a buffer of another kind or size,
    `update` it from this one. Raises `UsageError` if there is no such dataset, if it is empty, or if its episodes do
    not fit each other.
    """
    dataset = _loaded(dataset) if isinstance(dataset, str) else dataset
    size = int(dataset.total_steps)
    if size == 0:
        raise UsageError("the dataset has no steps: there is nothing to make a buffer of")
    buffer = ReplayBuffer(size)
    for episode in dataset.iterate_episodes():
        length = len(episode.rewards)
        if length == 0:
            continue
        observations = Batch(obs=_as_stored(dataset.observation_space, episode.observations))
        truncated = np.array(episode.truncations, np.bool_)
        truncated[-1] |= not episode.terminations[-1]
        buffer._extend(
            Batch(
                obs=observations[:length].obs,
                act=_as_stored(dataset.action_space, episode.actions),
                rew=episode.rewards,
                terminated=np.asarray(episode.terminations, np.bool_),
                truncated=truncated,
                obs_next=observations[1:].obs,
                info=_newest(episode.infos or {}, length),
            )
        )
    return buffer


def buffer_to_minari(
    buffer: ReplayBuffer,
    dataset_id: str,
    env: gym.Env[Any, Any] | None = None,
    observation_space: gym.Space[Any] | None = None,
    action_space: gym.Space[Any] | None = None,
    algorithm_name: str | None = None,
    description: str | None = None,
) -> "MinariDataset":
    """Write the episodes of a buffer as a new dataset `dataset_id` (such as "cartpole/random-v0"), and return it.

    Each part of the buffer is read in the order of time. An episode under way is written as truncated at its newest
    transition; one whose beginning the ring has overwritten, from the oldest one kept. `policy` is not written; `info`
    is, with zeros for the reset. The spaces are those of `env` unless given; observations are stacked only where the
    buffer stores last frames of stacks. More metadata: `dataset.storage.update_metadata`.

    Raises `UsageError` if spaces are missing or do not fit, next observations are not stored, the id is malformed or
    taken, or nothing is stored; no dataset is written then.
    """
    minari = _minari()
    observation_space, action_space = _spaces(env, observation_space, action_space)
    if len(buffer) == 0:
        raise UsageError("the buffer is empty: there is nothing to write")
    if "obs_next" not in buffer._storage:
        raise UsageError("the buffer stores no obs_next: the last observation of an episode is not known")
    episodes = [_episode(buffer, places, observation_space, action_space) for places in _episodes(buffer)]
    path = _free_path(dataset_id)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # recommends metadata that is not asked for here
            dataset: MinariDataset = minari.create_dataset_from_buffers(
                dataset_id,
                [minari.data_collector.EpisodeBuffer(**episode) for episode in episodes],
                env=env,
                observation_space=observation_space,
                action_space=action_space,
                algorithm_name=algorithm_name,
                description=description,
                jpeg_encoding=False,  # pictures come back as they were
            )
    except BaseException:
        shutil.rmtree(path, ignore_errors=True)
        raise
    return dataset


def _spaces(
    env: gym.Env[Any, Any] | None, observation_space: gym.Space[Any] | None, action_space: gym.Space[Any] | None
) -> tuple[gym.Space[Any], gym.Space[Any]]:
    """Return the spaces of observations and actions: those given, or else those of `env`."""
    if env is not None:
        observation_space = observation_space or env.observation_space
        action_space = action_space or env.action_space
    if observation_space is None or action_space is None:
        raise UsageError("a dataset needs an observation_space and an action_space, or an env that has them")
    return observation_space, action_space


def _minari() -> ModuleType:
    try:
        import h5py  # noqa: F401
        import minari
        import minari.data_collector
    except ImportError:
        raise UsageError(f"datasets of Minari need minari: {install_command('minari')}") from None
    return minari


def _loaded(dataset_id: str) -> "MinariDataset":
    minari = _minari()
    try:
        return minari.load_dataset(dataset_id)
    except (FileNotFoundError, ValueError) as error:
        raise UsageError(f"there is no dataset {dataset_id!r} here: minari.list_local_datasets() shows them") from error


def _free_path(dataset_id: str) -> Any:
    """Return the folder for a new dataset."""
    from minari.dataset.minari_dataset import parse_dataset_id
    from minari.storage.datasets_root_dir import get_dataset_path

    try:
        parse_dataset_id(dataset_id)
    except (ValueError, TypeError):
        raise UsageError(f"dataset_id={dataset_id!r} is not of the form group/name-v0") from None
    path = get_dataset_path(dataset_id)
    if path.exists():
        raise UsageError(f"there is a dataset {dataset_id!r} already: take another version or minari.delete_dataset it")
    return path


def _newest(infos: dict[str, Any], length: int) -> Batch:
    """Return the last `length` rows of every entry: the infos of steps, without that of the reset."""
    rows = Batch()
    for key, value in infos.items():
        if isinstance(value, dict):
            rows[key] = _newest(value, length)
        elif isinstance(value[0], bytes):
            rows[key] = _objects([text.decode() for text in value[-length:]])
        else:
            rows[key] = np.asarray(value)[-length:]
    return rows


# --- one space's values, as a buffer stores them and as Minari does -------------------------------------------------


def _as_stored(space: gym.Space[Any], values: Any, nested: bool = False) -> Any:
    """Convert Minari's values [n, ...] of a space (`nested` if within a dictionary) to a batch or an array."""
    if isinstance(space, spaces.Dict):
        return Batch({key: _as_stored(sub, values[key], nested=True) for key, sub in space.spaces.items()})
    if isinstance(space, spaces.Tuple):
        parts = [_as_stored(sub, value) for sub, value in zip(space.spaces, values, strict=True)]
        if all(isinstance(part, np.ndarray) and part.shape == parts[0].shape for part in parts):
            return np.stack(parts, axis=1)
        if nested:
            return np.stack([_objects(list(part)) for part in parts], axis=1)
        return _objects([tuple(row) for row in zip(*parts, strict=True)])
    return _objects(list(values)) if isinstance(space, spaces.Text) else np.asarray(values)


def _objects(entries: list[Any]) -> NDArray[Any]:
    array = np.empty(len(entries), object)
    for i, entry in enumerate(entries):
        array[i] = entry
    return array


def _as_minari(space: gym.Space[Any], values: Any, name: str) -> Any:
    """Return a buffer's entries of a space, [n, ...], in Minari's form; `UsageError` for values outside the space."""
    if isinstance(space, spaces.Dict):
        return {key: _as_minari(sub, _part(values, key, name), f"{name}.{key}") for key, sub in space.spaces.items()}
    if isinstance(space, spaces.Tuple):
        each = enumerate(space.spaces)
        return tuple(_as_minari(sub, _part(values, i, name), f"{name}[{i}]") for i, sub in each)
    if isinstance(space, spaces.Text):
        return [str(value) for value in values]
    if isinstance(values, Batch) or space.shape is None:
        raise UsageError(f"{name} is not of the space {space}")
    whole = isinstance(values, np.ndarray) and values.dtype != object
    array = values if whole else np.stack([np.asarray(one) for one in values])
    if array.shape[1:] != space.shape or not np.can_cast(array.dtype, space.dtype or array.dtype, "same_kind"):
        raise UsageError(f"{name} has shape {array.shape[1:]} and type {array.dtype}, its space is {space}")
    return array.astype(space.dtype)


def _part(values: Any, key: Any, name: str) -> Any:
    """Return entry `key` of every row of a batch, of an array [n, k, ...], or of objects."""
    try:
        if isinstance(values, Batch):
            return values[key]
        return [row[key] for row in values] if values.dtype == object else values[:, key]
    except (KeyError, IndexError, TypeError) as error:
        raise UsageError(f"{name} has no {key!r}, which its space has") from error


# --- episodes of a buffer -----------------------------------------------------------------------------------------


def _episodes(buffer: ReplayBuffer) -> Iterator[NDArray[np.int64]]:
    """Yield the places of each episode, part by part in order of time."""
    places = buffer.rings.in_time_order()
    cut = buffer.done[places] | np.isin(places, buffer.unfinished_index())
    yield from np.split(places, np.flatnonzero(cut[:-1]) + 1)


def _episode(
    buffer: ReplayBuffer, places: NDArray[np.int64], observation_space: gym.Space[Any], action_space: gym.Space[Any]
) -> dict[str, Any]:
    """Return the arguments of a Minari `EpisodeBuffer` for the transitions at `places`."""
    depth = buffer.stack_num if buffer._options.save_only_last_obs else 1
    observations = Batch(obs=buffer.get(places, "obs", stack_num=depth))
    observations.cat_(Batch(obs=buffer.get(places[-1:], "obs_next", stack_num=depth)))
    rows = buffer._storage[places]
    truncated = rows.truncated
    truncated[-1] |= not rows.done[-1]
    return {
        "observations": _as_minari(observation_space, observations.obs, "obs"),
        "actions": _as_minari(action_space, rows.act, "act"),
        "rewards": rows.rew,
        "terminations": rows.terminated,
        "truncations": truncated,
        "infos": _with_reset(rows.info, "info") or None,
    }


def _with_reset(info: Batch, name: str) -> dict[str, Any]:
    """Prepend a blank info for the reset to those of steps [n]; `UsageError` for objects that are not text."""
    given: dict[str, Any] = {}
    for key, value in info.items():
        if isinstance(value, Batch):
            given[key] = _with_reset(value, f"{name}.{key}")
        elif value.dtype != object:
            given[key] = np.concatenate([np.zeros_like(value[:1]), value])
        elif all(isinstance(entry, str) for entry in value.flat):
            given[key] = ["", *value]
        else:
            raise UsageError(f"{name}.{key} holds objects, which a dataset does not: take it out of the buffer")
    return given
