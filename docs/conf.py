"""Configuration of Sphinx for the site, which `bash scripts/docs.sh` builds."""

import re
from importlib.metadata import version as version_of
from typing import Any

project = "Arena"
author = "the authors of Arena"
copyright = author
release = version = version_of("arena-marl")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
]
myst_enable_extensions = ["colon_fence", "dollarmath", "html_image"]
myst_heading_anchors = 4  # as GitHub makes them, so that a link works in both places
toc_object_entries = False  # the theme copies all contents for every page: methods made half the work of a build
nitpicky = False  # types in signatures name packages whose inventories are on the network

html_theme = "furo"
html_title = f"Arena {release}"
html_extra_path = ["llms.txt", "extra"]  # copied to the root of the site; scripts/build_docs.py fills `extra`
html_show_copyright = False
html_theme_options = {"top_of_page_buttons": []}  # no repository to view the page in

autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True, "show-inheritance": True}
napoleon_google_docstring = True
smartquotes = False  # two hyphens are an option of a command
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
suppress_warnings = ["ref.python"]  # a field such as `games` that several classes have


def literal(app: Any, what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    """Change a docstring in place: marked names become literals; stars and bars elsewhere stand for themselves."""
    pieces = re.split(r"`+([^`]+)`+", "\n".join(lines))  # text and names by turns
    for number, piece in enumerate(pieces):
        if number % 2:
            pieces[number] = f"``{piece}``" + r"\ " * pieces[number + 1][:1].isalnum()  # `name`s
        else:
            pieces[number] = re.sub(r"(?m)^(\s*\* )|([*|])", lambda sign: sign[1] or f"\\{sign[2]}", piece)
    lines[:] = "".join(pieces).split("\n")


def setup(app: Any) -> None:
    """Connect what is above to Sphinx."""
    app.connect("autodoc-process-docstring", literal, priority=400)  # before it is read as Google's style
