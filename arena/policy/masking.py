"""Masking of illegal actions in scores."""

from typing import Any

import torch

from arena.base.errors import UsageError
from arena.data.batch import Batch
from arena.policy.packed import PackedRows


def mask_scores(scores: torch.Tensor, mask: Any) -> torch.Tensor:
    """Return scores [n, A] (logits or Q-values) with illegal actions set to the lowest finite number.

    `mask` (bool [n, A], True = legal) may be None: all legal. The lowest finite number keeps softmax, entropy and their
    gradients exact: an illegal action has probability 0 and contributes nothing.
    """
    if mask is None:
        return scores
    legal = torch.as_tensor(mask, dtype=torch.bool, device=scores.device)
    return scores.masked_fill(~legal, torch.finfo(scores.dtype).min)


def legal_mask(obs: Any) -> Any:
    """Return the mask [n, A] of observations, None if there is none; of stacked steps, that of the last.

    Raises `UsageError` if a row has no legal action.
    """
    if not isinstance(obs, Batch) or "mask" not in obs:
        return None
    mask = obs.mask
    if isinstance(mask, PackedRows):
        can_act = mask.bits.any(-1)
    elif mask.shape[-1] == 0:  # of continuous actions
        return None
    else:
        mask = mask[:, -1] if mask.ndim == 3 else mask
        can_act = torch.as_tensor(mask).any(-1)  # several times as fast as NumPy's where rows are short
    if not can_act.all():
        row = int(can_act.int().argmin())
        raise UsageError(f"the mask of row {row} has no legal action; that of a finished game is all True")
    return mask


def bare_obs(obs: Any) -> Any:
    """Return a network's part of an observation: the `obs` of a multi-agent one."""
    return obs.obs if isinstance(obs, Batch) and "obs" in obs else obs
