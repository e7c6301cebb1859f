"""The weight of entropy in soft actor-critics, fixed or learned (Haarnoja et al. 2018, arXiv 1812.05905, section 5)."""

import torch
from torch import nn

from agents import checks
from agents.gradients import descend
from arena.errors import UsageError

Alpha = float | tuple[float, torch.Tensor, torch.optim.Optimizer | None]
"""A fixed weight, or (target entropy, log alpha, its optimizer): a tensor of one number that has a gradient."""


class Temperature(nn.Module):
    """The weight alpha of entropy; where it is learned, its logarithm is saved with the weights."""

    def __init__(self, alpha: Alpha):
        super().__init__()
        self._fixed, self._target, self._optim = 0.0, 0.0, None
        self.log_alpha: torch.Tensor | None
        if not isinstance(alpha, tuple):
            checks.require_at_least(0, alpha=alpha)
            self._fixed = alpha
            self.register_buffer("log_alpha", None)
            return
        self._target, log_alpha, self._optim = alpha
        if log_alpha.numel() != 1 or not log_alpha.requires_grad:
            raise UsageError("log_alpha has to be one number that has a gradient: torch.zeros(1, requires_grad=True)")
        if isinstance(log_alpha, nn.Parameter):
            self.log_alpha = log_alpha
        else:
            self.register_buffer("log_alpha", log_alpha)

    @property
    def value(self) -> float:
        """Alpha."""
        return self._fixed if self.log_alpha is None else float(self.log_alpha.detach().exp())

    def adapt(self, entropy: torch.Tensor) -> dict[str, float]:
        """One step that raises alpha where entropies [n] lie below the target; `alpha`, `loss/alpha` if it is learned.

        Equation 18, with log alpha in place of alpha: it has the same sign and keeps alpha above 0.
        """
        if self.log_alpha is None:
            return {}
        loss = (self.log_alpha * (entropy.detach() - self._target)).mean()
        descend(loss, self._optim)
        return {"alpha": self.value, "loss/alpha": loss.item()}
