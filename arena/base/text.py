"""Text from files, bots and people, escaped for each place where it is shown, written or names a file."""

from games.engine.text import printable, printable_lines

__all__ = ["csv_cell", "file_name", "from_csv_cell", "plot_text", "printable", "printable_lines"]

FORMULAS = ("=", "+", "-", "@", "\t", "\r")
"""First characters of cells that spreadsheets interpret as formulas (OWASP, CSV injection)."""


def csv_cell(value: object) -> object:
    """Return a value as a cell of a table: texts in one line, and never a formula; numbers as they are.

    >>> csv_cell("=1+1"), csv_cell("-ada"), csv_cell(-1.5), csv_cell("a-b")
    ("'=1+1", "'-ada", -1.5, 'a-b')
    """
    if not isinstance(value, str):
        return value
    return printable(f"'{value}" if value.startswith(FORMULAS) else value)


def from_csv_cell(text: str) -> str:
    """Return the text that `csv_cell` escaped.

    >>> from_csv_cell("'=1+1"), from_csv_cell("'s")
    ('=1+1', "'s")
    """
    return text[1:] if text[:1] == "'" and text[1:].startswith(FORMULAS) else text


def file_name(text: str) -> str:
    """Return a text as the name of a file or folder: letters, digits, underscores and dots stay, the rest is a dash.

    >>> file_name("exploit-openspiel:leduc_poker-ppo:runs/mine")
    'exploit-openspiel-leduc_poker-ppo-runs-mine'
    """
    return "".join(letter if letter.isalnum() or letter in "_." else "-" for letter in text)


def plot_text(text: str) -> str:
    r"""Return a text for a legend, where matplotlib takes `$` for mathematics and leaves out what `_` begins.

    >>> plot_text("_a$b$")
    ' _a\\$b\\$'
    """
    text = printable(text).replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text
