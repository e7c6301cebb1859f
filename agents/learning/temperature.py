"""The entropy weight of soft actor-critics, fixed or learned (Haarnoja et al. 2018, arXiv 1812.05905, section 5)."""

import torch
from torch import nn

from agents.learning.gradients import descend
from arena.base.checks import require_at_least
from arena.base.errors import UsageError

Alpha = float | tuple[float, torch.Tensor, torch.optim.Optimizer | None]
"""A fixed weight, or (target entropy, log alpha, its optimizer), with log alpha a trainable tensor of one entry."""


class Temperature(nn.Module):
    """The entropy weight alpha; a learned one is saved, as its logarithm, with the weights."""

    def __init__(self, alpha: Alpha):
        super().__init__()
        self._fixed, self._target, self._optim = 0.0, 0.0, None
        self.log_alpha: torch.Tensor | None
        if not isinstance(alpha, tuple):
            require_at_least(0, alpha=alpha)
            self._fixed = alpha
            self.register_buffer("log_alpha", None)
            return
        self._target, log_alpha, self._optim = alpha
        if log_alpha.numel() != 1 or not log_alpha.requires_grad:
            raise UsageError("log_alpha must have one entry and a gradient: torch.zeros(1, requires_grad=True)")
        if isinstance(log_alpha, nn.Parameter):
            self.log_alpha = log_alpha
        else:
            self.register_buffer("log_alpha", log_alpha)

    @property
    def value(self) -> float:
        """Return alpha."""
        return self._fixed if self.log_alpha is None else float(self.log_alpha.detach().exp())

    def adapt(self, entropy: torch.Tensor) -> dict[str, float]:
        """Raise alpha if entropies [n] are below the target, else lower it; return `alpha` and `loss/alpha`.

        Equation 18, with log alpha in place of alpha: the sign is the same, and alpha stays above 0. A fixed alpha does
        not change; the result is then empty.
        """
        if self.log_alpha is None:
            return {}
        loss = (self.log_alpha * (entropy.detach() - self._target)).mean()
        descend(loss, self._optim)
        return {"alpha": self.value, "loss/alpha": loss.item()}
