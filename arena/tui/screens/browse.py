"""Browse the matches of a store, of any size, and open one."""

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

from arena.base.errors import UsageError
from arena.base.passwords import without_password
from arena.tui.screens.base import ArenaScreen
from arena.tui.screens.keys import COMMON_KEYS
from arena.tui.services.context import LazyStore
from arena.tui.state.intents import OpenScreen, ReplayIntent
from arena.tui.widgets.line import LineInput
from arena.tui.widgets.match_list import PAGE, MatchList
from games.engine.identity import name_of

if TYPE_CHECKING:
    from arena.store import MatchFilter, StoredMatch

TYPING_PAUSE_S = 0.3
"""Pause in typing after which the filter is applied."""


@dataclass(frozen=True)
class Listing:
    """Result of a filter; matches that are stored later are not part of it."""

    wanted: "MatchFilter"
    below: int
    """One more than the number of its newest match."""
    count: int
    players: Sequence[str]
    games: Sequence[str]


class BrowseScreen(ArenaScreen):
    """Matches of a store, the newest first, by player, result, game and length.

    Args:
        store: path or URL.
        wanted: the filter at the start.

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
        self._initial_filter = wanted
        self._store = LazyStore(store)
        self._pause: Timer | None = None

    def compose_body(self) -> ComposeResult:
        """Yield the filter and the list."""
        with Horizontal(id="filter"):
            for name, text in _as_typed(self._initial_filter).items():
                yield Label(name)
                yield LineInput(text, id=name, compact=True, select_on_focus=False)
        yield MatchList(id="matches")

    def on_mount(self) -> None:
        """Read the first page."""
        self.query_one("#result", Input).suggester = SuggestFromList(["win", "draw", "loss"])
        self.query_one(MatchList).focus()
        self.load()

    @work(exclusive=True, group="load")
    async def load(self) -> None:
        """Count the matches that pass the filter, and show them."""
        typed = {field.id or "": field.value.strip() for field in self.query(Input)}
        try:
            listing = await self.background.run(partial(_listing, self._store, self._initial_filter, typed))
        except UsageError as error:
            self.say(str(error), "refusal")
            return
        self.listing = listing
        self.heading.say(f"{listing.count:,} matches in {self.url}")
        self.say("" if listing.count else "no match fits: c shows all", "plain" if listing.count else "refusal")
        for name, known in (("player", listing.players), ("game", listing.games)):
            self.query_one(f"#{name}", Input).suggester = SuggestFromList(known)
        self.query_one(MatchList).begin(listing.count)

    def on_match_list_page_requested(self, event: MatchList.PageRequested) -> None:
        """Read a page that is visible."""
        if self.listing is not None:
            self._read(self.listing, event.page)

    @work(group="pages")
    async def _read(self, listing: Listing, page: int) -> None:
        matches = self.query_one(MatchList)
        try:
            stored = await self.background.run(partial(_page, self._store, listing, page))
        except UsageError as error:
            matches.withdraw(page)
            self.say(f"{error}; what was read is shown, r tries again", "refusal")
            return
        if listing is self.listing:
            matches.put(page, stored)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Apply the filter after a pause in typing."""
        if self._pause is not None:
            self._pause.stop()
        if self.listing is not None:
            self._pause = self.set_timer(TYPING_PAUSE_S, self.load)

    def on_input_submitted(self) -> None:
        """Move the focus to the list."""
        self.action_list()

    def on_match_list_chosen(self, event: MatchList.Chosen) -> None:
        """Open the replay of the match."""
        self.post_message(OpenScreen(ReplayIntent(event.match, self.url)))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether a key is shown: that into the filter outside it, that back to the list inside."""
        typing = isinstance(self.focused, Input)
        return {"filter": not typing, "list": typing}.get(action, True)

    def action_filter(self) -> None:
        """Focus the filter."""
        self.query_one("#player", Input).focus()

    def action_list(self) -> None:
        """Focus the list."""
        self.query_one(MatchList).focus()

    def action_clear(self) -> None:
        """Clear the filter."""
        for field in self.query(Input):
            field.value = ""

    def action_reload(self) -> None:
        """Read the store again."""
        self.load()

    def remarks(self) -> Sequence[str]:
        """Return the syntax of the filter."""
        return (
            "player, game: a name or its beginning; result: win, draw or loss (of that player)",
            "moves: 30 (at least), 30-60, -60 (at most)",
        )

    def on_unmount(self) -> None:
        """Close the store."""
        self._store.close()


def _as_typed(wanted: "MatchFilter") -> dict[str, str]:
    """Return a filter as a user would type it."""
    low, high = wanted.min_length, wanted.max_length
    length = f"{low or ''}-{high}" if high is not None else str(low or "")
    return {"player": wanted.player or "", "result": wanted.result or "", "game": wanted.game or "", "moves": length}


def _listing(lazy_store: LazyStore, first: "MatchFilter", typed: dict[str, str]) -> Listing:
    """Return the matches that pass the typed filter; `UsageError` if it cannot be parsed."""
    store = _store(lazy_store)
    players, games = store.players(), store.games()
    lengths: dict[str, Any] = {}
    with suppress(ValueError):
        low, _, high = typed["moves"].partition("-")
        lengths = {"min_length": int(low or 0), "max_length": int(high) if high else None}
    if typed["moves"] and not lengths:
        raise UsageError(f"moves {typed['moves']!r} are not of the form 30, 30-60 or -60")
    result: Any = typed["result"].lower() or None
    player = _completed("player", typed["player"], players, exact=len(players) >= 1000)
    game = _completed("game", typed["game"], [*dict.fromkeys(name_of(label) for label in games), *games])
    wanted = replace(first, player=player, game=game, result=result, **lengths)
    below = store.newest() + 1
    return Listing(wanted, below, store.count(wanted, before_id=below), players, games)


def _page(lazy_store: LazyStore, listing: Listing, page: int) -> "list[StoredMatch]":
    store = _store(lazy_store, "the store {} is gone")  # it was there when the listing was read
    return store.matches(listing.wanted, limit=PAGE, before_id=listing.below, skip=page * PAGE)


def _store(lazy_store: LazyStore, absent: str = "there is no store {}") -> Any:
    store = lazy_store.get()
    if store is None:
        raise UsageError(absent.format(without_password(str(lazy_store.url))))
    return store


def _completed(kind: str, typed: str, known: Sequence[str], exact: bool = False) -> str | None:
    """Return the name that was typed, or the first that starts with it; `UsageError` if none does."""
    if not typed or typed in known or exact:
        return typed or None
    matching = [name for name in known if name.lower().startswith(typed.lower())]
    if not matching:
        raise UsageError(f"no {kind} in this store is called {typed!r}")
    return matching[0]
