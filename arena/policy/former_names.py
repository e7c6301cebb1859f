"""Options of algorithms by the names that they had in checkpoints and runs of format 1."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, TypeVar

from arena.base.typed import FieldError, record, shown

ConfigT = TypeVar("ConfigT")

FORMER_NAMES: dict[str, tuple[str, ...]] = {
    "discount": ("discount_factor", "gamma"),
    "n_step": ("estimation_step",),
    "normalize_returns": ("reward_normalization",),
    "value_weight": ("vf_coef",),
    "entropy_weight": ("ent_coef",),
    "clip_ratio": ("eps_clip",),
    "normalize_advantages": ("advantage_normalization",),
    "critic_iterations": ("optim_critic_iters",),
    "backtrack_factor": ("backtrack_coeff",),
    "double": ("is_double",),
    "noise": ("exploration_noise",),
    "smaller_weight": ("lmbda",),
    "perturbation": ("phi",),
    "acting_samples": ("forward_sampled_times",),
    "target_samples": ("num_sampled_action",),
    "mode": ("policy_improvement_mode",),
    "max_weight": ("ratio_upper_bound",),
}
"""Present names of each former name; of several, the one that the algorithm has."""


def read_options(kind: type[ConfigT], saved: Any) -> ConfigT:
    """Return a config from its entries in a file, of format 1 or newer; options that are not there have their defaults.

    Raises `FieldError` for an unknown option, and `UsageError` for a value that an option cannot have.
    """
    if not isinstance(saved, Mapping):
        raise FieldError(f"config is {shown(saved)}, not an object")
    known = {field.name for field in fields(kind)}  # type: ignore[arg-type]  # a config is a dataclass
    return record(kind, {_current(name, known): value for name, value in saved.items()})


def _current(name: str, known: set[str]) -> str:
    """Return the name that an option has among the known ones; its own if it has none."""
    return next((one for one in (name, *FORMER_NAMES.get(name, ())) if one in known), name)
