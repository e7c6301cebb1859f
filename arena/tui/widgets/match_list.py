"""A list of any number of matches, which loads the pages that are visible."""

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from arena.tui.services.game_facts import facts_of
from arena.tui.state.words import mark, shares
from games.engine.identity import name_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.store import StoredMatch

PAGE = 200
"""Matches in a page."""
WIDE = 110
"""Columns from which the game and the year are shown."""
MAX_PAGES = 50
"""Maximum number of pages in memory."""


class MatchList(ScrollView, can_focus=True):
    """Lists `count` matches; posts `PageRequested` for missing pages, which are supplied by `put`."""

    DEFAULT_CLASSES = "panel"
    COMPONENT_CLASSES: ClassVar[set[str]] = {"match-list--cursor", "match-list--muted"}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "replay", key_display="↵", tooltip="replay the match under the cursor"),
        Binding("up,k", "move(-1)", show=False),
        Binding("down,j", "move(1)", show=False),
        Binding("pageup", "move_page(-1)", show=False),
        Binding("pagedown,space", "move_page(1)", show=False),
        Binding("home", "first", "newest", show=False, tooltip="to the newest match"),
        Binding("end", "last", "oldest", show=False, tooltip="to the oldest match"),
    ]

    cursor: reactive[int] = reactive(0)
    """Index of the match under the cursor."""

    @dataclass
    class PageRequested(Message):
        """A visible page is missing."""

        page: int

    @dataclass
    class Chosen(Message):
        """A match was chosen, by its number in the store."""

        match: int

    def __init__(self, id: str | None = None):
        super().__init__(id=id)
        self.count = 0
        self._pages: dict[int, Sequence[StoredMatch]] = {}
        self._requested: set[int] = set()

    def begin(self, count: int) -> None:
        """Show another list, from its start."""
        self.count = count
        self._pages.clear()
        self._requested.clear()
        self.virtual_size = Size(self.content_size.width, count)
        self.scroll_to(y=0, animate=False)
        self.cursor = 0
        self.refresh()

    def put(self, page: int, matches: "Sequence[StoredMatch]") -> None:
        """Supply the matches of a page."""
        self._requested.discard(page)
        self._pages[page] = matches
        if len(self._pages) > MAX_PAGES:
            here = self.cursor // PAGE
            del self._pages[max(self._pages, key=lambda one: abs(one - here))]
        self.refresh()

    def withdraw(self, page: int) -> None:
        """Cancel a request; the page is requested again when it becomes visible."""
        self._requested.discard(page)

    def match_at(self, place: int) -> "StoredMatch | None":
        """Return the match with that index, None if it is not loaded."""
        page = self._pages.get(place // PAGE, ())
        return page[place % PAGE] if 0 <= place < self.count and place % PAGE < len(page) else None

    def render_line(self, y: int) -> Strip:
        """Return the line of one match, or that it is being loaded."""
        place = y + round(self.scroll_offset.y)
        width = self.content_size.width
        if place >= self.count:
            return Strip.blank(width, self.rich_style)
        match = self.match_at(place)
        if match is None:
            self._request(place // PAGE)
        text = "  …" if match is None else _line(match, width)
        style = self.rich_style
        if place == self.cursor and self.has_focus:
            style += self.get_component_rich_style("match-list--cursor")
        elif match is None:
            style += self.get_component_rich_style("match-list--muted")
        return Strip([Segment(text, style)]).adjust_cell_length(width, style).crop(0, width)

    def _request(self, page: int) -> None:
        if page not in self._requested and page not in self._pages:
            self._requested.add(page)
            self.post_message(self.PageRequested(page))

    def watch_cursor(self) -> None:
        """Keep the cursor visible."""
        self.scroll_to_region(Region(0, self.cursor, 1, 1), animate=False, force=True)
        self.refresh()

    def validate_cursor(self, cursor: int) -> int:
        """Keep the cursor within the list."""
        return max(0, min(cursor, self.count - 1))

    def action_move(self, lines: int) -> None:
        """Move the cursor up or down."""
        self.cursor += lines

    def action_move_page(self, pages: int) -> None:
        """Move the cursor by pages."""
        self.cursor += pages * max(self.content_size.height - 1, 1)

    def action_first(self) -> None:
        """Move to the newest match."""
        self.cursor = 0

    def action_last(self) -> None:
        """Move to the oldest match."""
        self.cursor = self.count - 1

    def action_choose(self) -> None:
        """Choose the match under the cursor."""
        match = self.match_at(self.cursor)
        if match is not None:
            self.post_message(self.Chosen(match.id))

    def on_click(self, event: events.Click) -> None:
        """Move the cursor to the mouse; a double click chooses."""
        inside = event.get_content_offset(self)
        if inside is not None and (place := inside.y + round(self.scroll_offset.y)) < self.count:
            self.cursor = place
            if event.chain == 2:
                self.action_choose()

    def on_resize(self) -> None:
        """Make the list as wide as its panel."""
        self.virtual_size = Size(self.content_size.width, self.count)


def _line(match: "StoredMatch", width: int) -> str:
    """Return number, time, players, game, result, reason and length of a match, as far as they fit."""
    record, is_wide, added = match.record, width >= WIDE, datetime.fromtimestamp(match.added)
    facts = facts_of(record.game)
    players = "   ".join(f"{mark(seat, facts.sides)} {name}" for seat, name in enumerate(record.players))
    result = "–".join(shares(record.verdict.returns, facts.of_team))
    ended = "" if record.verdict.reason == "finished" else str(record.verdict.reason)
    left = f" {match.id:>8}  {added:%Y-%m-%d %H:%M}  " if is_wide else f" {match.id:>6}  {added:%d %b %H:%M}  "
    right = f"  {result:<5} {ended:<8} {len(record.actions):>4} moves "
    game = f"  {name_of(record.game):<20}" if is_wide else ""
    room = max(width - len(left) - len(right) - len(game), 8)
    return f"{left}{players[: room - 1] + '…' if len(players) > room else players:<{room}}{game}{right}"
