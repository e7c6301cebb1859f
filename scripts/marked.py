"""Parts of a page that a script writes: what stands between two marks, HTML comments that no reader sees."""

from pathlib import Path


def with_part(page: Path, begin: str, end: str, text: str) -> str:
    """Return a page with `text` between its marks `begin` and `end`; `ValueError` if it has not each of them once."""
    before = page.read_text(encoding="utf-8")
    if before.count(begin) != 1 or before.count(end) != 1 or before.index(begin) > before.index(end):
        raise ValueError(f"{page}: {begin} and, after it, {end} have to stand in it once")
    head, _, rest = before.partition(begin)
    return f"{head}{begin}\n\n{text}\n\n{end}{rest.partition(end)[2]}"
