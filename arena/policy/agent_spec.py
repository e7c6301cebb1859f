"""The text that names an agent on a command line, `NAME` or `NAME:ARGUMENT`: `random`, `mcts:400`, `ppo:runs/c4`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Self


@dataclass(frozen=True)
class AgentSpec:
    """The name of a kind of agent, with an argument for it."""

    name: str
    argument: str = ""
    """Text after the colon: a folder for trained agents; empty if there is none."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read the text of an agent.

        >>> AgentSpec.parse("ppo:runs/c4")
        AgentSpec(name='ppo', argument='runs/c4')
        """
        name, _, argument = text.partition(":")
        return cls(name, argument)

    @property
    def folder(self) -> Path:
        """The argument as a path."""
        return Path(self.argument)

    def __str__(self) -> str:
        """The text that names the agent."""
        return f"{self.name}:{self.argument}" if self.argument else self.name
