"""The one place where illegal actions are taken out of scores."""

from typing import Any

import torch


def mask_scores(scores: torch.Tensor, mask: Any) -> torch.Tensor:
    """Scores [n, A] (logits or Q-values) with illegal actions at the lowest finite number.

    `mask` (bool [n, A], True = legal) may be None: all legal. The lowest finite number keeps softmax, entropy and their
    gradients exact: an illegal action has probability 0 and contributes nothing.
    """
    if mask is None:
        return scores
    legal = torch.as_tensor(mask, dtype=torch.bool, device=scores.device)
    return scores.masked_fill(~legal, torch.finfo(scores.dtype).min)


def legal_mask(obs: Any) -> Any:
    """The mask that comes with an observation, None if there is none."""
    return obs.mask if hasattr(obs, "mask") else None


def bare_obs(obs: Any) -> Any:
    """What a network sees of an observation: of a multi-agent one, its `obs`."""
    return obs.obs if hasattr(obs, "obs") else obs
