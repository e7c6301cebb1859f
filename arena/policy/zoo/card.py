"""Cards of the zoo: `card.toml`, which says of a game who its champion is, how strong, and what its levels are."""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

from arena.base.errors import CheckpointError, UsageError
from arena.base.files import read_bytes, reason
from arena.base.toml import toml_value
from arena.base.typed import Count, Range, record

CARD = "card.toml"
LARGEST = 2**16
"""Largest number of bytes of a card."""
NUM_LEVELS = 10
FIRST_LEVEL = "level:3"
"""The opponent of those who name none."""
ELO, RETURN = "Elo", "return"
"""Scales of levels: Elo, where random is 0; or what an agent earns a game, in games for chips from a random player, in
those that nobody wins in a team of its own."""
TRAIN, SOLVE = "train", "solve"
"""Commands of arena that make the weights of an entry."""
MATCH, KEPT, EXPLOITABILITY, LOCAL = "match", "kept", "exploitability", "local"
"""Measures: games against an agent; the share of moves that keep the value of solved positions; what a best response,
or a local best response, wins a game, by which a smaller figure is a better one."""


@dataclass(frozen=True)
class Level:
    """A calibrated opponent."""

    agent: str
    """Its spec."""
    rating: float
    """Its strength on the scale of its card."""
    error: Annotated[float, Range(0, 1e6)]
    """Half-width of the 95 % interval of the rating."""


@dataclass(frozen=True)
class Figure:
    """A measured result."""

    agent: str
    against: str
    """The other agent, or what else it is measured by; empty for what a team of one agent earns."""
    score: float
    """Points a game, 0 to 1, a draw is half a point; the mean return in games for chips, and those that nobody wins."""
    low: float
    high: float
    """The 95 % interval of the score."""
    games: Count
    seed: Count
    openings: str
    """How games began, as `arena tournament --openings` takes it."""
    seconds: float = 0.0
    """Seconds of one core for all games, both sides together."""
    date: str = ""
    """Day of the measurement, YYYY-MM-DD."""
    measure: str = MATCH
    """What was measured: `MATCH`, `KEPT`, `EXPLOITABILITY` or `LOCAL`."""
    game: str = ""
    """Game that was played, if it is not that of the card: go:size=9."""
    by_return: bool = False
    """True if the score is a mean return, and not points."""
    clock: str = ""
    """Time control of the games, as `arena tournament --clock` takes it; empty for agents with limits of their own."""


@dataclass(frozen=True)
class Training:
    """The training that made the weights beside a card."""

    command: str
    """Words after `arena train`, GAME ALGO [options], or after the other command that is `by`."""
    core_seconds: Count
    """Processor time."""
    date: str
    second_seed: str = ""
    """What the same training reached from another seed, in one line; empty if it was not tried."""
    by: str = TRAIN
    """Command of arena: `TRAIN` or `SOLVE`."""
    accelerator: str = ""
    """GPU that it used, and for how many seconds, in words; empty for none."""

    @property
    def full_command(self) -> str:
        """The whole command line."""
        return f"arena {self.by} {self.command}"

    @property
    def compute(self) -> str:
        """The processor time in seconds, and what was used besides."""
        return f"{self.core_seconds:,}" + (f" and {self.accelerator}" if self.accelerator else "")

    def __post_init__(self) -> None:
        if self.by not in (TRAIN, SOLVE):
            raise UsageError(f"a training is by {TRAIN!r} or {SOLVE!r}, not by {self.by!r}")


@dataclass(frozen=True)
class ZooCard:
    """The zoo's knowledge of one game, or of one agent that somebody added."""

    game: str
    """The game with those options that are not its defaults: go:size=9."""
    champion: str
    """Spec of the best agent."""
    why: str
    """Reason of the choice, in one line."""
    otherwise: str = ""
    """Spec of the champion with other options of the game; empty if there is none."""
    scale: str = ELO
    """Scale of the levels, `ELO` or `RETURN`."""
    levels: tuple[Level, ...] = ()
    """From the weakest; empty or `NUM_LEVELS`."""
    levels_on: str = ""
    """Game on which the levels were measured, if it is not that of the card: go:size=9."""
    figures: tuple[Figure, ...] = ()
    training: Training | None = None

    @property
    def main_figure(self) -> Figure | None:
        """The first figure that comes of games against an agent; None if there is none."""
        return next((figure for figure in self.figures if figure.measure == MATCH), None)

    @property
    def plays_any_options(self) -> bool:
        """True if champion and levels are searches, which play with any options of the game."""
        return self.champion == self.otherwise

    def __post_init__(self) -> None:
        if len(self.levels) not in (0, NUM_LEVELS):
            raise UsageError(f"levels has {len(self.levels)} entries, not {NUM_LEVELS} or none")
        if self.scale not in (ELO, RETURN):
            raise UsageError(f"scale is {self.scale!r}, neither {ELO!r} nor {RETURN!r}")


def read_card(folder: Path) -> ZooCard:
    """Read the card in a folder; `CheckpointError` of one line if it is missing or holds something else."""
    file = folder / CARD
    try:
        return parse_card(read_bytes(file, LARGEST), str(file))
    except OSError as error:
        raise CheckpointError(f"{file} cannot be read: {reason(error)}") from None


def parse_card(content: bytes, where: str) -> ZooCard:
    """Return the card in the content of a file; `CheckpointError` that names `where` if it is none."""
    try:
        return record(ZooCard, tomllib.loads(content.decode("utf-8")))
    except (UsageError, ValueError) as error:  # of TOML and UTF-8 as well
        words = "it is not text in UTF-8" if isinstance(error, UnicodeDecodeError) else error
        raise CheckpointError(f"{where} is no card of the zoo: {words}") from None


def card_text(card: ZooCard) -> str:
    """Return a card as TOML, which `parse_card` reads."""
    return "\n".join(_lines("", asdict(card))) + "\n"


def _lines(path: str, table: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of a table: its values first, then the tables and lists of tables in it."""
    for key, value in table.items():
        if not isinstance(value, Mapping | Sequence) or isinstance(value, str):
            yield from () if value is None else [f"{key} = {toml_value(value)}"]
    for key, value in table.items():
        name = f"{path}{key}"
        if isinstance(value, Mapping):
            yield from ("", f"[{name}]", *_lines(f"{name}.", value))
        elif isinstance(value, Sequence) and not isinstance(value, str):
            for one in value:
                yield from ("", f"[[{name}]]", *_lines(f"{name}.", one))
