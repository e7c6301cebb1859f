"""A terminal that shows pixels, played by a program: it keeps cells, sixel images and the images of kitty."""

import fcntl
import io
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
import unicodedata
from base64 import b64decode

import numpy as np
from PIL import Image
from rich.cells import cell_len

from arena.tui.drawing.graphics import PLACEHOLDER
from tests.tui.terminal import ROOT

CELL = 10, 20
"""Width and height of a cell in pixels."""
TOKEN = re.compile(
    r"\x1b_(?P<apc>.*?)\x1b\\|\x1bP(?P<dcs>.*?)\x1b\\|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"
    r"|\x1b\[(?P<csi>[0-?]*[ -/]*[@-~])|\x1b(?P<esc>[78=>])|\x1b[()].|(?P<text>[^\x1b]+)",
    re.DOTALL,
)


class PixelTerminal:
    """Runs a command; `graphics` is sixel or kitty, none for a terminal that answers but cannot, mute for no answer."""

    def __init__(self, command, graphics, environment=(), size=(100, 30), typed=""):
        self.graphics, self.size = graphics, size
        self.asked = []
        """Queries that the program has sent."""
        self.images, self.placements = {}, {}
        self._master, slave = pty.openpty()
        self._unread, self._chunks = "", {}
        self._position, self._saved, self._colour = (0, 0), ((0, 0), None), None
        self._clear()
        self._tell_size()
        os.write(self._master, typed.encode())
        unset = ("NO_COLOR", "TMUX", "STY", "ARENA_ASCII", "COLUMNS", "LINES")
        clean = {key: value for key, value in os.environ.items() if key not in unset}
        term = {"TERM": "xterm-kitty" if graphics == "kitty" else "xterm-256color", "COLORTERM": "truecolor"}
        streams = {"stdin": slave, "stdout": slave, "stderr": slave}
        environment = {**clean, **term, "LC_ALL": "C.UTF-8", "PYTHONPATH": str(ROOT), **dict(environment)}
        self.process = subprocess.Popen(command, cwd=ROOT, env=environment, start_new_session=True, **streams)
        os.close(slave)

    def press(self, keys):
        """Type keys as the sequences that they send."""
        os.write(self._master, keys.encode())

    def resize(self, columns, lines):
        """Change the size: what was shown is gone, as in a terminal that reflows."""
        self.size = columns, lines
        self._clear()
        self._tell_size()
        self.process.send_signal(signal.SIGWINCH)

    def wait_for(self, condition, seconds=20.0):
        """Read until a condition holds while nothing is sent; fail after so many seconds, or if the program ends."""
        deadline = time.monotonic() + seconds
        while True:
            if not select.select([self._master], [], [], 0.3)[0] and condition():
                return
            assert time.monotonic() < deadline, self.text()
            assert self._read(), self.text()

    def end(self):
        """Read to the end of the program; return its exit status."""
        while self._read():
            select.select([self._master], [], [], 1.0)
        return self.process.wait(60)

    def close(self):
        """End the program."""
        self.process.kill()
        self.process.wait(60)
        os.close(self._master)

    def text(self):
        """The characters on the screen."""
        return "\n".join(
            "".join(self._cells.get((y, x), (" ", None))[0] for x in range(self.size[0])) for y in range(self.size[1])
        )

    def picture(self):
        """The only picture on the screen in its place, [H, W, 3]; None if there is none."""
        return self._placed() if self.graphics == "kitty" else self._painted()

    def has_pictures(self):
        """Whether any part of a picture is on the screen."""
        return bool((self._canvas >= 0).any() or any(text[0] == PLACEHOLDER for text, _ in self._cells.values()))

    # --- pictures -------------------------------------------------------------------------------------------------

    def _painted(self):
        """Everything that sixels have left on the canvas, which must be a rectangle."""
        covered = self._canvas[..., 0] >= 0
        if not covered.any():
            return None
        rows, columns = (np.flatnonzero(covered.any(axis)) for axis in (1, 0))
        box = self._canvas[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
        return box if (box >= 0).all() else None

    def _placed(self):
        """The image whose placeholders are on the screen, each in its place."""
        cells = {at: cell for at, cell in self._cells.items() if cell[0][0] == PLACEHOLDER}
        numbers = {colour for _, colour in cells.values()}
        if len(numbers) != 1:
            return None
        number = numbers.pop()
        columns, lines = self.placements[number]
        top, left = min(cells)
        marks = {text[1:] for (_, x), (text, _) in cells.items() if x == left}
        if set(cells) != {(top + y, left + x) for y in range(lines) for x in range(columns)} or len(marks) != lines:
            return None
        return self.images[number]

    def _sixel(self, data):
        """Paint an image at the cursor."""
        body = data[data.index("q") + 1 :]
        palette, colour, x, y = {}, 0, 0, 0
        top, left = self._position[0] * CELL[1], self._position[1] * CELL[0]
        for match in re.finditer(r'"([\d;]+)|#(\d+)(?:;2;(\d+);(\d+);(\d+))?|!(\d+)(.)|([?-~])|([$-])', body):
            size, number, *rgb, repeat, repeated, plain, control = match.groups()
            if size:
                _, _, width, height = map(int, size.split(";"))
            elif number:
                colour = int(number)
                if rgb[0]:
                    palette[colour] = [round(int(part) * 2.55) for part in rgb]
            elif control:
                x, y = 0, y + 6 * (control == "-")
            else:
                times, bits = int(repeat or 1), ord(repeated or plain) - 63
                for row in range(6):
                    if bits >> row & 1:
                        assert y + row < height
                        assert x + times <= width
                        self._canvas[top + y + row, left + x : left + x + times] = palette[colour]
                x += times

    def _kitty(self, command):
        keys, _, data = command.removeprefix("G").partition(";")
        keys = dict(key.split("=") for key in keys.split(","))
        match keys.get("a"):
            case "q":
                self._answer("kitty", f"\x1b_Gi={keys['i']};OK\x1b\\", self.graphics == "kitty")
            case "p":
                assert keys["U"] == "1"
                assert int(keys["i"]) in self.images
                self.placements[int(keys["i"])] = int(keys["c"]), int(keys["r"])
            case "d":
                del self.images[int(keys["i"])], self.placements[int(keys["i"])]
            case _:
                self._chunks = {"i": int(keys["i"]), "data": ""} if "i" in keys else self._chunks
                self._chunks["data"] += data
                if keys["m"] == "0":
                    image = Image.open(io.BytesIO(b64decode(self._chunks["data"])))
                    self.images[self._chunks["i"]] = np.asarray(image)

    # --- characters -----------------------------------------------------------------------------------------------

    def _read(self):
        """Take in what the program has sent; False at its end."""
        if not select.select([self._master], [], [], 0)[0]:
            return True
        try:
            data = os.read(self._master, 1 << 16)
        except OSError:
            return False
        self._bytes = getattr(self, "_bytes", b"") + data
        text = self._bytes.decode("utf-8", "ignore")  # a character may be cut
        self._bytes = self._bytes[len(text.encode()) :]
        self._unread += text
        while match := TOKEN.match(self._unread):
            self._unread = self._unread[match.end() :]
            self._take(**match.groupdict())
        return bool(data)

    def _take(self, apc, dcs, csi, esc, text):
        if apc:
            self._kitty(apc)
        elif dcs:
            assert self.graphics == "sixel"
            self._sixel(dcs)
        elif csi:
            self._control(csi)
        elif esc == "7":
            self._saved = self._position, self._colour
        elif esc == "8":
            self._position, self._colour = self._saved
        for character in text or "":
            self._write(character)

    def _control(self, csi):
        numbers = [int(part) for part in re.findall(r"\d+", csi)]
        y, x = self._position
        match csi[-1]:
            case "H":
                self._position = (numbers[0] - 1, numbers[1] - 1) if numbers else (0, 0)
            case "A":
                self._position = y - (numbers[0] or 1), x
            case "C":
                self._position = y, min(x + numbers[0], self.size[0] - 1)
            case "m":
                for start in range(len(numbers)):
                    if numbers[start] in (0, 39):
                        self._colour = None
                    elif numbers[start : start + 2] == [38, 2]:
                        red, green, blue = numbers[start + 2 : start + 5]
                        self._colour = red << 16 | green << 8 | blue
                        break
            case "c" if csi == "c":
                self._answer("attributes", f"\x1b[?62{';4' * (self.graphics == 'sixel')};22c", self.graphics != "mute")
            case "t" if csi == "16t":
                self._answer("size", f"\x1b[6;{CELL[1]};{CELL[0]}t", self.graphics != "mute")
            case "h" | "l" if csi[:-1] == "?1049":
                self._clear()

    def _write(self, character):
        y, x = self._position
        if character == "\r":
            self._position = y, 0
        elif character == "\n":
            self._position = y + 1, x
        elif unicodedata.combining(character):
            text, colour = self._cells[y, x - 1]
            self._cells[y, x - 1] = text + character, colour
        elif character.isprintable() or character == PLACEHOLDER:
            self._cells[y, x] = character, self._colour
            width = cell_len(character)
            self._canvas[y * CELL[1] : (y + 1) * CELL[1], x * CELL[0] : (x + width) * CELL[0]] = -1
            self._position = y, x + width

    def _answer(self, query, answer, is_known):
        self.asked.append(query)
        if is_known:
            os.write(self._master, answer.encode())

    def _clear(self):
        columns, lines = self.size
        self._cells = {}
        self._canvas = np.full((lines * CELL[1], columns * CELL[0], 3), -1)

    def _tell_size(self):
        columns, lines = self.size
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("4H", lines, columns, 0, 0))
