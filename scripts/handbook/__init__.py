"""Pages of the site that are made from the program: commands, games, agents, the Python API and measured figures.

Each module has a function `pages()` that gives texts in MyST Markdown by path below `docs`; `scripts/build_docs.py`
puts them beside the pages that are written by hand.
"""
