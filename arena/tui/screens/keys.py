"""Keys that several screens share."""

from dataclasses import replace

from textual.binding import Binding, BindingType

COMMANDS_KEY = Binding("colon", "app.command_palette", "find", key_display=":", tooltip="find a command by name")
HELP_KEY = Binding("question_mark", "help", "help", key_display="?", tooltip="these keys")
COMMON_KEYS: list[BindingType] = [
    Binding("t,T", "app.toggle_theme", "theme", tooltip="light or dark"),
    COMMANDS_KEY,
    HELP_KEY,
    Binding("q,Q", "app.back", "back", tooltip="back, or leave"),
]
"""Bindings for the end of a screen's own, where users look for them."""
MATCH_KEYS: list[BindingType] = [
    Binding("f,F", "flip", "flip", show=False, tooltip="see the board from the other side"),
    *(
        replace(key, show=key.action in ("help", "app.back"))  # there are too many for one line
        for key in COMMON_KEYS
        if isinstance(key, Binding)
    ),
]
"""Bindings for the end of a match screen's own."""
STEP = Binding.Group("step", compact=True)
SPEED = Binding.Group("speed", compact=True)
PAUSE_KEY = Binding("space", "pause", "pause", key_display="␣", tooltip="pause, or go on")
SPEED_KEYS: list[BindingType] = [
    Binding("plus,equals_sign", "faster", "faster", key_display="+", group=SPEED, tooltip="faster"),
    Binding("minus", "slower", "slower", key_display="−", group=SPEED, tooltip="slower"),
]
CARDS_KEY = Binding("c,C", "open_cards", "cards", tooltip="hidden hands open, or as backs")
SAVE_KEY = Binding("s", "save_screen", "save", tooltip="save a picture of the screen (SVG)")
WALK_KEYS: list[BindingType] = [
    PAUSE_KEY,
    Binding("left", "back", "back", key_display="←", group=STEP, tooltip="a move back"),
    Binding("right", "forward", "forward", key_display="→", group=STEP, tooltip="a move forward"),
    Binding("home", "jump(0)", "first", show=False, key_display="home", tooltip="the first position"),
    Binding("end", "jump(-1)", "last", show=False, key_display="end", tooltip="the last position so far"),
    Binding("g,G", "ask_jump", "go to", show=False, tooltip="go to a move by its number"),
    *SPEED_KEYS,
    Binding("o,O", "overlay", "overlay", tooltip="the chance of each move, on the board"),
    CARDS_KEY,
    SAVE_KEY,
    Binding("S", "save_board", "save board", show=False, tooltip="save a picture of the board (PNG)"),
]
"""Bindings for the beginning of a screen that steps through a match; `MATCH_KEYS` come last."""
