"""Adam: the numbers and the state of `torch.optim.AdamW`, without what `torch.compile` needs."""

import subprocess
import sys
from copy import deepcopy
from functools import partial

import pytest
import torch
from torch import nn
from torch.optim.optimizer import register_optimizer_step_post_hook

from agents.learning.optimizer import Adam


def made(kind):
    """A network, its optimizer, and a schedule of the learning rate."""
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
    optim = kind(net.parameters())
    return net, optim, torch.optim.lr_scheduler.LinearLR(optim, 1.0, 0.1, 10)


def descended(net, optim, schedule, steps):
    rng = torch.Generator().manual_seed(steps)
    for step in range(steps):
        optim.zero_grad()
        net(torch.randn(5, 4, generator=rng)).square().mean().backward()
        if step % 3 == 1:
            net[2].bias.grad = None  # it is left as it is
        optim.step()
        schedule.step()


@pytest.mark.parametrize("decay", [0.0, 0.01])
def test_steps_are_those_of_torch_whoever_begins_and_goes_on(decay):
    reference = partial(torch.optim.AdamW, lr=0.01, eps=1e-5, weight_decay=decay, fused=True)
    ours = partial(Adam, learning_rate=0.01, eps=1e-5, weight_decay=decay)
    made_by = {kind: made(kind) for kind in (reference, ours)}
    for parts in made_by.values():
        descended(*parts, steps=7)
    states = {kind: (net.state_dict(), optim.state_dict()) for kind, (net, optim, _) in made_by.items()}
    ends = []
    for before, after in ((reference, reference), (reference, ours), (ours, ours), (ours, reference)):
        net, optim, schedule = made(after)
        net.load_state_dict(states[before][0])
        optim.load_state_dict(deepcopy(states[before][1]))
        descended(net, optim, schedule, steps=5)
        ends.append(torch.cat([parameter.detach().flatten() for parameter in net.parameters()]))
    assert all(torch.equal(end, ends[0]) for end in ends)


@pytest.mark.parametrize("everywhere", [False, True])
def test_hooks_on_its_steps_are_called(everywhere):
    _, optim, _ = made(partial(Adam, learning_rate=0.01))
    register = register_optimizer_step_post_hook if everywhere else optim.register_step_post_hook
    steps = []
    handle = register(lambda optimizer, args, kwargs: steps.append(optimizer))
    optim.step()
    handle.remove()
    optim.step()
    assert steps == [optim]


def test_a_closure_is_asked_for_the_loss():
    net, optim, _ = made(partial(Adam, learning_rate=0.01))

    def closure():
        loss = net(torch.ones(2, 4)).sum()
        loss.backward()
        return loss

    before = net(torch.ones(2, 4)).sum()
    assert optim.step(closure) == before
    assert net(torch.ones(2, 4)).sum() < before


@pytest.mark.full
def test_a_training_does_not_load_what_compiles(tmp_path):
    code = """
import sys
from arena.cli.main import main
assert main(sys.argv[1:]) == 0
assert "torch" in sys.modules
print([name for name in ("torch._dynamo", "sympy") if name in sys.modules])
"""
    words = ["train", "tic_tac_toe", "ppo", "--steps", "256", "--snapshots", "1", "--boards", "8", "--moves", "16"]
    command = [sys.executable, "-c", code, *words, "--evaluation-games", "2", "--out", str(tmp_path / "run")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "[]"
