"""Adam whose step costs what its arithmetic costs."""

import inspect
from collections.abc import Callable
from typing import Any

import torch
from torch.optim import Optimizer
from torch.optim.optimizer import _global_optimizer_post_hooks, _global_optimizer_pre_hooks

HOOKS_OF_ALL = _global_optimizer_pre_hooks, _global_optimizer_post_hooks
"""Hooks on the steps of all optimizers."""


class Adam(torch.optim.AdamW):
    """Adam (arXiv 1412.6980) by the fused kernel, with decoupled weight decay (arXiv 1711.05101).

    The results and the state are those of `torch.optim.AdamW(..., fused=True)`, bit for bit. That class sorts its
    tensors by device at every step, which takes longer than the arithmetic of a small network, and loads all of
    `torch.compile` at its first step: a second, and 100 MB, of every process that learns. Torch's profiler names
    its steps only where they have hooks.

    Args:
        parameters: floating-point parameters on one device.
        learning_rate: above 0.
        eps: added to the root of the second moment.
        weight_decay: share of the learning rate by which weights decay per step, at least 0.

    """

    # As they are without the wrapper that loads `torch.compile` in order to exempt them from it.
    add_param_group = inspect.unwrap(Optimizer.add_param_group)
    state_dict = inspect.unwrap(Optimizer.state_dict)
    load_state_dict = inspect.unwrap(Optimizer.load_state_dict)
    zero_grad = inspect.unwrap(Optimizer.zero_grad)

    def __init__(self, parameters: Any, learning_rate: float, eps: float = 1e-8, weight_decay: float = 0.0):
        super().__init__(parameters, learning_rate, eps=eps, weight_decay=weight_decay, fused=True)

    def step(self, closure: Callable[[], float] | None = None) -> float | None:  # type: ignore[override]
        """Change the parameters that have a gradient; returns the loss of the closure, if there is one."""
        hooks = self._optimizer_step_pre_hooks, self._optimizer_step_post_hooks, *HOOKS_OF_ALL
        return self._step_with_hooks(closure) if any(hooks) else self._step(closure)

    step.hooked = True  # type: ignore[attr-defined]  # torch wraps it otherwise, in what takes as long as the step

    @torch.no_grad()
    def _step(self, closure: Callable[[], float] | None) -> float | None:
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            changed = [parameter for parameter in group["params"] if parameter.grad is not None]
            if not changed:
                continue
            states = [self._state_of(parameter) for parameter in changed]
            steps = [state["step"] for state in states]
            torch._foreach_add_(steps, 1)
            torch._fused_adamw_(
                changed,
                [parameter.grad for parameter in changed],
                [state["exp_avg"] for state in states],
                [state["exp_avg_sq"] for state in states],
                [],
                steps,
                lr=group["lr"],
                beta1=group["betas"][0],
                beta2=group["betas"][1],
                weight_decay=group["weight_decay"],
                eps=group["eps"],
                amsgrad=False,
                maximize=False,
            )
        return loss

    _step_with_hooks = Optimizer.profile_hook_step(_step)

    def _state_of(self, parameter: torch.Tensor) -> dict[str, torch.Tensor]:
        """Return the number of steps and the moments of a parameter, made at its first step."""
        state: dict[str, torch.Tensor] = self.state[parameter]
        if not state:
            state["step"] = torch.zeros((), dtype=torch.float32, device=parameter.device)
            state["exp_avg"] = torch.zeros_like(parameter, memory_format=torch.preserve_format)
            state["exp_avg_sq"] = torch.zeros_like(parameter, memory_format=torch.preserve_format)
        return state
