"""The keys of all screens.

A command is on the same letter everywhere. Where moves are typed, a letter alone is always a move, and the command is
on ctrl with the letter; elsewhere both do the same. No command is on ctrl+h, ctrl+i, ctrl+j or ctrl+m, which terminals
send for backspace, tab and enter, nor on ctrl+c, which leaves the program.
"""

from dataclasses import replace

from textual.binding import Binding, BindingType


def command(letter: str, action: str, description: str, tooltip: str, show: bool = True) -> Binding:
    """Return the binding of a command: its letter, small or capital, and ctrl with it."""
    return Binding(f"{letter},{letter.upper()},ctrl+{letter}", action, description, show=show, tooltip=tooltip)


COMMANDS_KEY = Binding("colon", "app.command_palette", "find", key_display=":", tooltip="find a command by name")
RULES_KEY = Binding("f1", "rules", "rules", show=False, key_display="F1", tooltip="the rules of the game")
HELP_KEY = Binding("question_mark", "help", "help", key_display="?", tooltip="these keys")
THEME_KEY = Binding("ctrl+t", "app.toggle_theme", "theme", show=False, tooltip="light or dark")
BACK_KEY = command("q", "app.back", "back", "back, or leave")
COMMON_KEYS: list[BindingType] = [THEME_KEY, COMMANDS_KEY, HELP_KEY, BACK_KEY]
"""Bindings for the end of a screen's own, where users look for them."""
MATCH_KEYS: list[BindingType] = [
    command("f", "flip", "flip", "see the board from the other side", show=False),
    RULES_KEY,
    THEME_KEY,
    replace(COMMANDS_KEY, show=False),  # there are too many for one line
    HELP_KEY,
    BACK_KEY,
]
"""Bindings for the end of a match screen's own."""
HURRY = "have the agent that thinks move at once"
NEXT_KEY = command("n", "next_game", "next game", "the next game, seats changed; the score stands")
THOUGHTS_KEY = command("o", "thoughts", "thoughts", "what agents think: their moves, with the chance of each")
STEP = Binding.Group("step", compact=True)
SPEED = Binding.Group("speed", compact=True)
PAUSE_KEY = Binding("space", "pause", "pause", key_display="␣", tooltip="pause, or go on")
SPEED_KEYS: list[Binding] = [
    Binding("plus,equals_sign", "faster", "faster", key_display="+", group=SPEED, tooltip="faster"),
    Binding("minus", "slower", "slower", key_display="−", group=SPEED, tooltip="slower"),
]
CARDS_KEY = Binding("c,C", "open_cards", "cards", tooltip="hidden hands open, or as backs")
SAVE_KEY = Binding("s,ctrl+s", "save_screen", "save", tooltip="save a picture of the screen (SVG)")
WALK_KEYS: list[BindingType] = [
    PAUSE_KEY,
    Binding("left", "back", "back", key_display="←", group=STEP, tooltip="a move back"),
    Binding("right", "forward", "forward", key_display="→", group=STEP, tooltip="a move forward"),
    Binding("home", "jump(0)", "first", show=False, key_display="home", tooltip="the first position"),
    Binding("end", "jump(-1)", "last", show=False, key_display="end", tooltip="the last position so far"),
    command("g", "ask_jump", "go to", "go to a move by its number", show=False),
    *SPEED_KEYS,
    THOUGHTS_KEY,
    CARDS_KEY,
    SAVE_KEY,
    Binding("S", "save_board", "save board", show=False, tooltip="save a picture of the board (PNG)"),
]
"""Bindings for the beginning of a screen that steps through a match; `MATCH_KEYS` come last."""
PLAY_KEYS: list[BindingType] = [
    Binding("up", "point(-1, 0)", "up", show=False, key_display="↑", tooltip="the cursor up"),
    Binding("down", "point(1, 0)", "down", show=False, key_display="↓", tooltip="the cursor down"),
    Binding("left", "point(0, -1)", "left", show=False, key_display="←", tooltip="the cursor left"),
    Binding("right", "point(0, 1)", "right", show=False, key_display="→", tooltip="the cursor right"),
    Binding("left", "step(-1)", "back", key_display="←", group=STEP, tooltip="a move back"),
    Binding("right", "step(1)", "forward", key_display="→", group=STEP, tooltip="a move forward"),
    Binding("enter", "choose", "play", key_display="↵", tooltip="play what is typed, or the cursor's cell"),
    Binding("escape", "let_go", "let go", show=False, key_display="esc", tooltip=f"let go of a piece; {HURRY}"),
    Binding("tab", "hint", "hint", key_display="tab", tooltip="what an agent would do in your place"),
    command("u", "take_back", "undo", "take back your last move"),
    command("d", "draw", "draw", "offer a draw, or accept one"),
    command("r", "resign", "resign", "resign"),
    NEXT_KEY,
    command("x", "change_seats", "again", "this game again from the other seat; it is not scored"),
    command("a", "analyse", "analyse", "go through the game: which moves lost value"),
    THOUGHTS_KEY,
]
"""Bindings for the beginning of the screen where games are played; `MATCH_KEYS` come last."""
