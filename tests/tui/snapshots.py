"""Pictures of screens: a test compares what is shown (text, colours, styles) with an SVG file that a browser shows.

`ARENA_SNAPSHOTS=write pytest ...` writes the files anew; look at them before they are kept.
"""

import difflib
import html
import io
import os
import re
import tempfile
from collections import Counter
from pathlib import Path

from rich.console import Console
from rich.segment import Segment, Segments
from rich.terminal_theme import SVG_EXPORT_THEME
from textual._context import visible_screen_stack
from textual.strip import Strip

from arena.tui.app import ArenaApp
from arena.tui.state.plain import plain

FOLDER = Path(__file__).parent / "snapshots"
ID = "screen"
"""Prefix of the elements' names in a file, in place of a hash of its content."""
COLUMN = 12.2
"""Width of a character in a file."""
RECTANGLE = '<rect fill="{}" x=[^>]*/>'
TEXT = re.compile(rf'<text class="{ID}-r\d+" x="([^"]+)" [^>]*clip-path="url\(#{ID}-line-(\d+)\)">([^<]*)</text>')


def check_snapshot(app: ArenaApp, name: str, *varying: str) -> None:
    """Compare the screen with `snapshots/NAME.svg`; what fits a pattern of `varying` may be anything of its length."""
    shown = svg(app, name, varying)
    file = FOLDER / f"{name}.svg"
    if os.environ.get("ARENA_SNAPSHOTS") == "write":
        file.write_text(shown, encoding="utf-8")
    kept = file.read_text(encoding="utf-8") if file.exists() else ""
    if shown != kept:
        written = Path(tempfile.mkdtemp(prefix="arena-snapshots-")) / file.name
        written.write_text(shown, encoding="utf-8")
        raise AssertionError(f"{file} is not what is shown, which was written to {written}:\n{difference(kept, shown)}")


def check_text(shown: str, name: str) -> None:
    """Compare a text with `snapshots/NAME.txt`."""
    file = FOLDER / f"{name}.txt"
    if os.environ.get("ARENA_SNAPSHOTS") == "write":
        file.write_text(shown, encoding="utf-8")
    assert shown == file.read_text(encoding="utf-8"), f"this is not what {file} has:\n{shown}"


def svg(app: ArenaApp, title: str, varying: tuple[str, ...] = ()) -> str:
    """The screen as an SVG, an element a line, so that versions can be compared line by line."""
    visible_screen_stack.set(app._background_screens)  # for a screen through which those below are seen
    segments: list[Segment] = []
    for strip in app.screen._compositor.render_strips():
        line = masked(strip, varying).simplify().discard_meta()
        segments += [Segment(plain(text) if app.ascii else text, style) for text, style, _ in line]
        segments.append(Segment.line())
    console = Console(
        width=app.size.width, file=io.StringIO(), force_terminal=True, color_system="truecolor", record=True
    )
    console.print(Segments(segments), end="")
    picture = console.export_svg(title=title, unique_id=ID)
    drawn = Counter(re.findall(RECTANGLE.format(r"(#\w+)"), picture))
    theme = app.current_theme.background
    ground = theme if theme in drawn else drawn.most_common(1)[0][0]  # without colours it is a grey
    picture = re.sub(RECTANGLE.format(ground), "", picture)  # what is said once need not be said everywhere
    picture = picture.replace(f'fill="{SVG_EXPORT_THEME.background_color.hex}"', f'fill="{ground}"')
    return re.sub(r"(</text>|/>)(?=<)", r"\1\n", picture)


def masked(strip: Strip, varying: tuple[str, ...]) -> Strip:
    """A line with `~` for what fits one of the patterns."""
    for pattern in varying:
        for found in re.finditer(pattern, strip.text):
            hidden = [Segment("~" * len(text), style) for text, style, _ in strip.crop(*found.span())]
            strip = Strip.join([strip.crop(0, found.start()), Strip(hidden), strip.crop(found.end())])
    return strip


def text_of(picture: str) -> list[str]:
    """The lines of text in a picture."""
    lines: dict[int, str] = {}
    for x, line, text in TEXT.findall(picture):
        before = lines.get(int(line), "")
        lines[int(line)] = before.ljust(round(float(x) / COLUMN)) + html.unescape(text).replace("\xa0", " ")
    return [lines.get(number, "").rstrip() for number in range(max(lines, default=-1) + 1)]


def difference(kept: str, shown: str) -> str:
    """Return the difference of two pictures as text; if only styles differ, the elements that do."""
    texts = text_of(kept), text_of(shown)
    if texts[0] != texts[1]:
        return "\n".join(difflib.unified_diff(*texts, "kept", "shown", lineterm=""))
    elements = difflib.unified_diff(kept.splitlines(), shown.splitlines(), "kept", "shown", lineterm="", n=0)
    return "\n".join(["the text is the same; colours or styles are not:", *elements])
