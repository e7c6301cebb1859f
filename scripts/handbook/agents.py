"""Pages of agents: paper, equations, options and measured scores, from registry, modules and tables of results."""

import importlib
from collections.abc import Iterator
from dataclasses import asdict

from arena.policy.kinds import AgentKind, Algorithm
from arena.policy.registry import AGENTS, agent_kind
from arena.policy.zoo.entries import entries
from handbook.help_text import help_of, options_table
from handbook.learned import curve, of_algorithm
from handbook.markdown import docstring, listing, plain, table, toctree

FOLDER = "reference/agent"


def pages() -> dict[str, str | bytes]:
    """Return a page for every kind of agent, the curves of those that learn, and their list."""
    kinds = {name: agent_kind(name) for name in AGENTS.names()}
    made: dict[str, str | bytes] = {f"{FOLDER}/{name}.md": agent_page(name, kind) for name, kind in kinds.items()}
    made |= {f"{FOLDER}/{name}-curve.png": drawn[1] for name in kinds if (drawn := curve(name))}
    groups = {
        "Rules, searches and solvers": lambda kind: kind.algorithm is None and not kind.reaches_out,
        "Programs and models outside": lambda kind: kind.reaches_out,
        "Learning algorithms": lambda kind: kind.algorithm is not None,
    }
    parts = ["# Agents, one by one", "Which to take for what stands in [a table of its own](../agents.md)."]
    for title, fits in groups.items():
        rows = [(name, name, plain(kind.summary)) for name, kind in kinds.items() if fits(kind)]
        parts += [f"## {title}", listing(rows)]
    return {**made, f"{FOLDER}/index.md": "\n\n".join([*parts, toctree(kinds)])}


def agent_page(name: str, kind: AgentKind) -> str:
    """Return the page of one kind of agent."""
    reference = kind.algorithm.build.reference if kind.algorithm else kind.make.reference
    module = importlib.import_module(reference.partition(":")[0])
    spec = f"{name}:{kind.argument}" if kind.argument else name
    parts = [f"# {name}", plain(f"{kind.summary[:1].upper()}{kind.summary[1:]}."), f"Spec: `{spec}`"]
    parts += [docstring(module), f"From `{module.__name__}`."]
    if kind.algorithm is not None:
        parts += list(_learning(name, kind.algorithm))
    if scores := list(_figures(name)):
        parts += ["## Measured", table(["agent", "against", "score", "95 %", "games"], scores)]
    return "\n\n".join(parts)


def _learning(name: str, algorithm: Algorithm) -> Iterator[str]:
    """Give what an algorithm learns from, its options, and its scores in the learning checks."""
    actions = " and ".join(algorithm.actions)
    yield f"What it learns from: {algorithm.data} data, with {actions} actions."
    task = "connect_four" if "discrete" in algorithm.actions else "gym:Pendulum-v1"
    words = ["train", task, name]
    for group in help_of(words).groups:
        if group.title == "config options":
            yield f"## Options of `{' '.join(['arena', *words])}`\n\n{options_table(group)}"
    if "discrete" in algorithm.actions and (others := _other_defaults(algorithm)):
        yield f"With Gymnasium's environments other defaults hold: {others}."
    if drawn := curve(name):
        yield f"## Learning curve\n\n![Its learning curve]({name}-curve.png)"
        command = f"python scripts/learning_curves.py {name}"
        yield f"On `{drawn[0]}`, from one seed on one thread, with 95 % intervals, by `{command}`."
    if scores := of_algorithm(name):
        yield f"## Does it learn?\n\nBy `python scripts/learning_checks.py`, on one thread:\n\n{scores}"


def _other_defaults(algorithm: Algorithm) -> str:
    """Return the options whose defaults are others for tasks of a single agent than for games, with their values."""
    usual, single = asdict(algorithm.usual_config(single=False)), asdict(algorithm.usual_config(single=True))
    changed = {name.replace("_", "-"): value for name, value in single.items() if value != usual[name]}
    words = [_flag(name, value) if isinstance(value, bool) else f"--{name} {value}" for name, value in changed.items()]
    return ", ".join(f"`{word}`" for word in words)


def _flag(name: str, value: bool) -> str:
    """Return the option that sets a flag to a value."""
    return f"--{name}" if value else f"--no-{name}"


def _figures(name: str) -> Iterator[list[str]]:
    """Give the figures of the zoo's cards in which such an agent was measured."""
    for card in (entry.card for entry in entries().values()):
        for figure in card.figures:
            if figure.agent.partition(":")[0] == name:
                interval = f"{figure.low} to {figure.high}"
                yield [
                    f"`{figure.agent}`, {card.game}",
                    f"`{figure.against}`",
                    str(figure.score),
                    interval,
                    str(figure.games),
                ]
