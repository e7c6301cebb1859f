"""Browse the matches of a store, as many as there are, and open one."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.suggester import SuggestFromList
from textual.timer import Timer
from textual.widgets import Input, Label

from arena.errors import UsageError
from arena.tui.screens.base import COMMON_KEYS, ArenaScreen
from arena.tui.surroundings import KeptOpen
from arena.tui.widgets.line import Line
from arena.tui.widgets.match_list import PAGE, MatchList

if TYPE_CHECKING:
    from arena.store import MatchFilter, StoredMatch
    from arena.tui.app import ArenaApp

PATIENCE_S = 0.3
"""How long nothing is typed before the matches are asked for."""


@dataclass(frozen=True)
class Listing:
    """Which matches are listed; newer ones, which came later, are not among them."""

    wanted: "MatchFilter"
    below: int
    """Number above the newest of them."""
    count: int
    players: Sequence[str]
    games: Sequence[str]


class BrowseScreen(ArenaScreen):
    """Matches of a store, the newest first, by player, result, game and length.

    Args:
        store: path or URL.
        wanted: what the filter says at first.

    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "filter", "filter", key_display="/", tooltip="choose by player, result, game and length"),
        Binding("escape", "list", "back to the list", key_display="esc", tooltip="from the filter back to the list"),
        Binding("c,C", "clear", "all", tooltip="all matches"),
        Binding("r,R", "reload", "reload", tooltip="read again: with matches that were played since"),
        *COMMON_KEYS,
    ]

    def __init__(self, store: str, wanted: "MatchFilter"):
        super().__init__("replays")
        self.url = store
        self.listing: Listing | None = None
        self._first = wanted
        self._store = KeptOpen(store)
        self._pause: Timer | None = None

    def compose_body(self) -> ComposeResult:
        """The filter, and the list."""
        with Horizontal(id="filter"):
            for name, told in _as_typed(self._first).items():
                yield Label(name)
                yield Line(told, id=name, compact=True, select_on_focus=False)
        yield MatchList(id="matches")

    def on_mount(self) -> None:
        """Read the first page."""
        self.query_one("#result", Input).suggester = SuggestFromList(["win", "draw", "loss"])
        self.query_one(MatchList).focus()
        self.load()

    @work(exclusive=True, group="load")
    async def load(self) -> None:
        """Ask how many matches fit what the filter says now, and show them."""
        typed = {field.id or "": field.value.strip() for field in self.query(Input)}
        try:
            listing = await self.thinker.run(partial(_listing, self._store, self._first, typed))
        except UsageError as error:
            self.say(str(error), "refusal")
            return
        self.listing = listing
        self.heading.say(f"{listing.count:,} matches in {self.url}")
        self.say("" if listing.count else "no match fits: c shows all", "plain" if listing.count else "refusal")
        for name, known in (("player", listing.players), ("game", listing.games)):
            self.query_one(f"#{name}", Input).suggester = SuggestFromList(known)
        self.query_one(MatchList).begin(listing.count)

    def on_match_list_wants(self, event: MatchList.Wants) -> None:
        """Read a page that is in sight."""
        if self.listing is not None:
            self._read(self.listing, event.page)

    @work(group="pages")
    async def _read(self, listing: Listing, page: int) -> None:
        matches = self.query_one(MatchList)
        try:
            found = await self.thinker.run(partial(_page, self._store, listing, page))
        except UsageError as error:
            matches.forgo(page)
            self.say(f"{error}; what was read is shown, r tries again", "refusal")
            return
        if listing is self.listing:
            matches.put(page, found)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Ask again when nothing has been typed for a while."""
        if self._pause is not None:
            self._pause.stop()
        if self.listing is not None:
            self._pause = self.set_timer(PATIENCE_S, self.load)

    def on_input_submitted(self) -> None:
        """Go on in the list."""
        self.action_list()

    def on_match_list_chosen(self, event: MatchList.Chosen) -> None:
        """Replay it."""
        arena: ArenaApp = self.app  # type: ignore[assignment]
        arena.open(["replay", str(event.match), "--store", self.url])

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The way into the filter is shown outside it, the way out inside."""
        typing = isinstance(self.focused, Input)
        return {"filter": not typing, "list": typing}.get(action, True)

    def action_filter(self) -> None:
        """Type into the filter."""
        self.query_one("#player", Input).focus()

    def action_list(self) -> None:
        """Back to the list."""
        self.query_one(MatchList).focus()

    def action_clear(self) -> None:
        """Empty the filter."""
        for field in self.query(Input):
            field.value = ""

    def action_reload(self) -> None:
        """Read the store again."""
        self.load()

    def remarks(self) -> Sequence[str]:
        """How the filter is written."""
        return (
            "player, game: a name or its beginning; result: win, draw or loss (of that player)",
            "moves: 30 (at least), 30-60, -60 (at most)",
        )

    def on_unmount(self) -> None:
        """Let go of the store."""
        self._store.close()


def _as_typed(wanted: "MatchFilter") -> dict[str, str]:
    """A filter as a person would type it."""
    low, high = wanted.min_length, wanted.max_length
    length = f"{low or ''}-{high}" if high is not None else str(low or "")
    return {"player": wanted.player or "", "result": wanted.result or "", "game": wanted.game or "", "moves": length}


def _listing(kept: KeptOpen, first: "MatchFilter", typed: dict[str, str]) -> Listing:
    """What the filter means in this store; `UsageError` in a line if it means nothing."""
    store = _store(kept)
    players, games = store.players(), store.games()
    lengths: dict[str, Any] = {}
    with suppress(ValueError):
        low, _, high = typed["moves"].partition("-")
        lengths = {"min_length": int(low or 0), "max_length": int(high) if high else None}
    if typed["moves"] and not lengths:
        raise UsageError(f"moves {typed['moves']!r} are not of the form 30, 30-60 or -60")
    result: Any = typed["result"].lower() or None
    player = _completed("player", typed["player"], players, exact=len(players) >= 1000)
    game = _completed("game", typed["game"], [*dict.fromkeys(label.partition("(")[0] for label in games), *games])
    wanted = replace(first, player=player, game=game, result=result, **lengths)
    below = store.newest() + 1
    return Listing(wanted, below, store.count(wanted, before_id=below), players, games)


def _page(kept: KeptOpen, listing: Listing, page: int) -> "list[StoredMatch]":
    store = _store(kept)
    return store.matches(listing.wanted, limit=PAGE, before_id=listing.below, skip=page * PAGE)


def _store(kept: KeptOpen) -> Any:
    store = kept.get()
    if store is None:
        raise UsageError(f"there is no store {kept.url}")
    return store


def _completed(kind: str, typed: str, known: Sequence[str], exact: bool = False) -> str | None:
    """The name that was typed, or the first that begins so; `UsageError` if none does."""
    if not typed or typed in known or exact:
        return typed or None
    begun = [name for name in known if name.lower().startswith(typed.lower())]
    if not begun:
        raise UsageError(f"no {kind} in this store is called {typed!r}")
    return begun[0]
